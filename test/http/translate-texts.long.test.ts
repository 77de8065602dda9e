/** 500 texts of all kinds in three languages, through a machine that misbehaves. */
import t from 'tap'
import { translatesTexts } from './machine-texts.ts'
import { TranslationStage } from './translation-stage.ts'

t.test('writes no text with other placeholders, or too few forms', async t => {
  await translatesTexts(t, await TranslationStage.open(t), 500)
})
