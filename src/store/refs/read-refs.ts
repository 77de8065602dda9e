/** Reads refs beside the branch, the tags above all, as git does it: loose files first, then packed-refs. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { codeOf } from '../disk.ts'
import { listLoose, looseEntries, pathOf, readLoose } from './loose-refs.ts'
import { findPacked, packedBelow, readPackedRefs } from './packed-refs.ts'
import { isTagName, TAGS } from './tag-name.ts'

/** Loose files read at a time. */
const AT_ONCE = 16

/** The one branch that the server writes. */
export const BRANCH = 'refs/heads/main'

/** The commit that the branch names, null when there is no such branch. @throws Error when its file holds anything else */
export async function readBranch(gitDir: string): Promise<string | null> {
  const path = pathOf(gitDir, BRANCH)
  const loose = await readFile(path, 'utf8').catch(error => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (loose === undefined) return findPacked(await readPackedRefs(gitDir), BRANCH) ?? null
  const id = loose.trim()
  if (!/^[0-9a-f]{40}$/.test(id)) throw new Error(`${BRANCH} holds "${id.slice(0, 60)}" instead of a commit id`)
  return id
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
  return loose ?? findPacked(await readPackedRefs(gitDir), ref)
}

/** The names of all refs that begin with `folder` (`refs/tags/`), whole, those that hold no id among them; in no order. */
export async function listRefs(gitDir: string, folder: string): Promise<string[]> {
  const names = new Set(await listLoose(gitDir, folder))
  for (const { ref } of packedBelow(await readPackedRefs(gitDir), folder)) names.add(ref)
  return [...names]
}

/** The refs of one folder (`refs/tags/web/`) by their names there, with the ids that they hold. @throws as {@link readRef} does */
export async function readFolder(gitDir: string, folder: string): Promise<Map<string, string>> {
  const entries = await looseEntries(gitDir, folder)
  const loose = entries.filter(entry => !entry.isDirectory()).map(({ name }) => name)
  const found = await readEach(loose, name => readLoose(join(pathOf(gitDir, folder), name)))
  for (const { ref, id } of packedBelow(await readPackedRefs(gitDir), folder)) {
    const name = ref.slice(folder.length)
    if (!name.includes('/') && !found.has(name)) found.set(name, id)
  }
  return found
}

/** All refs that begin with `folder`, by their whole names, with the ids that they hold; those that hold none, damaged ones too, are left out. */
export async function readRefs(gitDir: string, folder: string): Promise<Map<string, string>> {
  const loose = await listLoose(gitDir, folder)
  const found = await readEach(loose, name => readLoose(pathOf(gitDir, name)).catch(passOver))
  for (const { ref, id } of packedBelow(await readPackedRefs(gitDir), folder)) if (!found.has(ref)) found.set(ref, id)
  return found
}

/** Some files at a time; whatever holds no id is left out. */
async function readEach(
  names: string[],
  read: (name: string) => Promise<string | undefined>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names.slice(at, at + AT_ONCE)
    const ids = await Promise.all(some.map(read))
    for (const [i, name] of some.entries()) if (ids[i] !== undefined) found.set(name, ids[i])
  }
  return found
}

function passOver(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
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
