/**
 * A large push of the built server: SIGTERM while its thread computes, and the memory at rest, which no thread is part
 * of.
 * `TERMS=50 npm test -- test/long/large-push.test.ts` does it that often.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../contract/server.ts'
import { noGit } from '../http/git-client.ts'
import { noProc, startBuilt } from './built-server.ts'

const ROUNDS = Number(process.env.TERMS ?? 1)
const KEYS = 60_000
const project = '/api/projects/web'

t.setTimeout(60_000 + ROUNDS * 10_000)

const texts = (prefix: string) =>
  Object.fromEntries(Array.from({ length: KEYS }, (_, n) => [`${prefix}${n}`, `The text of ${prefix} number ${n}`]))

t.test('answers or refuses large pushes when it stops while it computes them', { skip: noGit || noProc }, async t => {
  const dataDir = join(t.testdir(), 'data')
  let server = await startBuilt(t, dataDir)
  const { key, id } = await server.organization()
  await server.project(key, 'web')
  const threadsOf = (pid: number) => readdirSync(`/proc/${pid}/task`).length
  const atRest = threadsOf(server.pid)
  let [done, refused] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    const path = `${project}/bundles/en/round${round}`
    // Two, so that one is computed and one waits for its turn.
    const pushing = ['a', 'b'].map(prefix => server.put(path, key, texts(prefix)).catch(() => undefined))
    if (round === 0) t.ok(await eventually(() => threadsOf(server.pid) > atRest), 'there is a thread')
    await pause((round % 10) * 60)
    server.signal('SIGTERM')
    t.strictSame(await server.exit, { code: 0, signal: null }, `round ${round}: ends by itself`)
    const [a, b] = await Promise.all(pushing)
    server = await startBuilt(t, dataDir)
    const there = (await server.get(path, key)).json
    for (const [prefix, reply] of [
      ['a', a],
      ['b', b],
    ] as const) {
      const found = Object.keys(there).filter(name => name.startsWith(prefix)).length
      if (reply?.status === 200) t.equal(found, KEYS, `round ${round}: what was acknowledged is there`)
      else t.ok(reply === undefined || reply.status === 503, `round ${round}: ${reply?.status} ${reply?.text}`)
      t.ok(found === 0 || found === KEYS, `round ${round}: all of it or nothing`)
      if (reply?.status === 200) done++
      else refused++
    }
  }
  t.comment(`${ROUNDS} times: ${done} pushes were answered, ${refused} refused`)
  server.git(id, 'fsck', '--full', '--strict')
})
