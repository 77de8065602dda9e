/** Runs a command of the operator, from the settings to the exit code. */
import { Failure } from '../bundle/errors.ts'
import { type Environment, readConfig } from '../config.ts'
import { refuseNewer } from '../store/data-folder.ts'
import { CommandReport, type CommandRun, type CommandTerminal } from './report.ts'

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
