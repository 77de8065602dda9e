/** The system's git: every argument and environment that it is run with. Never through a shell, never with anyone's configuration. */
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../bundle/errors.ts'

/** The oldest git whose options are used here. */
export const OLDEST_GIT = [2, 30] as const
const OUTPUT_LIMIT = 1024 * 1024

let found: Promise<string | undefined> | undefined

/** The version of the system's git (`2.39.5`), undefined when there is none or one older than {@link OLDEST_GIT}. Asked once. */
export function gitVersion(): Promise<string | undefined> {
  found ??= askVersion()
  return found
}

async function askVersion(): Promise<string | undefined> {
  try {
    const { output } = await run(['--version'], { cwd: '/', home: devNull })
    const version = /(\d+)\.(\d+)(?:\.\d+)*/.exec(output)
    return version && recentEnough(Number(version[1]), Number(version[2])) ? version[0] : undefined
  } catch {
    return undefined
  }
}

/** Whether a version of git is {@link OLDEST_GIT} or newer. */
export function recentEnough(major: number, minor: number): boolean {
  return major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1])
}

/** What became of a change of the index: `locked` when someone's own git holds it just now. */
export type IndexResult = 'done' | 'locked'

/** The index of one repository with a work tree. */
export class GitIndex {
  readonly #gitDir: string
  readonly #workTree: string
  readonly #home: string
  #homeMade = false

  constructor(gitDir: string, workTree: string) {
    this.#gitDir = gitDir
    this.#workTree = workTree
    this.#home = homeOf(gitDir)
  }

  /**
   * Makes the index equal to HEAD, whatever it was; the work tree is not touched.
   * @throws Failure `unsupported` when git refuses for another reason than a lock
   */
  async reset(): Promise<IndexResult> {
    return (await this.#index(['read-tree', '--reset', 'HEAD'])) === 'done' ? this.refresh() : 'locked'
  }

  /**
   * Sets single entries.
   * @param entries path and blob id, null to remove
   */
  async update(entries: Iterable<[path: string, id: string | null]>): Promise<IndexResult> {
    let input = ''
    for (const [path, id] of entries) {
      input += id === null ? `0 ${'0'.repeat(40)}\t${path}\0` : `100644 ${id}\t${path}\0`
    }
    return (await this.#index(['update-index', '-z', '--index-info'], input)) === 'done' ? this.refresh() : 'locked'
  }

  /** Notes the files' times in the index, so that git need not read them to know that they are unchanged. */
  async refresh(): Promise<IndexResult> {
    return this.#index(['update-index', '-q', '--refresh'])
  }

  async #index(command: string[], input = ''): Promise<IndexResult> {
    if (!this.#homeMade) await makeHome(this.#gitDir)
    this.#homeMade = true
    const { code, errors } = await run(
      [...QUIET, `--git-dir=${this.#gitDir}`, `--work-tree=${this.#workTree}`, ...command],
      { cwd: this.#workTree, home: this.#home },
      input,
    )
    // update-index --refresh ends with 1 when a file differs from its entry, which is nobody's fault here.
    if (code === 0 || (code === 1 && command.includes('--refresh'))) return 'done'
    if (errors.includes('index.lock')) return 'locked'
    throw new Failure('unsupported', `git ${command[0]} failed: ${errors.trim().slice(0, 300)}`)
  }
}

const homeOf = (gitDir: string) => join(gitDir, 'parlance', 'home')

/**
 * Makes the home folder that git runs with in a repository, and returns it. `safe.directory` counts only from a
 * configuration file before git 2.38; a data folder may well belong to another user.
 */
export async function makeHome(gitDir: string): Promise<string> {
  const home = homeOf(gitDir)
  const path = join(home, '.gitconfig')
  const config = '[safe]\n\tdirectory = *\n'
  // Another git may be reading it, so that it is not emptied and written again without need.
  const present = await readFile(path, 'utf8').catch(() => '')
  if (present !== config) {
    await mkdir(home, { recursive: true })
    await writeFile(path, config)
  }
  return home
}

/** Options that come before the command: what a repository's own configuration must not switch on under the server. */
export const QUIET = [
  ...['-c', `core.hooksPath=${devNull}`],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.autocrlf=false'],
  ...['-c', 'core.quotePath=false'],
  ...['-c', `core.attributesFile=${devNull}`],
]

/** Runs git with a clean environment. @throws Error when there is no git; a failure of git itself is in `code`. */
function run(
  argv: string[],
  where: { cwd: string; home: string },
  input = '',
): Promise<{ code: number; output: string; errors: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', argv, {
      cwd: where.cwd,
      env: gitEnvironment(where.home),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let output = ''
    let errors = ''
    const take = (text: string, more: string) => (text.length < OUTPUT_LIMIT ? text + more : text)
    child.stdout.setEncoding('utf8').on('data', data => (output = take(output, data)))
    child.stderr.setEncoding('utf8').on('data', data => (errors = take(errors, data)))
    child.on('error', reject)
    child.on('close', code => resolve({ code: code ?? -1, output, errors }))
    // git may end before it has read everything; its exit code says so.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/** The whole environment that git runs in: of this process's own nothing but where programs are. */
export function gitEnvironment(home: string): Record<string, string> {
  const path = process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'
  return { PATH: path, HOME: home, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
}
