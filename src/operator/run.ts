/** Runs the command line, from the settings to the exit code. */
import { Failure } from '../bundle/errors.ts'
import { type Environment, readConfig } from '../config.ts'
import { refuseNewer } from '../store/data-folder.ts'
import type { Start } from './program.ts'
import { Report } from './report.ts'
import type { Terminal } from './terminal.ts'

/** Commands that look at the data version themselves: they say more, and restore takes an empty folder. */
const CHECK_THEMSELVES = new Set(['restore', 'verify', 'serve'])

/**
 * Runs a command to its end.
 * @returns the exit code: 0 all is well; 1 it failed, or verify found something; 2 wrong usage or setting
 */
export async function runProgram(terminal: Terminal): Promise<number> {
  const report = new Report(terminal, terminal.words.includes('--json'))
  let code = 0
  const start: Start = async ({ name, load }, options, operands) => {
    try {
      const config = readConfig(environment(terminal.env, options.dataDir))
      if (!CHECK_THEMSELVES.has(name)) refuseNewer(config.dataDir)
      const run = await load()
      const outcome = await run({ config, options: options as never, operands, report, terminal })
      if (outcome) code = await report.done(outcome)
    } catch (error) {
      code = await report.failed(error, name === 'serve' ? 'Parlance did not start: ' : `parlance ${name}: `)
    }
  }
  try {
    const words = terminal.words.join(' ')
    // Parsing takes a library, which the server's start need not wait for.
    if (words === '' || words === 'serve')
      await start({ name: 'serve', load: async () => (await import('./serve.ts')).run }, {}, [])
    else await (await import('./program.ts')).parse(terminal, start)
  } catch (error) {
    return report.failed(error)
  }
  return code
}

function environment(env: Environment, dataDir: string | undefined): Environment {
  if (dataDir === undefined) return env
  if (dataDir.trim() === '') throw new Failure('invalid', '--data-dir must be the path of a folder, not nothing.')
  return { ...env, DATA_DIR: dataDir }
}
