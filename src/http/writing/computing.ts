/** Changes that parse bundles: small ones run in the write itself, large ones before it in the worker. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Permission } from '../../auth/access.ts'
import { EMPTY_BUNDLE_ID } from '../../bundle/canonical.ts'
import { busy, Failure } from '../../bundle/errors.ts'
import { NO_TREES, type Stored, type Trees } from '../../bundle/made-file.ts'
import type { Format } from '../../bundle/names.ts'
import { workOf } from '../../bundle/work.ts'
import { followSource } from '../../project/follow-source.ts'
import { bundleAt } from '../../project/layout.ts'
import type { BundleName } from '../../project/project.ts'
import type { Hints } from '../../project/stale-steps.ts'
import { nextTurn, SLICE_MS } from '../../slices.ts'
import { inSlices, isSteps, type Steps } from '../../store/steps.ts'
import type { AcknowledgedWrite, ProposedCommit, Snapshot, Transaction } from '../../store/store.ts'
import { type Answer, compute, type Name, type Task } from '../../worker/tasks.ts'
import { type BundleWorker, bytesOf } from '../../worker/worker.ts'
import { clientGone } from '../requests/client-gone.ts'
import type { Ask, PermittedWrites } from './permitted-writes.ts'
import { Turns } from './turns.ts'

/** Work of bundle and body, by {@link workOf}, from which the worker computes: below, others wait 20 ms at most. */
export const LARGE: number = 2 ** 20
/** How often writes may overtake a change; then the project's other writes wait for it. */
const TRIES = 2
const MOST_TRIES = 20
const NO_BYTES = Buffer.alloc(0)
/** Bytes of files that one change may rewrite, all held until durable. */
const MOST_BYTES = 2 ** 28

/** A bundle whose task's answer a change needs. */
export interface Part<N extends Name = Name> {
  name: N
  bundle: BundleName
  /** Blob id of the stored file, for which the answer holds. */
  id: string
  format: Format
  /** What else the answer depends on, which may differ between states. */
  variant?: string
  /** Set when the task does without the file, which only tells for how long the answer holds. */
  bare?: boolean
  /** What the task reads beside the file, read as it is asked for. @param state the newest one */
  more?: (state: Snapshot) => Iterable<Uint8Array>
  /** @param inThread whether the worker runs it @param state the newest one */
  task: (stored: Stored, inThread: boolean, state: Snapshot) => Task<N>
}

/** Gives each part's answer; throws where that must be computed first, or as the tasks do. */
export type Compute = <N extends Name>(parts: Part<N>[]) => Answer<N>[]

/** A change's result, and what its files do not tell of it. */
export type Changed<T> = ProposedCommit<T> & Hints

/** A change: runs in the queue (a dry run outside of it), and again once what it needs is computed. */
export type Change<T> = (
  state: Snapshot & Partial<Transaction>,
  compute: Compute,
  ask: Ask,
) => Changed<T> | Steps<Changed<T>>

/** Which right a change takes, and of which project it is. */
interface Target {
  /** By default `edit`. */
  permission?: Permission
  slug: string
  dryRun?: boolean
  /** Changes upon changes that it computes one after another; 1 by default. */
  rounds?: number
}

/** Gives a part's answer, or throws why there is none. */
type Outcome = () => unknown

/** Thrown by {@link Compute}: these have to be computed first. */
class Missing {
  readonly parts: Part[]

  constructor(parts: Part[]) {
    this.parts = parts
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    computing: Computing
  }
}

export class Computing {
  readonly #writes: PermittedWrites
  readonly #worker: BundleWorker
  readonly #trees: Trees
  readonly #turns = new Turns()

  /** @param trees keeps small bundles parsed between writes */
  constructor(writes: PermittedWrites, worker: BundleWorker, trees: Trees) {
    this.#writes = writes
    this.#worker = worker
    this.#trees = trees
  }

  /**
   * Runs a change of a project until all it needs is computed. @throws Failure as the change, `unavailable` when others
   * keep overtaking it, `too-large` for what takes too much memory
   */
  async run<T>(reply: FastifyReply, target: Target, change: Change<T>): Promise<T> {
    return (await this.written(reply, target, change)).result
  }

  /** As {@link run}, with the revision that the change made, or found where it made none. */
  async written<T>(
    reply: FastifyReply,
    { permission = 'edit', slug, dryRun = false, rounds = 1 }: Target,
    change: Change<T>,
  ): Promise<AcknowledgedWrite<T>> {
    const { request } = reply
    const made = new Map<string, Outcome>()
    const owner = request.caller!.organization
    const attempt = async (trees: Trees): Promise<AcknowledgedWrite<T> | Missing> => {
      try {
        const use = (state: Snapshot & Partial<Transaction>, ask: Ask) =>
          change(state, this.#within(state, owner, made, trees), ask)
        if (dryRun) {
          const looked = await this.#writes.look(request, permission, (state, ask) => ({
            used: use(state, ask),
            revision: state.revision,
          }))
          const { result } = isSteps(looked.used) ? await inSlices(looked.used) : looked.used
          return { result, revision: looked.revision }
        }
        const follow = (tx: Transaction, ask: Ask) =>
          followed(tx, use(tx, ask), this.#within(tx, owner, made, NO_TREES))
        return await this.#writes.write(request, permission, follow)
      } catch (error) {
        if (error instanceof Missing) return error
        throw error
      }
    }
    const key = `${owner} ${slug}`
    await this.#turns.free(key)
    // A dry run must not take what is kept for the next write.
    const first = await attempt(dryRun ? NO_TREES : this.#trees)
    if (!(first instanceof Missing)) return first
    const left = clientGone(reply)
    return this.#turns.inTurn(key, async () => {
      let missing = first
      const tryFor = async (tries: number): Promise<AcknowledgedWrite<T> | undefined> => {
        for (; tries > 0; tries--) {
          left.throwIfAborted()
          await this.#prepare(request, permission, missing.parts, { made, left })
          const outcome = await attempt(NO_TREES)
          if (!(outcome instanceof Missing)) return outcome
          missing = outcome
        }
        return undefined
      }
      // Alone until it is done: whoever had a turn between two steps would overtake it.
      const done = (await tryFor(TRIES)) ?? (await this.#turns.alone(key, () => tryFor(MOST_TRIES * rounds)))
      if (done !== undefined) return done
      throw busy('Other writes change this project all the time; try again in a moment.')
    })
  }

  /** Computes small parts in the queue, for {@link SLICE_MS}; the rest is done before it. */
  #within(state: Snapshot, owner: string, made: Map<string, Outcome>, trees: Trees): Compute {
    const until = performance.now() + SLICE_MS
    let room = LARGE
    return parts =>
      parts.map((part, at) => {
        const known = made.get(nameOf(part))
        if (known !== undefined) return known() as never
        const missing = () => new Missing(parts.slice(at))
        if (at > 0 && performance.now() >= until) throw missing()
        const fit = (read: Uint8Array) => {
          room -= workOf(read)
          if (room < 0) throw missing()
        }
        // The first that is too large ends the look: no other file is read in this turn.
        for (const read of part.more?.(state) ?? []) fit(read)
        const bytes = part.bare ? NO_BYTES : bundleAt(state, part.bundle).bytes()
        fit(bytes)
        const { id, format } = part
        const outcome =
          outcomeOf(part, () => compute(part.name, part.task({ owner, id, bytes, format }, false, state), trees)) ??
          (() => undefined)
        made.set(nameOf(part), outcome)
        return outcome() as never
      })
  }

  /** Computes missing parts before the write: small ones in slices, large ones in the worker. */
  async #prepare(
    request: FastifyRequest,
    permission: Permission,
    parts: Part[],
    { made, left }: { made: Map<string, Outcome>; left: AbortSignal },
  ): Promise<void> {
    const owner = request.caller!.organization
    const storedIn = (state: Snapshot, { bundle, id, bare }: Part): Buffer | undefined => {
      const found = bundleAt(state, bundle)
      return found.id !== id ? undefined : bare ? NO_BYTES : found.bytes()
    }
    const taskOf = (part: Part, bytes: Buffer, inThread: boolean, state: Snapshot) =>
      part.task({ owner, id: part.id, bytes, format: part.format }, inThread, state)
    let [at, bytes] = [0, 0]
    const count = (task: unknown) => {
      bytes += bytesOf(task)
      if (bytes > MOST_BYTES) throw tooMuch()
    }
    while (at < parts.length) {
      // One look for a slice: asking for the right again takes as long as a small part.
      const next = await this.#writes.look(request, permission, state => {
        const until = performance.now() + SLICE_MS
        for (; at < parts.length && performance.now() < until; at++) {
          const part = parts[at]!
          const stored = storedIn(state, part)
          if (stored === undefined) return 'overtaken'
          let work = workOf(stored)
          // What else a large file's task needs is read in another turn.
          if (work > LARGE) return 'large'
          for (const one of part.more?.(state) ?? []) {
            work += workOf(one)
            if (work > LARGE) return 'large'
            count(one)
          }
          count(stored)
          const outcome = outcomeOf(part, () => compute(part.name, taskOf(part, stored, false, state)))
          if (outcome === undefined) return 'overtaken'
          made.set(nameOf(part), outcome)
        }
        return 'more'
      })
      if (next === 'overtaken') return
      if (next === 'large') {
        const part = parts[at++]!
        const ahead = await readAhead(await this.#writes.look(request, permission, state => part.more?.(state) ?? []))
        const task = () =>
          this.#writes.look(request, permission, state => {
            const stored = storedIn(state, part)
            const task = stored && taskOf(part, stored, true, state)
            count(task)
            // From here on the task has its own copies.
            ahead.length = 0
            return task
          })
        const outcome = await this.#worker.run(part.name, task, left).then(giving, error => failing(part, error))
        if (outcome === undefined) return
        made.set(nameOf(part), outcome)
      }
      if (at < parts.length) await nextTurn()
    }
  }
}

/**
 * Reads one file a turn: all of them in one would keep others waiting. While the caller holds the result, the store
 * finds the files in memory.
 */
async function readAhead(inputs: Iterable<Uint8Array>): Promise<Uint8Array[]> {
  const read: Uint8Array[] = []
  for (const bytes of inputs) {
    read.push(bytes)
    await nextTurn()
  }
  return read
}

/** A change with the notes of what it made stale, in the same commit. */
function* followed<T>(tx: Transaction, changing: Changed<T> | Steps<Changed<T>>, compute: Compute): Steps<Changed<T>> {
  const used = isSteps(changing) ? yield* changing : changing
  const format = 'i18next-json'
  yield* followSource(tx, used, steps =>
    compute(
      steps.map(({ inputs, ...step }) => ({
        ...step,
        id: step.id ?? EMPTY_BUNDLE_ID,
        format,
        bare: true,
        more: inputs,
      })),
    ),
  )
  return used
}

const nameOf = ({ name, bundle, id, format, variant = '' }: Part): string =>
  `${name} ${bundle.language}/${bundle.namespace} ${id} ${format} ${variant}`

const giving = (answer: unknown): Outcome | undefined => (answer === undefined ? undefined : () => answer)

function failing(part: Part, error: unknown): Outcome {
  if (!(error instanceof Failure)) throw error
  return () => {
    throw named(part, error)
  }
}

function outcomeOf(part: Part, run: () => unknown): Outcome | undefined {
  try {
    return giving(run())
  } catch (error) {
    return failing(part, error)
  }
}

/** A task knows its file alone: of one that is too large the caller wants to know which. */
function named({ bundle: { language, namespace } }: Part, error: Failure): Failure {
  if (error.code !== 'too-large') return error
  return new Failure('too-large', `${language}/${namespace}: ${error.message}`, error.data)
}

const tooMuch = () =>
  new Failure(
    'too-large',
    `This would rewrite more than ${MOST_BYTES / 2 ** 20} MiB of files at once: change a smaller part of the project.`,
  )
