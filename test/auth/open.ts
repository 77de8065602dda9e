/** Opens an Auth on a disk of the test's own, closed and thrown away with it. */
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { Auth, type AuthOptions } from '../../src/auth/auth.ts'
import { prepareData } from '../prepared-data.ts'
import '../quick-passwords.ts'
import { newFolder } from '../new-folder.ts'
import { Visitor } from './visitor.ts'

export async function openAuth(t: Test, options: Partial<AuthOptions> = {}) {
  const dataDir = options.dataDir ?? newFolder(t)
  if (options.dataDir === undefined) await prepareData(dataDir)
  const errors: { message: string; data: object }[] = []
  const auth = await Auth.open({
    dataDir,
    signUp: 'open',
    rateLimit: false,
    log: { warn: () => {}, error: (data, message) => errors.push({ data, message }) },
    ...options,
  })
  t.teardown(() => auth.close())
  return {
    auth,
    dataDir,
    errors,
    visitor: () => new Visitor(auth),
    /** A user who has just signed up. */
    async user(name: string): Promise<Visitor> {
      const visitor = new Visitor(auth)
      const { status, body } = await visitor.signUp(name)
      if (status !== 200) throw new Error(`${name} could not sign up: ${body.error}`)
      return visitor
    },
    /** One statement on the database, on another connection than the server's. */
    sql(statement: string, ...values: unknown[]): void {
      const database = new Sqlite(join(dataDir, 'parlance.sqlite'))
      database.prepare(statement).run(...values)
      database.close()
    },
  }
}

/** Has `owner` invite `name` and `guest`, who is signed in as that, accept. */
export async function admit(
  owner: Visitor,
  guest: Visitor,
  name: string,
  role: string,
  organizationId: string,
): Promise<void> {
  const invited = await owner.post('/organization/invite-member', {
    email: `${name}@example.com`,
    role,
    organizationId,
  })
  const accepted = await guest.post('/organization/accept-invitation', { invitationId: invited.body.id })
  if (accepted.status !== 200) throw new Error(`${name} could not join: ${invited.body.error ?? accepted.body.error}`)
}
