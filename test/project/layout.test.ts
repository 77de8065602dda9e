import t from 'tap'
import { blobId } from '../../src/bundle/canonical.ts'
import {
  allNamespaces,
  bundleAt,
  languagesOf,
  namespacesOf,
  requireLanguage,
  requireProject,
} from '../../src/project/layout.ts'
import { snapshotOf } from '../store/memory-head.ts'

const project = (sourceLanguage: string) =>
  JSON.stringify({ defaultFormat: 'i18next-json', name: 'Web', sourceLanguage })
const snapshot = snapshotOf({
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
  const web = requireProject(snapshot, 'web')
  t.strictSame(languagesOf(snapshot, web), ['de', 'en', 'pt-BR'], 'the source language, and those with a bundle')
  t.strictSame(namespacesOf(snapshot, 'web', 'de'), ['a', 'a-b', 'common'])
  t.strictSame(namespacesOf(snapshot, 'web', 'en'), [])
  t.strictSame(allNamespaces(snapshot, web), ['Home', 'a', 'a-b', 'common'])
  t.match(bundleAt(snapshot, { slug: 'web', language: 'de', namespace: 'a' }), {
    exists: true,
    id: blobId(Buffer.from('{}')),
  })
  const none = bundleAt(snapshot, { slug: 'web', language: 'de', namespace: 'none' })
  t.match(none, { exists: false, id: '0967ef424bce6791893e9a57bb952f80fd536e93' })
  t.equal(none.bytes().toString(), '{}\n')
})

t.test('reports missing projects, languages and namespaces', async t => {
  for (const slug of ['Web', 'folder', 'none', 'README.md']) {
    t.throws(() => requireProject(snapshot, slug), { code: 'not-found', message: `There is no project "${slug}".` })
  }
  const web = requireProject(snapshot, 'web')
  for (const language of ['fr', 'DE', 'sv'])
    t.throws(() => requireLanguage(snapshot, web, language), { code: 'not-found' })
  for (const language of ['en', 'de']) t.doesNotThrow(() => requireLanguage(snapshot, web, language))
})
