/** The identity of a node over all its starts: the owner of its repositories. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifThere, replaceFile, syncFolder } from '../store/disk.ts'

/** The id in DATA_DIR/node, created at the first call. */
export async function memberOf(dataDir: string): Promise<string> {
  const path = join(dataDir, 'node')
  const known = (await ifThere(readFile(path, 'utf8')))?.trim()
  if (known) return known
  const id = randomBytes(9).toString('base64url')
  await replaceFile(path, Buffer.from(`${id}\n`), `${path}.tmp`)
  await syncFolder(dataDir)
  return id
}
