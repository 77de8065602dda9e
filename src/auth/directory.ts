/** Who there is: users, organizations and memberships as SQLite has them, read for the operator beside a running server or without one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { type Role, strongestRole } from './access.ts'
import { type Database, openDatabase } from './database.ts'

/** An account. `createdAt` is ISO 8601 in UTC. */
export interface User {
  id: string
  email: string
  name: string
  createdAt: string
  organizations: { id: string; slug: string; role: Role }[]
}

/** An organization as the operator sees it; `createdAt` is ISO 8601, `members` how many there are. */
export interface Organization {
  id: string
  slug: string
  name: string
  createdAt: string
  members: number
}

interface Membership {
  userId: string
  id: string
  slug: string
  role: string
}

/** Made by {@link Directory.open}. */
export class Directory {
  readonly #database: Database

  private constructor(database: Database) {
    this.#database = database
  }

  /** @throws Failure `not-found` when no server or `user create` ever used this data folder */
  static open(dataDir: string): Directory {
    const database = existsSync(join(dataDir, 'parlance.sqlite')) ? openDatabase(dataDir) : undefined
    if (database?.prepare("select 1 from sqlite_master where name = 'organization'").get())
      return new Directory(database)
    database?.close()
    throw new Failure('not-found', `${dataDir} is no data folder of Parlance: set DATA_DIR or give --data-dir.`)
  }

  /** All users, in the order in which they came. */
  users(): User[] {
    const memberships = new Map<string, User['organizations']>()
    for (const { userId, role, ...organization } of this.#database
      .prepare<[], Membership>(
        `select userId, organization.id, slug, role from member join organization on organization.id = organizationId
         order by member.createdAt, member.rowid`,
      )
      .all()) {
      const known = memberships.get(userId) ?? []
      memberships.set(userId, [...known, { ...organization, role: strongestRole(role) }])
    }
    return this.#database
      .prepare<[], Omit<User, 'organizations'>>('select id, email, name, createdAt from user order by createdAt, rowid')
      .all()
      .map(user => ({ ...user, organizations: memberships.get(user.id) ?? [] }))
  }

  /** The addresses of those who sign in with a second factor. A file of an older Parlance knows none. */
  secondFactors(): string[] {
    if (
      this.#database.prepare("select 1 from pragma_table_info('user') where name = 'twoFactorEnabled'").get() ===
      undefined
    )
      return []
    return this.#database
      .prepare<[], { email: string }>('select email from user where twoFactorEnabled = 1 order by createdAt, rowid')
      .all()
      .map(({ email }) => email)
  }

  /** All organizations, in the order in which they came. */
  organizations(): Organization[] {
    return this.#database
      .prepare<[], Organization>(
        `select id, slug, name, createdAt, (select count(*) from member where organizationId = organization.id) as members
         from organization order by createdAt, rowid`,
      )
      .all()
  }

  /** @throws Failure `not-found` */
  organization(idOrSlug: string): Organization {
    const all = this.organizations()
    const found = all.find(({ id }) => id === idOrSlug) ?? all.find(({ slug }) => slug === idOrSlug)
    if (found) return found
    throw new Failure(
      'not-found',
      `There is no organization ${JSON.stringify(idOrSlug)}; \`parlance organization list\` shows which there are.`,
    )
  }

  close(): void {
    this.#database.close()
  }
}
