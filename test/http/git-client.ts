/** The system git in its own process, without prompts and without the configuration of this machine. */
import { spawn, spawnSync } from 'node:child_process'

/** The reason to skip tests that need git, false when git is installed. */
export const noGit = spawnSync('git', ['--version']).status === 0 ? false : 'there is no git on this machine'

export interface Finished {
  code: number | null
  output: string
  /** the standard error of git, which a person sees */
  says: string
}

/** Runs git to its end without blocking this process, which may contain the server. */
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

/** The standard output of git. @throws Error with its message when it fails */
export async function must(argv: string[], options: Parameters<typeof git>[1] = {}): Promise<string> {
  const { code, output, says } = await git(argv, options)
  if (code !== 0) throw new Error(`git ${argv.join(' ')} exited with ${code}: ${says}${output}`)
  return output
}
