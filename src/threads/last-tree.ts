/** The bundle that the thread changed last, as the model: who writes a large one key by key need not wait for it to be read anew. */
import { isAsRead, NO_TREES, type Trees } from '../bundle/made-file.ts'
import type { Format } from '../bundle/names.ts'
import type { PlaceTree } from '../bundle/place.ts'
import { Bundle } from '../bundle/resource.ts'

/** Keeps one, which goes with the thread a few seconds after the last change. */
export class LastTree implements Trees {
  #kept: { id: string; format: Format; tree: PlaceTree } | undefined

  take(id: string, format: Format, bytes: () => Buffer): Bundle {
    const kept = this.#kept
    this.#kept = undefined
    if (kept?.id !== id || kept.format !== format) return NO_TREES.take(id, format, bytes)
    return new Bundle(format, kept.tree, { expendable: true })
  }

  keep({ id }: { id: string }, { format, tree }: Bundle): void {
    if (isAsRead(tree)) this.#kept = { id, format, tree }
  }
}
