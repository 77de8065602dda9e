/** Reads what was dropped or chosen: files, folders, zip archives. */
import type { DropItem } from 'react-aria-components'
import type { Dropped } from './placed-files.ts'

/** Most bytes that are read in all: what one push may hold (the server's default). */
const MOST = 64 * 1024 * 1024

/** More than one push may hold. */
export class TooMuch extends Error {}

/** All files within; archives are opened. @throws TooMuch */
export async function readDropped(items: Iterable<DropItem>): Promise<Dropped[]> {
  const files: Dropped[] = []
  for (const item of items) await readItem(item, '', files)
  return files
}

/** The same for a file dialog. @throws TooMuch */
export async function readChosen(chosen: Iterable<File>): Promise<Dropped[]> {
  const files: Dropped[] = []
  for (const file of chosen) await take(file, file.webkitRelativePath || file.name, files)
  return files
}

async function readItem(item: DropItem, above: string, files: Dropped[]): Promise<void> {
  if (item.kind === 'file') return take(await item.getFile(), `${above}${item.name}`, files)
  if (item.kind !== 'directory') return
  for await (const entry of item.getEntries()) await readItem(entry, `${above}${item.name}/`, files)
}

async function take(file: File, path: string, files: Dropped[]): Promise<void> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (!/\.zip$/i.test(path)) return keep({ path, bytes }, files)
  const { unzip } = await import('fflate')
  const entries = await new Promise<Record<string, Uint8Array>>((done, failed) => {
    let size = 0
    unzip(
      bytes,
      {
        filter: ({ name, originalSize }) => {
          if (!/\.json$/i.test(name)) return false
          size += originalSize
          return size <= MOST
        },
      },
      (error, entries) => (error ? failed(error) : size > MOST ? failed(new TooMuch()) : done(entries)),
    )
  })
  for (const [name, content] of Object.entries(entries)) keep({ path: name, bytes: content }, files)
}

function keep(file: Dropped, files: Dropped[]): void {
  files.push(file)
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) > MOST) throw new TooMuch()
}
