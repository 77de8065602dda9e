/** Sends each member with the switch on one digest a day at most. A claim in the accounts lets one node send it. */
import type { InboxOwner, MemberInbox, MemberInboxes } from '../auth/member-inboxes.ts'
import { type Mail, type Mailer, MailRefused } from '../mail/mailer.ts'
import type { Background, BackgroundTask, Log } from '../scheduling/background.ts'
import { digestMail } from './digest-mail.ts'
import type { InboxItem, InboxMember } from './inbox-items.ts'
import { type InboxPosition, placesOf, positionText } from './inbox-position.ts'
import type { InboxReader, InboxState } from './inbox-reader.ts'

/** The parts of the server that digests need. */
interface DigestParts {
  inboxes: MemberInboxes
  reader: InboxReader
  mailer: Mailer
  baseUrl: string
  /** The newest state of an organization. */
  open(organization: string): Promise<InboxState>
  memberOf(owner: InboxOwner): InboxMember
  /** The name of an organization, undefined when it is gone. */
  named(organization: string): string | undefined
  /** Milliseconds since 1970. */
  now(): number
  background: Background
  log: Log
  delays?: DigestDelays | undefined
}

/** Milliseconds from one look at all members to the next, and of retries. For tests. */
export interface DigestDelays {
  every?: number
  retry?: readonly [first: number, most: number]
}

/** Milliseconds from one look at all members to the next. */
const EVERY_MS = 600_000
/** Milliseconds until the first retry, and the longest pause between two. */
const RETRY = [60_000, 3_600_000] as const
const DAY = 86_400_000
/** Milliseconds between two digests of a member, at least. */
const SHORTEST = DAY / 2
/** Items that a digest counts. */
const MAX_COUNTED = 200
/** Pages of commits that a digest looks at. */
const MAX_PAGES = 20

export class Digests {
  readonly #parts: DigestParts
  readonly #every: number
  readonly #task: BackgroundTask
  /** By membership: the newest commit when there was nothing to send. Older ones are not looked at again. */
  readonly #looked = new Map<string, string>()

  constructor(parts: DigestParts) {
    this.#parts = parts
    const { background, delays } = parts
    const { every = EVERY_MS, retry = RETRY } = delays ?? {}
    this.#every = every
    const run = (left: AbortSignal) => this.#sendAll(left)
    this.#task = background.task({ name: 'sending digests', level: 'warn', every, retry, run })
  }

  /** Begins after a random delay: nodes of a cluster start in one moment. */
  start(): void {
    this.#task.in(this.#every * Math.random())
  }

  /** The failure or the refused mail of one member does not delay the others. A failing mail server ends the run. */
  async #sendAll(left: AbortSignal): Promise<void> {
    const { inboxes } = this.#parts
    const failures: unknown[] = []
    for (let after = ''; ; ) {
      const page = await inboxes.withDigest(after)
      for (const membership of page) {
        left.throwIfAborted()
        const send = await this.#prepare(membership, left).catch(error => void failures.push(error))
        try {
          await send?.()
        } catch (error) {
          if (!(error instanceof MailRefused)) throw error
          failures.push(error)
        }
      }
      if (page.length === 0) break
      after = page.at(-1)!
    }
    if (failures.length > 0) throw failures[0]
  }

  /** What sends the digest of a member, undefined when there is none to send. */
  async #prepare(membership: string, left: AbortSignal): Promise<(() => Promise<void>) | undefined> {
    const { inboxes, reader, open, memberOf, named, now, baseUrl } = this.#parts
    const owner = await inboxes.owner(membership)
    const organization = owner && named(owner.organization)
    if (owner === undefined || organization === undefined) return undefined
    const inbox = await inboxes.read({ id: owner.user.id, organization: owner.organization })
    const { digestTime, digestTo, readTo, readTime, since } = inbox
    // One a day in UTC, and none early in a day after a late one.
    const before = Math.min(Math.floor(now() / DAY) * DAY, now() - SHORTEST)
    if (digestTime !== null && digestTime >= before) return undefined
    const state = await open(owner.organization)
    const asked = {
      ...{ organization: owner.organization, member: memberOf(owner), left },
      ...{
        to: placesOf(readTo, digestTo, this.#looked.get(membership) ?? null),
        since: readTime ?? Math.floor(since / 1000),
      },
    }
    const items: InboxItem[] = []
    let next: InboxPosition | null | undefined
    for (let pages = 0; pages < MAX_PAGES && next !== null && items.length < MAX_COUNTED; pages++) {
      const page = await reader.page({ ...asked, from: next, limit: MAX_COUNTED - items.length }, state)
      items.push(...page.items)
      next = page.next
    }
    if (items.length === 0) {
      if (state.revision !== null) this.#looked.set(membership, positionText({ revision: state.revision, n: 0 }))
      return undefined
    }
    const mail = digestMail({ to: owner.user.email, organization, items, more: next !== null, baseUrl })
    return async () => {
      const time = await inboxes.claimDigest(membership, before)
      if (time === undefined) return
      await this.#send(mail, inbox, left)
      // After a crash before this, the next digest counts the same items again: none is lost.
      await inboxes.setLastDigest({ membership, digestTime: time, digestTo: `${state.revision}-0` })
    }
  }

  async #send(mail: Mail, before: MemberInbox, left: AbortSignal): Promise<void> {
    const { mailer, inboxes, log } = this.#parts
    try {
      await mailer.send(mail, left)
    } catch (error) {
      // The claim stays where the mail may have been sent, and where a retry is useless.
      if (left.aborted) throw error
      if (error instanceof MailRefused && error.isFinal)
        log.warn({ err: error }, 'a digest is dropped: the mail server refuses it')
      else {
        await inboxes.setLastDigest(before)
        throw error
      }
    }
  }
}
