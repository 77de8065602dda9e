/** The index of the memory: its bound of comparisons, and when it is rebuilt. */
import t from 'tap'
import { LanguageTexts } from '../../src/memory/language-texts.ts'
import { TrigramIndex } from '../../src/memory/trigram-index.ts'
import { random } from '../random.ts'

t.test('says so when it stops comparing', t => {
  const index = new TrigramIndex(0, 10)
  // Many equal trigrams seem more similar than they are.
  for (let at = 0; at < 50; at++) index.add(`${'ab'.repeat(10)}${'c'.repeat(at)}`)
  let isBound = false
  const found = [...index.ranked(`${'ab'.repeat(5)}${'c'.repeat(30)}`, undefined, () => (isBound = true))]
  t.ok(isBound)
  t.ok(found.length <= 10)
  isBound = false
  for (const _ of new TrigramIndex(0, 10).ranked('abc', undefined, () => (isBound = true))) t.fail()
  t.notOk(isBound)
  t.end()
})

t.test('builds the index once for texts of any length', t => {
  const letters = (length: number) => Array.from({ length }, () => Math.floor(random() * 36).toString(36)).join('')
  const fileOf = (rows: [string, string][]) => Buffer.from(JSON.stringify(Object.fromEntries(rows)))
  for (const [length, added] of [
    [200, ''],
    [3_000, ''],
    [2, ''],
    // Each becomes three code units.
    [100, '\ufb2c'.repeat(200)],
  ] as const) {
    const texts = new LanguageTexts()
    const put = (namespace: string, rows: [string, string][]) =>
      texts.put({ project: 'web', namespace, id: '1', interpolation: undefined }, fileOf(rows))
    const count = Math.ceil(30_000 / (length + added.length))
    const rows = Array.from({ length: count }, (_, at): [string, string] => [`k${at}`, letters(length) + added])
    put('common', rows)
    t.equal(texts.index(), texts.index(), `${length} ${added.length}`)
    for (let at = 0; at < 9; at++)
      put(
        `more${at}`,
        rows.map(([key, text]) => [key, `${at}${text}`]),
      )
    t.equal(texts.index(), texts.index(), 'grown')
  }
  t.end()
})
