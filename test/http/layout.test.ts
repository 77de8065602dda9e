import t from 'tap'
import {
  allNamespaces,
  bundleAt,
  languagesOf,
  namespacesOf,
  projectsIn,
  refuseCaseVariants,
  requireLanguage,
  requireProject,
} from '../../src/http/layout.ts'
import { EMPTY_SNAPSHOT } from '../../src/store/snapshot.ts'
import type { Entry, Snapshot } from '../../src/store/store.ts'

/** A state that holds these files; ids are as good as any. */
function state(files: Record<string, string>): Snapshot {
  const paths = Object.keys(files)
  const entry = (path: string): Entry | undefined => {
    const name = path.split('/').at(-1)!
    if (path in files) return { name, kind: 'blob', id: `blob ${files[path]}` }
    const below = paths.filter(other => other.startsWith(`${path}/`))
    return below.length > 0 ? { name, kind: 'tree', id: `tree ${below.join()}` } : undefined
  }
  const list = (path: string) => {
    const prefix = path === '' ? '' : `${path}/`
    const names = paths
      .filter(other => other.startsWith(prefix))
      .map(other => other.slice(prefix.length).split('/')[0]!)
    return [...new Set(names)].map(name => entry(prefix + name)!)
  }
  const read = (path: string) => (path in files ? Buffer.from(files[path]!) : undefined)
  return { ...EMPTY_SNAPSHOT, root: 'root', entry, list, read }
}

const project = (sourceLanguage: string) =>
  JSON.stringify({ defaultFormat: 'i18next-json', name: 'Web', sourceLanguage })
const snapshot = state({
  'README.md': '',
  'web/project.json': project('en'),
  'web/locales/de/common.json': '{}',
  'web/locales/de/a-b.json': '{}',
  'web/locales/de/a.json': '{}',
  'web/locales/de/notes.txt': '',
  'web/locales/fr/notes.txt': '',
  'web/locales/pt-BR/Home.json': '{}',
  'Bare/project.json': project('sv-SE'),
  'folder/file': '',
})

t.test('what there is', async t => {
  t.strictSame(
    projectsIn(snapshot).map(({ slug }) => slug),
    ['Bare', 'web'],
  )
  const web = requireProject(snapshot, 'web')
  t.strictSame(languagesOf(snapshot, web), ['de', 'en', 'pt-BR'], 'the source language, and those with a bundle')
  t.strictSame(namespacesOf(snapshot, 'web', 'de'), ['a', 'a-b', 'common'])
  t.strictSame(namespacesOf(snapshot, 'web', 'en'), [])
  t.strictSame(allNamespaces(snapshot, web), ['Home', 'a', 'a-b', 'common'])
  t.match(bundleAt(snapshot, { slug: 'web', language: 'de', namespace: 'a' }), { exists: true, id: 'blob {}' })
  const none = bundleAt(snapshot, { slug: 'web', language: 'de', namespace: 'none' })
  t.match(none, { exists: false, id: '0967ef424bce6791893e9a57bb952f80fd536e93' })
  t.equal(none.bytes().toString(), '{}\n')
})

t.test('what there is not', async t => {
  for (const slug of ['Web', 'folder', 'none', 'README.md']) {
    t.throws(() => requireProject(snapshot, slug), { code: 'not-found', message: `There is no project "${slug}".` })
  }
  const web = requireProject(snapshot, 'web')
  for (const language of ['fr', 'DE', 'sv'])
    t.throws(() => requireLanguage(snapshot, web, language), { code: 'not-found' })
  for (const language of ['en', 'de']) t.doesNotThrow(() => requireLanguage(snapshot, web, language))
})

t.test('what differs only in case', async t => {
  const web = requireProject(snapshot, 'web')
  const at = (language: string, namespace: string) => () =>
    refuseCaseVariants(snapshot, web, { slug: 'web', language, namespace })
  t.throws(at('pt-br', 'x'), { code: 'conflict', message: /"pt-BR"/ })
  t.throws(at('EN', 'x'), { code: 'conflict', message: /"en"/ })
  t.throws(at('de', 'home'), { code: 'conflict', message: /"Home"/ })
  t.throws(at('it', 'COMMON'), { code: 'conflict', message: /"common"/ })
  t.doesNotThrow(at('it', 'Home'))
  t.doesNotThrow(at('fr', 'new'))
})
