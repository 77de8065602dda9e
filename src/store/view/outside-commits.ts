/** Judges the commits that someone made with git while no server ran. */
import { changedFiles } from '../changed-files.ts'
import type { Snapshot } from '../snapshot.ts'
import {
  bundlesOf,
  type Change,
  classify,
  inOrder,
  type JudgeEdit,
  judgeFile,
  type Problem,
  reason,
  type State,
} from './judge.ts'

/**
 * Judges every path in which two states differ.
 *
 * @param from the revision that the server last knew, null for none
 * @param at gives the state of a revision (of null: the empty one)
 * @returns what must be committed on top so that HEAD holds canonical files that obey the rules (the canonical bytes of a good
 *   file; the last good bytes, or a removal, for one that breaks them), and which files broke them. The work tree keeps those.
 */
export async function checkCommits(
  from: string | null,
  to: string,
  at: (revision: string | null) => Snapshot,
  judge: JudgeEdit,
): Promise<{ adopt: Change[]; problems: Problem[] }> {
  const before = at(from)
  const after = at(to)
  const accepted = new Overlay(before)
  const also: string[] = []
  const adopt: Change[] = []
  const problems: Problem[] = []

  const settle = (path: string, bytes: Buffer | null) => {
    accepted.set(path, bytes)
    const present = after.read(path)
    if (bytes === null ? present !== undefined : !present?.equals(bytes)) {
      adopt.push({ path, bytes, over: after.entry(path)?.id ?? null })
    }
  }
  const refuse = (path: string, error: string) => {
    problems.push({ path, error })
    settle(path, before.read(path) ?? null)
  }

  for (const path of inOrder(changedFiles(before, after).map(({ path }) => path))) {
    const place = classify(path)
    const bytes = after.read(path)
    if (place === undefined) continue
    if (bytes === undefined) {
      const orphans = place.kind === 'project' && bundlesOf(accepted, place.slug).some(bundle => after.entry(bundle))
      settle(path, orphans ? (before.read(path) ?? null) : null)
    } else if (place.kind === 'misnamed') {
      refuse(path, place.error)
    } else {
      try {
        settle(path, await judgeFile(place, bytes, accepted, { also, judge }))
        also.push(path)
      } catch (error) {
        refuse(path, reason(error))
      }
    }
  }
  return { adopt, problems }
}

/** A state with changes laid over it, so that what is judged later sees what was judged before. */
class Overlay implements State {
  readonly #state: State
  readonly #changes = new Map<string, Buffer | null>()

  constructor(state: State) {
    this.#state = state
  }

  set(path: string, bytes: Buffer | null): void {
    this.#changes.set(path, bytes)
  }

  read(path: string): Buffer | undefined {
    const changed = this.#changes.get(path)
    return changed === undefined ? this.#state.read(path) : (changed ?? undefined)
  }

  entry(path: string) {
    return this.#changes.get(path) === null ? undefined : this.#state.entry(path)
  }

  list(path: string) {
    return this.#state.list(path).filter(({ name }) => this.entry(path === '' ? name : `${path}/${name}`) !== undefined)
  }
}
