/** The machines of `machines.json`, as the file lists them now. */
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

  /** @param isRequired whether a missing file is a fault, as where a setting names it */
  constructor(file: string, isRequired: boolean) {
    this.#file = file
    this.#isRequired = isRequired
  }

  /** @throws Failure `invalid` saying what is wrong with the file, without a value of it */
  async read(): Promise<readonly Machine[]> {
    const file = await this.#open()
    if (file === undefined) return []
    try {
      const { mode, size } = await file.stat()
      if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
        throw fault(`${this.#file} has keys, and others may read or write it: chmod 600 it`)
      }
      if (size > MOST_BYTES) throw fault(`${this.#file} has more than ${MOST_BYTES} bytes`)
      return parseMachines(await file.readFile('utf8'))
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
