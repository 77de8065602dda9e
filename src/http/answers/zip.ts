/** A zip archive written as it is read: one file in memory at a time. Equal files give equal bytes. */
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { ownBytes } from '../../scheduling/byte-cache.ts'

/** A file of the archive, read when its turn comes. */
interface Zipped {
  path: string
  read: () => Promise<Buffer>
}

/** Each goes through a thread of zlib's: others have their turn between two. */
const CHUNK = 64 * 1024
/** The same for all, since times of writing would differ for equal contents: the first moment that the format knows. */
const OPTIONS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, mode: 0o100644 }

/** The archive of these files, in order. It fails as reading one does, and ends unread where it is destroyed. */
export function zip(files: Iterable<Zipped>): Readable {
  const archive = new ZipFile()
  // The types promise less than the PassThrough it is.
  const output = archive.outputStream as Readable
  const fail = (error: unknown) => void output.destroy(error as Error)
  archive.on('error', fail)
  const rest = files[Symbol.iterator]()
  const addNext = () => {
    const next = rest.next()
    if (next.done) return archive.end()
    const { path, read } = next.value
    archive.addReadStreamLazy(path, OPTIONS, done => {
      read().then(bytes => {
        if (output.destroyed) return
        done(null, Readable.from(chunksOf(bytes), { objectMode: false }))
        addNext()
      }, fail)
    })
    // Names stay until the directory at the end, and would hold the slabs that they were cut from.
    const entry = (archive as unknown as { entries: { utf8FileName: Buffer }[] }).entries.at(-1)!
    entry.utf8FileName = ownBytes(entry.utf8FileName)
  }
  addNext()
  return output
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
}
