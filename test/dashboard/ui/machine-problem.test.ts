/** Each fault of a machine, and of the gate, has words in each language, and no value in English. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { GATE_FAULT_CODES } from '../../../src/bundle/gate/gate-sentence.ts'
import { SENTENCE_OF } from '../../../src/dashboard/ui/machine-fault-sentences.ts'
import { MACHINE_FAULT_CODES } from '../../../src/machine/machine-fault.ts'

const locales = join(import.meta.dirname, '../../../src/dashboard/locales')

t.test('has words for each fault', async t => {
  for (const language of readdirSync(locales)) {
    const words = JSON.parse(readFileSync(join(locales, language, 'machine.json'), 'utf8'))
    const wanted = new Set(MACHINE_FAULT_CODES.map(code => SENTENCE_OF[code] ?? code))
    t.strictSame(Object.keys(words.trouble).sort(), [...wanted].sort(), language)
    const gate = GATE_FAULT_CODES.filter(code => !code.startsWith('answer-'))
    t.strictSame(
      gate.filter(code => typeof words.fault[code] !== 'string'),
      [],
      language,
    )
    t.notMatch(JSON.stringify([words.trouble, words.fault]), /\{\{(detail|error)/, 'their values may be English')
  }
})
