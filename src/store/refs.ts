/** Refs beside the branch, the tags above all: read and changed as git does it, loose files first, then packed-refs. */
import fs from 'node:fs'
import { readdir, readFile, rmdir, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import {
  closeFile,
  codeOf,
  doubtfulFailure,
  makeFolder,
  openFile,
  removeFile,
  replaceFile,
  syncFolder,
  writeFile,
} from './disk.ts'

/** Where tags are. */
export const TAGS = 'refs/tags/'
/** Longest name of a tag, in characters; each part of it is a file's name, which few systems let be longer. */
const MOST_CHARACTERS = 250
/** What git-check-ref-format(1) forbids anywhere in a name, and white space of every kind. */
const FORBIDDEN = /[\s\p{Cc}\p{Cs}~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/u
const FORBIDDEN_PART = /^(?:\.|-)|\.lock$|^$/i
/** What our own locks hold, so that one left by a kill is told from that of a person's git. */
const OURS = Buffer.from('parlance\n')
/** git holds a lock on a ref for milliseconds. */
const LEFT_MS = 10_000
/** Loose files read at a time. */
const AT_ONCE = 16

/** Whether a tag may be called that, by git's own rules (git-check-ref-format(1), and no leading hyphen, as `git tag` has it). */
export function isTagName(name: string): boolean {
  if (name.length > MOST_CHARACTERS || name === '@' || FORBIDDEN.test(name)) return false
  return !name.split('/').some(part => FORBIDDEN_PART.test(part))
}

/**
 * The id of the object that a tag names, undefined when there is no such tag.
 * @param name without `refs/tags/`; one that {@link isTagName} refuses names nothing
 */
export async function readTag(gitDir: string, name: string): Promise<string | undefined> {
  return isTagName(name) ? readRef(gitDir, TAGS + name) : undefined
}

/**
 * The id that a ref holds. A symbolic ref, an empty file and what is no file are as good as absent.
 * @param ref whole and well-formed: `refs/tags/v1`
 * @throws Failure `unavailable` for a file that holds anything else
 */
export async function readRef(gitDir: string, ref: string): Promise<string | undefined> {
  // In this order: git writes packed-refs before it removes the files.
  const loose = await readLoose(pathOf(gitDir, ref))
  if (loose !== undefined) return loose
  // Searched as it lies: that is faster than parsing it.
  const packed = await readPackedRefs(gitDir)
  const at = packed.indexOf(` ${ref}\n`)
  const id = at < 0 ? '' : packed.toString('latin1', Math.max(0, at - 40), at)
  return /^[0-9a-f]{40}$/.test(id) ? id : undefined
}

/** The names of all refs that begin with `folder` (`refs/tags/`), whole, those that hold no id among them; in no order. */
export async function listRefs(gitDir: string, folder: string): Promise<string[]> {
  const names = new Set(await listLoose(gitDir, folder))
  for (const [, , name] of packedLines(await readPackedRefs(gitDir))) if (name!.startsWith(folder)) names.add(name!)
  return [...names]
}

/** The refs of one folder (`refs/tags/web/`) by their names there, with the ids that they hold. @throws as {@link readRef} does */
export async function readFolder(gitDir: string, folder: string): Promise<Map<string, string>> {
  const entries = await entriesOf(pathOf(gitDir, folder))
  const loose = entries.filter(entry => !entry.isDirectory()).map(({ name }) => name)
  const found = new Map<string, string>()
  for (let at = 0; at < loose.length; at += AT_ONCE) {
    const names = loose.slice(at, at + AT_ONCE)
    const ids = await Promise.all(names.map(name => readLoose(join(pathOf(gitDir, folder), name))))
    for (const [i, name] of names.entries()) if (ids[i] !== undefined) found.set(name, ids[i])
  }
  for (const [, id, ref] of packedLines(await readPackedRefs(gitDir))) {
    const name = ref!.slice(folder.length)
    if (ref!.startsWith(folder) && !name.includes('/') && !found.has(name)) found.set(name, id!)
  }
  return found
}

function passOver(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
}

/** All refs that begin with `folder`, by their whole names, with the ids that they hold; those that hold none, damaged ones too, are left out. */
export async function readRefs(gitDir: string, folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const loose = await listLoose(gitDir, folder)
  for (let at = 0; at < loose.length; at += AT_ONCE) {
    const names = loose.slice(at, at + AT_ONCE)
    const ids = await Promise.all(names.map(name => readLoose(pathOf(gitDir, name)).catch(passOver)))
    for (const [i, name] of names.entries()) if (ids[i] !== undefined) found.set(name, ids[i])
  }
  for (const [, id, name] of packedLines(await readPackedRefs(gitDir))) {
    if (name!.startsWith(folder) && !found.has(name!)) found.set(name!, id!)
  }
  return found
}

/** A ref that `ref` cannot stand beside, also where the system does not tell case apart: the same, or a folder of it or in it. */
export async function findRival(gitDir: string, ref: string, folder: string): Promise<string | undefined> {
  const wanted = ref.toLowerCase()
  const refs = await listRefs(gitDir, folder)
  return refs.find(other => {
    const name = other.toLowerCase()
    return name === wanted || name.startsWith(`${wanted}/`) || wanted.startsWith(`${name}/`)
  })
}

/**
 * Sets a ref, whatever it held; on the disk when it resolves.
 * @throws Failure `unavailable` when a person's git is at the same ref
 */
export async function writeRef(gitDir: string, ref: string, id: string): Promise<void> {
  const path = pathOf(gitDir, ref)
  await makeFolder(dirname(path))
  await locked(path, async () => {
    // git leaves empty folders where refs were.
    await rmdir(path).catch(() => {})
    await orAsBefore(gitDir, ref, async () => {
      await place(gitDir, path, id)
      await syncFolder(dirname(path))
    })
  })
}

const place = (gitDir: string, path: string, id: string) =>
  replaceFile(path, Buffer.from(`${id}\n`), join(gitDir, 'parlance', 'tag.tmp'))

/**
 * Runs a change of a ref and, should the disk refuse it half way, brings back what was there: who is told that nothing was
 * written must not find it later.
 */
async function orAsBefore(gitDir: string, ref: string, change: () => Promise<void>): Promise<void> {
  const before = await readRef(gitDir, ref)
  try {
    await change()
  } catch (error) {
    await restore(gitDir, ref, before).catch(() => {
      throw doubtfulFailure(error)
    })
    throw error
  }
}

async function restore(gitDir: string, ref: string, before: string | undefined): Promise<void> {
  if ((await readRef(gitDir, ref)) === before) return
  const path = pathOf(gitDir, ref)
  if (before === undefined) await removeFile(path)
  else await place(gitDir, path, before)
  await syncFolder(dirname(path))
}

/** Removes a ref, wherever it is; one that is not there is fine. Gone from the disk when it resolves. @throws as {@link writeRef} */
export async function deleteRef(gitDir: string, ref: string): Promise<void> {
  const path = pathOf(gitDir, ref)
  await makeFolder(dirname(path))
  await locked(path, async () => {
    await orAsBefore(gitDir, ref, async () => {
      // In this order, as git does it: what is left after a crash between is the ref as it was.
      await removePacked(gitDir, ref)
      await removeFile(path)
      await syncFolder(dirname(path))
    })
  })
}

async function removePacked(gitDir: string, ref: string): Promise<void> {
  const packed = join(gitDir, 'packed-refs')
  await locked(packed, async () => {
    const bytes = await readPackedRefs(gitDir)
    const at = bytes.indexOf(` ${ref}\n`)
    if (at < 0) return
    const start = bytes.lastIndexOf('\n', at) + 1
    let end = bytes.indexOf('\n', at) + 1
    // What an annotated tag leads to stands in a line of its own below it.
    while (bytes[end] === PEELED) end = bytes.indexOf('\n', end) + 1 || bytes.length
    const rest = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
    await replaceFile(packed, rest, join(gitDir, 'parlance', 'packed-refs.tmp'))
    await syncFolder(gitDir)
  })
}

const PEELED = '^'.charCodeAt(0)

/** Runs `change` under git's own lock on a file. */
async function locked(path: string, change: () => Promise<void>): Promise<void> {
  const lock = `${path}.lock`
  try {
    await takeLock(lock)
    await change()
  } finally {
    await giveBack(lock)
  }
}

/** Locks that were ours and that the disk did not let go: they stand in nobody's way. */
const stuck = new Set<string>()

async function giveBack(lock: string): Promise<void> {
  if (!held.delete(lock)) return
  try {
    await removeFile(lock)
  } catch {
    // What was done under it is done.
    stuck.add(lock)
  }
}

/** Locks that are ours at this moment. */
const held = new Set<string>()

async function takeLock(lock: string): Promise<void> {
  try {
    await closeFile(await openFile(lock, 'wx'))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if (!stuck.has(lock) && !(await isLeftover(lock))) {
      throw new Failure('unavailable', "Someone's git is changing the tags of this repository just now; try again.", {
        retryAfter: 1,
      })
    }
  }
  held.add(lock)
  stuck.delete(lock)
  await writeFile(lock, OURS)
}

/** Our changes come one at a time, so that a lock of ours was left by a kill; one that was not even written to is told by its age. */
async function isLeftover(lock: string): Promise<boolean> {
  try {
    const { size, mtimeMs } = await stat(lock)
    return size === 0 ? mtimeMs < Date.now() - LEFT_MS : (await readFile(lock)).equals(OURS)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true
    throw error
  }
}

const pathOf = (gitDir: string, ref: string) => join(gitDir, ...ref.split('/'))

async function readLoose(path: string): Promise<string | undefined> {
  // A link, which is how very old symbolic refs look, is not followed, and a pipe not waited for.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  try {
    const file = await fs.promises.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
      const text = buffer.toString('latin1', 0, bytesRead)
      const id = /^([0-9a-f]{40})\s*$/.exec(text)?.[1]
      if (id === undefined && text !== '' && !text.startsWith('ref:')) throw garbled(path)
      return id
    } finally {
      await file.close()
    }
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return undefined
    throw error
  }
}

/** An id that was damaged must not pass for a ref that is not there. */
function garbled(path: string): Failure {
  const name = path.slice(path.lastIndexOf(`${sep}refs${sep}`) + 1).replaceAll(sep, '/')
  return new Failure('unavailable', `${name} holds no id of an object: it is damaged; parlance verify says what to do.`)
}

/** No such file, a file where a folder would be, a folder, a link, something that is no file, a name that is too long. */
const ABSENT = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO', 'ESPIPE', 'ENAMETOOLONG'])

async function listLoose(gitDir: string, folder: string): Promise<string[]> {
  const entries = await entriesOf(pathOf(gitDir, folder))
  const names = await Promise.all(
    entries.map(entry => (entry.isDirectory() ? listLoose(gitDir, `${folder}${entry.name}/`) : [folder + entry.name])),
  )
  return names.flat()
}

async function entriesOf(folder: string): Promise<fs.Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter(({ name }) => !name.endsWith('.lock'))
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return []
    throw error
  }
}

const packedLines = (packed: Buffer) => packed.toString('utf8').matchAll(/^([0-9a-f]{40}) (refs\/.+)$/gm)

async function readPackedRefs(gitDir: string): Promise<Buffer> {
  try {
    return await readFile(join(gitDir, 'packed-refs'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}
