/** A disk that fails one request changes the answer of no other one that is under way. */
// It restores what it changes, so it shares its process (test/groups.mjs).

import Sqlite, { type Database } from 'better-sqlite3'
import t from 'tap'
import { openAuth } from './open.ts'
import { PASSWORD } from './visitor.ts'

/** The code of the error of each statement that adds a session, if any. */
let fault: string | undefined
const { prepare } = Sqlite.prototype as Database
t.teardown(() => Object.assign(Sqlite.prototype, { prepare }))
Sqlite.prototype.prepare = function (this: Database, sql: string) {
  if (fault !== undefined && /^insert into "?session/i.test(sql)) throw Object.assign(new Error(fault), { code: fault })
  return prepare.call(this, sql)
} as Database['prepare']

const FAULTS = { SQLITE_FULL: 507, SQLITE_IOERR: 503, SQLITE_READONLY: 503 }
for (const [code, status] of Object.entries(FAULTS)) {
  t.test(`${code} is the answer of the requests that met it alone`, async t => {
    const { user, visitor } = await openAuth(t)
    const ann = await user('ann')
    await ann.found('acme')
    fault = code
    t.teardown(() => {
      fault = undefined
    })
    const body = { email: 'ann@example.com', password: PASSWORD }
    const requests: Record<string, [expected: number, ask: () => Promise<{ status: number }>]> = {
      'a right password': [status, () => visitor().post('/sign-in/email', body)],
      'a wrong password': [401, () => visitor().post('/sign-in/email', { ...body, password: 'wrong horse battery' })],
      'an unknown address': [401, () => visitor().post('/sign-in/email', { ...body, email: 'bob@example.com' })],
      'a taken slug': [409, () => ann.post('/organization/create', { name: 'Acme', slug: 'acme' })],
      'a wrong current password': [400, () => ann.post('/verify-password', { password: 'wrong horse battery' })],
      'a missing member': [400, () => ann.post('/organization/remove-member', { memberIdOrEmail: 'no@example.com' })],
      'no session': [401, () => visitor().get('/list-sessions')],
      'a read': [200, () => ann.get('/organization/list')],
    }
    // Of each several, so that one begins before and ends after the error of another.
    const rounds = [1, 2, 3].flatMap(() => Object.entries(requests))
    const answers = await Promise.all(
      rounds.map(async ([what, [expected, ask]]) => [what, expected, (await ask()).status]),
    )
    for (const [what, expected, answered] of answers) t.equal(answered, expected, String(what))
  })
}
