/** Writing single git objects as loose files (gitformat-loose, "Object storage format"), so that they survive power loss. */
import { join } from 'node:path'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { makeFolder, replaceFile, syncFolder } from '../disk.ts'
import { hashObject, type ObjectType } from './objects.ts'

const deflate = promisify<Buffer, Buffer>(zlib.deflate)

/** Writes an object of a few kilobytes into a repository's own objects; on the disk when it resolves to its id. One at a time. */
export async function writeLoose(gitDir: string, type: ObjectType, bytes: Buffer): Promise<string> {
  const id = hashObject(type, bytes)
  const folder = join(gitDir, 'objects', id.slice(0, 2))
  await makeFolder(folder)
  const stream = await deflate(Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]))
  await replaceFile(join(folder, id.slice(2)), stream, join(gitDir, 'parlance', 'object.tmp'))
  await syncFolder(folder)
  return id
}
