/** Opens archives and parses JSON in a worker. Each file is a message and has a turn of its own. */
import { unzipSync } from 'fflate'
import { isRead, type PlacedFile, type ProjectNames, placeFile } from './placed-files.ts'
import { type ImportLimit, ImportTooLarge, ReadSoFar } from './read-limits.ts'

/** A dropped file, with `/` between folders. */
export interface ReadFile {
  path: string
  bytes: Uint8Array<ArrayBuffer>
}

/** The request to the worker. */
export interface ReadRequest {
  files: readonly ReadFile[]
  known: ProjectNames
}

/** The worker's messages, one after another. */
export type ReadReply =
  | { is: 'placed'; file: PlacedFile }
  | { is: 'done' }
  | { is: 'wrong'; bound: ImportLimit | null; path: string; why: string }

const reply = (message: ReadReply) => postMessage(message)

addEventListener('message', ({ data: { files, known } }: MessageEvent<ReadRequest>) => {
  let id = 0
  const place = (path: string, bytes: Uint8Array) =>
    reply({ is: 'placed', file: { id: `${id++}`, ...placeFile({ path, bytes }, known) } })
  try {
    const soFar = new ReadSoFar()
    for (const { path, bytes } of files) {
      if (/\.zip$/i.test(path)) {
        for (const [name, content] of Object.entries(opened(bytes, soFar))) place(name, content)
      } else {
        soFar.file(path, bytes.length)
        place(path, bytes)
      }
    }
    reply({ is: 'done' })
  } catch (error) {
    const { bound, path } = error instanceof ImportTooLarge ? error : { bound: null, path: '' }
    reply({ is: 'wrong', bound, path, why: error instanceof Error ? error.message : String(error) })
  }
})

/** The JSON files of an archive. @throws ImportTooLarge before anything too large is opened */
function opened(bytes: Uint8Array, soFar: ReadSoFar): Record<string, Uint8Array> {
  return unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      soFar.entry()
      if (!isRead(name)) return false
      soFar.file(name, originalSize)
      return true
    },
  })
}
