/** Users, organizations and memberships for the operator, with or without a running server. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { type Role, strongestRole } from './access.ts'
import { type Database, FILE, openDatabase, refuseMoved } from './database.ts'

/** An account. `createdAt` is ISO 8601 in UTC. */
export interface UserSummary {
  id: string
  email: string
  name: string
  createdAt: string
  organizations: { id: string; slug: string; role: Role }[]
}

/** An organization; `createdAt` is ISO 8601, `members` a count. */
export interface OrganizationSummary {
  id: string
  slug: string
  name: string
  createdAt: string
  members: number
}

/**
 * Runs `use` on the accounts of a data folder. @throws Failure `not-found` when no server or `user create` ever used it
 */
export async function withDirectory<T>(dataDir: string, use: (accounts: Database) => T | Promise<T>): Promise<T> {
  refuseMoved(dataDir)
  const database = existsSync(join(dataDir, FILE)) ? openDatabase(dataDir) : undefined
  try {
    if (database?.prepare("select 1 from sqlite_master where name = 'organization'").get()) return await use(database)
    throw new Failure('not-found', `${dataDir} is no data folder of Parlance: set DATA_DIR or give --data-dir.`)
  } finally {
    database?.close()
  }
}

/** All users, oldest first. */
export function listUsers(accounts: Database): UserSummary[] {
  const rows = accounts
    .prepare<[], Omit<UserSummary, 'organizations'> & { memberships: string }>(
      `select id, email, name, createdAt,
         (select json_group_array(json_object('id', organization.id, 'slug', slug, 'role', role) order by member.createdAt, member.id)
          from member join organization on organization.id = organizationId where userId = user.id) as memberships
       from user order by createdAt, id`,
    )
    .all()
  return rows.map(({ memberships, ...user }) => {
    const organizations = JSON.parse(memberships) as { id: string; slug: string; role: string }[]
    return { ...user, organizations: organizations.map(one => ({ ...one, role: strongestRole(one.role) })) }
  })
}

/** The addresses of users with a second factor; none in an older Parlance's file. */
export function listSecondFactors(accounts: Database): string[] {
  const columns = accounts.pragma('table_info(user)') as { name: string }[]
  if (!columns.some(({ name }) => name === 'twoFactorEnabled')) return []
  const rows = accounts.prepare<[]>('select email from user where twoFactorEnabled = 1 order by createdAt, id')
  return rows.pluck().all() as string[]
}

/** All organizations, oldest first. */
export function listOrganizations(accounts: Database): OrganizationSummary[] {
  return accounts
    .prepare<[], OrganizationSummary>(
      `select id, slug, name, createdAt, (select count(*) from member where organizationId = organization.id) as members
       from organization order by createdAt, id`,
    )
    .all()
}
