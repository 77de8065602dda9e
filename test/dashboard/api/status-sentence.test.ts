/** What people read of a status that comes without a sentence, such as a proxy's page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInstance } from 'i18next'
import t from 'tap'
import { statusSentence } from '../../../src/dashboard/api/connection.ts'

const locales = join(import.meta.dirname, '../../../src/dashboard/locales')
const wordsOf = (language: string) => JSON.parse(readFileSync(join(locales, language, 'common.json'), 'utf8'))

t.test('no status is shown as a number, in any language', async t => {
  for (const lng of ['ar', 'de', 'en', 'ja', 'pl']) {
    const i18next = createInstance()
    await i18next.init({ lng, ns: ['common'], defaultNS: 'common', resources: { [lng]: { common: wordsOf(lng) } } })
    const sentences = Array.from({ length: 300 }, (_, at) => statusSentence(300 + at, i18next.t))
    t.strictSame(
      sentences.filter(sentence => sentence.length < 10 || /status|\d/.test(sentence.replace('1 分', ''))),
      [],
      lng,
    )
    t.ok(new Set(sentences).size >= 10, 'those that people can do something about differ')
  }
})
