/** Finds the JSON files and archives in dropped or chosen files, including folders; a worker reads them. */
import type { DropItem } from 'react-aria-components'
import { isRead, type PlacedFile, type ProjectNames } from './placed-files.ts'
import { ImportTooLarge, MOST_FILES, ReadSoFar } from './read-limits.ts'
import type { ReadFile, ReadReply } from './read-worker.ts'

/** A file with its path. */
type Found = { path: string; file: File }

/**
 * All files of dropped folders and archives, each with its bundle. @throws ImportTooLarge, Error for a damaged
 * archive
 */
export async function readDropped(items: Iterable<DropItem>, known: ProjectNames): Promise<PlacedFile[]> {
  const found: Found[] = []
  const soFar = new ReadSoFar()
  for (const item of items) await find(item, '', found, soFar)
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

async function find(item: DropItem, above: string, found: Found[], soFar: ReadSoFar): Promise<void> {
  soFar.entry()
  if (item.kind === 'file') {
    const path = `${above}${item.name}`
    if (!isWanted(path)) return
    if (found.length >= MOST_FILES) throw new ImportTooLarge('files')
    found.push({ path, file: await item.getFile() })
  } else if (item.kind === 'directory' && !item.name.startsWith('.')) {
    for await (const entry of item.getEntries()) await find(entry, `${above}${item.name}/`, found, soFar)
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
