/** Searches of the translation memory, within a time and a few at once. */
import type { FastifyReply } from 'fastify'
import { busy } from '../../bundle/errors.ts'
import { machineFailure } from '../../machine/machine-fault.ts'
import type { MemoryAnswer } from '../../memory/memory-store.ts'
import type { MemoryMatch, MemoryQuery } from '../../memory/organization-memory.ts'
import type { MemoryState, TranslationMemory } from '../../memory/translation-memory.ts'
import { endsWithin } from '../../store/ends-within.ts'
import type { Snapshot } from '../../store/store.ts'
import { requireCaller } from '../requests/caller.ts'
import { inTurns } from '../requests/client-gone.ts'
import { pinnedStateOf } from './pinned-state.ts'

/** Milliseconds that a search waits for the first reading of an organization. */
const PATIENCE_MS = 5_000
/** Readings before a search fails, each of them evicted before the search. */
const MOST_READINGS = 3

export class MemorySearch {
  readonly #memory: TranslationMemory
  readonly #inTurn = inTurns('searches of the memory')

  constructor(memory: TranslationMemory) {
    this.#memory = memory
  }

  /**
   * Reads what changed, and searches.
   * @param patienceMs how long it waits for the first reading of an organization
   * @throws Failure `unavailable` while the memory is being built, and when too many wait
   */
  async in(
    reply: FastifyReply,
    snapshot: Snapshot,
    query: MemoryQuery,
    patienceMs: number = PATIENCE_MS,
  ): Promise<MemoryAnswer> {
    const { organization } = requireCaller(reply.request, 'read')
    const { look } = pinnedStateOf(reply.request, snapshot)
    const state = { organization, root: snapshot.root, look }
    for (let readings = 0; readings < MOST_READINGS; readings++) {
      const reading = this.#memory.read(state, query.from, query.to)
      if (!(await endsWithin(patienceMs, reading))) throw busy('The memory is being built; try again in a moment.', 2)
      if (!(await reading)) return { matches: [], complete: true }
      const answer = await this.#inTurn(reply, () => this.#memory.search(organization, query))
      if (answer) return answer
    }
    throw tooMany()
  }

  /**
   * Reads what changed, and returns a search for many texts of one state: it reads again only what was evicted.
   * @throws Failure `unavailable` while the memory is being built, and when too many wait
   */
  async opened(state: MemoryState, from: string, to: string): Promise<(query: MemoryQuery) => Promise<MemoryMatch[]>> {
    const read = async () => {
      const reading = this.#memory.read(state, from, to)
      if (!(await endsWithin(PATIENCE_MS, reading)))
        throw machineFailure('unavailable', { code: 'memory' }, { retryAfter: 2 })
      return reading
    }
    if (!(await read())) return async () => []
    return async query => {
      for (let readings = 0; readings < MOST_READINGS; readings++) {
        const answer = await this.#memory.search(state.organization, query)
        if (answer) return answer.matches
        await read()
      }
      throw tooMany()
    }
  }
}

const tooMany = () => busy('Too many organizations search the memory at once; try again in a moment.', 5)
