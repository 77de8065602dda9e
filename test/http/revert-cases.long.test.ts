/** The files of a project after an undo, for commits of people: git wrote them while no server ran. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { dataFolder, git } from '../contract/server.ts'
import { startServer } from './server.ts'

const project = (fields: object = {}) =>
  `${JSON.stringify({ defaultFormat: 'i18next-json', interpolation: undefined, name: 'Web', sourceLanguage: 'en', ...fields }, null, 2)}\n`
const text = (body: object | string) => (typeof body === 'string' ? body : `${JSON.stringify(body, null, 2)}\n`)

/** A project's files by their names within it; a body is a bundle. */
type Files = Record<string, object | string>

const pathOf = (name: string) => (name === 'project' ? 'project.json' : `locales/${name}.json`)

const P = { project: project() }

/** [case, before the commit, after it, now, the files then, the skipped keys] */
const CASES: [label: string, before: Files, after: Files, now: Files, then: Files, skipped?: string[]][] = [
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

/** More skipped keys than an answer lists. */
const MANY = 1_500
const many = (value: string, other: string): Files => ({
  ...P,
  ...Object.fromEntries(
    Object.entries({ de: value, en: other }).map(([language, text]) => [
      `${language}/common`,
      Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`key${at}`, text])),
    ]),
  ),
})

t.test('undoes commits of people', async t => {
  const dataDir = dataFolder(t)
  let server = await startServer(t, { dataDir })
  const { id, key } = await server.organization('Hana')
  await server.must('POST', '/api/projects', { key, body: { slug: 'first', name: 'First', sourceLanguage: 'en' } })
  await server.close()
  const folder = server.repository(id)
  const put = (slug: string, files: Files) => {
    rmSync(join(folder, slug), { recursive: true, force: true })
    for (const [name, body] of Object.entries(files)) {
      const path = join(folder, slug, pathOf(name))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text(body))
    }
  }
  const commit = (): string => {
    git(folder, 'add', '-A')
    git(folder, '-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'by hand', '--allow-empty')
    return git(folder, 'rev-parse', 'HEAD').trim()
  }
  const all = [...CASES.map(([, ...files]) => files), [many('x', 'x'), many('y', 'y'), many('z', 'y'), many('z', 'x')]]
  const slugs = all.map((_, at) => `case${at}`)
  for (const [at, [before]] of all.entries()) put(slugs[at]!, before as Files)
  commit()
  const revisions = all.map(([, after], at) => {
    put(slugs[at]!, after as Files)
    return commit()
  })
  for (const [at, [, , now]] of all.entries()) put(slugs[at]!, now as Files)
  commit()
  server = await startServer(t, { dataDir })

  const revert = async (slug: string, revision: string) =>
    (await server.must('POST', `/api/projects/${slug}/revert`, { key, body: { revision } })).json
  const filesOf = async (slug: string): Promise<Record<string, string>> => {
    const at = await server.newest(id)
    const paths = server.git(id, 'ls-tree', '-r', '--name-only', at, `${slug}/`).split('\n')
    const own = paths.filter(path => path.endsWith('.json') && !path.startsWith(`${slug}/stale/`))
    return Object.fromEntries(own.map(path => [path.slice(slug.length + 1), server.git(id, 'show', `${at}:${path}`)]))
  }
  const textsOf = (files: Files) =>
    Object.fromEntries(Object.entries(files).map(([name, body]) => [pathOf(name), text(body)]))

  for (const [at, [what, , , now, then, skipped = []]] of CASES.entries()) {
    const slug = slugs[at]!
    const undo = await revert(slug, revisions[at]!)
    t.strictSame(await filesOf(slug), textsOf(then), what)
    const rows = undo.skipped.map(
      (row: Record<string, string>) => `${row.language}/${row.namespace} ${row.key}: ${row.reason}`,
    )
    const reason = undo.project?.reason
    const stays = skipped.map(row => row.replace('"web"', `"${slug}"`))
    t.strictSame(reason === undefined ? rows : [`project: ${reason}`, ...rows], stays, what)
    t.equal((await revert(slug, revisions[at]!)).undoneBy, null, `${what}: a second time nothing changes`)
    if (undo.undoneBy === null || now.project === undefined) continue
    const back = await revert(slug, undo.undoneBy)
    t.strictSame(await filesOf(slug), textsOf(now), `${what}: undoing the undo gives the very files`)
    t.strictSame(back.skipped, [], what)
  }
  const long = await revert(slugs.at(-1)!, revisions.at(-1)!)
  t.match(long, { reverted: MANY, moreSkipped: MANY - 1_000 })
  t.equal(long.skipped.length, 1_000)
})
