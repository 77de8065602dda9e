/** The rows of bundles as JSON, comma-separated, by what they are made from: a write to one namespace renders that one anew. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { Failure } from '../bundle/errors.ts'
import { asBuffer } from '../bundle/made-file.ts'
import { renderRows } from '../bundle/rows.ts'
import { type ByteCache, byteCache } from '../byte-cache.ts'
import { bundleAt } from '../project/layout.ts'
import type { Project } from '../project/project.ts'
import { ownBytes } from '../store/objects/own-bytes.ts'
import type { Snapshot } from '../store/store.ts'
import type { BundleWorker } from '../worker/worker.ts'
import { LARGE } from './computing.ts'

/** So long others wait, in milliseconds, while small bundles are rendered. */
const SLICE_MS = 8
/** Most bytes of files of which one answer is made. */
const MOST_BYTES = 2 ** 28

/** A bundle whose rows are wanted, and under which name they are kept. */
interface Wanted {
  name: string
  namespace: string
  rows: Buffer | undefined
}

/** Runs `use` on the same state in a later turn of the event loop, in which the organization may have been closed and opened again. */
export type Again = <T>(use: (snapshot: Snapshot) => T) => Promise<T>

/** See the top of the file. */
export class RowCache {
  readonly #worker: BundleWorker
  readonly #rendered: ByteCache<Buffer>
  /** What is being rendered over several turns, for all who ask meanwhile. */
  readonly #rendering = new Map<string, Promise<Buffer[]>>()

  /** @param limitBytes for what is kept */
  constructor(worker: BundleWorker, limitBytes: number) {
    this.#worker = worker
    this.#rendered = byteCache(limitBytes)
  }

  /**
   * The rows of each of these namespaces, kept for `organization` alone; a promise when much has to be rendered for them.
   * @throws Failure `unfit` for a file that is no resource, and for more than an answer may be made of; `unavailable` as `BundleWorker.run` does
   */
  of(
    organization: string,
    snapshot: Snapshot,
    project: Project,
    language: string,
    namespaces: string[],
    again: Again,
  ): Buffer[] | Promise<Buffer[]> {
    const { slug, defaultFormat: format } = project
    let room = LARGE
    const wanted = namespaces.map((namespace): Wanted => {
      const { id, bytes: stored } = bundleAt(snapshot, { slug, language, namespace })
      const name = `${organization} ${id} ${format} ${namespace}`
      const rows = this.#rendered.get(name)
      if (rows !== undefined || room < 0) return { name, namespace, rows }
      const bytes = stored()
      room -= bytes.length
      return { name, namespace, rows: room < 0 ? undefined : this.#render(name, bytes, format, namespace) }
    })
    if (room >= 0) return wanted.map(({ rows }) => rows!)
    const all = wanted.map(({ name }) => name).join()
    let rendering = this.#rendering.get(all)
    if (rendering === undefined) {
      rendering = this.#renderAll(wanted, project, language, again).finally(() => this.#rendering.delete(all))
      this.#rendering.set(all, rendering)
    }
    return rendering
  }

  /** Small files here, in slices, large ones in the worker; one after the other, so that not all are held. */
  async #renderAll(wanted: Wanted[], project: Project, language: string, again: Again): Promise<Buffer[]> {
    const { slug, defaultFormat: format } = project
    let until = performance.now() + SLICE_MS
    let read = 0
    for (const one of wanted) {
      if (one.rows !== undefined) continue
      const { name, namespace } = one
      const find = (snapshot: Snapshot) => bundleAt(snapshot, { slug, language, namespace }).bytes()
      one.rows = await again(snapshot => {
        const bytes = find(snapshot)
        read += bytes.length
        if (read > MOST_BYTES) throw tooLarge(language)
        return bytes.length <= LARGE ? this.#render(name, bytes, format, namespace) : undefined
      })
      if (one.rows === undefined) {
        const task = () => again(now => ({ stored: { bytes: find(now), format }, namespace }))
        one.rows = this.#keep(name, asBuffer((await this.#worker.run('rows', task))!))
      }
      if (performance.now() < until) continue
      await yieldToOthers()
      until = performance.now() + SLICE_MS
    }
    return wanted.map(({ rows }) => rows!)
  }

  #render(name: string, bytes: Buffer, format: Project['defaultFormat'], namespace: string): Buffer {
    return this.#keep(name, asBuffer(renderRows({ stored: { bytes, format }, namespace })))
  }

  #keep(name: string, rendered: Buffer): Buffer {
    const rows = ownBytes(rendered)
    this.#rendered.set(name, rows, { size: rows.length + 200 })
    return rows
  }
}

const tooLarge = (language: string) =>
  new Failure(
    'unfit',
    `The language "${language}" has more than ${MOST_BYTES / 2 ** 20} MiB of files, the most that one answer is made of: ` +
      'ask for some of its namespaces at a time.',
  )
