/** Changes refs beside the branch under git's locks: durable when it resolves, undone when the disk refuses. */
import { rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { doubtfulFailure, removeFile, replaceFile, syncFolder } from '../disk.ts'
import { publishObject } from '../objects/publish-pack.ts'
import { pathOf, readPackedRefs, readRef } from './read-refs.ts'
import { locked } from './ref-lock.ts'

const PEELED = '^'.charCodeAt(0)

/** A complete change of refs: repeated on any node, it has the same result. */
export interface RefsChange {
  tag: Buffer
  /** The ref that names the tag afterwards. */
  set: string
  /** A ref that is removed afterwards. */
  remove?: string | undefined
}

/** Writes a change of refs durably. @returns the id of its tag */
export type ChangeRefs = (change: RefsChange) => Promise<string>

/**
 * Changes refs to a tag of an object that git has. Repeating it is harmless.
 * @returns the tag's id
 * @throws as {@link writeRef}
 */
export function changeRefs(gitDir: string, { tag, set, remove }: RefsChange): Promise<string> {
  return publishObject(gitDir, 'tag', tag, async id => {
    await writeRef(gitDir, set, id)
    if (remove !== undefined) await deleteRef(gitDir, remove)
  })
}

/**
 * Sets a ref to an id and ignores its old value; durable when it resolves.
 * @throws Failure `unavailable` when a person's git is at the same ref
 */
export async function writeRef(gitDir: string, ref: string, id: string): Promise<void> {
  const path = pathOf(gitDir, ref)
  await locked(path, async () => {
    // Git leaves empty folders where refs were.
    await rmdir(path).catch(() => {})
    await orAsBefore(gitDir, ref, async () => {
      await place(gitDir, path, id)
      await syncFolder(dirname(path))
    })
  })
}

/** Removes a ref, loose or packed, if it is there; durable when it resolves. @throws as {@link writeRef} */
export async function deleteRef(gitDir: string, ref: string): Promise<void> {
  const path = pathOf(gitDir, ref)
  await locked(path, async () => {
    await orAsBefore(gitDir, ref, async () => {
      // In git's order: a crash in between leaves the ref as it was.
      await removePacked(gitDir, ref)
      await removeFile(path)
      await syncFolder(dirname(path))
    })
  })
}

const place = (gitDir: string, path: string, id: string) =>
  replaceFile(path, `${id}\n`, join(gitDir, 'parlance', 'tag.tmp'))

/** Changes a ref, or restores it when the disk refuses: a failed write must not appear later. */
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

/** Removes a ref from packed-refs, durably. @throws Failure `unavailable` while a person's git changes that file */
async function removePacked(gitDir: string, ref: string): Promise<void> {
  const packed = join(gitDir, 'packed-refs')
  await locked(packed, async () => {
    const bytes = await readPackedRefs(gitDir)
    const at = bytes.indexOf(` ${ref}\n`)
    if (at < 0) return
    const start = bytes.lastIndexOf('\n', at) + 1
    let end = bytes.indexOf('\n', at) + 1
    while (bytes[end] === PEELED) end = bytes.indexOf('\n', end) + 1 || bytes.length
    const rest = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
    await replaceFile(packed, rest, join(gitDir, 'parlance', 'packed-refs.tmp'))
    await syncFolder(gitDir)
  })
}
