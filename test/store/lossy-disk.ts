/**
 * A model of a disk that loses power: records what a program really asks of `fs`, and says what may be left at any
 * moment of it.
 */
import fs from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Test } from 'tap'

/** One operation on files below the recorded folder; paths are relative to it. */
export type Operation =
  | { kind: 'open'; path: string; descriptor: number; truncate: boolean; folder: boolean; found?: Buffer }
  | { kind: 'write'; descriptor: number; bytes: Buffer; position: number | null }
  | { kind: 'truncate'; descriptor: number; length: number }
  | { kind: 'sync'; descriptor: number }
  | { kind: 'close'; descriptor: number }
  | { kind: 'link' | 'rename'; from: string; to: string }
  | { kind: 'unlink'; path: string }
  | { kind: 'note'; note: unknown }

/**
 * Records every change by this process below `root`, through callbacks, promises or at once, until `stop`. A change
 * counts from its call, a sync from its completion.
 */
export function record(root: string): { operations: Operation[]; note(note: unknown): void; stop(): void } {
  const operations: Operation[] = []
  /** The open ones, and whether they sync as they write. */
  const descriptors = new Map<number, boolean>()
  const below = (path: unknown) => typeof path === 'string' && path.startsWith(`${root}/`)
  const local = (path: unknown) => relative(root, String(path))
  const wrapped: [object: Record<string, unknown>, name: string, original: unknown][] = []
  // biome-ignore lint/suspicious/noExplicitAny: the signatures of node:fs, all of them
  const wrap = (object: object, name: string, make: (original: any) => (...args: any[]) => unknown) => {
    const target = object as Record<string, unknown>
    wrapped.push([target, name, target[name]])
    target[name] = make((target[name] as () => unknown).bind(object))
  }

  const opened = (path: string, flags: unknown, descriptor: number) => {
    if (!below(path) && path !== root) return
    const numeric = typeof flags === 'number' ? flags : 0
    const writes =
      typeof flags === 'string' && flags !== 'r'
        ? true
        : (numeric & (fs.constants.O_RDWR | fs.constants.O_WRONLY)) !== 0
    const folder = !writes && fs.statSync(path).isDirectory()
    const truncate = typeof flags === 'string' && flags.startsWith('w')
    descriptors.set(descriptor, (numeric & fs.constants.O_DSYNC) === fs.constants.O_DSYNC)
    // A file opened for reading alone is synced for another process, git, that wrote it.
    const found = writes || folder ? {} : { found: fs.readFileSync(path) }
    operations.push({ kind: 'open', path: local(path), descriptor, truncate, folder, ...found })
  }
  const synced = (descriptor: number) => {
    if (descriptors.has(descriptor)) operations.push({ kind: 'sync', descriptor })
  }
  const closed =
    (original: (...args: unknown[]) => unknown) =>
    (descriptor: number, ...rest: unknown[]) => {
      if (descriptors.delete(descriptor)) operations.push({ kind: 'close', descriptor })
      return original(descriptor, ...rest)
    }
  const onPaths =
    (make: (...paths: string[]) => Operation) =>
    (original: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      const result = original(...args)
      if (below(args[0])) operations.push(make(local(args[0]), local(args[1])))
      return result
    }

  wrap(
    fs,
    'open',
    original => (path, flags, mode, done) =>
      original(path, flags, mode, (error: Error | null, descriptor: number) => {
        if (!error) opened(path, flags, descriptor)
        done(error, descriptor)
      }),
  )
  wrap(fs, 'write', original => (descriptor, whole: Buffer, offset, length, position, done) => {
    const bytes = Buffer.from(whole.subarray(offset, offset + length))
    if (descriptors.has(descriptor)) operations.push({ kind: 'write', descriptor, bytes, position })
    original(descriptor, whole, offset, length, position, (error: Error | null, count: number) => {
      if (!error && descriptors.get(descriptor)) synced(descriptor)
      done(error, count)
    })
  })
  wrap(fs, 'ftruncate', original => (descriptor, length, done) => {
    if (descriptors.has(descriptor)) operations.push({ kind: 'truncate', descriptor, length })
    original(descriptor, length, done)
  })
  for (const name of ['fsync', 'fdatasync']) {
    wrap(
      fs,
      name,
      original => (descriptor, done) =>
        original(descriptor, (error: Error | null) => {
          if (!error) synced(descriptor)
          done(error)
        }),
    )
  }
  wrap(fs, 'close', closed)
  for (const name of ['rename', 'renameSync'])
    wrap(
      fs,
      name,
      onPaths((from, to) => ({ kind: 'rename', from: from!, to: to! })),
    )
  wrap(
    fs,
    'linkSync',
    onPaths((from, to) => ({ kind: 'link', from: from!, to: to! })),
  )
  for (const name of ['unlink', 'unlinkSync', 'rmSync']) {
    wrap(
      fs,
      name,
      onPaths(path => ({ kind: 'unlink', path: path! })),
    )
  }
  wrap(fs.promises, 'open', original => async (path, flags, ...rest) => {
    const handle = await original(path, flags, ...rest)
    opened(path, flags, handle.fd)
    const descriptor: number = handle.fd
    if (!descriptors.has(descriptor)) return handle
    wrap(handle, 'writeFile', write => (bytes: Buffer) => {
      operations.push({ kind: 'write', descriptor, bytes: Buffer.from(bytes), position: null })
      return write(bytes)
    })
    wrap(handle, 'sync', sync => async () => {
      await sync()
      synced(descriptor)
    })
    wrap(handle, 'close', close => () => closed(close)(descriptor))
    return handle
  })
  return {
    operations,
    note: note => operations.push({ kind: 'note', note }),
    stop: () => {
      for (const [object, name, original] of wrapped) object[name] = original
    },
  }
}

interface Inode {
  current: Buffer
  durable: Buffer
}

const SECTOR = 512

/** The files below `root` as they are after operations: what is in memory, and what of it the disk has. */
export class LossyDisk {
  readonly #root: string
  readonly #names = new Map<string, Inode>()
  readonly #durable = new Map<string, Inode>()
  /** Changes of names that their folder's sync has not covered yet; null removes a name. */
  #pending: { folder: string; changes: [path: string, inode: Inode | null][] }[] = []
  readonly #open = new Map<number, { path: string; inode: Inode | undefined; position: number }>()
  readonly #honest: boolean

  /** @param honest false for a disk that ignores every sync: with it, checks must fail */
  constructor(root: string, honest: boolean) {
    this.#root = root
    this.#honest = honest
    for (const entry of fs.readdirSync(root, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const bytes = fs.readFileSync(path)
      const inode = { current: bytes, durable: bytes }
      this.#names.set(relative(root, path), inode)
      this.#durable.set(relative(root, path), inode)
    }
  }

  apply(operation: Operation): void {
    if (operation.kind === 'open') this.#opened(operation)
    else if (operation.kind === 'write') this.#written(operation)
    else if (operation.kind === 'truncate') this.#truncated(operation)
    else if (operation.kind === 'sync') this.#sync(operation.descriptor)
    else if (operation.kind === 'close') this.#open.delete(operation.descriptor)
    else if (operation.kind === 'rename' || operation.kind === 'link') this.#linked(operation)
    else if (operation.kind === 'unlink') this.#unlinked(operation.path)
  }

  /**
   * Turns `root` into a state that power loss could leave now. Folders are not followed: they are those of the
   * beginning.
   */
  crash(root: string, random: () => number): void {
    fs.rmSync(root, { recursive: true, force: true })
    fs.cpSync(this.#root, root, { recursive: true })
    for (const entry of fs.readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) fs.rmSync(join(entry.parentPath, entry.name))
    }
    const names = new Map(this.#durable)
    // Either the file system's own journal preserves the order of names, or nothing does.
    const ordered = random() < 0.5
    const cut = random() * (this.#pending.length + 1)
    for (const [index, { changes }] of this.#pending.entries()) {
      if (ordered ? index >= cut : random() < 0.5) continue
      for (const [path, inode] of changes) setName(names, path, inode)
    }
    for (const [path, inode] of names) {
      fs.mkdirSync(dirname(join(root, path)), { recursive: true })
      fs.writeFileSync(join(root, path), survivor(inode, random))
    }
  }

  #opened({ path, descriptor, truncate, folder, found = Buffer.alloc(0) }: Extract<Operation, { kind: 'open' }>): void {
    if (folder) {
      this.#open.set(descriptor, { path, inode: undefined, position: 0 })
      return
    }
    let inode = this.#names.get(path)
    if (inode === undefined) {
      inode = { current: found, durable: Buffer.alloc(0) }
      this.#names.set(path, inode)
      this.#pend(path, [[path, inode]])
    }
    if (truncate) inode.current = Buffer.alloc(0)
    this.#open.set(descriptor, { path, inode, position: 0 })
  }

  #written({ descriptor, bytes, position }: Extract<Operation, { kind: 'write' }>): void {
    const open = this.#open.get(descriptor)
    if (open === undefined) return
    const start = position ?? open.position
    open.position = start + bytes.length
    this.#edit(descriptor, current => {
      const grown = Buffer.alloc(Math.max(current.length, start + bytes.length))
      current.copy(grown)
      bytes.copy(grown, start)
      return grown
    })
  }

  #edit(descriptor: number, change: (current: Buffer) => Buffer): void {
    const open = this.#open.get(descriptor)
    if (!open?.inode) return
    open.inode.current = change(open.inode.current)
  }

  #sync(descriptor: number): void {
    const open = this.#open.get(descriptor)
    if (open === undefined || !this.#honest) return
    if (open.inode) {
      open.inode.durable = open.inode.current
      return
    }
    const covered = this.#pending.filter(({ folder }) => folder === open.path)
    this.#pending = this.#pending.filter(({ folder }) => folder !== open.path)
    for (const [path, inode] of covered.flatMap(({ changes }) => changes)) {
      setName(this.#durable, path, inode)
    }
  }

  #truncated({ descriptor, length }: Extract<Operation, { kind: 'truncate' }>): void {
    this.#edit(descriptor, current => Buffer.concat([current, Buffer.alloc(length)]).subarray(0, length))
  }

  #unlinked(path: string): void {
    if (this.#names.delete(path)) this.#pend(path, [[path, null]])
  }

  #linked({ kind, from, to }: { kind: 'link' | 'rename'; from: string; to: string }): void {
    const inode = this.#names.get(from)
    if (inode === undefined) return
    this.#names.set(to, inode)
    if (kind === 'rename') this.#names.delete(from)
    this.#pend(
      to,
      kind === 'rename'
        ? [
            [to, inode],
            [from, null],
          ]
        : [[to, inode]],
    )
  }

  #pend(path: string, changes: [path: string, inode: Inode | null][]): void {
    const folder = dirname(path)
    this.#pending.push({ folder: folder === '.' ? '' : folder, changes })
  }
}

function setName(names: Map<string, Inode>, path: string, inode: Inode | null): void {
  if (inode === null) names.delete(path)
  else names.set(path, inode)
}

/** The bytes that may be left of a file: of every sector that was not synced, the old state or the new one. */
function survivor({ current, durable }: Inode, random: () => number): Buffer {
  if (current === durable) return current
  const length = random() < 0.5 ? current.length : durable.length
  const bytes = Buffer.alloc(length)
  const bias = random()
  for (let at = 0; at < length; at += SECTOR) {
    const source = random() < bias ? current : durable
    if (at < source.length) source.copy(bytes, at, at, Math.min(at + SECTOR, source.length, length))
  }
  return bytes
}

/**
 * Shows that a test notices losses: on a disk that ignores every sync, cuts lose something.
 * @param faultsAt one cut's losses
 */
export async function findOut(t: Test, cuts: number, faultsAt: (cut: number) => Promise<string[]>): Promise<void> {
  const faults: string[] = []
  for (let cut = 0; cut < cuts; cut++) faults.push(...(await faultsAt(cut)))
  t.comment(`${faults.length} faults, for example: ${faults[0]}`)
  t.not(faults.length, 0)
}
