/** Finds the JSON files and archives in dropped or chosen files, including folders; a worker reads them. */
import { ImportTooLarge, isRead, type PlacedFile, type ProjectNames, ReadSoFar } from './placed-files.ts'
import type { ReadReply, ReadRequest } from './read-worker.ts'

type Found = { path: string; file: File }

/** All files of dropped folders and archives. @throws ImportTooLarge, Error for a damaged archive */
export async function readDropped(entries: Iterable<FileSystemEntry>, known: ProjectNames): Promise<PlacedFile[]> {
  const found: Found[] = []
  const soFar = new ReadSoFar()
  for (const entry of entries) await find(entry, '', found, soFar)
  return read(found, known)
}

export function readChosen(chosen: Iterable<File>, known: ProjectNames): Promise<PlacedFile[]> {
  const files = [...chosen].map(file => ({ path: file.webkitRelativePath || file.name, file }))
  const wanted = files.filter(({ path }) => isWanted(path))
  return read(wanted, known)
}

const isArchive = (path: string) => /\.zip$/i.test(path)
const isWanted = (path: string) => isArchive(path) || isRead(path)

async function find(entry: FileSystemEntry, above: string, found: Found[], soFar: ReadSoFar): Promise<void> {
  soFar.add('entries')
  const path = `${above}${entry.name}`
  if (entry.isFile) {
    if (!isWanted(path)) return
    soFar.add('files')
    found.push({ path, file: await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail)) })
  } else if (!entry.name.startsWith('.')) {
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    const some = () => new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail))
    // A browser gives a hundred or so at a time.
    for (let part = await some(); part.length > 0; part = await some())
      for (const below of part) await find(below, `${path}/`, found, soFar)
  }
}

async function read(found: readonly Found[], known: ProjectNames): Promise<PlacedFile[]> {
  const soFar = new ReadSoFar()
  const files: ReadRequest['files'][number][] = []
  for (const { path, file } of found) {
    if (isArchive(path)) soFar.add('bytes', file.size)
    else soFar.addFile(path, file.size)
    files.push({ path, bytes: new Uint8Array(await file.arrayBuffer()) })
  }
  if (files.length === 0) return []
  const worker = new Worker(new URL('./read-worker.ts', import.meta.url), { type: 'module' })
  const { promise, resolve, reject } = Promise.withResolvers<PlacedFile[]>()
  const placed: PlacedFile[] = []
  worker.onmessage = ({ data }: MessageEvent<ReadReply>) => {
    if (data.is === 'placed') placed.push(data.file)
    else if (data.is === 'done') resolve(placed)
    else reject(data.limit === null ? new Error(data.why) : new ImportTooLarge(data.limit, data.path))
  }
  worker.onerror = () => reject(new Error('The worker that reads files did not start.'))
  const buffers = files.map(({ bytes }) => bytes.buffer)
  worker.postMessage({ files, known } satisfies ReadRequest, buffers)
  return promise.finally(() => worker.terminate())
}
