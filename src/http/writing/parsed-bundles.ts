/** Parsed bundles kept between writes: parsing a file takes longer than most changes of it. */
import { isAsRead, NO_TREES, type Stored, type Trees, treeName } from '../../bundle/made-file.ts'
import type { PlaceTree } from '../../bundle/place.ts'
import { Bundle } from '../../bundle/resource.ts'
import { type ByteCache, byteCache } from '../../scheduling/byte-cache.ts'

/** A tree takes about three times its file's bytes, and 1000 more. */
const SIZE = { times: 3, own: 1000 }

/** See the top of the file. One change at a time has a bundle, and puts back the result. */
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
