/** Languages times namespaces may be a million: what a change of many namespaces looks up grows with their sum. */
import t from 'tap'
import { refuseTwinsAmong } from '../../src/project/case-twins.ts'
import { languagesByNamespace, requireNamespaces, requireProject } from '../../src/project/layout.ts'
import { bundlePath } from '../../src/project/project.ts'
import { sidecarPath } from '../../src/project/sidecars/sidecars.ts'
import { updateKeySidecars } from '../../src/project/sidecars/update-key-sidecars.ts'
import { Overlay, type State } from '../../src/project/state.ts'
import { updateStaleEntries } from '../../src/project/update-stale-entries.ts'
import { atOnce } from '../../src/scheduling/steps.ts'
import { snapshotOf } from '../store/memory-head.ts'

/** A project with as many languages as namespaces: each language has one, `en` has all, `zz` has others. */
function wide(count: number) {
  const namespaces = Array.from({ length: count }, (_, at) => `ns${at}`)
  const languages = namespaces.map((_, at) => `de-x-${at}`)
  const slug = 'web'
  const files: Record<string, string> = {
    'web/project.json': JSON.stringify({ defaultFormat: 'i18next-json', name: 'Web', sourceLanguage: 'en' }),
  }
  for (const [at, language] of languages.entries()) {
    const namespace = namespaces[at]!
    files[bundlePath({ slug, language, namespace })] = '{}'
    files[sidecarPath({ slug, sidecar: 'marks', language, namespace })] = '{}'
  }
  for (const namespace of namespaces) {
    files[bundlePath({ slug, language: 'en', namespace })] = '{ "a": "A" }'
    files[bundlePath({ slug, language: 'zz', namespace: `z${namespace}` })] = '{}'
  }
  const snapshot = snapshotOf(files)
  let looks = 0
  const counted =
    <A extends unknown[], R>(look: (...of: A) => R) =>
    (...of: A): R => {
      looks++
      return look(...of)
    }
  const state: State = {
    organization: snapshot.organization,
    entry: counted(path => snapshot.entry(path)),
    list: counted(folder => snapshot.list(folder)),
    read: counted(path => snapshot.read(path)),
    namesLike: counted((folder, name) => snapshot.namesLike(folder, name)),
  }
  const project = requireProject(snapshot, slug)
  return { state, project, namespaces, looks: () => looks }
}

/** The lookups are over before the first computing. */
const compute = () => {
  throw new Error('Found.')
}

const WORK: Record<string, (of: ReturnType<typeof wide>) => void> = {
  'new namespaces': ({ state, project, namespaces }) => {
    const created = namespaces.map(namespace => ({ slug: 'web', language: 'fr', namespace: `new-${namespace}` }))
    atOnce(refuseTwinsAmong(state, project, created, []))
  },
  'changed source bundles': ({ state, namespaces }) => {
    const change = Object.assign(new Overlay(state), { before: state })
    for (const namespace of namespaces)
      change.put(bundlePath({ slug: 'web', language: 'en', namespace }), Buffer.from('{}'))
    t.throws(() => atOnce(updateStaleEntries(change, {}, compute)), { message: 'Found.' })
  },
  'deleted keys of many namespaces': ({ state, namespaces }) => {
    const change = Object.assign(new Overlay(state), { before: state })
    change.put(bundlePath({ slug: 'web', language: 'en', namespace: namespaces[0]! }), Buffer.from('{}'))
    const deleted = namespaces.map(namespace => ({ slug: 'web', namespace, key: 'a' }))
    t.throws(() => atOnce(updateKeySidecars(change, { deleted }, compute)), { message: 'Found.' })
  },
  'namespaces in a query': ({ state, project, namespaces }) =>
    requireNamespaces(
      state,
      project,
      namespaces.map(namespace => `z${namespace}`),
    ),
}

for (const [what, work] of Object.entries(WORK)) {
  t.test(`${what}: twice as many names are at most three times the lookups`, async t => {
    const [few, many] = [wide(60), wide(120)]
    work(few)
    work(many)
    t.ok(few.looks() > 60, 'it looks')
    t.ok(many.looks() < 3 * few.looks(), `${few.looks()}, then ${many.looks()}`)
  })
}

t.test('finds the same languages for one namespace as for several', async t => {
  const { state, namespaces } = wide(10)
  const all = [...namespaces, 'zns3', 'none']
  const found = atOnce(languagesByNamespace(state, 'web', new Set(all)))
  t.strictSame(found.get('ns3'), ['de-x-3', 'en'])
  t.strictSame(found.get('zns3'), ['zz'])
  t.strictSame(found.get('none'), [])
  for (const one of all)
    t.strictSame(atOnce(languagesByNamespace(state, 'web', new Set([one]))).get(one), found.get(one), one)
})

t.test('refuses namespaces of one change that differ only in case', async t => {
  const { state, project } = wide(3)
  const at = (language: string, namespace: string) => ({ slug: 'web', language, namespace })
  const adding = (...created: ReturnType<typeof at>[]) => atOnce(refuseTwinsAmong(state, project, created, []))
  t.doesNotThrow(() => adding(at('fr', 'ns1'), at('fr', 'new'), at('it', 'new')))
  t.throws(() => adding(at('fr', 'NS1')), { code: 'conflict', message: /namespace "NS1" .* "ns1"/ })
  t.throws(() => adding(at('fr', 'new'), at('it', 'New')), { code: 'conflict', message: /"New" .* "new"/ })
  const gone = [at('en', 'ns1'), at('de-x-1', 'ns1')].map(bundlePath)
  t.doesNotThrow(() => atOnce(refuseTwinsAmong(state, project, [at('fr', 'NS1')], gone)), 'what goes is no twin')
})
