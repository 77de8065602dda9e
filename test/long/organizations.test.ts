/**
 * Many organizations in one data folder: a start, the memory at rest, an opening and the probes cost the same as with
 * few. The number of open ones is limited. `ORGANIZATIONS=10000 npm test -- test/long/organizations.test.ts` runs it
 * with 10,000.
 */
import { createHash } from 'node:crypto'
import { cpSync, linkSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { eventually } from '../contract/server.ts'
import { type BuiltServer, noProc, startBuilt } from './built-server.ts'

const MANY = Number(process.env.ORGANIZATIONS ?? 400)
const FEW = 10
const ROUNDS = MANY > 400 ? 3 : 1
const BUNDLE = '/api/projects/web/bundles/en/common'
/** The number of repositories that the store holds open. */
const OPEN = 200

t.setTimeout(0)

/** The files of a repository under another name: git's are never changed in place, so that both may share them. */
function copyByLinks(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyByLinks(source, target)
    else linkSync(source, target)
  }
}

const idOf = (n: number) => `organization${String(n).padStart(20, '0')}`
const keyOf = (n: number) => `prl_${String(n).padStart(43, 'A')}`

/** Adds organizations that are like the one that is there, each with a token. */
function multiply(dataDir: string, template: string, count: number): void {
  const database = new Sqlite(join(dataDir, 'parlance.sqlite'))
  const owner = database.prepare<[], { userId: string }>('select userId from member').get()!.userId
  const add = {
    organization: database.prepare('insert into organization (id, name, slug, createdAt) values (?, ?, ?, ?)'),
    member: database.prepare(
      "insert into member (id, organizationId, userId, role, createdAt) values (?, ?, ?, 'owner', ?)",
    ),
    token: database.prepare(
      `insert into api_token (id, organizationId, name, scope, start, hash, createdAt, createdById, createdByName)
       values (?, ?, 'ci', 'write', ?, ?, 0, ?, 'Ann')`,
    ),
  }
  const now = new Date().toISOString()
  database.transaction(() => {
    for (let n = 0; n < count; n++) {
      const [id, key] = [idOf(n), keyOf(n)]
      add.organization.run(id, `Organization ${n}`, `organization-${n}`, now)
      add.member.run(`member-${n}`, id, owner, now)
      add.token.run(`token-${n}`, id, key.slice(0, 8), createHash('sha256').update(key).digest(), owner)
    }
  })()
  database.close()
  const folder = join(dataDir, 'organizations')
  for (let n = 0; n < count; n++) copyByLinks(join(folder, template), join(folder, idOf(n)))
}

/** Data folders with few and with many organizations that are the same otherwise. */
async function furnish(t: Test, folder: string): Promise<{ few: string; many: string }> {
  const [few, many] = [join(folder, 'few'), join(folder, 'many')]
  const server = await startBuilt(t, few)
  const acme = await server.organization()
  await server.project(acme.key, 'web')
  await server.must('PUT', BUNDLE, { key: acme.key, body: { title: 'Title' } })
  await server.close()
  cpSync(few, many, { recursive: true })
  multiply(few, acme.id, FEW)
  multiply(many, acme.id, MANY)
  return { few, many }
}

/** Processor time of a request, in microseconds. */
async function costOf(server: BuiltServer, requests: number, ask: (n: number) => Promise<unknown>): Promise<number> {
  const before = server.cpu
  for (let n = 0; n < requests; n++) await ask(n)
  return (server.cpu - before) / requests
}

async function must(server: BuiltServer, path: string, key?: string) {
  const reply = await server.get(path, key)
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`)
  return reply
}

/** What is measured of a server that was just started. */
async function measure(server: BuiltServer) {
  const start = server.cpu
  await must(server, '/api/health')
  const live = await server.live()
  const health = await costOf(server, 100, () => must(server, '/api/health'))
  await must(server, '/metrics')
  const metrics = await costOf(server, 20, () => must(server, '/metrics'))
  const opening = await costOf(server, FEW, n => must(server, BUNDLE, keyOf(n)))
  return { start, live, health, metrics, opening }
}

t.test('costs no more with many organizations than with few', { skip: noProc }, async t => {
  const folder = t.testdir()
  const data = await furnish(t, folder)
  type Measured = Awaited<ReturnType<typeof measure>>
  const measured: Record<'few' | 'many', Measured[]> = { few: [], many: [] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const which of ['few', 'many'] as const) {
      const server = await startBuilt(t, data[which])
      measured[which].push(await measure(server))
      await server.close()
    }
  }
  const limits: Measured = { start: 2, live: 1.3, health: 3, metrics: 3, opening: 4 }
  for (const name of Object.keys(limits) as (keyof Measured)[]) {
    const [few, many] = [measured.few, measured.many].map(all => Math.min(...all.map(one => one[name])))
    const ratio = many! / few!
    t.ok(ratio < limits[name], `${name}: ${ratio.toFixed(2)} times what it is with ${FEW}, less than ${limits[name]}`)
  }

  const server = await startBuilt(t, data.many)
  const used = Math.min(MANY, OPEN + 20)
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let n = lane; n < used; n += 8) {
      const path = `${BUNDLE}/title`
      await server.must('PUT', path, { key: keyOf(n), body: { value: `Title ${n}` } })
    }
  })
  await Promise.all(lanes)
  const open = async () =>
    Number(/^parlance_organizations_open (\d+)$/m.exec((await must(server, '/metrics')).text)?.[1] ?? Number.NaN)
  t.ok(await eventually(async () => (await open()) <= OPEN), `${await open()} of ${used} that were used are open`)
  const wrong: number[] = []
  for (let n = 0; n < used; n += 7) {
    const { json } = await must(server, BUNDLE, keyOf(n))
    if (json.title !== `Title ${n}`) wrong.push(n)
  }
  t.strictSame(wrong, [], 'each has its own')
  await server.close()
  t.equal((await server.exit).code, 0)
})
