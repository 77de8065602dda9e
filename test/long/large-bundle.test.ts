/**
 * A bundle of very many keys: the time of every operation, and the wait of others, is proportional to its size. Its
 * memory is freed. `KEYS=100000 npm test -- test/long/large-bundle.test.ts` runs it near the limit of a body.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { noGit } from '../http/git-client.ts'
import { noProc, startBuilt } from './built-server.ts'
import { Client } from './client.ts'

const KEYS = Number(process.env.KEYS ?? 10_000)
const PROJECT = '/api/projects/web'
const LARGE = `${PROJECT}/bundles/en/large`
const MB = 2 ** 20
/** Maximum time of an operation, and wait of others, in JSON round trips of the body (parse and stringify). */
const MOST = { took: 300, waited: 150 }
/** Maximum attempts: another program may slow one down. */
const ATTEMPTS = 3
/** The peak of the memory above that at rest, in bodies. */
const PEAK = 60

t.setTimeout(0)

const resource = (version: number) => {
  const sections: Record<string, Record<string, string>> = {}
  for (let n = 0; n < KEYS; n++) {
    const section = (sections[`section${Math.floor(n / 100)}`] ??= {})
    section[`key${n}`] = `The text of key number ${n}, version ${version}`
  }
  return sections
}

t.test('handles a very large bundle in proportional time', { skip: noGit || noProc }, async t => {
  const server = await startBuilt(t, `${t.testdir()}/data`)
  const { id, key } = await server.organization()
  await server.project(key, 'web')
  await server.must('PUT', `${PROJECT}/bundles/en/small`, { key, body: { title: 'Title' } })
  const neighbour = new Client(server, { key })
  const client = new Client(server, { key })
  const before = await server.live()
  const { resident } = server

  /** The longest wait of a small read during an operation, and the time of the operation, in milliseconds. */
  const beside = async (work: () => Promise<unknown>) => {
    let going = true
    let longest = 0
    const reading = (async () => {
      while (going) {
        const from = performance.now()
        await neighbour.ask([200], 'GET', `${PROJECT}/bundles/en/small`)
        longest = Math.max(longest, performance.now() - from)
        await pause(2)
      }
    })()
    const from = performance.now()
    await work()
    const took = performance.now() - from
    going = false
    await reading
    return { longest, took }
  }

  const body = JSON.stringify(resource(1))
  /** The current time of this machine to parse and stringify such a body. */
  const unit = () => {
    const from = performance.now()
    JSON.stringify(JSON.parse(body))
    return performance.now() - from
  }
  const past = async () => (await server.must('GET', `${PROJECT}/history?limit=1`, { key })).json.revisions[0].revision
  let first = ''
  const works: [name: string, work: (attempt: number) => Promise<unknown>][] = [
    ['push', n => client.ask([200], 'PUT', n === 0 ? LARGE : `${LARGE}${n}`, { body })],
    ['read', () => client.ask([200], 'GET', LARGE)],
    ['PUT key', n => client.ask([200], 'PUT', `${LARGE}/section0.key0`, { body: { value: `New ${n}` } })],
    ['push of other texts', n => client.ask([200], 'PUT', LARGE, { body: resource(2 + n) })],
    ['dry run', () => client.ask([200], 'PUT', `${LARGE}?dryRun=true&details=true`, { body: resource(9) })],
    ['whole language', () => client.ask([200], 'GET', `${PROJECT}/bundles/en`)],
    ['history', () => client.ask([200], 'GET', `${PROJECT}/history?language=en&namespace=large`)],
    ['history of a key', () => client.ask([200], 'GET', `${PROJECT}/history?namespace=large&key=section0.key0`)],
    ['diff', () => client.ask([200], 'GET', `${PROJECT}/diff?from=${first}`)],
    // The newest one.
    ['undo', () => client.ask([200], 'POST', `${PROJECT}/revert`, { body: { revision: '2099-01-01' } })],
    ['restore', () => client.ask([200], 'POST', `${PROJECT}/restore`, { body: { at: first, language: 'en' } })],
  ]
  for (const [name, work] of works) {
    let fits = false
    let figures = ''
    for (let attempt = 0; attempt < ATTEMPTS && !fits; attempt++) {
      const one = Math.min(unit(), unit(), unit())
      const { longest, took } = await beside(() => work(attempt))
      if (first === '') first = await past()
      const [long, wait] = [took / one, longest / one]
      figures = `${long.toFixed(1)} times a JSON round trip (${one.toFixed(0)} ms), others wait ${wait.toFixed(1)} of these`
      fits = long < MOST.took && wait < MOST.waited
    }
    t.ok(fits, `${name}: ${figures}`)
  }
  t.strictSame([...client.surprises, ...neighbour.surprises], [])
  const { json } = await server.get(LARGE, key)
  t.strictSame(json, resource(1), 'all of it is back')
  const more = (await server.live()) - before
  const inMb = (bytes: number) => (bytes / MB).toFixed(1)
  const peak = server.peak - resident
  const figures = `body ${inMb(body.length)} MB, ${inMb(more)} MB more alive, ${inMb(peak)} MB more at the peak`
  t.ok(more < 8 * body.length + 16 * MB && peak < PEAK * body.length + 100 * MB, figures)
  client.close()
  neighbour.close()
  server.signal('SIGTERM')
  t.equal((await server.exit).code, 0)
  t.doesNotThrow(() => server.git(id, 'fsck', '--full', '--strict'))
})
