/** The system's git: every argument and environment that it is run with. Never through a shell, never with anyone's configuration. */
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
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
    this.#home = join(gitDir, 'parlance', 'home')
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
    if (!this.#homeMade) await this.#makeHome()
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

  /** `safe.directory` counts only from a configuration file before git 2.38; a data folder may well belong to another user. */
  async #makeHome(): Promise<void> {
    await mkdir(this.#home, { recursive: true })
    await writeFile(join(this.#home, '.gitconfig'), '[safe]\n\tdirectory = *\n')
    this.#homeMade = true
  }
}

/** What a repository's own configuration must not switch on under the server. */
const QUIET = [
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
      env: { PATH: pathVariable(), HOME: where.home, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
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

function pathVariable(): string {
  return process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'
}
