/** What of a tree differs from the file it was last written to, as long as that can be told key by key. */
import type { Branch, Entry } from './branch.ts'
import { linesOf } from './message.ts'

/** Where more than this share of the keys has changed, writing the file anew costs less than looking for them in it. */
const SHARE = 1 / 16
/** New keys are looked for among all that stand beside them. */
const NEW = 64

/** Told of each change by the tree, before it is made. */
export class Touched {
  /** The keys that were changed, each with the endings (`''`, `_one`…) of its leaves in the file, in the file's order; a new key has none. */
  readonly entries = new Map<Entry, string[]>()
  /** The objects that the file lacks, each without those inside it. */
  readonly branches = new Set<Branch>()
  readonly #most: number
  #new = 0
  #lost = false

  /** @param size how many keys the tree has */
  constructor(size: number) {
    this.#most = Math.max(1, Math.floor(size * SHARE))
  }

  /** Whether too much has changed, or something moved or went: then only the whole tree tells its file. */
  get lost(): boolean {
    return this.#lost
  }

  /** A key will get another text or form, or its first. */
  change(entry: Entry): void {
    if (this.#lost || this.entries.has(entry)) return
    const endings = linesOf(entry).map(([ending]) => ending)
    if (endings.length === 0) this.#new++
    if (this.entries.size >= this.#most || this.#new > NEW || isInList(entry.home)) this.lose()
    else this.entries.set(entry, endings)
  }

  /** An object was made, for a key to come. */
  grow(branch: Branch): void {
    if (!this.#lost && !this.isNew(branch)) this.branches.add(branch)
  }

  /** Whether an object, or one around it, is not in the file. */
  isNew(branch: Branch): boolean {
    for (let at: Branch | undefined = branch; at; at = at.parent) if (this.branches.has(at)) return true
    return false
  }

  /** Something moved or went. */
  lose(): void {
    this.#lost = true
    this.entries.clear()
    this.branches.clear()
  }
}

/** Items have no names to find them by. */
function isInList(home: Branch): boolean {
  for (let at: Branch | undefined = home; at; at = at.parent) if (at.list) return true
  return false
}
