/** The stock git client as a person has it: its own process, no configuration of this machine, no prompts. */
import { spawn, spawnSync } from 'node:child_process'

/** Why the tests that need git are skipped, false when it is there. */
export const noGit = spawnSync('git', ['--version']).status === 0 ? false : 'there is no git on this machine'

export interface Finished {
  code: number | null
  output: string
  /** what a person sees, as git writes it to standard error */
  says: string
}

/** Runs git to its end. It never blocks this process, which the server may be in. */
export function git(argv: string[], options: { cwd?: string; env?: Record<string, string> } = {}): Promise<Finished> {
  const child = spawn('git', argv, {
    cwd: options.cwd,
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let says = ''
  child.stdout.setEncoding('utf8').on('data', data => (output += data))
  child.stderr.setEncoding('utf8').on('data', data => (says += data))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => resolve({ code, output, says }))
  })
}

/** What git prints. @throws Error with its own words when it fails */
export async function must(argv: string[], options: Parameters<typeof git>[1] = {}): Promise<string> {
  const { code, output, says } = await git(argv, options)
  if (code !== 0) throw new Error(`git ${argv.join(' ')} exited with ${code}: ${says}${output}`)
  return output
}
