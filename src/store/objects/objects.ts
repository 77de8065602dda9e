/** Reads git objects by id from packs and loose files, checked against their id; holds none in memory. */
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { Failure } from '../../bundle/errors.ts'
import { codeOf } from '../disk.ts'
import { type GitObject, hashObject, type ObjectType } from './object.ts'
import { damaged, PackFile } from './pack-file.ts'
import { closeInThread } from './pack-index.ts'

export { type GitObject, hashObject, type ObjectType } from './object.ts'

/** All open packs of this process with how to close them, the longest unused first. */
const openPacks = new Map<PackFile, () => void>()
let mostOpenPacks = 64

/** Bounds the packs that all readers hold open: two descriptors and 7 KiB each. */
export function boundOpenPacks(most: number): void {
  mostOpenPacks = most
}
/** Maximum changes of the pack folder under one search. */
const MOST_LOOKS = 20

/** Reads one repository's objects, synchronously; other processes may change packs. Ignores alternates' packs. */
export class ObjectReader {
  readonly #objects: string
  /** The packs on disk, without extension; the last to answer comes first, since it likely answers again. */
  #stems: string[] = []
  /** The first damage found, in a sentence. */
  damage: string | undefined
  /** Packs with a sound index. */
  readonly #checked = new Set<string>()
  readonly #open = new Map<string, PackFile>()

  /** @param gitDir the `.git` folder, or a bare repository */
  constructor(gitDir: string) {
    this.#objects = path.join(gitDir, 'objects')
    this.refresh()
  }

  /**
   * The object of that id; undefined without one, which a fresh list of packs must confirm.
   * @throws Failure `unavailable`, naming the object, when it is damaged or unreadable
   */
  read(id: string): GitObject | undefined {
    if (!/^[0-9a-f]{40}$/.test(id)) return undefined
    try {
      const object = this.#look(id)
      if (object !== undefined && hashObject(object.type, object.bytes) !== id)
        throw damaged('its content has another SHA-1')
      return object
    } catch (error) {
      const failure = unreadable(id, error)
      if (error instanceof Failure && failure instanceof Failure) this.damage ??= failure.message
      throw failure
    }
  }

  /** Whether there is such an object, sound or not. @throws Failure `unavailable` when a pack's index is damaged */
  has(id: string): boolean {
    const bytes = Buffer.from(id, 'hex')
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      if (this.#locate(bytes) !== undefined || fs.existsSync(this.#loosePath(id))) return true
      if (!this.refresh()) break
    }
    return false
  }

  /** Lists the pack folder again, dropping removed packs. @returns whether packs came or went */
  refresh(): boolean {
    const files = new Set(listing(path.join(this.#objects, 'pack')))
    const present = new Set<string>()
    for (const file of files) {
      const stem = file.slice(0, -'.idx'.length)
      if (file.endsWith('.idx') && files.has(`${stem}.pack`)) present.add(stem)
    }
    const known = this.#stems.filter(stem => present.has(stem))
    for (const stem of known) present.delete(stem)
    const changed = present.size > 0 || known.length < this.#stems.length
    this.#stems = [...present, ...known]
    for (const [stem, pack] of [...this.#open]) {
      if (this.#stems.includes(stem)) continue
      this.#open.delete(stem)
      openPacks.delete(pack)
      pack.close(closeInThread)
    }
    if (changed) for (const stem of this.#checked) if (!this.#stems.includes(stem)) this.#checked.delete(stem)
    return changed
  }

  /** Closes every file. A later `read` opens what it needs. */
  close(): void {
    for (const stem of [...this.#open.keys()]) this.#release(stem)
  }

  #look(id: string): GitObject | undefined {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const object = this.#packed(id) ?? this.#loose(id)
      if (object !== undefined) return object
      // A repack may have moved it to another pack: only an unchanged folder says no.
      if (!this.refresh()) {
        this.#checkIndexes()
        return undefined
      }
    }
    return undefined
  }

  /** Reads each index once, so that no damaged one hides an object. Measured: 30 ms for a million objects. */
  #checkIndexes(): void {
    for (const stem of [...this.#stems]) {
      if (this.#checked.has(stem)) continue
      this.#pack(stem)?.index.check()
      this.#checked.add(stem)
    }
  }

  #packed(id: string): GitObject | undefined {
    const place = this.#locate(Buffer.from(id, 'hex'))
    return place?.pack.object(place.offset)
  }

  #locate(id: Buffer): { pack: PackFile; offset: number } | undefined {
    for (const stem of this.#stems) {
      const pack = this.#pack(stem)
      const offset = pack?.index.find(id)
      if (pack === undefined || offset === undefined) continue
      if (this.#stems[0] !== stem) this.#stems = [stem, ...this.#stems.filter(other => other !== stem)]
      return { pack, offset }
    }
    return undefined
  }

  /** The open pack; undefined when it was removed since the folder was listed. */
  #pack(stem: string): PackFile | undefined {
    let pack = this.#open.get(stem)
    pack ??= ifThere(() => new PackFile(path.join(this.#objects, 'pack', stem)))
    if (pack === undefined) {
      // Repacks may bring it back under this name: then it must be looked into again.
      this.#stems = this.#stems.filter(other => other !== stem)
      this.#checked.delete(stem)
      return undefined
    }
    this.#open.set(stem, pack)
    openPacks.delete(pack)
    openPacks.set(pack, () => this.#release(stem))
    for (const close of openPacks.values()) {
      if (openPacks.size <= Math.max(mostOpenPacks, 1)) break
      close()
    }
    return pack
  }

  #release(stem: string): void {
    const pack = this.#open.get(stem)
    if (pack === undefined) return
    this.#open.delete(stem)
    openPacks.delete(pack)
    pack.close()
  }

  #loosePath(id: string): string {
    return path.join(this.#objects, id.slice(0, 2), id.slice(2))
  }

  #loose(id: string): GitObject | undefined {
    const compressed = ifThere(() => fs.readFileSync(this.#loosePath(id)))
    if (compressed === undefined) return undefined
    const bytes = zlib.inflateSync(compressed)
    const nul = bytes.indexOf(0)
    const header = /^(commit|tree|blob|tag) (\d+)$/.exec(bytes.toString('latin1', 0, Math.max(nul, 0)))
    if (header === null || Number(header[2]) !== bytes.length - nul - 1)
      throw damaged('its loose file has a garbled header')
    // A copy: zlib's output buffer is larger than a small object and would stay in memory.
    return { type: header[1] as ObjectType, bytes: Buffer.from(bytes.subarray(nul + 1)) }
  }
}

function listing(directory: string): string[] {
  return ifThere(() => fs.readdirSync(directory)) ?? []
}

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** What to throw for an `error` while reading an object; a bug of ours stays what it is. */
function unreadable(id: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined || code === 'invalid') return error
  const why = error instanceof Failure ? error.message.replace(/\.$/, '') : `reading it ends in ${code}`
  return new Failure('unavailable', `Git object ${id} cannot be read: ${why}; git fsck says more.`, { id })
}
