/** Changes of large bundles: computed in the thread on what is there, and put by the write itself if that still stands. */
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/access.ts'
import { Failure } from '../bundle/errors.ts'
import type { Format } from '../bundle/names.ts'
import type { CommitMessage, Snapshot, Store, Transaction } from '../store/store.ts'
import type { Answer, Name, Task } from '../threads/programs.ts'
import type { SideThread } from '../threads/side-thread.ts'
import { admit } from './changes.ts'
import { departure } from './departure.ts'
import type { Place } from './layout.ts'

/**
 * From so many bytes on, of a body and of a stored file that has to be parsed, a change is computed in the thread. Up to here
 * others wait some 25 ms for it; below, handing it over would cost more than it takes off the event loop: a thread that was just started
 * has nothing compiled yet, and needs 250 ms where the event loop needs 15.
 */
export const LARGE: number = 2 * 2 ** 20
/** So often a change is computed on a state that another write then overtakes; after that it is computed in the write itself. */
const TRIES = 3

/** What is changed, and for whom. */
export interface Target {
  request: FastifyRequest
  reply: FastifyReply
  caller: Caller
  place: Place
  dryRun: boolean
}

/** What a change is computed on: put only where all of it still holds. */
export interface Basis {
  /** Blob id of the stored file. */
  id: string
  format: Format
  sourceLanguage: string
}

/** What a turn in the organization's queue came to; nothing when the change has to be computed anew, or elsewhere. */
export interface Turn<R> {
  result: R | undefined
  message: CommitMessage
}

export const NOTHING: Turn<never> = { result: undefined, message: { subject: '' } }

/** A change as the thread computes it. */
export interface Aside<N extends Name, R> {
  name: N
  /** Called when the thread has its turn for it: what is to be waited for before a task is made. */
  enter?: () => Promise<void> | undefined
  /** @param found what it is to be computed on, `stored` being a copy; undefined where it would be refused */
  task: (found: (Basis & { stored: Uint8Array }) | undefined) => Task<N>
  /** Sees what came back before anything else is looked at. @throws what is wrong whatever is stored */
  see?: (answer: Answer<N>, task: Task<N>) => void
  /** Puts what was computed. @param tx unset in a dry run @param id of what is stored */
  put: (answer: Answer<N>, tx: Transaction | undefined, id: string) => Turn<R>
}

/** See the top of the file. */
export class LargeChanges {
  readonly #store: Store
  readonly #thread: SideThread

  constructor(store: Store, thread: SideThread) {
    this.#store = store
    this.#thread = thread
  }

  /** Runs `use` inside the organization's queue, or for a dry run on what is there. */
  async turn<R>(
    { caller, dryRun }: Target,
    use: (snapshot: Snapshot, tx: Transaction | undefined) => Turn<R>,
  ): Promise<R | undefined> {
    const { organization } = caller
    if (dryRun) return (await this.#store.read(organization, snapshot => use(snapshot, undefined))).result
    return (await this.#store.write(organization, caller, tx => use(tx, tx))).result
  }

  /**
   * Computes a change in the thread and puts it; undefined when other writes overtook it each time. What refuses it is met in the
   * order in which a change in the write meets it. The next one has its turn when this one is durable: else it would be overtaken.
   * @throws Failure as {@link SideThread.run} and the store do, and for what the change itself refuses
   */
  async aside<N extends Name, R>(target: Target, change: Aside<N, R>): Promise<R | undefined> {
    const left = departure(target.reply)
    for (let tries = 0; tries < TRIES; tries++) {
      let basis: Basis | undefined
      const prepare = async () => {
        await change.enter?.()
        // Reading a body ends in one turn of the event loop, copying a file takes another.
        await setImmediate()
        const found = await this.#find(target)
        basis = found
        return change.task(found)
      }
      const settle = ({ answer, task }: { answer: Answer<N>; task: Task<N> }) => {
        change.see?.(answer, task)
        return this.turn(target, (snapshot, tx) => {
          const { present, ...now } = basisOf(snapshot, target)
          return basis !== undefined && isSame(now, basis) ? change.put(answer, tx, present.id) : NOTHING
        })
      }
      const result = await this.#thread.run(change.name, prepare, { finish: settle, left })
      if (result !== undefined) return result
    }
    return undefined
  }

  /** What a change would be computed on now; nothing where it would be refused, which is for the write to say. */
  async #find(target: Target): Promise<(Basis & { stored: Uint8Array }) | undefined> {
    const find = (snapshot: Snapshot) => {
      const { present, ...basis } = basisOf(snapshot, target)
      // The store keeps its files: a copy goes.
      return { ...basis, stored: Uint8Array.from(present.bytes()) }
    }
    try {
      return await this.#store.read(target.caller.organization, find)
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }
}

function basisOf(snapshot: Snapshot, { place, request }: Target) {
  const { project, present } = admit(snapshot, place, request)
  return { id: present.id, format: project.defaultFormat, sourceLanguage: project.sourceLanguage, present }
}

const isSame = (one: Basis, other: Basis): boolean =>
  one.id === other.id && one.format === other.format && one.sourceLanguage === other.sourceLanguage
