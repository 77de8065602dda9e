/** What each membership has of its inbox: how far it was read, the key of its feed, and the switch of its digest. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Caller } from './access.ts'
import { notAMember } from './access.ts'
import { type Actor, actAs } from './actor.ts'
import type { RunSql } from './dialect.ts'
import type { Engine } from './engine.ts'
import type { MemberStanding, Memberships } from './memberships.ts'

/** The stored inbox of a membership. */
export interface MemberInbox {
  /** The id of the membership. */
  membership: string
  /** The beginning of the membership, in milliseconds since 1970. */
  since: number
  /** The newest item that was read, and the time of its commit in seconds. */
  readTo: string | null
  readTime: number | null
  digest: boolean
  /** When the last digest was claimed, in milliseconds, and the newest item of the last one that was sent. */
  digestTime: number | null
  digestTo: string | null
}

/** The owner of an inbox, found without a session. */
export interface InboxOwner extends MemberStanding {
  organization: string
  user: { id: string; name: string; email: string }
}

/** The key of a feed, and since when it is valid in milliseconds. */
export interface FeedKey {
  key: string
  time: number
}

interface InboxRow {
  readTo: string | null
  readTime: number | string | null
  feedNonce: string | null
  feedTime: number | string | null
  digest: number | string
  digestTime: number | string | null
  digestTo: string | null
}

const NONE: InboxRow = {
  ...{ readTo: null, readTime: null, feedNonce: null, feedTime: null },
  ...{ digest: 0, digestTime: null, digestTo: null },
}
const KEY = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})$/
/** Owners with a digest that are read at once. */
const PAGE = 100

type Who = Pick<Caller, 'id' | 'organization'>

export class MemberInboxes {
  readonly #engine
  readonly #memberships
  readonly #now
  readonly #recheck

  /** @param recheck throws unless the caller is still a member, at the moment of a write */
  constructor(
    engine: Engine,
    { memberships, now, recheck }: { memberships: Memberships; now: () => number; recheck: (caller: Caller) => void },
  ) {
    this.#engine = engine
    this.#memberships = memberships
    this.#now = now
    this.#recheck = recheck
  }

  /** @throws Failure `forbidden` for a user who is no member */
  async read(who: Who): Promise<MemberInbox> {
    const { id, since } = this.#membership(who)
    const row = await this.#row(id)
    return {
      ...{ membership: id, since, readTo: row.readTo, readTime: numberOf(row.readTime) },
      ...{ digest: Number(row.digest) !== 0, digestTime: numberOf(row.digestTime), digestTo: row.digestTo },
    }
  }

  /** Moves what was read on to an item. @param time of its commit, in seconds */
  markRead(caller: Caller, item: string, time: number): Promise<void> {
    return this.#change(
      caller,
      (
        run,
        id,
      ) => run`insert into member_inbox (id, "readTo", "readTime") values (${id}, ${item}, cast(${time} as bigint))
        on conflict (id) do update set "readTo" = excluded."readTo", "readTime" = excluded."readTime"`,
    )
  }

  setDigest(caller: Caller, isOn: boolean): Promise<void> {
    return this.#change(
      caller,
      (run, id) => run`insert into member_inbox (id, digest) values (${id}, cast(${Number(isOn)} as bigint))
        on conflict (id) do update set digest = excluded.digest`,
    )
  }

  /** The key of a member's feed, undefined before the first one. @throws Failure `forbidden` */
  async feedKey(who: Who): Promise<FeedKey | undefined> {
    const { id } = this.#membership(who)
    const { feedNonce, feedTime } = await this.#row(id)
    return feedNonce === null ? undefined : { key: this.#keyOf(id, feedNonce), time: Number(feedTime) }
  }

  /** Creates or replaces the key of a feed. The previous key is unknown when this resolves, on every node. */
  async renewFeedKey(caller: Caller, actor: Actor): Promise<FeedKey> {
    const nonce = randomBytes(16).toString('base64url')
    const time = this.#now()
    const { id: membership } = this.#membership(caller)
    await actAs(actor, () =>
      this.#change(
        caller,
        (run, id) => run`insert into member_inbox (id, "feedNonce", "feedTime")
          values (${id}, ${nonce}, cast(${time} as bigint))
          on conflict (id) do update set "feedNonce" = excluded."feedNonce", "feedTime" = excluded."feedTime"`,
      ),
    )
    return { key: this.#keyOf(membership, nonce), time }
  }

  /** The owner of a feed by its key, undefined for any other text. */
  async ownerOfFeed(key: string): Promise<InboxOwner | undefined> {
    const [, membership, given] = KEY.exec(key) ?? []
    if (membership === undefined) return undefined
    const { feedNonce } = await this.#row(membership)
    const expected = this.#macOf(membership, feedNonce ?? '')
    const isEqual = timingSafeEqual(Buffer.from(given!, 'latin1'), Buffer.from(expected, 'latin1'))
    return isEqual && feedNonce !== null ? this.owner(membership) : undefined
  }

  /** The memberships with a digest, in the order of their ids. @param after the last id of the previous call */
  async withDigest(after = ''): Promise<string[]> {
    return this.#engine.query(async run => {
      const { rows } = await run<{ id: string }>`select id from member_inbox where digest = 1 and id > ${after}
        order by id limit cast(${PAGE} as bigint)`
      return rows.map(({ id }) => id)
    })
  }

  /**
   * Claims a digest for this process.
   * @param before the last one must be older, in milliseconds
   * @returns its time; undefined when another process has sent it, or the switch is off
   */
  async claimDigest(membership: string, before: number): Promise<number | undefined> {
    const time = this.#now()
    const { changes } = await this.#engine.change(
      run => run`update member_inbox set "digestTime" = cast(${time} as bigint)
        where id = ${membership} and digest = 1 and ("digestTime" is null or "digestTime" < cast(${before} as bigint))`,
    )
    return changes === 1 ? time : undefined
  }

  /** Stores a sent digest, or the previous one to give a claim back. */
  async setLastDigest({
    membership,
    digestTime,
    digestTo,
  }: Pick<MemberInbox, 'membership' | 'digestTime' | 'digestTo'>): Promise<void> {
    await this.#engine.change(
      run => run`update member_inbox set "digestTime" = cast(${digestTime} as bigint), "digestTo" = ${digestTo}
        where id = ${membership}`,
    )
  }

  #membership({ id, organization }: Who): { id: string; since: number } {
    const membership = this.#memberships.membership(id, organization)
    if (membership === undefined) throw notAMember()
    return membership
  }

  #row(membership: string): Promise<InboxRow> {
    return this.#engine.query(async run => {
      const { rows } =
        await run<InboxRow>`select "readTo", "readTime", "feedNonce", "feedTime", digest, "digestTime", "digestTo"
        from member_inbox where id = ${membership}`
      return rows[0] ?? NONE
    })
  }

  /** The owner of a membership, undefined when it is gone. */
  async owner(membership: string): Promise<InboxOwner | undefined> {
    const found = await this.#engine.query(async run => {
      const { rows } = await run<{ organization: string; id: string; name: string; email: string }>`
        select "organizationId" as organization, "user".id as id, "user".name as name, email
        from member join "user" on "user".id = "userId" where member.id = ${membership}`
      return rows[0]
    })
    const standing = found && this.#memberships.standing(found.id, found.organization)
    if (standing === undefined) return undefined
    const { organization, ...user } = found!
    return { organization, user, ...standing }
  }

  async #change(caller: Caller, write: (run: RunSql, id: string) => Promise<unknown>): Promise<void> {
    await this.#engine.change(async run => {
      this.#recheck(caller)
      await write(run, this.#membership(caller).id)
    })
    await this.#engine.untilReplicated()
  }

  #keyOf = (membership: string, nonce: string): string => `${membership}.${this.#macOf(membership, nonce)}`

  /** The key is not stored: a copy of the database alone reads no inbox. */
  #macOf = (membership: string, nonce: string): string =>
    createHmac('sha256', this.#engine.secret).update(`inbox feed ${membership} ${nonce}`).digest('base64url')
}

const numberOf = (value: number | string | null): number | null => (value === null ? null : Number(value))
