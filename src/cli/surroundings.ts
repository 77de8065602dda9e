/** What the process and the command line give to every command. */
import type { request } from './api/request.ts'

export type Environment = Record<string, string | undefined>

/** The variables that the developers' command reads. Those of the server are its settings. */
export const CLIENT_VARIABLES = ['PARLANCE_URL', 'PARLANCE_TOKEN', 'PARLANCE_PROJECT']

/** What the process has; made by process.ts, which alone touches it. */
export interface Surroundings {
  /** The command line after the program's own name. */
  words: string[]
  env: Environment
  /** The working folder. */
  cwd: string
  /** Of this program, as in package.json. */
  version: () => string
  /** Write to standard output and standard error; resolve when the text has left, or nobody reads it. */
  out(text: string): Promise<void>
  err(text: string): Promise<void>
  input: () => AsyncIterable<Buffer>
  streams: { readonly in: NodeJS.ReadStream; readonly out: NodeJS.WriteStream; readonly err: NodeJS.WriteStream }
  /** Sends requests, in place of Node: for who listens in. */
  send?: typeof request
  /** Aborted by the first signal that asks the process to end. */
  stop: AbortSignal
}

/** The options that every command of a developer has. */
export interface Globals {
  json?: boolean
  url?: string
  project?: string
  cwd?: string
  printConfig?: boolean
}
