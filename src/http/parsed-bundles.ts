/** Bundles as the model, kept from one write to the next: reading a file anew takes longer than most changes of it. */
import { isAsRead, NO_TREES, type Stored, type Trees, treeName } from '../bundle/made-file.ts'
import type { PlaceTree } from '../bundle/place.ts'
import { Bundle } from '../bundle/resource.ts'
import { type ByteCache, byteCache } from '../byte-cache.ts'

/** A tree takes about so many times the bytes of its file, and so many for itself. */
const SIZE = { times: 3, own: 1000 }

/** See the top of the file. A bundle is handed to one change at a time, which puts back what came of it. */
export class ParsedBundles implements Trees {
  readonly #trees: ByteCache<PlaceTree>

  /** @param limitBytes for all */
  constructor(limitBytes: number) {
    this.#trees = byteCache(limitBytes)
  }

  take(stored: Stored): Bundle {
    const name = treeName(stored)
    const tree = this.#trees.get(name)
    if (tree === undefined) return NO_TREES.take(stored)
    this.#trees.delete(name)
    return new Bundle(stored.format, tree, { expendable: true })
  }

  keep({ length, ...file }: { owner: string; id: string; length: number }, { format, tree }: Bundle): void {
    if (isAsRead(tree)) this.#trees.set(treeName({ ...file, format }), tree, { size: length * SIZE.times + SIZE.own })
  }
}
