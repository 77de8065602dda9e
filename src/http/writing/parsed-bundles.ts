/** A cache of parsed bundles between writes: parsing a file costs more than most changes of it. */
import { isAsRead, NO_CACHE, type ParsedCache, type Stored, treeName } from '../../bundle/file-change.ts'
import type { PlaceTree } from '../../bundle/place.ts'
import { Bundle } from '../../bundle/resource.ts'
import { type ByteCache, byteCache } from '../../scheduling/byte-cache.ts'

/** The size of a tree: about three times its file's bytes, and 1000 more. */
const SIZE = { times: 3, own: 1000 }

/** See the top of the file. One change at a time has a bundle, and returns the result. */
export class ParsedBundles implements ParsedCache {
  readonly #cache: ByteCache<PlaceTree>

  /** @param limitBytes for all */
  constructor(limitBytes: number) {
    this.#cache = byteCache(limitBytes)
  }

  checkOut(stored: Stored): Bundle {
    const name = treeName(stored)
    const tree = this.#cache.get(name)
    if (tree === undefined) return NO_CACHE.checkOut(stored)
    this.#cache.delete(name)
    return new Bundle(stored.format, tree, { expendable: true })
  }

  checkIn({ length, ...file }: { owner: string; id: string; length: number }, { format, tree }: Bundle): void {
    if (isAsRead(tree)) this.#cache.set(treeName({ ...file, format }), tree, { size: length * SIZE.times + SIZE.own })
  }
}
