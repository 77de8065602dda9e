/**
 * Kills the built server in the middle of pushes of many bundles: each is there as a whole or not at all, what was
 * acknowledged is there, and each is one commit. `KILLS=50 npm run test:long -- test/long/push-crash.test.ts` for more.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { dataFolder } from '../contract/server.ts'
import { noGit } from '../http/git-client.ts'
import { random } from '../random.ts'
import { noProc, startBuilt } from './built-server.ts'

const KILLS = Number(process.env.KILLS ?? 5)
/** Enough that a push is computed ahead of its write, and committed in steps. */
const [LANGUAGES, NAMESPACES, KEYS] = [8, 8, 120]

t.setTimeout(120_000 + KILLS * 30_000)

const bundles = (version: number) => {
  const texts = Object.fromEntries(
    Array.from({ length: KEYS }, (_, at) => [`key${at}`, `Text ${at} of version ${at % 10 === 0 ? version : 0}`]),
  )
  const namespaces = Object.fromEntries(
    Array.from({ length: NAMESPACES }, (_, at) => [`n${at}`, { ...texts, version: String(version) }]),
  )
  return Object.fromEntries(Array.from({ length: LANGUAGES }, (_, at) => [`de-x-l${at}`, namespaces]))
}

t.test(`writes a push as a whole or not at all in ${KILLS} kills`, { skip: noGit || noProc }, async t => {
  const dataDir = dataFolder(t)
  let server = await startBuilt(t, dataDir)
  const { key, id } = await server.organization()
  const web = await server.project(key, 'web')
  let version = 1
  const begun = performance.now()
  const first = { bundles: bundles(version), message: `Version ${version}` }
  t.equal((await server.post(`${web}/push?overwrite=true`, key, first)).status, 200)
  /** Milliseconds of the first push: the machine's measure. */
  const took = performance.now() - begun
  let acknowledged = 1
  let done = 1
  let unanswered = 0
  for (let kill = 1; kill <= KILLS; kill++) {
    const revisions: string[] = []
    let alive = true
    const pushing = (async () => {
      while (alive) {
        const body = { bundles: bundles(++version), message: `Version ${version}` }
        const reply = await server.post(`${web}/push?overwrite=true`, key, body).catch(() => undefined)
        if (reply === undefined) {
          unanswered++
          return
        }
        t.equal(reply.status, 200, reply.text)
        revisions.push(reply.json.revision)
        acknowledged = version
        done++
      }
    })()
    await pause((0.2 + random()) * took)
    server.signal('SIGKILL')
    alive = false
    await server.exit
    await pushing
    server = await startBuilt(t, dataDir)
    const found = new Set<string>()
    const { languages } = (await server.get(web, key)).json
    for (const language of languages.filter((name: string) => name !== 'en')) {
      for (let at = 0; at < NAMESPACES; at++) {
        found.add((await server.get(`${web}/bundles/${language}/n${at}`, key)).json.version)
      }
    }
    t.ok(found.size <= 1, `kill ${kill}: all bundles are of one push: ${[...found]}`)
    const there = Number([...found][0] ?? 0)
    t.ok(there === acknowledged || there === acknowledged + 1, `kill ${kill}: ${there} of ${acknowledged} acknowledged`)
    acknowledged = there
    version = there
    await server.commits(id)
    const subjects = server.git(id, 'log', '--format=%s', '--', 'web/locales').trim().split('\n').filter(Boolean)
    t.strictSame(
      subjects,
      Array.from({ length: there }, (_, at) => `Version ${there - at}`),
      `kill ${kill}: one commit each`,
    )
    for (const revision of revisions) server.git(id, 'merge-base', '--is-ancestor', revision, 'HEAD')
    t.equal(server.git(id, 'status', '--porcelain'), '', `kill ${kill}: the work tree is HEAD`)
  }
  server.git(id, 'fsck', '--full', '--strict')
  t.comment(`${done} pushes were answered, ${unanswered} killed`)
  t.ok(done > 0 && unanswered > 0)
})
