/** Organization API tokens. Only the SHA-256 of a key is stored. */
import { hash, randomBytes } from 'node:crypto'
import { Failure } from '../bundle/errors.ts'
import { checkLine, checkSlug } from '../bundle/names.ts'
import { slices } from '../scheduling/slices.ts'
import type { Caller, TokenScope } from './access.ts'
import { MOST_TOKENS } from './account-bounds.ts'
import { type Actor, actAs } from './actor.ts'
import type { RunSql } from './dialect.ts'
import type { Engine } from './engine.ts'
import { checkRights, parseRights, renderRights } from './rights.ts'

/** The public data of a token. Times are ISO 8601 in UTC. */
export type Token = ReturnType<typeof tokenOf>

interface Row {
  id: string
  organizationId: string
  name: string
  scope: TokenScope
  /** Slugs as JSON, sorted; null when it reaches all. */
  projects: string | null
  /** As JSON; null where nothing narrows the scope. */
  rights: string | null
  /** The key's first 8 characters, to recognize it. */
  start: string
  createdAt: number
  /** As at minting, even when the user is gone. */
  createdById: string
  createdByName: string
  /** Exact to a minute. */
  lastUsedAt: number | null
  /** Null: never. */
  expiresAt: number | null
}

type Looked = Pick<Row, 'id' | 'organizationId' | 'name' | 'scope' | 'projects' | 'rights' | 'lastUsedAt' | 'expiresAt'>

/** Times in milliseconds since 1970. */
interface Known {
  caller: Caller
  expiresAt: number
  lastUsedAt: number
}

/** About 500 bytes each, and up to 7 KiB with a hundred projects. */
const MOST_KNOWN = 10_000
/** Tokens that one statement reads. */
const ROWS_AT_ONCE = 50
const HEED_MS = 1000
const DAY = 86_400_000
const MINUTE = 60_000
const LONGEST_DAYS = 3650
const MOST_PROJECTS = 100
const KEY_LENGTH = 47
const KEY = /^prl_[A-Za-z0-9_-]{43}$/

export class Tokens {
  readonly #now
  readonly #engine
  readonly #byHash
  readonly #byId
  /** Verified tokens by the key's hash, oldest first. Dropped with every change of the table. */
  readonly #known = new Map<string, Known>()
  /** Revoked tokens' ids, until the table has it too. */
  readonly #ended = new Set<string>()
  #knownVersion = 0
  #lookedAt = 0

  /** @param now milliseconds since 1970 */
  constructor(engine: Engine, now: () => number) {
    this.#now = now
    this.#engine = engine
    const looked = 'select id, organizationId, name, scope, projects, rights, lastUsedAt, expiresAt from api_token'
    this.#byHash = engine.reads.prepare<[Buffer], Looked>(`${looked} where hash = ?`)
    this.#byId = engine.reads.prepare<[string], Looked>(`${looked} where id = ?`)
  }

  /**
   * Creates a token; its `key` exists only in this answer.
   * @param input `projects`: slugs of the only ones it reaches, absent = all; `rights`: what narrows its
   * writes, checked here; `expiresInDays`: 1 to 3650, absent = never
   * @param actor for the audit trail
   * @param check asks again for the right to, when nothing can come between
   * @throws Failure `invalid` for a bad name, slug, right or lifetime, `conflict` when there are {@link MOST_TOKENS}
   */
  async mint(
    input: {
      organization: string
      name: string
      scope: TokenScope
      projects?: readonly string[]
      rights?: unknown
      expiresInDays?: number
      createdBy: { id: string; name: string }
    },
    actor?: Actor,
    check: () => void = () => {},
  ): Promise<Token & { key: string }> {
    const name = checkLine(input.name, 'The name of a token', 100)
    const projects = checkProjects(input.projects)
    const rights = input.rights === undefined ? null : renderRights(checkRights(input.rights))
    const days = checkLifetime(input.expiresInDays)
    const key = `prl_${randomBytes(32).toString('base64url')}`
    const createdAt = this.#now()
    const row: Row = {
      id: randomBytes(12).toString('hex'),
      organizationId: input.organization,
      name,
      scope: input.scope,
      projects: projects === undefined ? null : JSON.stringify(projects),
      rights,
      start: key.slice(0, 8),
      createdAt,
      createdById: input.createdBy.id,
      createdByName: input.createdBy.name,
      lastUsedAt: null,
      expiresAt: days === undefined ? null : createdAt + days * DAY,
    }
    // 32 random bytes cannot be guessed, so one plain SHA-256 protects them.
    const write = async (run: RunSql) => {
      check()
      await refuseFurther(run, input.organization)
      return insert(run, row, hash('sha256', key, 'buffer'))
    }
    await actAs(actor, () => this.#engine.change(write))
    return { ...tokenOf(row), key }
  }

  /** An organization's tokens, newest first, expired ones too. */
  async list(organization: string): Promise<Token[]> {
    const tokens: Token[] = []
    for await (const row of this.#rows(organization)) tokens.push(tokenOf(row))
    // Tokens that were moved from another database have other numbers.
    return tokens.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -Number(a.createdAt > b.createdAt)))
  }

  /** The tokens of an organization, the last row first, read in parts and slices: each may have 14 KB of limits. */
  async *#rows(organization: string): AsyncGenerator<Row> {
    const pause = slices()
    let end = Number.MAX_SAFE_INTEGER
    for (;;) {
      const rows = await this.#engine.query(async run => {
        const { rows } = await run<Row & { rowid: number }>`
          select rowid, id, "organizationId", name, scope, projects, rights, start, "createdAt", "createdById",
            "createdByName", "lastUsedAt", "expiresAt"
          from api_token where "organizationId" = ${organization} and rowid < ${end}
          order by rowid desc limit ${ROWS_AT_ONCE}`
        return rows
      })
      for (const row of rows) {
        yield row
        await pause()
      }
      if (rows.length < ROWS_AT_ONCE) return
      end = rows.at(-1)!.rowid
    }
  }

  /** Ends a token at once, in memory, until {@link revoke}; false for an unknown id. */
  end(organization: string, id: string): boolean {
    if (this.#byId.get(id)?.organizationId !== organization) return false
    this.#ended.add(id)
    this.forget()
    return true
  }

  /** Ends a token for good; false for an unknown id. */
  async revoke(organization: string, id: string, actor?: Actor): Promise<boolean> {
    const write = (run: RunSql) => run`delete from api_token where id = ${id} and "organizationId" = ${organization}`
    const { changes } = await actAs(actor, () => this.#engine.change(write))
    this.#ended.delete(id)
    this.forget()
    return changes === 1
  }

  /** The ids of the tokens with `slug` in their list of projects. */
  async limitedTo(organization: string, slug: string): Promise<string[]> {
    const ids: string[] = []
    for await (const { id, projects } of this.#rows(organization))
      if (reachOf(projects).projects?.includes(slug)) ids.push(id)
    return ids
  }

  /** Removes a project from limited tokens. One of no other project is revoked: without a list it would reach all. */
  async withdraw(ids: readonly string[], slug: string, actor: Actor): Promise<void> {
    const write = async (run: RunSql) => {
      // Another project may be withdrawn from the same token meanwhile.
      for (const id of ids) while (!(await withdrawn(run, id, slug)));
    }
    try {
      await actAs(actor, () => this.#engine.change(write))
    } finally {
      this.forget()
    }
  }

  /** Call it when tokens may have left the table with their organization. */
  forget(): void {
    this.#known.clear()
  }

  /** A key's caller, undefined when invalid. Looking up by hash leaves no timing to learn from. */
  verify(key: string): Caller | undefined {
    if (key.length !== KEY_LENGTH) return undefined
    const digest = hash('sha256', key, 'base64url')
    const now = this.#now()
    this.#heedOthers(now)
    const token = this.#known.get(digest) ?? (KEY.test(key) ? this.#look(digest) : undefined)
    if (token === undefined || token.expiresAt <= now) return undefined
    if (now - token.lastUsedAt >= MINUTE && this.#engine.touch(token.caller.id, now)) token.lastUsedAt = now
    return token.caller
  }

  /** The token in the table now; undefined when gone or expired. */
  present(id: string): Caller | undefined {
    const row = this.#byId.get(id)
    if (row === undefined || this.#ended.has(id) || (row.expiresAt !== null && row.expiresAt <= this.#now()))
      return undefined
    return callerOf(row)
  }

  /** Other processes' changes count within a second. */
  #heedOthers(now: number): void {
    if (now - this.#lookedAt < HEED_MS && now >= this.#lookedAt) return
    this.#lookedAt = now
    const version = this.#engine.version()
    if (version !== this.#knownVersion) this.forget()
    this.#knownVersion = version
  }

  #look(digest: string): Known | undefined {
    const row = this.#byHash.get(Buffer.from(digest, 'base64url'))
    if (row === undefined || this.#ended.has(row.id)) return undefined
    const token = {
      caller: callerOf(row),
      expiresAt: row.expiresAt ?? Number.POSITIVE_INFINITY,
      lastUsedAt: row.lastUsedAt ?? 0,
    }
    this.#known.set(digest, token)
    if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.keys().next().value!)
    return token
  }
}

async function refuseFurther(run: RunSql, organization: string): Promise<void> {
  const { rows } = await run`
    select id from api_token where "organizationId" = ${organization} limit 1 offset ${MOST_TOKENS - 1}`
  if (rows.length === 0) return
  throw new Failure(
    'conflict',
    `The organization has ${MOST_TOKENS.toLocaleString('en')} API tokens, the most that there can be: revoke one first.`,
  )
}

/** Removes a project from a token; false when the token's list changed meanwhile. */
async function withdrawn(run: RunSql, id: string, slug: string): Promise<boolean> {
  const { rows } = await run<Pick<Row, 'projects'>>`select projects from api_token where id = ${id}`
  const listed = rows[0]?.projects ?? null
  const { projects } = reachOf(listed)
  if (!projects?.includes(slug)) return true
  const left = JSON.stringify(projects.filter(other => other !== slug))
  const { changes } =
    left === '[]'
      ? await run`delete from api_token where id = ${id} and projects = ${listed}`
      : await run`update api_token set projects = ${left} where id = ${id} and projects = ${listed}`
  return changes === 1
}

const insert = (run: RunSql, row: Row, hash: Buffer) => run`
  insert into api_token (id, "organizationId", name, scope, projects, rights, start, hash, "createdAt", "createdById",
    "createdByName", "expiresAt")
  values (${row.id}, ${row.organizationId}, ${row.name}, ${row.scope}, ${row.projects}, ${row.rights}, ${row.start}, ${hash},
    ${row.createdAt}, ${row.createdById}, ${row.createdByName}, ${row.expiresAt})`

function callerOf(row: Looked): Caller {
  const { id, organizationId: organization, name, scope } = row
  const limits = { ...reachOf(row.projects), ...narrowedBy(row.rights) }
  const email = `token+${id}@parlance.invalid`
  return Object.freeze({ kind: 'token', organization, role: 'admin', scope, ...limits, id, name, email })
}

/** What a row says of projects. */
const reachOf = (projects: string | null): { projects?: readonly string[] } =>
  projects === null ? {} : { projects: Object.freeze(JSON.parse(projects)) }

function narrowedBy(stored: string | null): Pick<Caller, 'rights'> {
  const rights = parseRights(stored)
  return rights ? { rights } : {}
}

const iso = (time: number) => new Date(time).toISOString()

function tokenOf(row: Row) {
  const { id, name, scope, start, createdAt, createdById, createdByName, lastUsedAt, expiresAt } = row
  return {
    ...{ id, name, scope, ...reachOf(row.projects), ...narrowedBy(row.rights), start },
    createdAt: iso(createdAt),
    createdBy: { id: createdById, name: createdByName },
    lastUsedAt: lastUsedAt === null ? null : iso(lastUsedAt),
    expiresAt: expiresAt === null ? null : iso(expiresAt),
  }
}

function checkProjects(slugs: readonly string[] | undefined): string[] | undefined {
  if (slugs === undefined) return undefined
  const distinct = [...new Set(slugs.map(checkSlug))].sort()
  if (distinct.length >= 1 && distinct.length <= MOST_PROJECTS) return distinct
  throw new Failure(
    'invalid',
    `The projects must be 1 to ${MOST_PROJECTS} slugs of projects; leave it out for a token that reaches all.`,
  )
}

function checkLifetime(days: number | undefined): number | undefined {
  if (days === undefined || (Number.isInteger(days) && days >= 1 && days <= LONGEST_DAYS)) return days
  throw new Failure(
    'invalid',
    `The expiresInDays must be a whole number from 1 to ${LONGEST_DAYS}; leave it out for a token that does not expire.`,
  )
}
