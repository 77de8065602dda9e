/** Runs changes that parse bundles, see "Large work" in docs/architecture.md. */

import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Caller } from '../../auth/access.ts'
import { EMPTY_BUNDLE_ID } from '../../bundle/canonical.ts'
import { busy, Failure } from '../../bundle/errors.ts'
import { bytesIn, workOf } from '../../bundle/work.ts'
import { bundleAt } from '../../project/layout.ts'
import { computeInPlace, NeedsPrecomputing, type SettledAnswer } from '../../project/precompute.ts'
import { projectPath, renderProject } from '../../project/project.ts'
import { refuseChecks } from '../../project/refuse-checks.ts'
import type { DivertedBundle } from '../../project/sidecars/divert-texts.ts'
import { updateSidecars } from '../../project/sidecars/update-sidecars.ts'
import type { ChangeHints, ComputeSidecars } from '../../project/stale-tasks.ts'
import { Overlay } from '../../project/state.ts'
import { nextTurn, SLICE_MS } from '../../scheduling/slices.ts'
import { inSlices, type Steps } from '../../scheduling/steps.ts'
import type { AcknowledgedWrite, ProposedCommit, Snapshot, Transaction } from '../../store/store.ts'
import { compute } from '../../worker/tasks.ts'
import type { BundleWorker } from '../../worker/worker.ts'
import { claimantOfCaller } from '../bounds/body-memory.ts'
import type { PermittedRequest } from '../requests/caller.ts'
import { clientGone } from '../requests/client-gone.ts'
import { refuseUnreviewed } from './approvals-within-rights.ts'
import { type BundleTask, bundleTaskOf, type Compute, failing, giving, keyOf, settledBy } from './bundle-task.ts'
import type { AskPermission, Consequences, PermittedWrites } from './permitted-writes.ts'
import { reviewTexts } from './review-texts.ts'
import { Turns } from './turns.ts'

/**
 * Work of bundle and body, by {@link workOf}, above which the worker computes. Below, other requests wait 20 ms at
 * most.
 */
export const LARGE: number = 2 ** 20
/** Runs that other writes may overtake before the project's other writes have to wait. */
const MAX_RUNS = 2
/** Runs while the project's other writes wait, for each round of the request. */
const MAX_RUNS_ALONE = 20
/** Maximum bytes of files that one change may rewrite. The server holds all of them until they are durable. */
export const MAX_BYTES: number = 2 ** 28
const NO_BYTES = Buffer.alloc(0)

type Changed<T> = ProposedCommit<T> & ChangeHints

/** A change: runs in the queue, and again once the tasks that it needs are computed. */
type Change<T> = (tx: Transaction, compute: Compute, ask: AskPermission) => Changed<T> | Steps<Changed<T>>

/** The project of a change. */
interface ChangeTarget {
  slug: string
  dryRun?: boolean
  /** The number of changes that depend one on another; 1 by default. */
  rounds?: number
}

/** Work in the background that writes without a reply. */
export interface BackgroundWrite {
  request: PermittedRequest
  left: AbortSignal
}

/** A write with the bundles that got suggestions in place of texts. */
export interface ReviewedWrite<T> extends AcknowledgedWrite<T> {
  diverted: DivertedBundle[]
}

type SettledAnswers = Map<string, SettledAnswer>
type Needed = NeedsPrecomputing<BundleTask>

declare module 'fastify' {
  interface FastifyInstance {
    changes: ChangeRunner
  }
}

export class ChangeRunner {
  readonly #writes: PermittedWrites
  readonly #worker: BundleWorker
  readonly #turns = new Turns()

  constructor(writes: PermittedWrites, worker: BundleWorker) {
    this.#writes = writes
    this.#worker = worker
  }

  /**
   * Runs a change of a project until all its tasks are computed. @throws Failure as the change, `unavailable` when
   * other writes overtake it all the time, `too-large` for too much memory
   */
  async run<T>(reply: FastifyReply, target: ChangeTarget, change: Change<T>): Promise<T> {
    return (await this.written(reply, target, change)).result
  }

  /**
   * As {@link run}, with the revision of the change's commit, or the newest one if nothing changed. `diverted` are the
   * bundles with texts that wait.
   */
  async written<T>(
    reply: FastifyReply | BackgroundWrite,
    { slug, dryRun = false, rounds = 1 }: ChangeTarget,
    change: Change<T>,
  ): Promise<ReviewedWrite<T>> {
    const { request } = reply
    const same = { time: Date.now(), seed: randomBytes(9).toString('base64url') }
    const settled: SettledAnswers = new Map()
    const attempt = async (): Promise<ReviewedWrite<T> | Needed> => {
      let diverted: DivertedBundle[] = []
      const computeIn = (tx: Transaction) => this.#inPlace(tx, settled)
      const use = (tx: Transaction, ask: AskPermission) => change(tx, computeIn(tx), ask)
      try {
        const consequences: Consequences<Changed<T>> = {
          *review(tx, changed, caller) {
            const reviewed = yield* reviewTexts(tx, changed, { caller, ...same }, computeIn(tx))
            diverted = reviewed.diverted
            return reviewed.changed
          },
          follow: (tx, changed, caller) => addSidecars(tx, changed, computeIn(tx), caller),
        }
        const written = dryRun
          ? await this.#dryRun<T>(request, use, consequences)
          : await this.#writes.write<T, Changed<T>>(request, use, consequences)
        return { ...written, diverted }
      } catch (error) {
        if (error instanceof NeedsPrecomputing) return error
        throw error
      }
    }
    const key = `${request.caller!.organization} ${slug}`
    await this.#turns.free(key)
    const first = await attempt()
    if (!(first instanceof NeedsPrecomputing)) return first
    const left = 'left' in reply ? reply.left : clientGone(reply)
    return this.#turns.inTurn(key, async () => {
      let needed = first
      const runAgain = async (times: number): Promise<ReviewedWrite<T> | undefined> => {
        for (; times > 0; times--) {
          left.throwIfAborted()
          await this.#precompute(request, needed.tasks, { settled, left })
          const outcome = await attempt()
          if (!(outcome instanceof NeedsPrecomputing)) return outcome
          needed = outcome
        }
        return undefined
      }
      // Alone until it is done: a write between two runs would overtake it.
      const done = (await runAgain(MAX_RUNS)) ?? (await this.#turns.alone(key, () => runAgain(MAX_RUNS_ALONE * rounds)))
      if (done !== undefined) return done
      throw busy('Other writes change this project all the time; try again in a moment.')
    })
  }

  /** Runs a change on a transaction that is thrown away. */
  async #dryRun<T>(
    request: PermittedRequest,
    use: (tx: Transaction, ask: AskPermission) => Changed<T> | Steps<Changed<T>>,
    consequences: Consequences<Changed<T>>,
  ): Promise<AcknowledgedWrite<T>> {
    const { used, revision } = await this.#writes.look(request, state => {
      const tx = new DryRunTransaction(state)
      return { used: this.#writes.rehearse(request, tx, use, consequences), revision: state.revision }
    })
    const { result } = await inSlices(used)
    return { result, revision }
  }

  /** Computes small tasks in the queue, for {@link SLICE_MS}; the others are computed before it. */
  #inPlace(state: Snapshot, settled: SettledAnswers): Compute {
    const allowance = { work: LARGE, until: performance.now() + SLICE_MS }
    const stored = ({ bundle, readsNoFile }: BundleTask) => (readsNoFile ? NO_BYTES : bundleAt(state, bundle).bytes())
    const of = {
      key: keyOf,
      *reads(task: BundleTask) {
        yield* task.extraBytes?.(state) ?? []
        yield stored(task)
      },
      settle(task: BundleTask) {
        const { id, format, name } = task
        const file = { id, bytes: stored(task), format }
        return settledBy(task, () => compute(name, task.task(file, false, state))) ?? (() => undefined)
      },
    }
    return tasks => computeInPlace(tasks, settled, allowance, of) as never
  }

  /** Computes tasks before the write: small ones in slices, large ones in the worker. */
  async #precompute(
    request: PermittedRequest,
    tasks: BundleTask[],
    { settled, left }: { settled: SettledAnswers; left: AbortSignal },
  ): Promise<void> {
    const storedIn = (state: Snapshot, { bundle, id, readsNoFile }: BundleTask): Buffer | undefined => {
      const found = bundleAt(state, bundle)
      return found.id !== id ? undefined : readsNoFile ? NO_BYTES : found.bytes()
    }
    const taskOf = (task: BundleTask, bytes: Buffer, inThread: boolean, state: Snapshot) =>
      task.task({ id: task.id, bytes, format: task.format }, inThread, state)
    let [at, size] = [0, 0]
    // Many tasks share a glossary.
    const counted = new WeakSet<Uint8Array>()
    const count = (value: unknown) => {
      for (const bytes of bytesIn(value)) {
        if (!counted.has(bytes)) size += bytes.length
        counted.add(bytes)
      }
      if (size > MAX_BYTES) throw tooMuch()
    }
    while (at < tasks.length) {
      // One look for a slice: checking the right again costs as much as a small task.
      const next = await this.#writes.look(request, state => {
        const until = performance.now() + SLICE_MS
        for (; at < tasks.length && performance.now() < until; at++) {
          const task = tasks[at]!
          const stored = storedIn(state, task)
          if (stored === undefined) return 'overtaken'
          let work = workOf(stored)
          // The other files of a large task are read in other turns.
          if (work > LARGE) return 'large'
          for (const extra of task.extraBytes?.(state) ?? []) {
            work += workOf(extra)
            if (work > LARGE) return 'large'
            count(extra)
          }
          count(stored)
          const answer = settledBy(task, () => compute(task.name, taskOf(task, stored, false, state)))
          if (answer === undefined) return 'overtaken'
          settled.set(keyOf(task), answer)
        }
        return 'more'
      })
      if (next === 'overtaken') return
      if (next === 'large') {
        const task = tasks[at++]!
        const extra = await this.#writes.look(request, state => task.extraBytes?.(state) ?? [])
        const ahead = await readAhead(extra)
        const prepare = () =>
          this.#writes.look(request, state => {
            const stored = storedIn(state, task)
            const prepared = stored && taskOf(task, stored, true, state)
            count(prepared)
            // From here on the task has its own copies.
            ahead.length = 0
            return prepared
          })
        const answer = await this.#worker
          .run(task.name, prepare, left, claimantOfCaller(request.caller!))
          .then(giving, error => failing(task, error))
        if (answer === undefined) return
        settled.set(keyOf(task), answer)
      }
      if (at < tasks.length) await nextTurn()
    }
  }
}

/** Reads like a write's transaction; nothing commits its changes. */
class DryRunTransaction extends Overlay<Snapshot> implements Transaction {
  get revision(): string | null {
    return this.before.revision
  }

  get root(): string {
    return this.before.root
  }

  at(revision: string): Snapshot {
    return this.before.at(revision)
  }

  commitOrigin(): ReturnType<Snapshot['commitOrigin']> {
    return this.before.commitOrigin()
  }
}

/**
 * Reads one file a turn: reading all in one turn would block other requests. While the caller holds the result, the
 * store finds the files in memory.
 */
async function readAhead(extraBytes: Iterable<Uint8Array>): Promise<Uint8Array[]> {
  const read: Uint8Array[] = []
  for (const bytes of extraBytes) {
    read.push(bytes)
    await nextTurn()
  }
  return read
}

/** Adds the sidecars of a change in its commit, and refuses texts that the checks of the project do not accept. */
function* addSidecars(tx: Transaction, used: ChangeHints, compute: Compute, author: Caller): Steps<void> {
  const computeSidecars = sidecarsBy(compute)
  if (used.project) tx.put(projectPath(used.project.slug), renderProject(used.project))
  // First the sidecars: a note that comes back has the maximum of its texts.
  yield* updateSidecars(tx, used, computeSidecars)
  yield* refuseUnreviewed(author, tx, used, compute)
  yield* refuseChecks(tx, used, computeSidecars)
}

const sidecarsBy =
  (compute: Compute): ComputeSidecars =>
  tasks =>
    compute(tasks.map(task => bundleTaskOf(task, task.id ?? EMPTY_BUNDLE_ID)))

/** The refusal of a change that rewrites more. */
export const tooMuch = (): Failure =>
  new Failure(
    'too-large',
    `This would rewrite more than ${MAX_BYTES / 2 ** 20} MiB of files at once: change a smaller part of the project.`,
  )
