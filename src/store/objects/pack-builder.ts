/** Collects objects in memory, as deltas where that pays, and makes a git pack of them. */
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { applyDeltas, makeDelta } from './delta.ts'
import type { GitObject, ObjectType } from './object.ts'
import { type FinishedPack, type Held, PackWriter } from './pack-writer.ts'

/** A reader applies a whole chain to get at one object; git's own limit is 50. */
const MAX_DEPTH = 40
/** Up to so many bytes are not deflated: starting zlib takes 21 us, as much as all else about a commit. */
const STORED_LIMIT = 512
const DEFLATE = { level: 1 }
/** Up to this many bytes are deflated at once: handing them to a thread costs more than it takes off the event loop. */
const AT_ONCE_LIMIT = 4096
/** How long `finishAsync` keeps the event loop at a time, in milliseconds. */
const SLICE_MS = 2

const deflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.deflate)

/** An earlier object to write one as a delta against: its content, or the delta that was made already. */
export type Base = { id: string; bytes: Buffer } | { id: string; delta: Buffer }

/**
 * Collects objects in memory and makes one self-contained pack of them.
 *
 * `add` makes the delta (some microseconds, and it lets the builder hold 100 bytes in place of a whole bundle); compressing,
 * which costs twenty times as much, waits for the end, so that no writer waits for it. `finish` compresses in one go;
 * `finishAsync` gives the same bytes, deflates in zlib's threads and lets the event loop go on every few milliseconds.
 * The pack is a function of the objects and the order they were added in.
 */
export class PackBuilder {
  readonly #held = new Map<string, Held>()
  #bytes = 0
  #finished = false

  /** How many objects it holds. */
  get count(): number {
    return this.#held.size
  }

  /** How many bytes of memory the contents take: whole objects and deltas. */
  get bytes(): number {
    return this.#bytes
  }

  has(id: string): boolean {
    return this.#held.has(id)
  }

  /** The object, put together anew at each call when it is held as a delta. Works after `finish`, too. */
  get(id: string): GitObject | undefined {
    const held = this.#held.get(id)
    if (held === undefined) return undefined
    const deltas: Buffer[] = []
    let whole = held
    while (whole.base !== undefined) {
      deltas.push(whole.bytes)
      whole = whole.base
    }
    return { type: held.type, bytes: applyDeltas(whole.bytes, deltas) }
  }

  /**
   * Adds an object; one that is there already is left as it is.
   * @param id what `hashObject` gives for `type` and `bytes`; not computed again
   * @param bytes kept and not copied: must not change afterwards
   * @param base an object to write it as a delta against. Taken when it is in this pack, has the same type, stands at the end of
   *   fewer than 40 deltas and saves at least half
   * @throws Error after `finish` or `finishAsync`: what came later would be in no pack
   */
  add(type: ObjectType, id: string, bytes: Buffer, base?: Base): void {
    if (this.#finished) throw new Error(`Object ${id} comes too late for a finished pack.`)
    if (this.#held.has(id)) return
    const held = asDelta(type, id, bytes, base, base && this.#held.get(base.id)) ?? whole(type, id, bytes)
    this.#held.set(id, held)
    this.#bytes += held.bytes.length
  }

  /** Drops what was added after it held `count` objects. */
  truncate(count: number): void {
    if (this.#finished) throw new Error('A finished pack cannot be shortened.')
    for (const held of [...this.#held.values()].slice(count)) {
      this.#held.delete(held.id)
      this.#bytes -= held.bytes.length
    }
  }

  /** Compresses everything at once: about 0.1 ms for each whole object of 20 KB. */
  finish(): FinishedPack {
    const steps = this.#finish()
    let step = steps.next()
    while (!step.done) step = steps.next(step.value && deflateNow(step.value))
    return step.value
  }

  /** The same as `finish`, without holding up the event loop. */
  async finishAsync(): Promise<FinishedPack> {
    const steps = this.#finish()
    let sliceEnd = performance.now() + SLICE_MS
    let step = steps.next()
    while (!step.done) {
      // One at a time: the journal's fdatasync runs in the same few threads, and writers wait for that.
      const compressed = step.value && (await deflate(step.value, DEFLATE))
      if (performance.now() >= sliceEnd) {
        await setImmediate()
        sliceEnd = performance.now() + SLICE_MS
      }
      step = steps.next(compressed)
    }
    return step.value
  }

  /** In small steps, each of which may ask for something large to be compressed. */
  *#finish(): Generator<Buffer | undefined, FinishedPack, Buffer | undefined> {
    this.#finished = true
    const writer = new PackWriter(this.#held.size, this.#bytes)
    for (const held of this.#held.values()) {
      const { bytes } = held
      if (bytes.length > AT_ONCE_LIMIT) writer.append(held, (yield bytes)!)
      else {
        writer.append(held, bytes.length > STORED_LIMIT && deflateNow(bytes))
        yield
      }
    }
    return yield* writer.end()
  }
}

function whole(type: ObjectType, id: string, bytes: Buffer): Held {
  return { id, type, bytes, base: undefined, depth: 0 }
}

function asDelta(
  type: ObjectType,
  id: string,
  bytes: Buffer,
  base: Base | undefined,
  heldBase: Held | undefined,
): Held | undefined {
  if (base === undefined || heldBase === undefined) return undefined
  if (heldBase.type !== type || heldBase.depth >= MAX_DEPTH) return undefined
  const delta = 'delta' in base ? base.delta : makeDelta(base.bytes, bytes)
  // This also keeps an empty object whole, whose delta git would reject.
  if (delta.length > bytes.length / 2) return undefined
  return { id, type, bytes: delta, base: heldBase, depth: heldBase.depth + 1 }
}

function deflateNow(bytes: Buffer): Buffer {
  return zlib.deflateSync(bytes, DEFLATE)
}
