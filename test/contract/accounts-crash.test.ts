/** kill -9 while clients create and revoke accounts and tokens: answered changes persist. SQLITE_KILLS=50 for more. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { random } from '../random.ts'
import { kill, type Run, start } from './process.ts'
import { dataFolder, eventually, type Reply, type Server, type Session } from './server.ts'

const KILLS = Number(process.env.SQLITE_KILLS ?? 1)
/** Maximum milliseconds before each kill. */
const LONGEST_MS = 900

t.setTimeout(0)

interface Acknowledged {
  tokens: Map<string, string>
  revoked: Set<string>
  people: { email: string; password: string; organization?: string }[]
}

/** Runs `work` until the server is gone. An interrupted call has no outcome. */
async function untilKilled(work: () => Promise<void>): Promise<void> {
  try {
    for (;;) await work()
  } catch {
    // The connection broke, so the outcome of the last call is unknown.
  }
}

let serial = 0

async function mintAndRevoke(server: Server, owner: Session, { tokens, revoked }: Acknowledged): Promise<void> {
  const { id, key } = await server.mint(owner, `token ${++serial}`)
  tokens.set(id, key)
  if (serial % 3 > 0) return
  const [oldest] = tokens
  if (oldest === undefined) return
  tokens.delete(oldest[0])
  const reply = await server.call('DELETE', `/api/tokens/${oldest[0]}`, { as: owner })
  if (reply.status === 204) revoked.add(oldest[1])
}

async function signUp(server: Server, { people }: Acknowledged): Promise<void> {
  const person = await server.signUp(`Pat${++serial}`)
  const known: Acknowledged['people'][number] = { email: person.user.email, password: person.password }
  people.push(known)
  known.organization = await server.createOrganization(person, `of-${++serial}`)
}

/** Differences between the state and the answers. */
async function missing(server: Server, owner: Session, known: Acknowledged): Promise<string[]> {
  const wrong: string[] = []
  const expect = (reply: Reply, status: number, what: string) => {
    if (reply.status !== status) wrong.push(`${what}: ${reply.status} ${reply.text.slice(0, 80)}`)
  }
  for (const [id, key] of known.tokens) expect(await server.get('/api/projects', key), 200, `token ${id}`)
  for (const key of known.revoked) expect(await server.get('/api/projects', key), 401, 'a revoked token')
  expect(await server.call('GET', '/api/projects', { as: owner }), 200, 'the session')
  for (const { email, password } of known.people) {
    expect(await server.signIn(email, password, { origin: server.origin }), 200, `the account ${email}`)
  }
  return wrong
}

/** Problems that SQLite reports, and organizations without an owner. */
function faultsOf(dataDir: string, known: Acknowledged): string[] {
  const database = new Sqlite(join(dataDir, 'parlance.sqlite'), { readonly: true })
  try {
    const found = database.prepare('pragma integrity_check').pluck().all() as string[]
    const ids = new Set(database.prepare("select organizationId from member where role = 'owner'").pluck().all())
    const lost = known.people.filter(({ organization }) => organization !== undefined && !ids.has(organization))
    return [...found.filter(line => line !== 'ok'), ...lost.map(({ organization }) => `${organization} has no owner`)]
  } finally {
    database.close()
  }
}

t.test(`loses no answered change of accounts in ${KILLS} kills`, { timeout: 0 }, async t => {
  const dataDir = dataFolder(t)
  let run: Run = await start(t, dataDir)
  const { owner } = await run.server.organization()
  const all: Acknowledged = { tokens: new Map(), revoked: new Set(), people: [] }
  for (let round = 1; round <= KILLS; round++) {
    const { server } = run
    const fresh = all.people.length
    const lanes = [
      untilKilled(() => mintAndRevoke(server, owner, all)),
      untilKilled(() => mintAndRevoke(server, owner, all)),
      untilKilled(() => signUp(server, all)),
    ]
    const answered = () => all.tokens.size + all.revoked.size
    // At least one call must be answered, even on a busy machine.
    await eventually(() => answered() > 0)
    // Places the kill.
    await pause(LONGEST_MS * random())
    await kill(run)
    await Promise.all(lanes)
    run = await start(t, dataDir)
    const known = { ...all, people: all.people.slice(fresh) }
    t.same(await missing(run.server, owner, known), [], `kill ${round}: every answered change is there`)
    t.same(faultsOf(dataDir, all), [], `kill ${round}: SQLite is whole`)
  }
  t.comment(`${all.tokens.size + all.revoked.size} tokens, ${all.revoked.size} revoked, ${all.people.length} accounts`)
  t.ok(all.tokens.size + all.revoked.size > 0)
})
