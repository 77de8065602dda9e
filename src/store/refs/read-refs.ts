/** Reads refs as git does: loose files first, then packed-refs. Never waits for a pipe in a file's place. */
import fs from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { codeOf, ifThere } from '../disk.ts'
import { isTagName, TAGS } from './tags.ts'

const AT_ONCE = 16
/** No such file, a file for a folder, a folder, a link, no file at all, a name too long. */
const ABSENT = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO', 'ESPIPE', 'ENAMETOOLONG'])

/** The one branch that the server writes. */
export const BRANCH = 'refs/heads/main'

/** The path of a ref's file (`refs/tags/v1`) or of a folder of refs. */
export const pathOf = (gitDir: string, ref: string) => join(gitDir, ...ref.split('/'))

/** The commit of the branch; null without a branch. @throws Error when its file holds anything else */
export async function readBranch(gitDir: string): Promise<string | null> {
  const path = pathOf(gitDir, BRANCH)
  const loose = await ifThere(readFile(path, 'utf8'))
  if (loose === undefined) return findPacked(await readPackedRefs(gitDir), BRANCH) ?? null
  const id = loose.trim()
  if (!/^[0-9a-f]{40}$/.test(id)) throw new Error(`${BRANCH} holds "${id.slice(0, 60)}" instead of a commit id`)
  return id
}

/**
 * The id of a tag's object, if any. @param name without `refs/tags/`; one that {@link isTagName} refuses names nothing
 */
export async function readTag(gitDir: string, name: string): Promise<string | undefined> {
  return isTagName(name) ? readRef(gitDir, TAGS + name) : undefined
}

/**
 * The id that a ref holds. A symbolic ref, an empty file and what is no file count as absent.
 * @param ref whole and well-formed: `refs/tags/v1`
 * @throws Failure `unavailable` for a file that holds anything else
 */
export async function readRef(gitDir: string, ref: string): Promise<string | undefined> {
  // In this order: git writes packed-refs before it removes the files.
  const loose = await readLoose(gitDir, ref)
  return loose ?? findPacked(await readPackedRefs(gitDir), ref)
}

/** The whole names of all refs under `folder` (`refs/tags/`), in no order, even of those without an id. */
export async function listRefs(gitDir: string, folder: string): Promise<string[]> {
  const names = new Set(await listLoose(gitDir, folder))
  for (const { ref } of packedBelow(await readPackedRefs(gitDir), folder)) names.add(ref)
  return [...names]
}

/** The refs of a folder (`refs/tags/web/`): ids by their names there. @throws as {@link readRef} does */
export async function readFolder(gitDir: string, folder: string): Promise<Map<string, string>> {
  const found = await readAll(gitDir, folder, ref => !ref.includes('/', folder.length))
  return new Map([...found].map(([ref, id]) => [ref.slice(folder.length), id]))
}

/** All refs under `folder`: ids by whole names. Those without an id, damaged ones too, are left out. */
export function readRefs(gitDir: string, folder: string): Promise<Map<string, string>> {
  const passOver = (error: unknown) => {
    if (!(error instanceof Failure)) throw error
  }
  return readAll(gitDir, folder, () => true, passOver)
}

/** @param damaged gets each file that holds no id; without it that is thrown */
async function readAll(
  gitDir: string,
  folder: string,
  isWanted: (ref: string) => boolean,
  damaged?: (error: unknown) => void,
): Promise<Map<string, string>> {
  const loose = (await listLoose(gitDir, folder)).filter(isWanted)
  const found = new Map<string, string>()
  for (let at = 0; at < loose.length; at += AT_ONCE) {
    const read = async (ref: string) => {
      const id = await (damaged ? readLoose(gitDir, ref).catch(damaged) : readLoose(gitDir, ref))
      if (id) found.set(ref, id)
    }
    await Promise.all(loose.slice(at, at + AT_ONCE).map(read))
  }
  for (const { ref, id } of packedBelow(await readPackedRefs(gitDir), folder)) {
    if (isWanted(ref) && !found.has(ref)) found.set(ref, id)
  }
  return found
}

/** A ref that `ref` cannot stand beside, even where case is ignored: the same, or a folder of it or in it. */
export async function findRival(gitDir: string, ref: string, folder: string): Promise<string | undefined> {
  const wanted = ref.toLowerCase()
  const refs = await listRefs(gitDir, folder)
  return refs.find(other => {
    const name = other.toLowerCase()
    return name === wanted || name.startsWith(`${wanted}/`) || wanted.startsWith(`${name}/`)
  })
}

async function readLoose(gitDir: string, ref: string): Promise<string | undefined> {
  // Follows no link (very old symbolic refs are links) and waits for no pipe.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  try {
    const file = await fs.promises.open(pathOf(gitDir, ref), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
      const text = buffer.toString('latin1', 0, bytesRead)
      const id = /^([0-9a-f]{40})\s*$/.exec(text)?.[1]
      // A damaged id must not pass for a missing ref.
      if (id === undefined && text !== '' && !text.startsWith('ref:')) {
        const what = `${ref} holds no id of an object: it is damaged; parlance server verify says what to do.`
        throw new Failure('unavailable', what)
      }
      return id
    } finally {
      await file.close()
    }
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return undefined
    throw error
  }
}

/** The whole names of all refs with a file below `folder`, even a damaged one; git's locks left out. */
async function listLoose(gitDir: string, folder: string): Promise<string[]> {
  const entries = await readdir(pathOf(gitDir, folder), { withFileTypes: true }).catch(error => {
    if (ABSENT.has(codeOf(error))) return []
    throw error
  })
  const refs = entries.filter(({ name }) => !name.endsWith('.lock'))
  const names = refs.map(entry =>
    entry.isDirectory() ? listLoose(gitDir, `${folder}${entry.name}/`) : [folder + entry.name],
  )
  return (await Promise.all(names)).flat()
}

/** packed-refs as it lies: a ref per line, an annotated tag's target in the line below. Empty when missing. */
export async function readPackedRefs(gitDir: string): Promise<Buffer> {
  return (await ifThere(readFile(join(gitDir, 'packed-refs')))) ?? Buffer.alloc(0)
}

function findPacked(packed: Buffer, ref: string): string | undefined {
  // Searching the bytes is faster than parsing them.
  const at = packed.indexOf(` ${ref}\n`)
  const id = at < 0 ? '' : packed.toString('latin1', Math.max(0, at - 40), at)
  return /^[0-9a-f]{40}$/.test(id) ? id : undefined
}

function* packedBelow(packed: Buffer, folder: string): Generator<{ ref: string; id: string }> {
  for (const [, id, ref] of packed.toString('utf8').matchAll(/^([0-9a-f]{40}) (refs\/.+)$/gm)) {
    if (ref!.startsWith(folder)) yield { ref: ref!, id: id! }
  }
}
