/** Commits as sentences: each kind in each language, and messages of people as they are. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInstance } from 'i18next'
import t from 'tap'
import { commitWords } from '../../../src/dashboard/history/commit-words.ts'
import { INTERPOLATION, SENTENCE_VALUES } from '../../../src/dashboard/i18n/sentence-values.ts'
import { SUBJECTS } from '../../bundle/commit-subjects.ts'

const locales = join(import.meta.dirname, '../../../src/dashboard/locales')

const i18next = createInstance()
const readTexts = (language: string) => JSON.parse(readFileSync(join(locales, language, 'commits.json'), 'utf8'))
await i18next.use(SENTENCE_VALUES).init({
  resources: Object.fromEntries(readdirSync(locales).map(language => [language, { commits: readTexts(language) }])),
  ns: ['commits'],
  interpolation: INTERPOLATION,
  parseMissingKeyHandler: key => {
    throw new Error(`no text for ${key}`)
  },
})
const words = (text: string, language = 'en') =>
  commitWords(text, 'web', { t: i18next.getFixedT(language), reader: language })

t.test('has words for each kind of commit in each language', async t => {
  for (const language of readdirSync(locales))
    for (const [text] of Object.values(SUBJECTS).flat()) {
      const said = words(text, language)
      t.ok(said, `${language}: ${text}: ${said}`)
      t.notMatch(said ?? '{{', /\{\{|undefined/, `${language}: ${text}: every placeholder is filled`)
    }
})

t.test('names key, language and namespace', async t => {
  for (const [text, said] of [
    ['web pl/account: add store.count', 'added store.count in Polish, account'],
    ['web account: delete store.count', 'deleted store.count in account, all languages'],
    [
      'web pl/account: add 2, update 1, remove 1 key',
      'added 2 keys, changed 1 key, and removed 1 key in Polish, account',
    ],
    ['web: add 2000 keys in 30 bundles', 'added 2,000 keys in 30 bundles'],
    ['web pl: delete the language', 'deleted the language Polish'],
    ['web pl: rename the language to de', 'renamed the language Polish to German'],
    ['web: rename pl to pl-PL', 'renamed pl to pl-PL'],
    ['web pl/account: undo add store.count', 'undid “added store.count in Polish, account”'],
    ['web: undo create project web', 'undid “created the project”'],
    ['web: undo Texts of the checkout', 'undid “Texts of the checkout”'],
    ['web pl/account: redo undo add x', 'redid “undid “added x in Polish, account””'],
    ['web: restore to 0123abc', 'restored the project to 0123abc'],
    ['web de: restore to 0123abc', 'restored de to 0123abc'],
    ['web: replace "Konto" by "Account" in 2000 texts', 'replaced “Konto” by “Account” in 2,000 texts'],
    ['web: replace "Konto" by "" in 1 text', 'removed “Konto” from 1 text'],
    ['web: undo replace "a" by "b" in 2 texts', 'undid “replaced “a” by “b” in 2 texts”'],
    ['change project web: new name, format i18next-json-flat', 'changed the project: name and file format'],
  ] as const)
    t.equal(words(text), said, text)
})

t.test('leaves a message of a person as it is', async t => {
  for (const text of ['Texts of the new checkout', 'web: add tests', 'other pl/account: add x'])
    t.equal(words(text), undefined, text)
})
