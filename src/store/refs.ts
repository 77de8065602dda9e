/** Refs beside the branch, the tags above all: read as git reads them, loose files first, then packed-refs. */
import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from './disk.ts'

const TAGS = 'refs/tags/'
/** Longest name of a tag, in characters; each part of it is a file's name, which few systems let be longer. */
const MOST_CHARACTERS = 250
/** What git-check-ref-format(1) forbids anywhere in a name, and white space of every kind. */
const FORBIDDEN = /[\s\p{Cc}\p{Cs}~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/u
const FORBIDDEN_PART = /^(?:\.|-)|\.lock$|^$/i

/** Whether a tag may be called that, by git's own rules (git-check-ref-format(1), and no leading hyphen, as `git tag` has it). */
export function isTagName(name: string): boolean {
  if (name.length > MOST_CHARACTERS || name === '@' || FORBIDDEN.test(name)) return false
  return !name.split('/').some(part => FORBIDDEN_PART.test(part))
}

/**
 * The id of the object that a tag names, undefined when there is no such tag. Whatever is no plain id, such as a symbolic
 * ref, is as good as absent.
 * @param name without `refs/tags/`; one that {@link isTagName} refuses names nothing
 */
export async function readTag(gitDir: string, name: string): Promise<string | undefined> {
  if (!isTagName(name)) return undefined
  const ref = TAGS + name
  // In this order: git writes packed-refs before it removes the files.
  return (await readLoose(join(gitDir, ...ref.split('/')))) ?? (await readPacked(gitDir, ref))
}

async function readLoose(path: string): Promise<string | undefined> {
  // A link, which is how very old symbolic refs look, is not followed, and a pipe not waited for.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  try {
    const file = await fs.promises.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
      return /^([0-9a-f]{40})\s*$/.exec(buffer.toString('latin1', 0, bytesRead))?.[1]
    } finally {
      await file.close()
    }
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return undefined
    throw error
  }
}

/** No such file, a file where a folder would be, a folder, a link, something that is no file, a name that is too long. */
const ABSENT = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO', 'ESPIPE', 'ENAMETOOLONG'])

/** Searched as it lies: that is faster than parsing it, and a repository has few tags. */
async function readPacked(gitDir: string, ref: string): Promise<string | undefined> {
  const packed = await readPackedRefs(gitDir)
  const at = packed.indexOf(` ${ref}\n`)
  const id = at < 0 ? '' : packed.toString('latin1', Math.max(0, at - 40), at)
  return /^[0-9a-f]{40}$/.test(id) ? id : undefined
}

async function readPackedRefs(gitDir: string): Promise<Buffer> {
  try {
    return await readFile(join(gitDir, 'packed-refs'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}
