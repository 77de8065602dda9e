/** The rows of bundles as JSON, comma-separated, by what they are made from: a write to one namespace renders that one anew. */
import type { Project } from '../bundle/project.ts'
import { renderRows } from '../bundle/rows.ts'
import { ByteLru } from '../store/objects/byte-lru.ts'
import { ownBytes } from '../store/objects/own-bytes.ts'
import type { Snapshot } from '../store/store.ts'
import type { SideThread } from '../threads/side-thread.ts'
import { bundleAt } from './layout.ts'

/** Files of more bytes together are rendered in the thread: up to here others wait some 25 ms. */
const LARGE = 2 ** 20
/** So many bytes go to the thread at a time, so that a copy of no more is made. */
const GROUP = 4 * 2 ** 20

/** A bundle whose rows are wanted, and under which name they are kept. */
interface Wanted {
  name: string
  namespace: string
  stored: () => Buffer
  rows: Buffer | undefined
}

/** One whose rows are not kept. */
type Missing = Wanted & { bytes: Buffer }

/** See the top of the file. */
export class RowCache {
  readonly #thread: SideThread
  readonly #rendered: ByteLru<Buffer>
  /** What is being rendered in the thread, for all who ask meanwhile. */
  readonly #rendering = new Map<string, Promise<Buffer[]>>()

  /** @param limitBytes for what is kept */
  constructor(thread: SideThread, limitBytes: number) {
    this.#thread = thread
    this.#rendered = new ByteLru(limitBytes)
  }

  /**
   * The rows of each of these namespaces; a promise when much has to be rendered for them.
   * @throws Failure `unfit` for a file that is no resource, `unavailable` as {@link SideThread.run} does
   */
  of(snapshot: Snapshot, project: Project, language: string, namespaces: string[]): Buffer[] | Promise<Buffer[]> {
    const { slug, defaultFormat: format } = project
    const wanted = namespaces.map((namespace): Wanted => {
      const { id, bytes: stored } = bundleAt(snapshot, { slug, language, namespace })
      const name = `${id} ${format} ${namespace}`
      return { name, namespace, stored, rows: this.#rendered.get(name) }
    })
    // Before the first turn ends: an organization may be closed in a later one.
    const missing = wanted.filter(({ rows }) => rows === undefined).map(one => ({ ...one, bytes: one.stored() }))
    if (missing.reduce((sum, { bytes }) => sum + bytes.length, 0) > LARGE) return this.#shared(wanted, missing, format)
    const made = new Map(
      missing.map(one => [one.name, this.#keep(one.name, renderRows(one.bytes, format, one.namespace))]),
    )
    return wanted.map(({ name, rows }) => rows ?? made.get(name)!)
  }

  /** As {@link #aside}, once for all who want the same. */
  #shared(wanted: Wanted[], missing: Missing[], format: Project['defaultFormat']): Promise<Buffer[]> {
    const name = wanted.map(({ name }) => name).join()
    let rendering = this.#rendering.get(name)
    if (rendering === undefined) {
      rendering = this.#aside(wanted, missing, format).finally(() => this.#rendering.delete(name))
      this.#rendering.set(name, rendering)
    }
    return rendering
  }

  async #aside(wanted: Wanted[], missing: Missing[], format: Project['defaultFormat']): Promise<Buffer[]> {
    const made = new Map<string, Buffer>()
    for (const group of groupsOf(missing)) {
      const copies = () => group.map(({ bytes, namespace }) => ({ stored: Uint8Array.from(bytes), namespace }))
      const task = () => ({ format, files: copies() })
      const answer = await this.#thread.run('rows', task, { finish: ({ answer }) => answer })
      if ('failure' in answer) throw answer.failure
      for (const [at, rows] of answer.rows.entries()) made.set(group[at]!.name, this.#keep(group[at]!.name, rows))
    }
    return wanted.map(({ name, rows }) => rows ?? made.get(name)!)
  }

  #keep(name: string, rendered: Buffer): Buffer {
    const rows = ownBytes(rendered)
    this.#rendered.set(name, rows, rows.length + 200)
    return rows
  }
}

function groupsOf(missing: Missing[]): Missing[][] {
  const groups: Missing[][] = []
  let room = 0
  for (const one of missing) {
    if (room < one.bytes.length) {
      groups.push([])
      room = GROUP
    }
    groups.at(-1)!.push(one)
    room -= one.bytes.length
  }
  return groups
}
