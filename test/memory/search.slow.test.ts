/** The search of the memory, compared with a slow scorer that looks at every text. */
import fc from 'fast-check'
import t from 'tap'
import { OrganizationMemory } from '../../src/memory/organization-memory.ts'
import { renderStale } from '../../src/project/stale.ts'
import { random } from '../random.ts'
import { type Files, folderOf, load, search, slowSearch } from './slow-search.ts'

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
    { numRuns: 60 },
  )
  t.ok(matches > 20, `${matches} matches`)
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
