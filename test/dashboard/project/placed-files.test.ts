/** The bundle of a dropped file, and the slug that is proposed for a name. */
import t from 'tap'
import { isRead, type ProjectNames, placeFile, twiceIn } from '../../../src/dashboard/project/placed-files.ts'
import { slugOf } from '../../../src/dashboard/project/slug-of.ts'

const known = { languages: ['en', 'de', 'en-x-pirate'], namespaces: ['common', 'shop'] }
const file = (path: string, text = '{"a":"b"}') => ({ path, bytes: new TextEncoder().encode(text) })

/** As the worker places them. */
const placeFiles = (files: ReturnType<typeof file>[], known: ProjectNames) =>
  files.filter(({ path }) => isRead(path)).map((one, at) => ({ id: `${at}`, ...placeFile(one, known) }))

t.test('a file goes where its path says', async t => {
  const places: Record<string, string> = {
    'de/common.json': 'de/common',
    'app/public/locales/de/shop.json': 'de/shop',
    'de/LC/common.json': 'de/common',
    'zh-Hant/common.json': 'zh-Hant/common',
    'fr_CA/common.json': 'fr-CA/common',
    'en-x-pirate.json': 'en-x-pirate/translation',
    'de.json': 'de/translation',
    'pt_BR.json': 'pt-BR/translation',
    'common.de.json': 'de/common',
    'de.common.json': 'de/common',
    'common_pt_BR.json': 'pt-BR/common',
    'messages_de.json': 'de/messages',
    // Names that only look like a language.
    'src/common.json': '?/common',
    'LC/common.json': '?/common',
    'sign-in.json': '?/sign-in',
    'app.json': '?/app',
    'a/my file.json': '?/?',
  }
  for (const [path, place] of Object.entries(places)) {
    const [{ language, namespace } = { language: null, namespace: null }] = placeFiles([file(path)], known)
    t.equal(`${language ?? '?'}/${namespace ?? '?'}`, place, path)
  }
  const [one] = placeFiles([file('de.json')], { languages: ['de'], namespaces: ['main'] })
  t.equal(one?.namespace, 'main', 'the only namespace')
})

t.test('leaves out or reports files that are no bundle', async t => {
  t.strictSame(placeFiles([file('__MACOSX/de/common.json'), file('.vscode/x.json'), file('de/a.txt')], known), [])
  const faults = placeFiles([file('de/a.json', '{'), file('de/b.json', '[]'), file('de/c.json', '{}')], known)
  t.strictSame(
    faults.map(({ fault }) => fault),
    ['not-json', 'no-object', null],
  )
})

t.test('finds files of the same bundle, and separates those of the same path', async t => {
  const files = placeFiles(
    ['de/a.json', 'de/a.json', 'a.de.json', 'de/b.json', 'x.json', 'y/x.json'].map(path => file(path)),
    known,
  )
  const paths = [...twiceIn(files)].map(({ path }) => path)
  t.strictSame(paths, ['de/a.json', 'de/a.json', 'a.de.json'])
  t.equal(new Set(files.map(({ id }) => id)).size, files.length)
  t.equal(twiceIn(placeFiles([file('de/a.json'), file('de/a.json', '{')], known)).size, 0, 'one of them is none')
})

t.test('a slug is proposed of what a name has', async t => {
  t.equal(slugOf('Web shop'), 'web-shop')
  t.equal(slugOf('  Café №1! '), 'cafe-no1')
  t.equal(slugOf('日本語'), '')
  t.equal(slugOf('a'.repeat(80)).length, 64)
})
