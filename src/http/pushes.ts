/** Pushes of whole resources: small ones merged in the write itself, large ones beside it. */
import { parseBody } from '../bundle/body.ts'
import type { Detail } from '../bundle/merge.ts'
import { type Pushed, pushInto } from '../bundle/push.ts'
import { readJsonBytes, unfold } from './body.ts'
import { describePush, open, putFile, save } from './changes.ts'
import { LARGE, type LargeChanges, NOTHING, type Target } from './large-changes.ts'
import type { ParsedBundles } from './parsed-bundles.ts'

/** A push that came. */
export interface Push extends Target {
  /** Whether pushed values win, by the project's source language. */
  overwrites: (sourceLanguage: string) => boolean
  prunes: boolean
  /** Whether it is asked what became of each key. */
  detailed: boolean
}

/** What came of it: the blob id of the bundle (in a dry run the present one), counts of keys, and details where they were asked for, as JSON from the thread. */
export interface PushResult {
  id: string
  counts: Omit<Pushed['counts'], 'details'>
  details: Detail[] | Buffer | undefined
}

/** See the top of the file. */
export class Pushes {
  readonly #large: LargeChanges
  readonly #kept: ParsedBundles
  readonly #limit: number

  /** @param limit of a body, in bytes */
  constructor(large: LargeChanges, kept: ParsedBundles, limit: number) {
    this.#large = large
    this.#kept = kept
    this.#limit = limit
  }

  /** Reads the body and pushes it. */
  async take(push: Push): Promise<PushResult> {
    const bytes = await readJsonBytes(push.request, this.#limit)
    if (bytes.length >= LARGE) return this.#aside(push, bytes, false)
    const wait = unfold(push.request, bytes)
    if (wait) await wait
    return (await this.#atOnce(push, bytes, LARGE - bytes.length)) ?? (await this.#aside(push, bytes, true))
  }

  /** On the event loop, in one turn; nothing when the stored file is one of more than `most` bytes that has to be parsed. */
  #atOnce(push: Push, bytes: Buffer, most: number): Promise<PushResult | undefined> {
    const body = parseBody(bytes)
    return this.#large.turn(push, (snapshot, tx) => {
      const opened = open(snapshot, push.place, push.request, this.#kept, most)
      if (opened === undefined) return NOTHING
      const { project, present, bundle } = opened
      const outcome = pushInto(bundle, body, rulesOf(push, project.sourceLanguage))
      // Now, for the bundle is the next write's.
      const details = push.detailed ? outcome.details : undefined
      const message = describePush(push.place, outcome)
      const change = { present, bundle: outcome.bundle, changed: outcome.bundle !== bundle }
      const id = tx ? save(tx, push.place, change, this.#kept) : present.id
      return { result: { id, counts: outcome, details }, message }
    })
  }

  /** In the thread. @param unfolded whether there is room for the body as objects already */
  async #aside(push: Push, bytes: Buffer, unfolded: boolean): Promise<PushResult> {
    let body = bytes
    let room = unfolded
    const result = await this.#large.aside<'push', PushResult>(push, {
      name: 'push',
      enter: () => {
        const wait = room ? undefined : unfold(push.request, body)
        room = true
        return wait
      },
      task: found => ({
        body,
        onto: found && {
          id: found.id,
          stored: found.stored,
          format: found.format,
          rules: rulesOf(push, found.sourceLanguage),
        },
        details: push.detailed,
      }),
      see: (answer, task) => {
        body = task.body as Buffer
        if (answer.kind === 'unread') throw answer.failure
      },
      put: (answer, tx, present) => {
        if (answer.kind === 'refused') throw answer.failure
        if (answer.kind !== 'pushed') return NOTHING
        const { counts, file, details } = answer.pushed
        const id = tx ? putFile(tx, push.place, file, present) : present
        return { result: { id, counts, details }, message: describePush(push.place, counts) }
      },
    })
    return result ?? (await this.#atOnce(push, body, Number.POSITIVE_INFINITY))!
  }
}

const rulesOf = ({ place, overwrites, prunes }: Push, sourceLanguage: string) => ({
  language: place.language,
  overwrites: overwrites(sourceLanguage),
  prunes,
})
