/** What a check of a data folder says of one thing that is not as it should be. */

/**
 * - `error`: something acknowledged is damaged or lost, or the server will not start with it
 * - `warning`: it wants a person's decision
 * - `note`: nothing is wrong; the next start of the server does it
 */
export type Severity = (typeof SEVERITIES)[number]

/** The worst first. */
export const SEVERITIES = ['error', 'warning', 'note'] as const

/** One thing that is not as it should be. */
export interface Finding {
  severity: Severity
  /** Relative to the organization's folder, `''` for the folder itself. */
  path: string
  /** One sentence. */
  what: string
  /** What to do about it, in one sentence or a few. */
  todo: string
}

/** Gets what is found, as it is found. */
export type Found = (finding: Finding) => void

/** What to do about objects that are damaged or gone. */
export const RESTORE =
  "Stop the server, move this organization's folder aside and put it back from the backup: `parlance restore --data-dir <an empty folder>` brings all of them, and this one can be moved from there. Without a backup, any clone has what was written until its last fetch."

/** About files that are derived from others. */
export const REMADE = 'Stop the server and remove the file: it only speeds git up, and is made again when it is missed.'

/** The system's error in a sentence. */
export function unreadable(error: unknown): string {
  const { code, message } = Object(error) as NodeJS.ErrnoException
  return code === undefined ? String(message ?? error) : `It cannot be read (${code}).`
}

/** About files that this process may not read. */
export const READABLE = 'Give the user that the server runs as the right to read and write it.'

/** `1 write`, `2 writes`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`
}
