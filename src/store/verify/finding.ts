/** Findings of a check, in words that say to the operator what to do. */
import type { Objects } from '../snapshot.ts'

/**
 * - `error`: something acknowledged is damaged or lost, or the server will not start with it
 * - `warning`: a person must decide
 * - `note`: nothing is wrong; the server's next start does it
 */
type Severity = (typeof SEVERITIES)[number]

/** The worst first. */
const SEVERITIES = ['error', 'warning', 'note'] as const

export interface Finding {
  severity: Severity
  /** Relative to the organization's folder, `''` for the folder itself. */
  path: string
  what: string
  /** What to do about it, in one sentence or a few. */
  todo: string
}

export type FindingListener = (finding: Finding) => void

export interface VerifyContext {
  workTree: string
  gitDir: string
  objects: Objects
  /** Whether a server has it open: files may be replaced meanwhile. */
  running: boolean
  signal: AbortSignal
  progress(step: string): void
  report: FindingReport
}

const MOST_FINDINGS = 200

/** Passes the first findings on and counts the rest: one damaged tree may cause ten thousand. */
export class FindingReport {
  readonly #found: FindingListener
  #reported = 0
  readonly #left: Severity[] = []

  constructor(found: FindingListener) {
    this.#found = found
  }

  error(path: string, what: string, todo: string): void {
    this.take({ severity: 'error', path, what, todo })
  }

  warning(path: string, what: string, todo: string): void {
    this.take({ severity: 'warning', path, what, todo })
  }

  note(path: string, what: string, todo: string): void {
    this.take({ severity: 'note', path, what, todo })
  }

  take(finding: Finding): void {
    if (this.#reported++ < MOST_FINDINGS) this.#found(finding)
    else this.#left.push(finding.severity)
  }

  close(): void {
    const severity = SEVERITIES.find(one => this.#left.includes(one))
    if (severity === undefined) return
    const what = `${this.#left.length} findings more are not shown.`
    this.#found({ severity, path: '', what, todo: 'Deal with the ones above, and run verify again.' })
  }
}

export const RESTORE =
  "Stop the server, move this organization's folder away and put it back from the backup: `parlance server restore --data-dir <an empty folder>` brings all of them, and this one can be moved from there. Without a backup, any clone has what was written until its last fetch."

/** About files that this process may not read. */
export const READABLE = 'Give the user that the server runs as the right to read and write it.'

export function unreadable(error: unknown): string {
  const { code, message } = Object(error) as NodeJS.ErrnoException
  return code === undefined ? String(message ?? error) : `It cannot be read (${code}).`
}

/** `1 write`, `2 writes`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`
}
