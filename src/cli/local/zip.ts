/** Zip archives in memory. Equal files give equal bytes. */
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** 1980-01-01, the first day of the format: real times would change the bytes of equal files. */
const OPTIONS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, mode: 0o100644 }

/** @param files with relative paths, with `/` */
export async function zipOf(files: readonly { path: string; bytes: Uint8Array }[]): Promise<Buffer> {
  const archive = new ZipFile()
  for (const { path, bytes } of files) archive.addBuffer(Buffer.from(bytes), path, OPTIONS)
  archive.end()
  return buffer(archive.outputStream)
}
