/** Opens archives and parses JSON in a worker. Each file is a message and has a turn of its own. */
import { unzipSync } from 'fflate'
import { ImportTooLarge, isRead, type PlacedFile, type ProjectNames, placeFile, ReadSoFar } from './placed-files.ts'

/** The request to the worker: files, with `/` between folders. */
export interface ReadRequest {
  files: readonly { path: string; bytes: Uint8Array<ArrayBuffer> }[]
  known: ProjectNames
}

/** The worker's messages, one after another. */
export type ReadReply =
  | { is: 'placed'; file: PlacedFile }
  | { is: 'done' }
  | { is: 'wrong'; limit: ImportTooLarge['limit'] | null; path: string; why: string }

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
        soFar.addFile(path, bytes.length)
        place(path, bytes)
      }
    }
    reply({ is: 'done' })
  } catch (error) {
    const { limit, path } = error instanceof ImportTooLarge ? error : { limit: null, path: '' }
    reply({ is: 'wrong', limit, path, why: String(error) })
  }
})

/** The JSON files of an archive. @throws ImportTooLarge before anything too large is opened */
const opened = (bytes: Uint8Array, soFar: ReadSoFar): Record<string, Uint8Array> =>
  unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      soFar.add('entries')
      if (!isRead(name)) return false
      soFar.addFile(name, originalSize)
      return true
    },
  })
