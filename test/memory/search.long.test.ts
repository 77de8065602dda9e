/** The search among tens of thousands of texts, compared with a slow scorer that looks at every text. */
import t from 'tap'
import { OrganizationMemory } from '../../src/memory/organization-memory.ts'
import { random } from '../random.ts'
import { load, search, slowSearch } from './slow-search.ts'

t.test('finds the best of 20,000 texts that are all alike', t => {
  const counted = (text: (at: number) => string) =>
    Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, text(at)]))
  const nouns = ['user', 'project', 'member', 'invoice', 'release']
  const name = (at: number) => `${nouns[at % 5]}${at.toString(36)}`
  const de = { common: counted(at => `Wert ${at}`) }
  const files = { web: { en: { common: counted(at => `Are you sure to delete the ${name(at)} now?`) }, de } }
  const memory = new OrganizationMemory()
  load(memory, files)
  for (const noun of ['userabc', 'release', 'invoicezz9x', 'members who left', '42']) {
    const source = `Are you sure to delete the ${noun} now?`
    const [found, slow] = [search(memory, source, 20), slowSearch(files, source, 20)]
    t.strictSame(
      found.map(({ score }) => score),
      slow.map(({ score }) => score),
      source,
    )
    // Of equal ones at the end of the list, those that are listed may differ.
    const above = slow.filter(({ score }) => score > slow.at(-1)!.score)
    t.strictSame(found.slice(0, above.length), above, source)
  }
  t.strictSame(search(memory, 'x'.repeat(100_000)), [])
  t.end()
})

t.test('finds the best text among thousands that lack the common trigrams of the source', t => {
  const letters = (length: number) => Array.from({ length }, () => Math.floor(random() * 36).toString(36)).join('')
  const [frame, rest] = ['the common frame', 'of a text that goes on a bit']
  const texts = [
    ...Array.from({ length: 20_000 }, () => `${frame} ${letters(rest.length)}`),
    ...Array.from({ length: 6_000 }, () => `${letters(frame.length)} ${rest}`),
    `${frame} of the text that goes on a bit`,
  ]
  const bundle = (text: (at: number) => string) => ({
    common: Object.fromEntries(texts.map((_, at) => [`k${at}`, text(at)])),
  })
  const files = { web: { en: bundle(at => texts[at]!), de: bundle(at => `Wert ${at}`) } }
  const memory = new OrganizationMemory()
  load(memory, files)
  const found = search(memory, `${frame} ${rest}`, 1)
  t.match(found, [{ key: 'k26000' }])
  t.strictSame(found, slowSearch(files, `${frame} ${rest}`, 1))
  t.end()
})

t.test('finds the one translated text among 20,000 more similar ones that are not', t => {
  const letters = (at: number) => at.toString(4).replaceAll(/\d/g, digit => 'abcd'[Number(digit)]!)
  const common = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`k${at}`, `Setting number ${letters(at)}`]),
  )
  const far = { a: 'Setting numerals' }
  const memory = new OrganizationMemory()
  load(memory, { web: { en: { common, far }, de: { common: {}, far } } })
  t.match(search(memory, 'Setting number'), [{ namespace: 'far' }])
  t.end()
})
