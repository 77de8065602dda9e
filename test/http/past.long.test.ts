/** Every acknowledged state can be read again byte for byte: at once, after a restart, and after a repack by git. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { must, noGit } from './git-client.ts'
import { type Organization, type Server, startServer } from './server.ts'

if (noGit) {
  t.plan(0, noGit)
  process.exit(0)
}

const WRITES = 36
const web = '/api/projects/web'
const LANGUAGES = ['en', 'de', 'pl']
const NAMESPACES = ['common', 'home']
const PATHS = [
  '/api/projects',
  web,
  ...LANGUAGES.map(language => `${web}/bundles/${language}`),
  ...LANGUAGES.flatMap(language => NAMESPACES.map(namespace => `${web}/bundles/${language}/${namespace}`)),
]

/** The answers by path. */
type State = Map<string, string>

/** A linear congruential generator: each run gets the same numbers. */
function chooser(seed: number) {
  let state = seed
  return <T>(from: T[]): T => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return from[Math.floor((state / 2 ** 31) * from.length)]!
  }
}

async function stateOf(server: Server, key: string, at?: string): Promise<State> {
  const replies = await Promise.all(PATHS.map(path => server.get(at ? `${path}?at=${at}` : path, key)))
  return new Map(replies.map(({ status, headers, text }, i) => [PATHS[i]!, `${status} ${headers.etag} ${text}`]))
}

/** Writes at random. @returns the acknowledged states, by the id of their tree */
async function write(server: Server, { key }: Organization): Promise<Map<string, State>> {
  const choose = chooser(7)
  const states = new Map<string, State>()
  const place = () => `${web}/bundles/${choose(LANGUAGES)}/${choose(NAMESPACES)}`
  const name = () => choose(['title', 'nav.home', 'item_one', 'item_other', 'list.0'])
  const writes = [
    (n: number) => server.put(`${place()}/${name()}`, key, { value: `text ${n}` }),
    (n: number) => server.put(place(), key, { [name()]: `pushed ${n}`, nav: { [choose(['a', 'b'])]: 'x' } }),
    () => server.call('DELETE', `${place()}/${name()}`, { key }),
    () => server.call('DELETE', place(), { key }),
    () => server.call('PATCH', web, { key, body: { defaultFormat: choose(['i18next-json', 'i18next-json-flat']) } }),
    (n: number) => server.call('PATCH', web, { key, body: { name: `Web ${n}` } }),
  ]
  await server.project(key, 'web')
  for (let n = 0; n < WRITES; n++) {
    if (n === WRITES / 2) await server.must('DELETE', web, { key })
    else if (n === WRITES / 2 + 1) await server.project(key, 'web', 'de')
    else await choose([...writes, writes[0]!, writes[1]!])(n)
    const state = await stateOf(server, key)
    states.set(/W\/"([0-9a-f]{40})"/.exec(state.get('/api/projects')!)![1]!, state)
  }
  return states
}

/** Reads at every revision, by its id and an abbreviation of it. */
async function check(t: Test, server: Server, acme: Organization, states: Map<string, State>, where: string) {
  const log = server.git(acme.id, 'log', '--format=%H %T', 'main').trim().split('\n')
  const seen = new Set<string>()
  for (const line of log) {
    const [commit, tree] = line.split(' ') as [string, string]
    const expected = states.get(tree)
    // The first commit creates the project. Its state was not recorded.
    if (expected === undefined) continue
    seen.add(tree)
    for (const at of seen.size % 4 === 0 ? [commit, commit.slice(0, 10)] : [commit]) {
      const found = await stateOf(server, acme.key, at)
      const wrong: string[] = PATHS.filter(path => found.get(path) !== expected.get(path))
      if (wrong.length > 0)
        t.strictSame(found.get(wrong[0]!), expected.get(wrong[0]!), `${wrong[0]} at ${at}, ${where}`)
    }
  }
  t.equal(seen.size, states.size, `all ${states.size} states are there, ${where}`)
}

t.test('returns every acknowledged state', async t => {
  const dataDir = join(t.testdir(), 'data')
  const first = await startServer(t, { dataDir })
  const acme = await first.organization('Ann')
  const states = await write(first, acme)
  t.ok(states.size > WRITES / 2, 'most writes changed something')
  await first.commits(acme.id)
  await check(t, first, acme, states, 'at once')
  await must(['-C', first.repository(acme.id), 'repack', '-adfq'])
  await check(t, first, acme, states, 'repacked while it is open')
  await first.close()
  const second = await startServer(t, { dataDir })
  await check(t, second, acme, states, 'after a restart')
  await second.close()
  await must(['-C', second.repository(acme.id), 'gc', '-q', '--prune=now'])
  const third = await startServer(t, { dataDir })
  await check(t, third, acme, states, 'after gc')
})

t.test('returns an error that names the problem when a commit broke the state', async t => {
  const dataDir = join(t.testdir(), 'data')
  const first = await startServer(t, { dataDir })
  const acme = await first.organization('Ann')
  await first.project(acme.key, 'web')
  await first.put(`${web}/bundles/en/common`, acme.key, { a: 'x' })
  await first.close()
  const folder = first.repository(acme.id)
  const commit = async (...files: [path: string, text: string][]) => {
    for (const [path, text] of files) {
      await must(['-C', folder, 'update-index', '--add', '--cacheinfo', `100644,${blob(text)},${path}`])
    }
    await must(['-C', folder, '-c', 'user.name=Bob', '-c', 'user.email=b@example.com', 'commit', '-q', '-m', 'by hand'])
    return (await must(['-C', folder, 'rev-parse', 'HEAD'])).trim()
  }
  const blob = (text: string) =>
    execFileSync('git', ['-C', folder, 'hash-object', '-w', '--stdin'], { input: text, encoding: 'utf8' }).trim()
  const bundle = await commit(['web/locales/en/common.json', '{ "a": 1 }'])
  const project = await commit(['web/project.json', 'nonsense'])
  const second = await startServer(t, { dataDir })
  t.equal(
    (await second.get(`${web}/bundles/en/common`, acme.key)).text,
    '{\n  "a": "x"\n}\n',
    'the file is repaired now',
  )
  t.equal((await second.get(`${web}/bundles/en/common?at=${bundle}`, acme.key)).text, '{ "a": 1 }', 'the bytes of then')
  for (const path of [`${web}/bundles/en?at=${bundle}`, `${web}?at=${project}`, `/api/projects?at=${project}`]) {
    const { status, text, headers } = await second.get(path, acme.key)
    t.equal(status, 422, `${path}: ${text}`)
    t.match(text, /committed by hand and breaks the rules/)
    t.equal(headers['cache-control'], 'private, no-cache')
  }
})
