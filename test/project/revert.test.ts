import t from 'tap'
import type { Failure } from '../../src/bundle/errors.ts'
import { asBuffer } from '../../src/bundle/file-change.ts'
import { Reversion } from '../../src/project/revert.ts'
import type { RevertPlan } from '../../src/project/revert-plan.ts'
import { Overlay, type State } from '../../src/project/state.ts'
import { revertFile } from '../../src/project/versions.ts'
import { atOnce } from '../../src/scheduling/steps.ts'
import { failure } from '../bundle/pushing.ts'
import { snapshotOf } from '../store/memory-head.ts'

const REVISION = '1234567812345678123456781234567812345678'

const project = (fields: object = {}) =>
  `${JSON.stringify({ defaultFormat: 'i18next-json', interpolation: undefined, name: 'Web', sourceLanguage: 'en', ...fields }, null, 2)}\n`
const text = (body: object) => `${JSON.stringify(body, null, 2)}\n`

/** A project's files by their names within it; a body is a bundle. */
type Files = Record<string, object | string>

const pathOf = (name: string) => (name === 'project' ? 'web/project.json' : `web/locales/${name}.json`)
const state = (files: Files, slug = 'web'): State =>
  snapshotOf(
    Object.fromEntries(
      Object.entries(files).map(([name, body]) => [
        pathOf(name).replace('web', slug),
        typeof body === 'string' ? body : text(body),
      ]),
    ),
  )

function plan(now: State, before: State, after: State): RevertPlan {
  const states = { before, after }
  const reversion = Reversion.ofCommit(now, states, 'web', REVISION)
  const changed = atOnce(reversion.changed())
  const outcomes = changed.map(bundle =>
    revertFile(reversion.taskOf(bundle, now.read(bundle.path) ?? null, states, true)),
  )
  return atOnce(reversion.plan(changed, outcomes))
}

/** What becomes of the files. */
function applied(now: State, { files }: RevertPlan): Record<string, string> {
  const made = new Overlay(now)
  for (const { path, bytes } of files) {
    if (bytes) made.put(path, asBuffer(bytes))
    else made.remove(path)
  }
  const names = ['project', 'en/common', 'en/home', 'de/common', 'de/home', 'fr/common', 'FR/common']
  const found = names.map(name => [name, made.read(pathOf(name))?.toString()] as const)
  return Object.fromEntries(found.filter(([, bytes]) => bytes !== undefined)) as Record<string, string>
}

const texts = (files: Files) =>
  Object.fromEntries(Object.entries(files).map(([name, body]) => [name, typeof body === 'string' ? body : text(body)]))

const P = { project: project() }

/** [case, before the commit, after it, now, the files then, the skipped keys] */
const CASES: [told: string, before: Files, after: Files, now: Files, then: Files, skipped?: string[]][] = [
  [
    'removes a bundle that the commit added',
    { ...P, 'en/common': { a: 'x' } },
    { ...P, 'en/common': { a: 'x' }, 'de/common': { a: 'y' } },
    { ...P, 'en/common': { a: 'z' }, 'de/common': { a: 'y' } },
    { ...P, 'en/common': { a: 'z' } },
  ],
  [
    'leaves a bundle that it added with later keys',
    P,
    { ...P, 'de/common': { a: 'y', b: 'y' } },
    { ...P, 'de/common': { a: 'z', b: 'y', c: 'z' } },
    { ...P, 'de/common': { a: 'z', c: 'z' } },
    ['de/common a: It has changed since.'],
  ],
  [
    'a bundle that it deleted comes back',
    { ...P, 'de/common': { a: 'y', v: { '1.0': 'z' } } },
    P,
    { ...P, 'en/common': { a: 'x' } },
    { ...P, 'de/common': { a: 'y', v: { '1.0': 'z' } }, 'en/common': { a: 'x' } },
  ],
  [
    'into one that is there again',
    { ...P, 'de/common': { a: 'y', b: 'y' } },
    P,
    { ...P, 'de/common': { a: 'z' } },
    { ...P, 'de/common': { a: 'z', b: 'y' } },
    ['de/common a: It is there again, with another text.'],
  ],
  [
    'a bundle that was deleted since',
    { ...P, 'de/common': { a: 'x' } },
    { ...P, 'de/common': { a: 'y' } },
    P,
    P,
    ['de/common a: It has been deleted since.'],
  ],
  [
    'a rename in all languages',
    { ...P, 'de/common': { a: 'y' }, 'en/common': { a: 'x', b: 'n' } },
    { ...P, 'de/common': { z: 'y' }, 'en/common': { b: 'n', z: 'x' } },
    { ...P, 'de/common': { z: 'new' }, 'en/common': { b: 'm', z: 'x' } },
    { ...P, 'de/common': { a: 'y', z: 'new' }, 'en/common': { a: 'x', b: 'm' } },
    ['de/common z: It has changed since.'],
  ],
  [
    'brings back a file without keys',
    { ...P, 'de/common': '{}\n' },
    { ...P, 'de/common': { a: 'y' } },
    { ...P, 'de/common': { a: 'y' } },
    { ...P, 'de/common': '{}\n' },
  ],
  [
    'the deletion of the project',
    { project: project({ name: 'Old' }), 'en/common': { a: 'x' }, 'de/home': { l: ['p', { t: 'q' }] } },
    {},
    {},
    { project: project({ name: 'Old' }), 'en/common': { a: 'x' }, 'de/home': { l: ['p', { t: 'q' }] } },
  ],
  [
    'the deletion of one that is there again',
    { project: project({ name: 'Old' }), 'en/common': { a: 'x', b: 'x' } },
    {},
    { project: project({ name: 'New' }), 'en/common': { a: 'z' } },
    { project: project({ name: 'New' }), 'en/common': { a: 'z', b: 'x' } },
    ['project: There is a project "web" again.', 'en/common a: It is there again, with another text.'],
  ],
  ['a new name', P, { project: project({ name: 'New' }) }, { project: project({ name: 'New' }) }, P],
  [
    'a name that changed since',
    P,
    { project: project({ name: 'New' }) },
    { project: project({ name: 'Newer' }) },
    { project: project({ name: 'Newer' }) },
    ['project: Changed since: "name".'],
  ],
  [
    'another interpolation',
    { project: project({ interpolation: { prefix: '__', suffix: '__' } }) },
    { project: project({ interpolation: { prefix: '%', suffix: '%' } }) },
    { project: project({ interpolation: { prefix: '%', suffix: '%' }, name: 'New' }) },
    { project: project({ interpolation: { prefix: '__', suffix: '__' }, name: 'New' }) },
  ],
  [
    'the first interpolation',
    P,
    { project: project({ interpolation: { prefix: '%', suffix: '%' } }) },
    { project: project({ interpolation: { prefix: '%', suffix: '%' } }) },
    P,
  ],
  [
    'an interpolation that changed since',
    P,
    { project: project({ interpolation: { prefix: '%', suffix: '%' } }) },
    { project: project({ interpolation: { prefix: '%', suffix: ';' } }) },
    { project: project({ interpolation: { prefix: '%', suffix: ';' } }) },
    ['project: Changed since: "interpolation".'],
  ],
  ['a name that is back', P, { project: project({ name: 'New' }) }, P, P],
  [
    'another format: files that are as it left them come back as they were, others by the names of their keys',
    { ...P, 'en/common': { v: { '1.0': 'x' } }, 'en/home': { v: { '1.0': 'x' } } },
    {
      project: project({ defaultFormat: 'i18next-json-flat' }),
      'en/common': { 'v.1.0': 'x' },
      'en/home': { 'v.1.0': 'x' },
    },
    {
      project: project({ defaultFormat: 'i18next-json-flat', name: 'New' }),
      'de/home': { 'a.b': 'since' },
      'en/common': { 'v.1.0': 'x' },
      'en/home': { 'v.1.0': 'y' },
    },
    {
      project: project({ name: 'New' }),
      'de/home': { a: { b: 'since' } },
      'en/common': { v: { '1.0': 'x' } },
      'en/home': { v: { 1: { 0: 'y' } } },
    },
  ],
  [
    'a commit from before another format',
    { ...P, 'en/common': { a: { b: 'x' } } },
    { ...P, 'en/common': { a: { b: 'y' } } },
    { project: project({ defaultFormat: 'i18next-json-flat' }), 'en/common': { 'a.b': 'y' } },
    { project: project({ defaultFormat: 'i18next-json-flat' }), 'en/common': { 'a.b': 'x' } },
  ],
  [
    'a file that the commit broke',
    { ...P, 'en/common': { a: 'x', b: 'x' } },
    { ...P, 'en/common': 'broken' },
    { ...P, 'en/common': { a: 'x' } },
    { ...P, 'en/common': { a: 'x', b: 'x' } },
    ['en/common a: It is as it was before already.'],
  ],
]

t.test('what a commit did to a project is undone', async t => {
  for (const [told, ...all] of CASES) {
    const [before, after, now] = all.slice(0, 3).map(files => state(files as Files)) as [State, State, State]
    const [then, skipped = []] = all.slice(3) as [Files, string[]?]
    const made = plan(now, before, after)
    t.strictSame(applied(now, made), texts(then), told)
    const rows = made.skipped.map(
      ({ language, namespace, key, reason }) => `${language}/${namespace} ${key}: ${reason}`,
    )
    const { reason } = made.project ?? {}
    t.strictSame(reason === undefined ? rows : [`project: ${reason}`, ...rows], skipped, told)
    t.equal(made.skippedKeys, made.skipped.length, told)
    const { added, updated, removed } = made.counts
    t.equal(made.changes.length, added + updated + removed, `${told}: each change is listed`)

    const undone = state(applied(now, made))
    const again = plan(undone, before, after)
    t.strictSame(again.files, [], `${told}: a second time nothing changes`)
    if (made.files.length === 0 || now.entry('web') === undefined) continue
    const back = plan(undone, now, undone)
    t.strictSame(
      applied(undone, back),
      applied(now, { ...made, files: [] }),
      `${told}: undoing the undo gives the very files`,
    )
    t.strictSame(back.skipped, [], told)
  }
})

t.test('what cannot be undone', async t => {
  const says = (code: Failure['code'], pattern: RegExp, now: State, before: State, after: State) =>
    t.match(
      failure(code, () => plan(now, before, after)),
      pattern,
    )
  const [none, web] = [state({}), state(P)]
  const [one, two] = [state({ ...P, 'en/common': { a: 'x' } }), state({ ...P, 'en/common': { a: 'y' } })]
  says('unfit', /Revision 1234567 created project "web": .*DELETE \/api\/projects\/web/, one, none, web)
  says('not-found', /changed nothing of project "web"/, one, two, two)
  says('not-found', /changed nothing/, one, state(P, 'other'), state({ ...P, 'en/common': {} }, 'other'))
  says('not-found', /^There is no project "web"\.$/, none, none, web)
  says('not-found', /^There is no project "web"\.$/, none, none, none)
  says('not-found', /no project "web" any more/, none, one, two)
  says('conflict', /Project "Web" has the slug/, state(P, 'Web'), one, none)
  const before = state({ ...P, 'FR/common': { a: 'x' } })
  says('conflict', /"FR" differs only in case from "fr"/, state({ ...P, 'fr/common': { a: 'x' } }), before, web)
  const [old, other] = ['fr', 'en'].map(sourceLanguage => state({ project: project({ sourceLanguage }) }))
  const since = state({ project: project(), 'FR/common': { a: 'x' } })
  says('conflict', /"fr" differs only in case from "FR"/, since, old!, other!)
  says('unfit', /web\/locales\/en\/common\.json/, one, state({ ...P, 'en/common': 'broken' }), one)
})

t.test('needs the right to manage projects when the project file changes', async t => {
  const takes = (now: Files, before: Files, after: Files) => {
    const [a, b, c] = [now, before, after].map(files => state(files)) as [State, State, State]
    return Reversion.ofCommit(a, { before: b, after: c }, 'web', REVISION).projectFile() !== undefined
  }
  const renamed = { project: project({ name: 'New' }) }
  t.notOk(takes({ ...P, 'en/common': { a: 'y' } }, P, { ...P, 'en/common': { a: 'y' } }))
  t.ok(takes(renamed, P, renamed))
  t.notOk(takes(P, P, renamed), 'undone already')
  t.notOk(takes({ project: project({ name: 'Newer' }) }, P, renamed), 'changed since')
  t.ok(takes({}, P, {}), 'it comes back')
})

t.test('long lists are cut, and counted', async t => {
  const keys = Array.from({ length: 1_500 }, (_, index) => `key${index}`)
  const files = (value: string, other = value) => ({
    ...P,
    'de/common': Object.fromEntries(keys.map(key => [key, value])),
    'en/common': Object.fromEntries(keys.map(key => [key, other])),
  })
  const made = plan(state(files('z', 'y')), state(files('x')), state(files('y')))
  t.strictSame(made.counts, { added: 0, updated: 1_500, removed: 0 })
  t.equal(made.changes.length, 1_000)
  t.equal(made.skipped.length, 1_000)
  t.equal(made.skippedKeys, 1_500)
})
