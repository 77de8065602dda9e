/**
 * Clones under load: while everybody writes, when the reader leaves or stands still, when there are too many, and
 * without git.
 */
import { randomBytes } from 'node:crypto'
import { cpSync, readFileSync } from 'node:fs'
import { type IncomingMessage, request as open } from 'node:http'
import { dirname, join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { UploadPack } from '../../src/store/git/upload-pack.ts'
import { Store } from '../../src/store/store.ts'
import { start } from '../contract/process.ts'
import { dataFolder, eventually } from '../contract/server.ts'
import { git, must, noGit } from '../http/git-client.ts'
import { serveGitRoutes } from '../http/git-routes.ts'
import { isError, startServer } from '../http/server.ts'
import { noProcesses, processesIn } from '../store/git-processes.ts'

t.setTimeout(0)

const PATH = '/api/translations.git'
const TYPE = 'application/x-git-upload-pack-request'
const ANN = { name: 'Ann', email: 'ann@example.com' }
const packet = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line

let large: Promise<{ made: string; head: string }> | undefined

/** Creates a repository of 40 MB without compression: more than sockets and pipes buffer for an idle reader. */
async function makeLarge(): Promise<{ made: string; head: string }> {
  const made = t.testdir()
  const store = await Store.open({ watch: false, directory: made })
  let head = ''
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const bytes = randomBytes(8 * 2 ** 20)
    const put = { message: { subject: `put ${name}` } }
    head = (await store.write('acme', ANN, tx => ({ result: tx.put(name, bytes), ...put }))).revision!
  }
  await store.close()
  return { made, head }
}

/** The clone's routes alone, over a repository of {@link makeLarge}. */
async function openLarge(t: Test, options: { processes: number; stalledMs?: number }) {
  const { made, head } = await (large ??= makeLarge())
  const folder = t.testdir()
  const directory = join(folder, 'organizations')
  cpSync(made, directory, { recursive: true })
  const store = await Store.open({ watch: false, directory })
  t.teardown(() => store.close())
  const uploads = new UploadPack({ processes: options.processes, log: { info() {}, warn() {}, error() {} } })
  const { port, close } = await serveGitRoutes(store, uploads, options)
  t.teardown(close)

  /** Asks for everything and reads nothing of the answer. */
  const ask = () => {
    const headers = { 'content-type': TYPE, 'git-protocol': 'version=2', 'x-api-key': 'any' }
    const request = open({
      port,
      host: '127.0.0.1',
      path: `${PATH}/git-upload-pack`,
      method: 'POST',
      headers,
      agent: false,
    })
    const answer = new Promise<IncomingMessage>((resolve, reject) =>
      request.on('response', resolve).on('error', reject),
    )
    answer.catch(() => {})
    request.on('error', () => {})
    request.end(`${packet('command=fetch\n')}0001${packet(`want ${head}\n`)}${packet('done\n')}0000`)
    return { request, answer }
  }
  return { ask, uploads, folder, gitDir: join(directory, 'acme', '.git'), url: `http://x:any@127.0.0.1:${port}${PATH}` }
}

/** The number of bytes until the end, undefined after a broken connection. @param pace maximum bytes a second */
async function lengthOf(answer: IncomingMessage, pace = Number.POSITIVE_INFINITY) {
  let length = 0
  const from = performance.now()
  try {
    for await (const part of answer) {
      length += part.length
      const ahead = (length / pace) * 1000 - (performance.now() - from)
      if (ahead > 0) await pause(ahead)
    }
    return length
  } catch {
    return undefined
  }
}

t.test(
  'clones while 64 writers write: sound, with everything acknowledged before they began',
  { skip: noGit },
  async t => {
    const server = await startServer(t)
    const folder = dirname(server.dataDir)
    const { key, id } = await server.organization()
    await server.project(key, 'web')
    const acknowledged = Array.from({ length: 64 }, () => 0)
    let writing = true
    const writers = acknowledged.map(async (_, lane) => {
      for (let n = 1; writing; n++) {
        const body = { value: String(n) }
        const from = performance.now()
        await server.must('PUT', `/api/projects/web/bundles/de/lane${lane}/n`, { key, body })
        acknowledged[lane] = n
        // Writers that leave a processor to the clients: what is tested is the order of things, not the speed.
        await pause(Math.max(250, 4 * (performance.now() - from)))
      }
    })
    t.ok(await eventually(() => acknowledged.every(n => n > 0)), 'all of them write')
    const url = server.base.replace('http://', `http://x:${key}@`) + PATH
    const kinds = [['--depth=3'], [], ['-c', 'protocol.version=0'], ['--filter=blob:none']]
    for (let round = 0; round < 4; round++) {
      const before = [...acknowledged]
      const clone = join(folder, String(round))
      const { code, says } = await git(['clone', '-q', ...kinds[round % kinds.length]!, url, clone])
      t.equal(code, 0, says)
      const read = (lane: number) => JSON.parse(readFileSync(join(clone, `web/locales/de/lane${lane}.json`), 'utf8')).n
      const behind = before.filter((n, lane) => Number(read(lane)) < n)
      t.strictSame(behind, [], `clone ${round} of ${before.reduce((sum, n) => sum + n)} writes`)
      t.equal(await must(['-C', clone, 'fsck', '--full', '--strict']), '')
      t.ok(await eventually(() => acknowledged.join() !== before.join()), 'and the writers go on')
    }
    const follower = join(folder, '1')
    for (let round = 0; round < 3; round++) {
      const before = [...acknowledged]
      await must(['-C', follower, 'pull', '-q', '--ff-only'])
      const texts = before.map((_, lane) => readFileSync(join(follower, `web/locales/de/lane${lane}.json`), 'utf8'))
      t.ok(
        before.every((n, lane) => Number(JSON.parse(texts[lane]!).n) >= n),
        `pull ${round}`,
      )
    }
    writing = false
    await Promise.all(writers)
    await must(['-C', follower, 'pull', '-q', '--ff-only'])
    const total = acknowledged.reduce((sum, n) => sum + n)
    t.equal(Number(await must(['-C', follower, 'rev-list', '--count', 'HEAD'])), total + 1, 'a commit a write')
    t.equal(await must(['-C', follower, 'fsck', '--full', '--strict']), '')
    t.equal(await must(['-C', server.repository(id), 'fsck', '--full', '--strict']), '')
  },
)

t.test('ends the git processes of a reader that leaves', { skip: noGit || noProcesses }, async t => {
  const { ask, uploads, gitDir, url, folder } = await openLarge(t, { processes: 2 })
  const { request, answer } = ask()
  t.equal((await answer).statusCode, 200)
  t.ok(processesIn(gitDir).length > 0, 'git is at work')
  request.destroy()
  t.ok(await eventually(() => processesIn(gitDir).length === 0), 'gone')
  t.ok(await eventually(() => uploads.load.running === 0), 'and its turn is free')
  const clone = join(folder, 'clone')
  await must(['clone', '-q', '--bare', url, clone])
  t.equal(await must(['-C', clone, 'rev-list', '--count', 'HEAD']), '5\n', 'and the next one is served')
})

t.test('disconnects an idle reader, and not a slow one', { skip: noGit || noProcesses }, async t => {
  const { ask, uploads, gitDir } = await openLarge(t, { processes: 2, stalledMs: 8000 })
  const still = await ask().answer
  const slow = await ask().answer
  t.ok(Number(await lengthOf(slow, 4 * 2 ** 20)) > 40 * 2 ** 20, 'the slow one gets everything')
  // A client that reads the other answer before the cut receives it whole.
  t.ok(await eventually(() => uploads.load.running === 0), 'the other is cut off')
  t.ok(await eventually(() => processesIn(gitDir).length === 0))
  t.equal(await lengthOf(still), undefined, 'as a broken connection')
})

t.test('does not disconnect a reader while git is silent', async t => {
  const stalledMs = 200
  const output = new PassThrough()
  const uploads = {
    async answer(_request: unknown, _repository: unknown, send: (output: Readable) => void) {
      output.write('begun, ')
      send(output)
      await pause(5 * stalledMs)
      output.end('ended')
      await finished(output)
    },
  } as unknown as UploadPack
  const { port, close } = await serveGitRoutes({} as Store, uploads, { stalledMs })
  t.teardown(close)
  const headers = { 'content-type': TYPE, 'git-protocol': 'version=2', 'x-api-key': 'any' }
  const url = `http://127.0.0.1:${port}${PATH}/git-upload-pack`
  const answer = await fetch(url, { method: 'POST', headers, body: '0000' })
  t.equal(await answer.text(), 'begun, ended')
})

t.test('limits running and waiting clones, and refuses the rest with a retry time', { skip: noGit }, async t => {
  const { ask, uploads } = await openLarge(t, { processes: 1 })
  const first = ask()
  await first.answer
  const waiting = [ask(), ask(), ask(), ask()]
  t.ok(await eventually(() => uploads.load.waiting === 4))
  const tooMany = await ask().answer
  t.equal(tooMany.statusCode, 503)
  t.match(Number(tooMany.headers['retry-after']), 5)
  tooMany.resume()
  waiting[1]!.request.destroy()
  t.ok(await eventually(() => uploads.load.waiting === 3), 'a clone that leaves frees its place')
  first.request.destroy()
  for (const n of [0, 2, 3]) t.ok(Number(await lengthOf(await waiting[n]!.answer)) > 40 * 2 ** 20, `${n} was served`)
  t.ok(await eventually(() => uploads.load.running === 0))
})

t.test('returns an error to a clone when the server has no git', async t => {
  const { server } = await start(t, dataFolder(t), { PATH: '/nonexistent' })
  const { key } = await server.organization()
  const reply = await server.get(`${PATH}/info/refs?service=git-upload-pack`, key)
  isError(t, reply, 501, 'no git')
  t.match(reply.json.error, /git 2\.36 or newer/)
})
