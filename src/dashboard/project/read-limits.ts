/** The limits of one import. More would freeze the tab, and the server refuses more in one push. */

/** Bytes of all JSON files together: the server's default limit of one push. */
export const MOST_BYTES: number = 64 * 1024 * 1024
/** Bytes of one file: the server's default limit of one namespace. */
export const MOST_FILE_BYTES: number = 8 * 1024 * 1024
/** JSON files; each is a row of the plan. */
export const MOST_FILES = 2000
/** Files and folders that are looked through for JSON: a home folder may have been dropped. */
export const MOST_ENTRIES = 50_000

/** The exceeded limit; the dashboard has a sentence for each. */
export type ImportLimit = 'bytes' | 'file' | 'files' | 'entries'

/** A bound was passed. */
export class ImportTooLarge extends Error {
  readonly bound: ImportLimit
  /** The file that is too large; '' for other bounds. */
  readonly path: string

  constructor(bound: ImportLimit, path = '') {
    super(`An import passes the bound of ${bound}.`)
    this.bound = bound
    this.path = path
  }
}

/** Counts what an import has read so far. */
export class ReadSoFar {
  #bytes = 0
  #files = 0
  #entries = 0

  /** Counts a visited file or folder. @throws ImportTooLarge */
  entry(): void {
    if (++this.#entries > MOST_ENTRIES) throw new ImportTooLarge('entries')
  }

  /** A JSON file that is about to be read. @throws ImportTooLarge */
  file(path: string, bytes: number): void {
    if (bytes > MOST_FILE_BYTES) throw new ImportTooLarge('file', path)
    if (++this.#files > MOST_FILES) throw new ImportTooLarge('files')
    this.archive(bytes)
  }

  /** An archive that is about to be read. @throws ImportTooLarge */
  archive(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > MOST_BYTES) throw new ImportTooLarge('bytes')
  }
}
