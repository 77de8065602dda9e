/** Finds the JSON files and archives in dropped or chosen files, including folders; a worker reads them. */
import { isRead, type PlacedFile, type ProjectNames } from './placed-files.ts'
import { ImportTooLarge, MOST_FILES, ReadSoFar } from './read-limits.ts'
import type { ReadFile, ReadReply } from './read-worker.ts'

/** A file with its path. */
type Found = { path: string; file: File }

/**
 * All files of dropped folders and archives, each with its bundle. @throws ImportTooLarge, Error for a damaged
 * archive
 */
export async function readDropped(entries: Iterable<FileSystemEntry>, known: ProjectNames): Promise<PlacedFile[]> {
  const found: Found[] = []
  const soFar = new ReadSoFar()
  for (const entry of entries) await find(entry, '', found, soFar)
  return read(found, known)
}

/** The same for a file dialog. */
export async function readChosen(chosen: Iterable<File>, known: ProjectNames): Promise<PlacedFile[]> {
  const files = [...chosen].map(file => ({ path: file.webkitRelativePath || file.name, file }))
  return read(
    files.filter(({ path }) => isWanted(path)),
    known,
  )
}

const isArchive = (path: string) => /\.zip$/i.test(path)
const isWanted = (path: string) => isArchive(path) || isRead(path)

async function find(entry: FileSystemEntry, above: string, found: Found[], soFar: ReadSoFar): Promise<void> {
  soFar.entry()
  if (entry.isFile) {
    const path = `${above}${entry.name}`
    if (!isWanted(path)) return
    if (found.length >= MOST_FILES) throw new ImportTooLarge('files')
    found.push({ path, file: await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail)) })
  } else if (!entry.name.startsWith('.')) {
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    const some = () => new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail))
    // A browser gives a hundred or so at a time.
    for (let part = await some(); part.length > 0; part = await some())
      for (const below of part) await find(below, `${above}${entry.name}/`, found, soFar)
  }
}

async function read(found: readonly Found[], known: ProjectNames): Promise<PlacedFile[]> {
  const soFar = new ReadSoFar()
  const files: ReadFile[] = []
  for (const { path, file } of found) {
    if (isArchive(path)) soFar.archive(file.size)
    else soFar.file(path, file.size)
    files.push({ path, bytes: new Uint8Array(await file.arrayBuffer()) })
  }
  if (files.length === 0) return []
  const worker = new Worker(new URL('./read-worker.ts', import.meta.url), { type: 'module' })
  const { promise, resolve, reject } = Promise.withResolvers<PlacedFile[]>()
  const placed: PlacedFile[] = []
  worker.onmessage = ({ data }: MessageEvent<ReadReply>) => {
    if (data.is === 'placed') placed.push(data.file)
    else if (data.is === 'done') resolve(placed)
    else reject(data.bound === null ? new Error(data.why) : new ImportTooLarge(data.bound, data.path))
  }
  worker.onerror = () => reject(new Error('The worker that reads files did not start.'))
  worker.postMessage(
    { files, known },
    files.map(({ bytes }) => bytes.buffer),
  )
  return promise.finally(() => worker.terminate())
}
