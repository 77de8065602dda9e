/** Refs as files, one each, as git writes them: reads alone, and never waits for what only looks like one. */
import fs from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { codeOf } from '../disk.ts'

/** No such file, a file where a folder would be, a folder, a link, something that is no file, a name that is too long. */
const ABSENT = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO', 'ESPIPE', 'ENAMETOOLONG'])

/** Where the file of a ref (`refs/tags/v1`), or a folder of them, is or would be. */
export const pathOf = (gitDir: string, ref: string) => join(gitDir, ...ref.split('/'))

/**
 * The id in the file of a ref, by its path. A symbolic ref, an empty file and what is no file are as good as absent.
 * @throws Failure `unavailable` for a file that holds anything else
 */
export async function readLoose(path: string): Promise<string | undefined> {
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

/** The whole names of all refs that have a file below `folder` (`refs/tags/`), whatever it holds. */
export async function listLoose(gitDir: string, folder: string): Promise<string[]> {
  const entries = await looseEntries(gitDir, folder)
  const names = await Promise.all(
    entries.map(entry => (entry.isDirectory() ? listLoose(gitDir, `${folder}${entry.name}/`) : [folder + entry.name])),
  )
  return names.flat()
}

/** What lies in one folder of refs, git's locks apart; nothing where there is no such folder. */
export async function looseEntries(gitDir: string, folder: string): Promise<fs.Dirent[]> {
  try {
    const entries = await readdir(pathOf(gitDir, folder), { withFileTypes: true })
    return entries.filter(({ name }) => !name.endsWith('.lock'))
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return []
    throw error
  }
}
