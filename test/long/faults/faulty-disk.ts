/** A disk that fails on demand: any call of this process that changes a folder can fail, by its number. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { relative } from 'node:path'

/** A call that changes the disk. */
export interface Call {
  name: string
  /** Below the folder that is watched. */
  path: string
  /** From 1 on. */
  number: number
}

export interface Fault {
  /** `ENOSPC`, `EDQUOT`, `EIO`, `EROFS`… */
  code: string
  /**
   * Whether the call still does its work, as when a disk loses its answer. Not for an open, which then creates nothing.
   */
  after?: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: the signatures of node:fs, all of them
type Any = any

const WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT

/** See the top of the file. Replaces `fs` until {@link FaultyDisk.stop}. */
export class FaultyDisk {
  /** All calls so far that changed the disk or would have. */
  readonly calls: Call[] = []
  /** Says which of them fail, and how. */
  plan: (call: Call) => Fault | undefined = () => undefined
  /** The number of failed calls. */
  faults = 0
  readonly #root: string
  readonly #paths = new Map<number, string>()
  readonly #originals: [object: Any, name: string, original: unknown][] = []

  constructor(root: string) {
    this.#root = root
    for (const name of ['rename', 'unlink', 'mkdir', 'rmdir']) this.#callback(name, path => path)
    for (const name of ['write', 'fsync', 'fdatasync', 'ftruncate']) {
      this.#callback(name, descriptor => this.#paths.get(descriptor as number))
    }
    this.#opens()
    for (const name of ['linkSync', 'renameSync', 'unlinkSync', 'rmSync', 'mkdirSync', 'writeFileSync'])
      this.#sync(name)
    for (const name of ['writeFile', 'rename', 'mkdir', 'mkdtemp', 'rm', 'unlink', 'chmod']) this.#promise(name)
    syncBuiltinESMExports()
  }

  stop(): void {
    for (const [object, name, original] of this.#originals.reverse()) object[name] = original
    syncBuiltinESMExports()
  }

  #replace(object: Any, name: string, make: (original: Any) => Any): void {
    const original = object[name]
    this.#originals.push([object, name, original])
    object[name] = make(original)
    // `util.promisify` and their like look at what a function carries.
    Object.assign(object[name], original)
  }

  #next(name: string, path: unknown): (Fault & { error: Error }) | undefined {
    if (typeof path !== 'string' || !path.startsWith(`${this.#root}/`)) return undefined
    const call = { name, path: relative(this.#root, path), number: this.calls.length + 1 }
    this.calls.push(call)
    const fault = this.plan(call)
    if (fault === undefined) return undefined
    this.faults++
    const error = Object.assign(new Error(`${fault.code}: ${name} of ${call.path}, by the test`), { code: fault.code })
    return { ...fault, error }
  }

  #callback(name: string, pathOf: (first: unknown) => unknown): void {
    this.#replace(fs, name, original => (...args: Any[]) => {
      const fault = this.#next(name, pathOf(args[0]))
      if (fault === undefined) return original.call(fs, ...args)
      const done = args.pop()
      if (fault.after) original.call(fs, ...args, () => done(fault.error))
      else setImmediate(() => done(fault.error))
    })
  }

  #opens(): void {
    this.#replace(fs, 'open', original => (path: string, flags: Any, ...rest: Any[]) => {
      const writes = typeof flags === 'number' ? (flags & WRITING) !== 0 : flags !== 'r'
      const fault = writes ? this.#next('open', path) : undefined
      const done = rest.pop()
      if (fault) return setImmediate(() => done(fault.error))
      original.call(fs, path, flags, ...rest, (error: Error | null, descriptor: number) => {
        if (!error) this.#paths.set(descriptor, path)
        done(error, descriptor)
      })
    })
  }

  #sync(name: string): void {
    this.#replace(fs, name, original => (...args: Any[]) => {
      const fault = this.#next(name, args[0])
      const result = fault === undefined || fault.after ? original.call(fs, ...args) : undefined
      if (fault) throw fault.error
      return result
    })
  }

  #promise(name: string): void {
    this.#replace(fs.promises, name, original => async (...args: Any[]) => {
      const fault = this.#next(name, args[0])
      const result = fault === undefined || fault.after ? await original.call(fs.promises, ...args) : undefined
      if (fault) throw fault.error
      return result
    })
  }
}
