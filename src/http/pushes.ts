/** Pushes of whole resources: small ones merged in the write itself, large ones computed in a thread and then put if nothing has changed meanwhile. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/access.ts'
import { parseBody } from '../bundle/body.ts'
import { EMPTY_BUNDLE_ID } from '../bundle/canonical.ts'
import { Failure } from '../bundle/errors.ts'
import type { Detail } from '../bundle/merge.ts'
import type { Format } from '../bundle/names.ts'
import { bundlePath } from '../bundle/project.ts'
import { type PushAnswer, type Pushed, type PushTask, pushInto } from '../bundle/push.ts'
import type { CommitMessage, Snapshot, Store, Transaction } from '../store/store.ts'
import type { SideThread } from '../threads/side-thread.ts'
import { readJsonBytes, unfold } from './body.ts'
import { admit, describePush, save } from './changes.ts'
import { departure } from './departure.ts'
import type { Place } from './layout.ts'
import type { ParsedBundles } from './parsed-bundles.ts'

/**
 * From so many bytes on, of the body and of a stored file that has to be parsed, a push is computed in the thread. Up to here
 * others wait some 25 ms for it; below, handing it over would cost more than it takes off the event loop.
 */
const LARGE = 2 ** 20
/** So often a large push is computed on a state that another write then overtakes; after that it is computed in the write itself. */
const TRIES = 3

/** A push that came. */
export interface Push {
  request: FastifyRequest
  reply: FastifyReply
  caller: Caller
  place: Place
  /** Whether pushed values win, by the project's source language. */
  overwrites: (sourceLanguage: string) => boolean
  prunes: boolean
  dryRun: boolean
  /** Whether it is asked what became of each key. */
  detailed: boolean
}

/** What came of it: the blob id of the bundle (in a dry run the present one), counts of keys, and details where they were asked for, as JSON from the thread. */
export interface PushResult {
  id: string
  counts: Omit<Pushed['counts'], 'details'>
  details: Detail[] | Buffer | undefined
}

/** What a large push is computed on: put only where all of it still holds. */
interface Basis {
  id: string
  format: Format
  sourceLanguage: string
}

/** What a turn in the queue came to; nothing when the push has to be computed anew. */
interface Turn {
  result: PushResult | undefined
  message: CommitMessage
}

const NOTHING: Turn = { result: undefined, message: { subject: '' } }

/** See the top of the file. */
export class Pushes {
  readonly #store: Store
  readonly #kept: ParsedBundles
  readonly #thread: SideThread
  readonly #limit: number

  /** @param limit of a body, in bytes */
  constructor(store: Store, kept: ParsedBundles, thread: SideThread, limit: number) {
    this.#store = store
    this.#kept = kept
    this.#thread = thread
    this.#limit = limit
  }

  /** Reads the body and pushes it. */
  async take(push: Push): Promise<PushResult> {
    const bytes = await readJsonBytes(push.request, this.#limit)
    if (bytes.length < LARGE) {
      const wait = unfold(push.request, bytes)
      if (wait) await wait
      return (await this.#atOnce(push, bytes, LARGE - bytes.length)) ?? (await this.#aside(push, bytes, true))
    }
    return this.#aside(push, bytes, false)
  }

  /** On the event loop, in one turn; nothing when the stored file is one of more than `most` bytes that has to be parsed. */
  #atOnce(push: Push, bytes: Buffer, most: number): Promise<PushResult | undefined> {
    const body = parseBody(bytes)
    return this.#turn(push, (snapshot, put) => {
      const { project, present } = admit(snapshot, push.place, push.request)
      const known = this.#kept.has(present.id, project.defaultFormat)
      if (!known && present.exists && present.bytes().length > most) return NOTHING
      const bundle = this.#kept.take(present.id, project.defaultFormat, present.bytes)
      const outcome = pushInto(bundle, body, rulesOf(push, project.sourceLanguage))
      // Now, for the bundle is the next write's.
      const details = push.detailed ? outcome.details : undefined
      const message = describePush(push.place, outcome)
      const change = { present, bundle: outcome.bundle, changed: outcome.bundle !== bundle }
      const id = put ? save(put, push.place, change, this.#kept) : present.id
      return { result: { id, counts: outcome, details }, message }
    })
  }

  /** In the thread. @param unfolded whether there is room for the body as objects already */
  async #aside(push: Push, bytes: Buffer, unfolded: boolean): Promise<PushResult> {
    const left = departure(push.reply)
    let body = bytes
    let room = unfolded
    for (let tries = 0; tries < TRIES; tries++) {
      let basis: Basis | undefined
      const prepare = async (): Promise<PushTask> => {
        if (!room) await unfold(push.request, body)
        room = true
        const found = await this.#find(push)
        basis = found?.basis
        return { body, onto: found?.onto, details: push.detailed }
      }
      const computed = await this.#thread.run('push', prepare, left)
      if (computed.answer.kind === 'unread') throw computed.answer.failure
      const result = await this.#settle(push, basis, computed.answer)
      if (result !== undefined) return result
      body = computed.task.body as Buffer
    }
    return (await this.#atOnce(push, body, Number.POSITIVE_INFINITY))!
  }

  /** What the push would be computed on now; nothing where it would be refused, which it is to be only once its body is known to be JSON. */
  async #find(push: Push): Promise<{ basis: Basis; onto: PushTask['onto'] } | undefined> {
    const find = (snapshot: Snapshot) => {
      const { present, ...basis } = basisOf(snapshot, push)
      const rules = rulesOf(push, basis.sourceLanguage)
      // The store keeps its files: a copy goes.
      return { basis, onto: { stored: Uint8Array.from(present.bytes()), format: basis.format, rules } }
    }
    try {
      return await this.#store.read(push.caller.organization, find)
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }

  /** Puts what was computed if its basis still stands; nothing otherwise. The checks come in the order in which a small push meets them. */
  #settle(push: Push, basis: Basis | undefined, answer: PushAnswer): Promise<PushResult | undefined> {
    return this.#turn(push, (snapshot, put) => {
      const now = basisOf(snapshot, push)
      if (basis === undefined || !isSame(now, basis)) return NOTHING
      if (answer.kind === 'refused') throw answer.failure
      if (answer.kind !== 'pushed') return NOTHING
      const { counts, file, details } = answer.pushed
      const id = put ? putFile(put, push.place, file, now.id) : now.id
      return { result: { id, counts, details }, message: describePush(push.place, counts) }
    })
  }

  /** Runs a turn inside the organization's queue, or for a dry run on what is there. */
  async #turn(
    { caller, dryRun }: Push,
    use: (snapshot: Snapshot, put: Transaction | undefined) => Turn,
  ): Promise<PushResult | undefined> {
    const { organization } = caller
    if (dryRun) return (await this.#store.read(organization, snapshot => use(snapshot, undefined))).result
    return (await this.#store.write(organization, caller, tx => use(tx, tx))).result
  }
}

const rulesOf = ({ place, overwrites, prunes }: Push, sourceLanguage: string) => ({
  language: place.language,
  overwrites: overwrites(sourceLanguage),
  prunes,
})

function basisOf(snapshot: Snapshot, { place, request }: Push) {
  const { project, present } = admit(snapshot, place, request)
  return { id: present.id, format: project.defaultFormat, sourceLanguage: project.sourceLanguage, present }
}

const isSame = (one: Basis, other: Basis): boolean =>
  one.id === other.id && one.format === other.format && one.sourceLanguage === other.sourceLanguage

/** As {@link save}, for a file made already. */
function putFile(tx: Transaction, { slug, language, namespace }: Place, file: Pushed['file'], present: string): string {
  if (file === undefined) return present
  const path = bundlePath(slug, language, namespace)
  if (file !== null) return tx.put(path, file.bytes, file.id)
  tx.remove(path)
  return EMPTY_BUNDLE_ID
}
