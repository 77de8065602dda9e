/**
 * Runs a command of the operator, from the settings to the exit code. The result goes to standard output, as text or
 * JSON; all else to standard error.
 */
import { Failure } from '../bundle/errors.ts'
import type { Surroundings } from '../cli/surroundings.ts'
import { oneLine, printable } from '../cli/terminal/printable.ts'
import { type Config, type Environment, readConfig } from '../config.ts'
import type { Log } from '../scheduling/background.ts'
import { refuseNewer } from '../store/data-folder.ts'

/** What a command has of its process. */
export type CommandTerminal = Pick<Surroundings, 'env' | 'out' | 'err' | 'input' | 'streams' | 'stop'>

/** A command's outcome: for people and, with `--json`, for programs. */
export interface OperatorResult {
  text: string
  json: unknown
  /** 1 when the work is done and a fault was found; 0 by default. */
  code?: 0 | 1
}

const PROGRESS_MS = 2000

export class CommandReport {
  readonly json: boolean
  readonly #terminal: CommandTerminal
  #progressAt = 0

  constructor(terminal: CommandTerminal, json: boolean) {
    this.#terminal = terminal
    this.json = json
  }

  /** Prints the result. @returns its exit code */
  async done({ text, json, code = 0 }: OperatorResult): Promise<0 | 1 | 2> {
    await this.#terminal.out(this.json ? `${JSON.stringify(json, null, 2)}\n` : `${printable(text).trimEnd()}\n`)
    return code
  }

  /** Prints in one line why a command failed. @returns the exit code: 2 for wrong usage, else 1 */
  async fail(error: unknown, prefix = 'parlance: '): Promise<0 | 1 | 2> {
    const sentence = sentenceOf(error)
    if (this.json) await this.#terminal.out(`${JSON.stringify({ error: sentence })}\n`)
    else await this.#terminal.err(`${prefix}${sentence}\n`)
    return error instanceof Failure && error.code === 'invalid' ? 2 : 1
  }

  /** Prints progress for the waiting operator; drops a line too soon after the last one. */
  progress(text: string): void {
    const now = performance.now()
    if (this.#progressAt > 0 && now - this.#progressAt < PROGRESS_MS) return
    this.#progressAt = now
    void this.#terminal.err(`${text}\n`)
  }

  /** Where the store and the accounts say what is worth a person's look. */
  get log(): Log {
    const print = (data: object, message: string) => {
      const { err, ...rest } = data as { err?: unknown }
      const reason = err instanceof Error ? `: ${oneLine(err.message)}` : ''
      const details = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ''
      void this.#terminal.err(`${message}${reason}${details}\n`)
    }
    return { info: () => {}, warn: print, error: print }
  }
}

/** One line for the operator, for any thrown value: never a stack. */
function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return oneLine(error.message)
  if (!(error instanceof Error)) return oneLine(String(error))
  const { code, message, address, port, path } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is in use: stop what listens there, or set PORT.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'HOST is no address of this machine.'
  if (code === 'EACCES' && port !== undefined) return `Port ${port} may not be used without more rights: set PORT.`
  if (code?.startsWith('SQLITE_BUSY')) return 'parlance.sqlite is busy with another process; try again in a moment.'
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') {
    return 'parlance.sqlite is damaged; `parlance server verify` says what to do.'
  }
  if (code && path) return `${path} cannot be used (${code}): check DATA_DIR and its rights.`
  return oneLine(message)
}

/** One call of a command. `O` are its options by their long names, in camel case. */
export interface CommandCall<O = Record<string, never>> {
  /** The settings as the server would have them, with `--data-dir`. */
  config: Config
  options: O
  operands: string[]
  report: CommandReport
  terminal: CommandTerminal
}

/** A command. Its error is printed in one line; a Failure `invalid` means wrong usage. */
export type CommandRun<O> = (call: CommandCall<O>) => Promise<OperatorResult | undefined>

/** Commands that look at the data version themselves: they say more, and restore writes to an empty folder. */
const CHECK_THEMSELVES = new Set(['server restore', 'server verify', 'server serve', 'serve'])

/** The part of its context that a command of the operator uses. */
type Call = CommandTerminal & { globals: { json?: boolean; dataDir?: string } }

/**
 * A command of the operator as the table of all commands has it.
 * @returns the exit code: 0 all is well; 1 it failed, or verify found something; 2 wrong usage or setting
 */
export function operatorRun(name: string, load: () => Promise<CommandRun<never>>) {
  return async (call: Call, options: object, operands: string[]): Promise<0 | 1 | 2> => {
    const { json = false, dataDir } = call.globals
    const report = new CommandReport(call, json)
    try {
      const config = readConfig(environment(call.env, dataDir))
      if (!CHECK_THEMSELVES.has(name)) refuseNewer(config.dataDir)
      const run = await load()
      const outcome = await run({ config, options: options as never, operands, report, terminal: call })
      return outcome ? await report.done(outcome) : 0
    } catch (error) {
      return report.fail(error, name.endsWith('serve') ? 'Parlance did not start: ' : `parlance ${name}: `)
    }
  }
}

function environment(env: Environment, dataDir: string | undefined): Environment {
  if (dataDir === undefined) return env
  if (dataDir.trim() === '') throw new Failure('invalid', '--data-dir must be the path of a folder, not nothing.')
  return { ...env, DATA_DIR: dataDir }
}
