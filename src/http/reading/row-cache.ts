/** The rows of bundles as comma-separated JSON, by content. A write renders one namespace again. */
import { Failure } from '../../bundle/errors.ts'
import { asBuffer } from '../../bundle/file-change.ts'
import type { Format } from '../../bundle/names.ts'
import { bundleAt, idOf } from '../../project/layout.ts'
import type { BundleName, Project } from '../../project/project.ts'
import { type ByteCache, byteCache, ownBytes } from '../../scheduling/byte-cache.ts'
import { slices } from '../../scheduling/slices.ts'
import type { Snapshot } from '../../store/store.ts'
import type { PinnedState } from './pinned-state.ts'

/** Maximum bytes of the files of one answer. */
const MOST_BYTES = 2 ** 28

export class RowCache {
  readonly #rendered: ByteCache<Buffer>
  /** Renderings under way. Requests share them. */
  readonly #rendering = new Map<string, Promise<Buffer[]>>()

  /** @param limitBytes for cached rows */
  constructor(limitBytes: number) {
    this.#rendered = byteCache(limitBytes)
  }

  /**
   * The rows of each namespace, cached for `organization` alone.
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

  /** Renders small files in slices and large ones in the worker, one at a time to bound memory. */
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
    `The language "${language}" has more than ${MOST_BYTES / 2 ** 20} MiB of files, the maximum for one answer: ` +
      'ask for some of its namespaces at a time.',
  )
