/** The machines of `machines.json`, read again when the file changes. */
import { type FileHandle, open } from 'node:fs/promises'
import { Failure } from '../bundle/errors.ts'
import type { Machine } from './machine.ts'
import { parseMachines } from './parse-machines.ts'

/** Bytes of the file. */
const MOST_BYTES = 256 * 1024
/** Bits of a mode that let others read or write. */
const OTHERS = 0o077

export class MachineList {
  readonly #file: string
  readonly #isRequired: boolean
  #known: { version: string; machines: readonly Machine[] } | undefined

  /** @param isRequired whether a missing file is a fault, as where a setting names it */
  constructor(file: string, isRequired: boolean) {
    this.#file = file
    this.#isRequired = isRequired
  }

  /**
   * The machines as the file lists them now.
   * @throws Failure `invalid` saying what is wrong with the file, without a value of it
   */
  async read(): Promise<readonly Machine[]> {
    const file = await this.#open()
    if (file === undefined) return []
    try {
      const { mode, size, mtimeMs, ctimeMs, ino } = await file.stat()
      const version = [mode, size, mtimeMs, ctimeMs, ino].join()
      if (this.#known?.version === version) return this.#known.machines
      if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
        throw fault(`${this.#file} has keys, and others may read or write it: chmod 600 it`)
      }
      if (size > MOST_BYTES) throw fault(`${this.#file} has more than ${MOST_BYTES} bytes`)
      const { bytesRead, buffer } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0)
      const machines = parseMachines(buffer.toString('utf8', 0, bytesRead))
      this.#known = { version, machines }
      return machines
    } finally {
      await file.close()
    }
  }

  async #open(): Promise<FileHandle | undefined> {
    try {
      return await open(this.#file, 'r')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' && !this.#isRequired) return undefined
      throw fault(`${this.#file} cannot be read (${code})`)
    }
  }
}

const fault = (sentence: string) => new Failure('invalid', `${sentence}.`)
