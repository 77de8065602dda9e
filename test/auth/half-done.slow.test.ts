/** A server that is killed in the middle of an act on the accounts has done all of it or nothing. */
// It restores what it changes, so it shares its process (test/groups.mjs).
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import t, { type Test } from 'tap'
import { Accounts } from '../../src/auth/accounts.ts'
import { FILE } from '../../src/auth/database.ts'
import { ACTS, WRITTEN } from './acts.ts'
import { openAuth } from './open.ts'
import { codeOf } from './totp.ts'
import { PASSWORD } from './visitor.ts'

const WRITES = /^\s*(?:insert|update|delete|begin|commit|rollback)\b/i
const { prepare } = Sqlite.prototype as Database
t.teardown(() => Object.assign(Sqlite.prototype, { prepare }))

/** Called before each statement that writes, or begins or ends a transaction. */
let before = () => {}
Sqlite.prototype.prepare = function (this: Database, sql: string) {
  if (WRITES.test(sql)) before()
  return prepare.call(this, sql)
} as Database['prepare']

/** What SQLite finds in copied files, as after a kill: all rows, by table. */
function contents(folder: string): string {
  const database = new Sqlite(join(folder, FILE))
  try {
    return JSON.stringify(WRITTEN.map(table => [table, database.prepare(`select * from "${table}" order by id`).all()]))
  } finally {
    database.close()
  }
}

/** Runs an act, and looks at what a kill before each of its statements would have left. */
async function isWhole(t: Test, dataDir: string, act: () => Promise<unknown>): Promise<void> {
  const copies: string[] = []
  const copy = () => {
    const to = join(dataDir, 'copies', String(copies.length))
    copies.push(to)
    mkdirSync(to, { recursive: true })
    for (const file of [FILE, `${FILE}-wal`]) {
      if (existsSync(join(dataDir, file))) copyFileSync(join(dataDir, file), join(to, file))
    }
  }
  copy()
  before = copy
  await act().finally(() => (before = () => {}))
  copy()
  const found = copies.map(contents)
  const [first, last] = [found[0], found.at(-1)]
  t.not(first, last)
  t.ok(copies.length > 3, `${copies.length} moments`)
  const half = found.filter(one => one !== first && one !== last)
  t.equal(half.length, 0, `half done at ${half.length} of ${copies.length} moments`)
}

for (const [name, scene] of Object.entries(ACTS)) {
  t.test(name, async t => {
    const { dataDir, visitor } = await openAuth(t)
    const [act, status] = await scene(visitor)
    await isWhole(t, dataDir, async () => t.match(await act(), { status }))
  })
}

t.test('acts of the operator', async t => {
  const { dataDir, visitor } = await openAuth(t)
  const ann = visitor()
  await ann.signUp('ann')
  const organization = await ann.found('acme')
  const { totpURI } = (await ann.post('/two-factor/enable', { password: PASSWORD })).body
  await ann.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  const accounts = await Accounts.open(dataDir)
  t.teardown(() => accounts.close())
  const bob = { email: 'bob@example.com', name: 'Bob', password: PASSWORD }
  const acts = {
    create: () => accounts.create({ ...bob, membership: { organization, role: 'member' } }),
    'reset-password': () => accounts.resetPassword('ann@example.com', 'another correct horse'),
    'reset-two-factor': () => accounts.resetTwoFactor('ann@example.com'),
  }
  for (const [name, act] of Object.entries(acts)) {
    await t.test(name, t => isWhole(t, dataDir, act))
    rmSync(join(dataDir, 'copies'), { recursive: true })
  }
})
