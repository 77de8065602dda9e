/** Bundles' rows as comma-separated JSON, by content: a write renders one namespace anew. */
import { Failure } from '../../bundle/errors.ts'
import { asBuffer } from '../../bundle/made-file.ts'
import type { Format } from '../../bundle/names.ts'
import { bundleAt, idOf } from '../../project/layout.ts'
import type { BundleName, Project } from '../../project/project.ts'
import { type ByteCache, byteCache, ownBytes } from '../../scheduling/byte-cache.ts'
import { slices } from '../../scheduling/slices.ts'
import type { Snapshot } from '../../store/store.ts'
import type { PinnedState } from './pinned-state.ts'

/** Most bytes of files that make one answer. */
const MOST_BYTES = 2 ** 28

export class RowCache {
  readonly #rendered: ByteCache<Buffer>
  /** Renderings under way, shared. */
  readonly #rendering = new Map<string, Promise<Buffer[]>>()

  /** @param limitBytes for what is kept */
  constructor(limitBytes: number) {
    this.#rendered = byteCache(limitBytes)
  }

  /**
   * The rows of each of these namespaces, kept for `organization` alone.
   * @throws Failure `unfit` for a file that is no resource or too large an answer; `unavailable` as `BundleWorker.run`
   */
  of(
    organization: string,
    snapshot: Snapshot,
    { slug, defaultFormat: format }: Project,
    language: string,
    namespaces: string[],
    pinned: PinnedState,
  ): Promise<Buffer[]> {
    const wanted = namespaces.map(namespace => {
      const bundle = { slug, language, namespace }
      return { bundle, name: `${organization} ${idOf(snapshot, bundle)} ${format} ${namespace}` }
    })
    const all = wanted.map(({ name }) => name).join()
    let rendering = this.#rendering.get(all)
    if (rendering === undefined) {
      rendering = this.#renderAll(wanted, format, pinned).finally(() => this.#rendering.delete(all))
      this.#rendering.set(all, rendering)
    }
    return rendering
  }

  /** Small files in slices, large ones in the worker; one at a time, so that not all are held. */
  async #renderAll(
    wanted: { bundle: BundleName; name: string }[],
    format: Format,
    pinned: PinnedState,
  ): Promise<Buffer[]> {
    const pause = slices()
    const all: Buffer[] = []
    let read = 0
    for (const { bundle, name } of wanted) {
      let rows = this.#rendered.get(name)
      if (rows === undefined) {
        let size = 0
        const made = await pinned.compute('rows', snapshot => {
          const bytes = bundleAt(snapshot, bundle).bytes()
          size = bytes.length
          if (read + size > MOST_BYTES) throw tooLarge(bundle.language)
          return { stored: { bytes, format }, namespace: bundle.namespace }
        })
        read += size
        rows = ownBytes(asBuffer(made))
        this.#rendered.set(name, rows, { size: rows.length + 200 })
        await pause()
      }
      all.push(rows)
    }
    return all
  }
}

const tooLarge = (language: string) =>
  new Failure(
    'unfit',
    `The language "${language}" has more than ${MOST_BYTES / 2 ** 20} MiB of files, the most that one answer is made of: ` +
      'ask for some of its namespaces at a time.',
  )
