/** The `parlance` command of the server's package: those of developers and those of the operator. */
import type { Surroundings } from '../cli/surroundings.ts'
import { operatorRun } from './report.ts'

/**
 * Runs the whole command line.
 * @returns the exit code. A server's start need not wait for the parsing.
 */
export async function runWords(surroundings: Surroundings): Promise<number> {
  const words = surroundings.words.join(' ')
  if (words === 'serve' || words === 'server serve') {
    const serve = operatorRun(words, async () => (await import('./serve.ts')).run)
    return serve({ ...surroundings, globals: {} }, {}, [])
  }
  const [{ runProgram }, developers, { GLOBALS }, server] = await Promise.all([
    import('../cli/run.ts'),
    import('../cli/developers.ts'),
    import('../cli/program.ts'),
    import('./commands.ts'),
  ])
  return runProgram(surroundings, {
    description: developers.DESCRIPTION,
    rows: [...developers.DEVELOPERS.rows, ...server.SERVER_COMMANDS],
    groups: { ...developers.DEVELOPERS.groups, ...server.SERVER_GROUPS },
    common: row => (server.SERVER_COMMANDS.includes(row) ? server.SERVER_OPTIONS : GLOBALS),
  })
}
