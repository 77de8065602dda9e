/** Files of git that end in the SHA-1 of all that stands before: whether they do. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codeOf } from '../disk.ts'
import { type Found, READABLE, REMADE, RESTORE, unreadable } from './finding.ts'

const CHECKSUM = 20
const SUMMED = /\.(pack|idx|rev|bitmap|mtimes|graph)$|^multi-pack-index$|^commit-graph$/

/**
 * Checks packs, indexes and what maintenance makes beside them. A pack holds what was written; everything else can be made from it.
 * @param options.running whether files may be replaced meanwhile
 */
export async function verifyChecksums(
  gitDir: string,
  { running, signal }: { running: boolean; signal: AbortSignal },
  found: Found,
): Promise<void> {
  for (const path of await summedFiles(gitDir)) {
    signal.throwIfAborted()
    const shown = `.git/${path}`
    try {
      if (await endsInItsSum(join(gitDir, path))) continue
      // What is renamed into place while it is read is whole when it is read again.
      if (running && (await endsInItsSum(join(gitDir, path)))) continue
    } catch (error) {
      if (running && codeOf(error) === 'ENOENT') continue
      found({ severity: 'error', path: shown, what: unreadable(error), todo: READABLE })
      continue
    }
    found({
      severity: 'error',
      path: shown,
      what: 'The file does not match its own checksum: it was damaged.',
      todo: remedy(path),
    })
  }
}

function remedy(path: string): string {
  if (path.endsWith('.pack')) return RESTORE
  if (!path.endsWith('.idx')) return REMADE
  const pack = basename(path).replace(/idx$/, 'pack')
  return `Stop the server, remove the file and run \`git index-pack ${pack}\` in that folder: it is made from the pack.`
}

async function summedFiles(gitDir: string): Promise<string[]> {
  const files: string[] = []
  for (const folder of ['objects/pack', 'objects/info', 'objects/info/commit-graphs']) {
    for (const name of await namesIn(join(gitDir, folder))) if (SUMMED.test(name)) files.push(`${folder}/${name}`)
  }
  return [...files.sort(), ...((await hasSummedIndex(gitDir)) ? ['index'] : [])]
}

/** A person's own git may be told to leave the sum of the index out (`index.skipHash`): it is zero then. */
async function hasSummedIndex(gitDir: string): Promise<boolean> {
  try {
    const bytes = await readFile(join(gitDir, 'index'))
    return bytes.subarray(-CHECKSUM).some(byte => byte !== 0)
  } catch {
    return false
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

async function endsInItsSum(path: string): Promise<boolean> {
  const hash = createHash('sha1')
  let tail: Buffer = Buffer.alloc(0)
  for await (const part of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const bytes = Buffer.concat([tail, part as Buffer])
    const end = Math.max(0, bytes.length - CHECKSUM)
    hash.update(bytes.subarray(0, end))
    tail = bytes.subarray(end)
  }
  return hash.digest().equals(tail)
}
