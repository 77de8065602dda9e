/** The limit for a bundle's file, however it is written. */
import { Failure } from './errors.ts'

/** Bytes of a bundle's file. */
export const MAX_FILE: number = 8 * 1024 * 1024

/** Maximum bytes of a file after a change. A file that was larger before may stay so, but not grow. */
export function mostBytes(...versions: (Uint8Array | null | undefined)[]): number {
  return Math.max(MAX_FILE, ...versions.map(bytes => bytes?.length ?? 0))
}

export const fileTooLarge = (): Failure =>
  new Failure(
    'too-large',
    `The file of the bundle would have more than ${MAX_FILE.toLocaleString('en')} bytes, the maximum for one. ` +
      'Each segment of a nested key is a line of it: split the namespace, or shorten the keys.',
  )
