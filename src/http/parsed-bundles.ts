/** Bundles as the model, kept from one write to the next: reading a file anew takes longer than most changes of it. */
import { isAsRead, NO_TREES, type Trees } from '../bundle/made-file.ts'
import type { Format } from '../bundle/names.ts'
import type { PlaceTree } from '../bundle/place.ts'
import { Bundle } from '../bundle/resource.ts'
import { ByteLru } from '../store/objects/byte-lru.ts'

/** A tree takes about so many times the bytes of its file, and so many for itself. */
const SIZE = { times: 3, own: 1000 }

/** See the top of the file. */
export class ParsedBundles implements Trees {
  readonly #trees: ByteLru<PlaceTree>

  /** @param limitBytes for all */
  constructor(limitBytes: number) {
    this.#trees = new ByteLru(limitBytes)
  }

  take(id: string, format: Format, bytes: () => Buffer): Bundle {
    const key = nameOf(id, format)
    const tree = this.#trees.get(key)
    if (tree === undefined) return NO_TREES.take(id, format, bytes)
    this.#trees.delete(key)
    return new Bundle(format, tree, { expendable: true })
  }

  /** Whether a stored bundle is kept. @param id of its file */
  has(id: string, format: Format): boolean {
    return this.#trees.get(nameOf(id, format)) !== undefined
  }

  keep(file: { id: string; length: number }, { format, tree }: Bundle): void {
    if (isAsRead(tree)) this.#trees.set(nameOf(file.id, format), tree, file.length * SIZE.times + SIZE.own)
  }
}

const nameOf = (id: string, format: Format): string => `${id} ${format}`
