/** The search of the memory, compared with a slow scorer that looks at every text. */
import fc from 'fast-check'
import t from 'tap'
import { linesOf, type Message, partsOf } from '../../src/bundle/message.ts'
import { maskText } from '../../src/memory/mask-text.ts'
import { type MemoryFolder, OrganizationMemory } from '../../src/memory/organization-memory.ts'
import { renderStale } from '../../src/project/stale.ts'
import { random } from '../random.ts'

type Texts = Record<string, string>

/** Files by project, language and namespace. */
type Files = Record<string, Record<string, Record<string, Texts>>>

const folderOf = (project: string, language: string | null): MemoryFolder => ({ project, language, id: 'any' })

/** Loads files as the thread does. */
function load(memory: OrganizationMemory, files: Files, version = '1'): void {
  const projects = new Map(Object.keys(files).map(slug => [slug, 'en']))
  const folders = Object.entries(files).flatMap(([project, languages]) =>
    Object.keys(languages).map(language => ({ ...folderOf(project, language), id: version })),
  )
  for (const folder of memory.changed(projects, folders)) {
    const bundles = files[folder.project]![folder.language!]!
    const ids = new Map(Object.entries(bundles).map(([namespace, texts]) => [namespace, JSON.stringify(texts)]))
    for (const namespace of memory.missing(folder, ids)) {
      const file = { namespace, id: ids.get(namespace)!, interpolation: undefined }
      memory.put(folder, file, Buffer.from(ids.get(namespace)!))
    }
    memory.loaded(folder)
  }
}

const search = (memory: OrganizationMemory, source: string, limit = 5, projects: string[] | null = null) =>
  memory.search({ source, from: 'en', to: 'de', projects, limit }).matches

/** The trigrams of a text, as strings. */
function trigrams(text: string): string[] {
  const padded = `\0\0${text}\0`
  return Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3))
}

/** The score of two texts, by definition. */
function slowScore(a: string, b: string): number {
  const [one, other] = [maskText(a, [undefined]), maskText(b, [undefined])]
  if (one.exact === other.exact) return 100
  const rest = trigrams(other.folded)
  const [count, otherCount] = [trigrams(one.folded).length, rest.length]
  let shared = 0
  for (const trigram of trigrams(one.folded)) {
    const at = rest.indexOf(trigram)
    if (at === -1) continue
    rest.splice(at, 1)
    shared++
  }
  return Math.min(99, Math.floor((200 * shared) / (count + otherCount)))
}

const filled = (message: Message | undefined) =>
  message !== undefined && linesOf(partsOf(message)).some(([, text]) => text !== '')

/** The best matches of flat texts without plurals, by looking at all of them. */
function slowSearch(files: Files, source: string, limit: number) {
  const rows = Object.entries(files).flatMap(([project, { en = {}, de = {} }]) =>
    Object.entries(en).flatMap(([namespace, texts]) =>
      Object.entries(texts)
        .filter(([key, text]) => text !== '' && filled(de[namespace]?.[key]))
        .map(([key, text]) => {
          const message = de[namespace]![key]!
          return { score: slowScore(source, text), source: text, message, project, namespace, key }
        }),
    ),
  )
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  rows.sort(
    (a, b) =>
      b.score - a.score || order(a.project, b.project) || order(a.namespace, b.namespace) || order(a.key, b.key),
  )
  const pairs = new Set<string>()
  const isFirst = ({ source, message }: { source: string; message: string }) => {
    const pair = JSON.stringify([source, message])
    return !pairs.has(pair) && pairs.add(pair)
  }
  return rows.filter(row => row.score >= 60 && isFirst(row)).slice(0, limit)
}

const word = fc.constantFrom(
  ...['save', 'Save', 'SAVE', 'changes', 'your', 'the', '{{name}}', '{{- user}}', '$t(app)', '<b>', '</b>', '<1/>'],
  ...['3', '٤٢', '保存', '変更を保存', '👍🏽', '👨‍👩‍👧', 'e\u0301', '\u00e9', 'ลบไฟล์', 'حفظ', '  ', '.', 'aaaa'],
)
const text = fc
  .array(word, { minLength: 1, maxLength: 7 })
  .chain(words => fc.constantFrom(' ', '').map(space => words.join(space)))
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const bundle = fc.dictionary(fc.constantFrom(...KEYS), text, { minKeys: 4 })
const language = fc.dictionary(fc.constantFrom('common', 'home'), bundle, { minKeys: 1 })
const project = fc.record({ en: language, de: language })
const files: fc.Arbitrary<Files> = fc.dictionary(fc.constantFrom('web', 'app'), project, { minKeys: 1 })

const sourceTexts = (files: Files) =>
  Object.values(files).flatMap(({ en }) => Object.values(en!).flatMap(texts => Object.values(texts)))

t.test('finds what a look at every text finds, also after changes', t => {
  let matches = 0
  const change = fc.constantFrom('', '', ' ', '!', '保', '{{x}}', 'e\u0301')
  const choice = fc.record({ at: fc.nat(), change, other: text, isOther: fc.boolean() })
  fc.assert(
    fc.property(files, files, choice, fc.integer({ min: 1, max: 20 }), (first, second, choice, limit) => {
      const memory = new OrganizationMemory()
      const texts = sourceTexts(first)
      const source = choice.isOther ? choice.other : texts[choice.at % texts.length]! + choice.change
      for (const [version, state] of [first, second, first].entries()) {
        load(memory, state, String(version))
        const found = search(memory, source, limit)
        matches += found.length
        t.strictSame(found, slowSearch(state, source, limit))
      }
      return t.passing()
    }),
    { numRuns: 120 },
  )
  t.ok(matches > 120, `${matches} matches`)
  t.end()
})

t.test('finds the same among thousands of texts, where common trigrams are not read', t => {
  const words = 'the settings of your account were saved and sent to {{name}} on 保存 {{count}} items'.split(' ')
  const some = () =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, () => words[Math.floor(random() * words.length)]).join(' ')
  const textsOf = () => Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`k${at}`, some()]))
  const german = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`k${at}`, `Text ${at}`]))
  const files = { web: { en: { common: textsOf() }, de: { common: german } } }
  const memory = new OrganizationMemory()
  load(memory, files)
  for (let at = 0; at < 8; at++) {
    const source = some()
    t.strictSame(search(memory, source, 20), slowSearch(files, source, 20), source)
  }
  t.end()
})

t.test('scores what a translator expects', t => {
  const cases: [source: string, other: string, score: number | [least: number, most: number]][] = [
    ['Save', 'Save', 100],
    ['Hello {{name}}', 'Hello {{user}}', 100],
    ['Hello {{name}}', 'Hello {{- user, uppercase}}', 100],
    ['See $t(terms)', 'See $t(privacy)', 100],
    ['Read <b>all</b>', 'Read <strong>all</strong>', 100],
    ['Read <1>all</1>', 'Read <b>all</b>', 100],
    ['Hello {{name}}', 'Hello $t(name)', [60, 98]],
    ['Save', 'save', 99],
    ['3 days left', '14 days left', 99],
    ['Save  changes ', 'Save changes', 99],
    ['Caf\u00e9', 'Cafe\u0301', 99],
    ['Save changes', 'Save your changes', [70, 90]],
    ['変更を保存しますか', '変更を保存します', [60, 98]],
    ['Delete this file', 'Delete this folder', [60, 90]],
    ['Save', 'Cancel', 0],
    ['  ', '  ', 100],
    ['aaaa', 'aaaaaaaaaaaaaaaaaaaa', 0],
    ['👍🏽', '👎🏽', [0, 70]],
  ]
  for (const [source, other, score] of cases) {
    const memory = new OrganizationMemory()
    load(memory, { web: { en: { common: { a: other } }, de: { common: { a: 'x' } } } })
    const found = search(memory, source)[0]?.score ?? 0
    const [least, most] = typeof score === 'number' ? [score, score] : score
    t.ok(found >= least && found <= most, `${source} / ${other}: ${found}`)
  }
  t.end()
})

t.test('matches plurals form by form and returns the whole message', t => {
  const memory = new OrganizationMemory()
  const en = { item_one: '{{count}} item', item_other: '{{count}} items in the cart', title: 'Cart' }
  const de = { item_one: '{{count}} Artikel', item_other: '{{count}} Artikel im Korb', title: '' }
  load(memory, { web: { en: { common: en }, de: { common: de } } })
  t.strictSame(search(memory, '{{n}} items in the cart'), [
    {
      score: 100,
      source: { cardinal: { one: en.item_one, other: en.item_other } },
      message: { cardinal: { one: de.item_one, other: de.item_other } },
      project: 'web',
      namespace: 'common',
      key: 'item',
      form: 'other',
    },
  ])
  t.equal(search(memory, '{{count}} item')[0]?.form, 'one')
  t.strictSame(search(memory, 'Cart'), [], 'an empty translation is no match')
  t.end()
})

t.test('returns no stale pair', t => {
  const memory = new OrganizationMemory()
  load(memory, {
    web: { en: { common: { a: 'Pay now', b: 'Pay now!' } }, de: { common: { a: 'Zahlen', b: 'Jetzt' } } },
  })
  const notes = renderStale(new Map([['a', [{ source: 'Pay', languages: ['de'] }]]]))!
  const folder = folderOf('web', null)
  memory.changed(new Map([['web', 'en']]), [folder])
  memory.missing(folder, new Map([['common', '1']]))
  memory.put(folder, { namespace: 'common', id: '1', interpolation: undefined }, notes)
  t.strictSame(
    search(memory, 'Pay now').map(({ key }) => key),
    ['b'],
  )
  memory.missing(folder, new Map())
  t.strictSame(
    search(memory, 'Pay now').map(({ key }) => key),
    ['a', 'b'],
    'until it fits again',
  )
  t.end()
})

t.test('reads placeholders by the syntax of each project, and by none out of reach', t => {
  const memory = new OrganizationMemory()
  load(memory, { web: { en: {}, de: {} }, app: { en: {}, de: {} } })
  const interpolation = { prefix: '__', suffix: '__' }
  for (const [language, text] of Object.entries({ en: 'Hi __name__', de: 'Hallo __name__' })) {
    memory.put(
      folderOf('web', language),
      { namespace: 'a', id: '1', interpolation },
      Buffer.from(JSON.stringify({ text })),
    )
  }
  for (const [language, text] of Object.entries({ en: 'Hi __name__', de: 'Tag' })) {
    const file = { namespace: 'a', id: '1', interpolation: undefined }
    memory.put(folderOf('app', language), file, Buffer.from(JSON.stringify({ text })))
  }
  const found = (source: string, projects: string[] | null) =>
    search(memory, source, 5, projects).map(({ project, score }) => [project, score])
  t.strictSame(found('Hi {{user}}', null), [['web', 100]])
  t.strictSame(found('Hi __user__', ['web']), [['web', 100]])
  t.strictSame(found('Hi __name__', ['app']), [['app', 100]])
  t.end()
})

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
