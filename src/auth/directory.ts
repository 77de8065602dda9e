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

/** See the top of the file. */
export class Directory {
  readonly #database: Database

  private constructor(database: Database) {
    this.#database = database
  }

  /** @throws Failure `not-found` when no server or `user create` ever used this data folder */
  static open(dataDir: string): Directory {
    refuseMoved(dataDir)
    const database = existsSync(join(dataDir, FILE)) ? openDatabase(dataDir) : undefined
    if (database?.prepare("select 1 from sqlite_master where name = 'organization'").get())
      return new Directory(database)
    database?.close()
    throw new Failure('not-found', `${dataDir} is no data folder of Parlance: set DATA_DIR or give --data-dir.`)
  }

  /** On accounts that are open. */
  static over(database: Database): Directory {
    return new Directory(database)
  }

  /** All users, oldest first. */
  users(): UserSummary[] {
    const rows = this.#database
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
  secondFactors(): string[] {
    const columns = this.#database.pragma('table_info(user)') as { name: string }[]
    if (!columns.some(({ name }) => name === 'twoFactorEnabled')) return []
    const rows = this.#database.prepare<[]>('select email from user where twoFactorEnabled = 1 order by createdAt, id')
    return rows.pluck().all() as string[]
  }

  /** All organizations, oldest first. */
  organizations(): OrganizationSummary[] {
    return this.#database
      .prepare<[], OrganizationSummary>(
        `select id, slug, name, createdAt, (select count(*) from member where organizationId = organization.id) as members
         from organization order by createdAt, id`,
      )
      .all()
  }

  /** @throws Failure `not-found` */
  organization(idOrSlug: string): OrganizationSummary {
    const all = this.organizations()
    const found = all.find(({ id }) => id === idOrSlug) ?? all.find(({ slug }) => slug === idOrSlug)
    if (found) return found
    throw new Failure(
      'not-found',
      `There is no organization ${JSON.stringify(idOrSlug)}; \`parlance server organization list\` shows which there are.`,
    )
  }

  close(): void {
    this.#database.close()
  }
}
