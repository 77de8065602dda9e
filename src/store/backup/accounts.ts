/** The accounts' own repository, `accounts.git` in DATA_DIR/backup: one commit per state of SQLite backed up. */
import { createReadStream } from 'node:fs'
import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Failure } from '../../bundle/errors.ts'
import { DATA_VERSION } from '../data-folder.ts'
import { createFolder } from '../disk.ts'
import { initBare, runIn } from '../git/git.ts'

/** The accounts' name at a remote; no organization's id, which have no hyphen. */
export const ACCOUNTS = 'parlance-accounts'
/** SQLite's copy in each commit. */
export const DATABASE_FILE = 'parlance.sqlite'
/** The {@link AccountsManifest} beside it. */
export const MANIFEST_FILE = 'manifest.json'

/** The accounts' repository in the folder DATA_DIR/backup. */
export const accountsDir = (folder: string) => join(folder, 'accounts.git')

/** Where the accounts come from; the store does not know their content. */
export interface AccountsSource {
  /** Differs whenever the accounts may have changed. */
  changes(): number
  /** Writes a copy to a new file; with the digest `known` the file is worthless. */
  snapshot(file: string, known?: string): Promise<{ digest: string; organizations: string[] }>
}

export interface AccountsManifest {
  format: 1
  /** Of the data folder, see {@link DATA_VERSION}; absent in backups from before there were versions. */
  dataVersion?: number
  /** ISO 8601. */
  createdAt: string
  digest: string
  organizations: string[]
  /** Organizations not yet pushed: the remote may lack them. */
  empty: string[]
}

/** Nothing else writes there. */
export class AccountsRepository {
  readonly gitDir: string
  readonly #folder: string
  #manifest: AccountsManifest | undefined

  private constructor(folder: string, gitDir: string) {
    this.#folder = folder
    this.gitDir = gitDir
  }

  /** Creates it, in its own folder, when missing. */
  static async open(folder: string): Promise<AccountsRepository> {
    await createFolder(folder)
    await chmod(folder, 0o700)
    const repository = new AccountsRepository(folder, accountsDir(folder))
    await mkdir(join(repository.gitDir, 'parlance'), { recursive: true })
    // Also over an existing one: a crash may have left half of it.
    const { code, errors } = await initBare(repository.gitDir)
    if (code !== 0) throw new Failure('unavailable', `git init failed: ${errors.slice(0, 300)}`)
    await repository.#clean()
    await repository.#readManifest()
    return repository
  }

  /**
   * Commits a snapshot if anything is new.
   * @param isEmpty whether nothing of an organization has been pushed
   * @returns whether there is a new commit
   */
  async update(source: AccountsSource, isEmpty: (organization: string) => boolean): Promise<boolean> {
    const file = join(this.#folder, 'snapshot.sqlite')
    await rm(file, { force: true })
    try {
      const last = this.#manifest
      const { digest, organizations } = await source.snapshot(file, last?.digest)
      const empty = organizations.filter(isEmpty)
      const same = digest === last?.digest
      if (same && empty.join() === last.empty.join()) return false
      const createdAt = new Date().toISOString()
      const manifest: AccountsManifest = {
        format: 1,
        dataVersion: DATA_VERSION,
        createdAt,
        digest,
        organizations,
        empty,
      }
      await this.#commit(same ? undefined : file, manifest)
      this.#manifest = manifest
      return true
    } finally {
      for (const name of [file, `${file}-journal`]) await rm(name, { force: true })
    }
  }

  /** Removes what a failed git-fast-import(1) left: no other program writes here. */
  async #clean(): Promise<void> {
    const packs = join(this.gitDir, 'objects', 'pack')
    for (const name of await readdir(packs)) if (name.endsWith('.keep')) await rm(join(packs, name))
    const reports = (await readdir(this.gitDir)).filter(name => name.startsWith('fast_import_crash_'))
    for (const name of reports) await rm(join(this.gitDir, name))
  }

  async #readManifest(): Promise<void> {
    const { code, output } = await this.#run(['cat-file', 'blob', `main:${MANIFEST_FILE}`])
    try {
      if (code === 0) this.#manifest = JSON.parse(output)
    } catch {
      // Too long, or not ours: the next snapshot counts as new.
    }
  }

  /** @param database a copy of SQLite; without it the commit has the one before */
  async #commit(database: string | undefined, manifest: AccountsManifest): Promise<void> {
    for (let tries = 1; ; tries++) {
      const input = Readable.from(await this.#stream(database, manifest))
      const { code, errors } = await this.#run(['fast-import', '--quiet', '--date-format=raw'], input)
      if (code === 0) break
      await this.#clean()
      // A person's `git prune` also removes the pack being written.
      if (tries === TRIES) throw new Failure('unavailable', `git fast-import failed: ${errors.slice(0, 300)}`)
    }
    const { code, errors } = await this.#run(['gc', '--auto', '--quiet'])
    if (code !== 0) throw new Failure('unavailable', `git gc failed: ${errors.slice(0, 300)}`)
  }

  /** Input of git-fast-import(1). Its `.keep` protects the pack from pruning until the branch leads to it. */
  async #stream(database: string | undefined, manifest: AccountsManifest): Promise<AsyncIterable<Buffer>> {
    const parent = await this.#run(['rev-parse', '--verify', '--quiet', 'refs/heads/main'])
    const note = `${JSON.stringify(manifest, null, 2)}\n`
    const lines = [
      'commit refs/heads/main',
      `committer Parlance <server@parlance.invalid> ${Math.floor(Date.now() / 1000)} +0000`,
      'data 9\naccounts\n',
      ...(parent.code === 0 ? [`from ${parent.output.trim()}`] : []),
      `M 100644 inline ${MANIFEST_FILE}\ndata ${Buffer.byteLength(note)}\n${note}`,
    ]
    return (async function* () {
      yield Buffer.from(`${lines.join('\n')}\n`)
      if (database === undefined) return
      const { size } = await stat(database)
      yield Buffer.from(`M 100644 inline ${DATABASE_FILE}\ndata ${size}\n`)
      yield* createReadStream(database)
    })()
  }

  #run(argv: string[], input: string | Readable = '') {
    return runIn(this.gitDir, [...SETTINGS, ...argv], { input, inBackground: true })
  }
}

const TRIES = 10
const SETTINGS = [
  // No `.keep` protects objects outside packs.
  ...['-c', 'fastimport.unpackLimit=0'],
  ...['-c', 'core.fsync=all'],
  ...['-c', 'gc.autoPackLimit=16', '-c', 'gc.autoDetach=false', '-c', 'pack.threads=1', '-c', 'pack.windowMemory=64m'],
]
