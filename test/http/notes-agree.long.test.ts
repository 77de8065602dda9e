/** What notes do in rare cases: dry runs agree with writes, undos lose nothing, and past states may be broken. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Organization, type Server, startServer } from './server.ts'

const url = '/api/projects/web'
const notes = `${url}/notes`

/** A server with a project that has two keys and some notes. */
async function open(t: Test, dataDir: string) {
  const server = await startServer(t, { dataDir })
  const acme = await server.organization('Ann')
  await server.project(acme.key, 'web')
  const must = (method: string, path: string, body?: object) => mustBy(server, acme, method, path, body)
  await must('PUT', `${url}/bundles/en/common`, { home: 'Home', back: 'Back' })
  return { server, acme, must }
}

const mustBy = (server: Server, { key }: Organization, method: string, path: string, body?: object) =>
  server.must(method, path, { key, ...(body && { body }) })

t.test('a dry run and a write have the same status, answer and error', async t => {
  const { server, acme, must } = await open(t, t.testdir())
  await must('PUT', `${notes}/common/home`, { note: 'one' })
  await must('PUT', `${notes}/common/back`, { note: 'back' })
  await must('PUT', `${notes}/other/x`, { note: 'x' })
  const { json } = await must('GET', `${url}/history?limit=1`)
  const start: string = json.revisions[0].revision
  // Together they are more than a file may have.
  const large = (prefix: string) =>
    Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`${prefix}${at}`, { note: 'x'.repeat(4000) }]))
  await must('POST', `${url}/push`, { bundles: {}, notes: { large: large('a'), joined: large('b') } })
  await must('PUT', `${url}/bundles/en/large`, { a0: 'A' })
  await must('DELETE', `${notes}/common/home`)
  const removed = (await must('GET', `${url}/history?limit=1`)).json.revisions[0].revision
  const note = { x: { note: 'x' } }
  const writes: [name: string, method: string, path: string, body: object | undefined, status: number][] = [
    ['twins in a push', 'POST', `${url}/push`, { bundles: {}, notes: { a: note, A: note } }, 409],
    ['a twin of stored notes', 'POST', `${url}/push`, { bundles: {}, notes: { Other: note } }, 409],
    ['a twin of a bundle', 'POST', `${url}/push`, { bundles: {}, notes: { Common: note } }, 409],
    ['a twin of a new bundle', 'POST', `${url}/push`, { bundles: { en: { n: { a: 'x' } } }, notes: { N: note } }, 409],
    ['a bad note', 'POST', `${url}/push`, { bundles: {}, notes: { b: { x: { note: 'x'.repeat(4097) } } } }, 422],
    ['too large a push', 'POST', `${url}/push`, { bundles: {}, notes: { large: large('c') } }, 413],
    ['a twin', 'PUT', `${notes}/Common/home`, { note: 'x' }, 409],
    ['a bad maximum', 'PUT', `${notes}/common/home`, { max: 0 }, 422],
    ['a missing note', 'DELETE', `${notes}/common/none`, undefined, 404],
    ['too large a merge', 'POST', `${url}/rename-namespace`, { from: 'large', to: 'joined' }, 413],
    ['a twin of waiting notes', 'POST', `${url}/rename-namespace`, { from: 'common', to: 'OTHER' }, 409],
    ['a note', 'PUT', `${notes}/common/home`, { note: 'two' }, 200],
    ['the same note', 'PUT', `${notes}/common/home`, { note: 'two' }, 200],
    ['an undo', 'POST', `${url}/revert`, { revision: removed }, 200],
    ['a push', 'POST', `${url}/push`, { bundles: {}, notes: { fresh: note } }, 200],
    ['a removal', 'DELETE', `${notes}/fresh/x`, undefined, 204],
    ['a restore', 'POST', `${url}/restore`, { at: start }, 200],
  ]
  for (const [name, method, path, body, status] of writes) {
    const send = (query: string) => server.call(method, path + query, { key: acme.key, ...(body && { body }) })
    const [dry, written] = [await send('?dryRun=true'), await send('')]
    t.strictSame([dry.status, written.status], [status, status], `${name}: ${written.text} ${dry.text}`)
    t.equal(dry.json?.error, written.json?.error, name)
    if (status === 413) t.match(written.json.error, /^web\/notes\/(large|joined)\.json would have more than/, name)
  }
})

t.test('an undo of a rename leaves a note that was added meanwhile', async t => {
  const { must } = await open(t, t.testdir())
  await must('POST', `${url}/rename-key`, { namespace: 'common', from: 'home', to: 'start' })
  const { revision } = (await must('GET', `${url}/history?limit=1`)).json.revisions[0]
  await must('PUT', `${notes}/common/start`, { note: 'added' })
  await must('POST', `${url}/revert`, { revision })
  t.match((await must('GET', `${notes}/common`)).json, { notes: { start: { note: 'added' } } })
})

t.test('an unchanged note is no commit, and its preconditions count', async t => {
  const { server, acme, must } = await open(t, t.testdir())
  const { headers } = await must('PUT', `${notes}/common/home`, { note: 'one', refs: ['a.ts:1'] })
  const before = await server.commits(acme.id)
  const again = await must('PUT', `${notes}/common/home`, { note: 'one' })
  t.strictSame(again.json, { key: 'home', namespace: 'common', note: 'one', refs: ['a.ts:1'], from: 'person' })
  t.equal(again.headers.etag, headers.etag)
  t.equal(await server.commits(acme.id), before)
  const stale = { key: acme.key, body: { note: 'one' }, headers: { 'if-none-match': '*' } }
  t.equal((await server.call('PUT', `${notes}/common/home`, stale)).status, 412)
})

t.test('reads the valid notes of a past state with a bad file, and restores no others', async t => {
  const dataDir = join(t.testdir(), 'data')
  const first = await open(t, dataDir)
  await first.must('PUT', `${notes}/common/home`, { note: 'one' })
  await first.server.close()
  const folder = first.server.repository(first.acme.id)
  const git = (input: string | undefined, ...argv: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...argv], {
      encoding: 'utf8',
      ...(input !== undefined && { input }),
    }).trim()
  const commit = (text: string): string => {
    const blob = git(text, 'hash-object', '-w', '--stdin')
    git(undefined, 'update-index', '--add', '--cacheinfo', `100644,${blob},web/notes/common.json`)
    git(undefined, 'commit', '-q', '-m', 'by hand')
    return git(undefined, 'rev-parse', 'HEAD')
  }
  const states: [text: string, valid: object][] = [
    ['{"home":{"note":"x"}},"injected":{"a":1}', {}],
    ['{"home":', {}],
    ['["home"]', {}],
    ['{"home":{"note":"two","max":3},"back":{"max":"wide"}}', { home: { note: 'two', max: 3 } }],
  ]
  const revisions = states.map(([text]) => commit(text))
  const server = await startServer(t, { dataDir })
  for (const [at, [text, valid]] of states.entries()) {
    const read = await mustBy(server, first.acme, 'GET', `${notes}/common?at=${revisions[at]}`)
    t.strictSame(read.json, { notes: valid }, text)
  }
  await mustBy(server, first.acme, 'POST', `${url}/restore`, { at: revisions.at(-1)! })
  t.strictSame((await mustBy(server, first.acme, 'GET', `${notes}/common`)).json, { notes: states.at(-1)![1] })
})
