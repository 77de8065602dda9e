/** Runs a command line. */
import { Failure } from '../bundle/errors.ts'
import type { Program } from './command-table.ts'
import { makeContext } from './context.ts'
import { Problem } from './problem.ts'
import { parse, type Start } from './program.ts'
import type { Surroundings } from './surroundings.ts'
import { printable, withoutSecrets } from './terminal/printable.ts'

/**
 * Runs a command line.
 * @returns 0 done; 1 failed, or out of date; 2 wrong usage, setting or credential
 */
export async function runProgram(
  surroundings: Surroundings,
  program: Omit<Program, 'version' | 'out'>,
): Promise<number> {
  const { words, version, out } = surroundings
  let code = 0
  const written: Promise<void>[] = []
  const start: Start = async (row, globals, options, operands) => {
    const context = makeContext(surroundings, globals)
    const load = globals.printConfig ? async () => (await import('./config/print.ts')).run : row.load
    const run = await load()
    code = (await run(context, options as never, operands)) ?? 0
  }
  const whole: Program = { ...program, version, out: text => void written.push(out(text)) }
  try {
    if (words[0] === 'complete' && words[1] === '--') {
      const { complete } = await import('./completion.ts')
      complete(whole, words.slice(2))
    } else await parse(words, whole, start)
    await Promise.all(written)
  } catch (error) {
    return report(surroundings, error)
  }
  return code
}

/** Prints a problem in one line. @returns the exit code */
async function report(surroundings: Surroundings, error: unknown): Promise<number> {
  const { words, stop } = surroundings
  const problem = problemOf(error, stop)
  if (words.includes('--json'))
    await surroundings.out(`${withoutSecrets(printable(JSON.stringify(problem.document)))}\n`)
  else await makeContext(surroundings, {}).err(`parlance: ${withoutSecrets(problem.sentence)}\n`)
  return problem.exit
}

function problemOf(error: unknown, stop: AbortSignal): Problem {
  if (error instanceof Problem) return error
  if (stop.aborted) return new Problem('Interrupted.')
  if (error instanceof Failure) return new Problem(error.message, { exit: error.code === 'invalid' ? 2 : 1 })
  const { code, path, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return new Problem(`The disk is full${path ? `: ${path}` : ''}.`)
  if (code && path) return new Problem(`${path} cannot be used (${code}).`)
  return new Problem(message ?? String(error))
}
