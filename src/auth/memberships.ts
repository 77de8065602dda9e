/** Users and memberships, by prepared statements cheap enough for every request. */
import type { Database } from 'better-sqlite3'
import { type Role, strongestRole } from './access.ts'
import { type LanguageRights, rightsOf } from './rights.ts'

/** What a user may do in an organization. */
export interface MemberStanding {
  role: Role
  /** What narrows a plain member; absent where nothing does. */
  rights?: LanguageRights
}

export class Memberships {
  readonly #user
  readonly #first
  readonly #role
  readonly #all
  readonly #slug
  readonly #organization
  readonly #members
  readonly #count
  readonly #membership

  constructor(database: Database) {
    this.#user = database.prepare('select 1 from user limit 1')
    this.#first = database.prepare<[string], { organizationId: string; role: string; rights: string | null }>(
      'select organizationId, role, rights from member where userId = ? order by createdAt, id limit 1',
    )
    this.#role = database.prepare<[string, string], { role: string; rights: string | null }>(
      'select role, rights from member where userId = ? and organizationId = ?',
    )
    this.#all = database.prepare<[string]>('select organizationId from member where userId = ?').pluck()
    this.#slug = database.prepare<[string, string]>(
      'select 1 from member join organization on organization.id = organizationId where userId = ? and slug = ?',
    )
    this.#organization = database.prepare<[string], { slug: string; name: string }>(
      'select slug, name from organization where id = ?',
    )
    this.#members = database.prepare<[string], { id: string; name: string }>(
      'select user.id, user.name from member join user on user.id = userId where organizationId = ? order by user.id',
    )
    this.#count = database
      .prepare<[string | null, string]>(
        'select count(*) from member where organizationId = coalesce((select id from organization where slug = ?), ?)',
      )
      .pluck()
    this.#membership = database.prepare<[string, string], { id: string; createdAt: string }>(
      'select id, createdAt from member where userId = ? and organizationId = ?',
    )
  }

  /** Whether anybody has signed up yet. */
  hasUsers(): boolean {
    return this.#user.get() !== undefined
  }

  /** The user's oldest membership. */
  first(userId: string): ({ id: string } & MemberStanding) | undefined {
    const row = this.#first.get(userId)
    return row && { id: row.organizationId, ...standingOf(row) }
  }

  /** The user's role in an organization, undefined for non-members. */
  role(userId: string, organizationId: string): Role | undefined {
    const row = this.#role.get(userId, organizationId)
    return row && strongestRole(row.role)
  }

  /** The user's role in an organization with the rights that narrow it, undefined for non-members. */
  standing(userId: string, organizationId: string): MemberStanding | undefined {
    const row = this.#role.get(userId, organizationId)
    return row && standingOf(row)
  }

  /** The user's organizations. */
  organizations(userId: string): string[] {
    return this.#all.all(userId) as string[]
  }

  /** What an organization is called, undefined when it is gone. */
  named(organizationId: string): { slug: string; name: string } | undefined {
    return this.#organization.get(organizationId)
  }

  /** The members of an organization. */
  members(organizationId: string): { id: string; name: string }[] {
    return this.#members.all(organizationId)
  }

  /** The number of members. @param slug of the organization; null looks for the id */
  count(slug: string | null, organizationId: string): number {
    return this.#count.get(slug, organizationId) as number
  }

  /** The id and the beginning (milliseconds since 1970) of a membership, undefined for non-members. */
  membership(userId: string, organizationId: string): { id: string; since: number } | undefined {
    const row = this.#membership.get(userId, organizationId)
    return row && { id: row.id, since: Date.parse(row.createdAt) }
  }

  /** Whether the user is a member of the organization of this slug. */
  hasSlug(userId: string, slug: string): boolean {
    return this.#slug.get(userId, slug) !== undefined
  }
}

function standingOf(row: { role: string; rights: string | null }): MemberStanding {
  const role = strongestRole(row.role)
  const rights = rightsOf(role, row.rights)
  return { role, ...(rights && { rights }) }
}
