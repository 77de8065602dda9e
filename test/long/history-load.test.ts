/** Histories when git is slow, gone, or asked by many at once; diffs of much at once. */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { start } from '../contract/process.ts'
import { dataFolder, eventually, type Reply } from '../contract/server.ts'
import { noGit } from '../http/git-client.ts'
import { isError, startServer } from '../http/server.ts'
import { noProcesses, processesIn } from '../store/git-processes.ts'
import { slowGit } from '../store/slow-git.ts'

t.setTimeout(0)

/** A server as a process of its own, with an organization in it. */
async function openServer(t: Test, dataDir: string, path: string, env: Record<string, string> = {}) {
  const { server } = await start(t, dataDir, { PATH: path, ...env })
  // Before it is killed, so that it ends its children.
  t.teardown(() => server.close())
  const { id, key } = await server.organization()
  await server.project(key, 'web')
  await server.must('PUT', '/api/projects/web/bundles/de/common/a', { key, body: { value: 'x' } })
  return { server, key, gitDir: join(server.repository(id), '.git') }
}

t.test('serves everything but the history without git', async t => {
  const { server, key } = await openServer(t, dataFolder(t), '/nonexistent')
  const reply = await server.get('/api/projects/web/history', key)
  isError(t, reply, 501, 'no git')
  t.match(reply.json.error, /git 2\.36 or newer/)
  t.equal(reply.headers['cache-control'], 'private, no-cache')
  const diff = await server.get('/api/projects/web/diff?from=2001-01-01', key)
  t.strictSame(diff.json.counts, { added: 1, updated: 0, removed: 0 }, 'a diff needs no git')
})

t.test(
  'ends the processes of a client that leaves, and refuses one above the limit with a retry time',
  { skip: noGit || noProcesses },
  async t => {
    const dataDir = dataFolder(t)
    const bin = join(dirname(dataDir), 'bin')
    mkdirSync(bin)
    const git = slowGit(bin)
    t.teardown(() => git.go())
    const { server, key, gitDir } = await openServer(t, dataDir, git.path, { GIT_PROCESSES: '1' })
    const path = '/api/projects/web/history'
    t.equal((await server.get(path, key)).status, 200)
    const atWork = () => processesIn(gitDir).length
    t.ok(await eventually(() => atWork() === 0))
    git.stop('log')
    const leaving = server.open('GET', `${path}?limit=1`, { 'x-api-key': key })
    leaving.on('error', () => {})
    leaving.end()
    t.ok(await eventually(() => atWork() > 0), 'git is at work')
    const waiting: Promise<Reply>[] = Array.from({ length: 8 }, () => server.get(path, key))
    const answered: Reply[] = []
    const refused = () => answered.find(({ status }) => status === 503)
    t.ok(
      await eventually(() => {
        void server.get(path, key).then(reply => answered.push(reply))
        return refused() !== undefined
      }),
      'one too many',
    )
    t.ok(Number(refused()!.headers['retry-after']) >= 1)
    isError(t, refused()!, 503, 'in words')
    t.equal((await server.get('/api/projects/web/bundles/de/common', key)).status, 200, 'reads go on')
    leaving.destroy()
    git.go()
    for (const reply of await Promise.all(waiting)) t.equal(reply.status, 200, 'who waited is served')
    t.ok(await eventually(() => atWork() === 0), 'no process is left')
    git.stop('cat-file')
    const another = server.open('GET', path, { 'x-api-key': key })
    another.on('error', () => {})
    another.end()
    t.ok(await eventually(() => atWork() > 0), 'git is at work')
    another.destroy()
    t.ok(await eventually(() => atWork() === 0), 'gone with the client, though it stood still')
  },
)

t.test('pages a large diff while others are served', async t => {
  const server = await startServer(t)
  const { key } = await server.organization()
  await server.project(key, 'web')
  const keys = 4000
  const body = Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, `text ${n} `.repeat(4)]))
  const languages = ['de', 'en', 'fr', 'it', 'nl', 'pl']
  for (const language of languages)
    await server.must('PUT', `/api/projects/web/bundles/${language}/common`, { key, body })
  const path = '/api/projects/web/diff?from=2001-01-01&limit=10000'
  let through = false
  const diff = server.get(path, key).finally(() => (through = true))
  let reads = 0
  for (; !through; reads++) await server.get('/api/projects/web', key)
  const first = await diff
  t.equal(first.json.counts.added, keys * languages.length)
  t.ok(reads > 2, `${reads} reads were answered meanwhile`)
  const seen = [...first.json.changes]
  for (let { next } = first.json; next !== null; ) {
    const { json } = await server.get(`${path}&cursor=${next}`, key)
    t.strictSame(json.counts, first.json.counts)
    seen.push(...json.changes)
    next = json.next
  }
  const places = new Set(seen.map(({ language, namespace, key }) => `${language} ${namespace} ${key}`))
  t.equal(seen.length, keys * languages.length)
  t.equal(places.size, seen.length, 'none twice')
})
