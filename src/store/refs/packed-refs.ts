/** git's file of many refs, `packed-refs`: a line each, and what an annotated tag leads to in a line of its own below it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, replaceFile, syncFolder } from '../disk.ts'
import { locked } from './ref-lock.ts'

const PEELED = '^'.charCodeAt(0)

/** The file as it lies; empty where there is none. */
export async function readPackedRefs(gitDir: string): Promise<Buffer> {
  try {
    return await readFile(join(gitDir, 'packed-refs'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** The id that it has of a ref. */
export function findPacked(packed: Buffer, ref: string): string | undefined {
  // Searched as it lies: that is faster than parsing it.
  const at = packed.indexOf(` ${ref}\n`)
  const id = at < 0 ? '' : packed.toString('latin1', Math.max(0, at - 40), at)
  return /^[0-9a-f]{40}$/.test(id) ? id : undefined
}

/** All that it has of the refs whose names begin with `folder`. */
export function* packedBelow(packed: Buffer, folder: string): Generator<{ ref: string; id: string }> {
  for (const [, id, ref] of packed.toString('utf8').matchAll(/^([0-9a-f]{40}) (refs\/.+)$/gm)) {
    if (ref!.startsWith(folder)) yield { ref: ref!, id: id! }
  }
}

/** Takes a ref out of it, on the disk when it resolves. @throws Failure `unavailable` when a person's git is at the same file */
export async function removePacked(gitDir: string, ref: string): Promise<void> {
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
