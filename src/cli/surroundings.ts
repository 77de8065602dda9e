/** The process and the command line, as each command gets them. */
import type { request } from './api/request.ts'

export type CliEnvironment = Record<string, string | undefined>

/** The variables of the CLI. Those of the server are its settings. */
export const CLIENT_VARIABLES = ['PARLANCE_URL', 'PARLANCE_TOKEN', 'PARLANCE_PROJECT']

/** The process. Only process.ts accesses the real one. */
export interface Surroundings {
  /** The command line after the program's own name. */
  words: string[]
  env: CliEnvironment
  /** The working folder. */
  cwd: string
  /** Runs code that reads the working folder of the process, with another one. */
  within<T>(folder: string, run: () => Promise<T>): Promise<T>
  /** The version of package.json. */
  version: () => string
  /** Write to standard output and standard error; resolve after the write, or without a reader. */
  out(text: string): Promise<void>
  err(text: string): Promise<void>
  input: () => AsyncIterable<Buffer>
  streams: { readonly in: NodeJS.ReadStream; readonly out: NodeJS.WriteStream; readonly err: NodeJS.WriteStream }
  /** Sends requests in place of Node, in tests. */
  send?: typeof request
  /** Aborted by the first signal to end. */
  stop: AbortSignal
}

/** The common options of all commands. */
export interface Globals {
  json?: boolean
  url?: string
  project?: string
  cwd?: string
  printConfig?: boolean
}
