/** Texts of all kinds through a machine that misbehaves. `translate-texts.long` has ten times as many. */
import t from 'tap'
import { translatesTexts } from './machine-texts.ts'
import { TranslationStage } from './translation-stage.ts'

t.test('writes no text with other placeholders, or too few forms', async t => {
  await translatesTexts(t, await TranslationStage.open(t), 50)
})
