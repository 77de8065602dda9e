/** Fetches single repositories of a backup, as the server left them. */
import { createWriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Failure } from '../../bundle/errors.ts'
import { createRepository } from '../create-repository.ts'
import { DATA_VERSION, newer } from '../data-folder.ts'
import { syncTree } from '../disk.ts'
import { pipeIn, runIn } from '../git/git.ts'
import { FETCH, FETCHED_REFS } from '../git/git-bundle.ts'
import { checkOrganization } from '../open-organization.ts'
import { TAGS } from '../refs/tags.ts'
import { writeHead } from '../write/seal.ts'
import { ACCOUNTS, type AccountsManifest, AccountsRepository, DATABASE_FILE, MANIFEST_FILE } from './accounts.ts'
import { refsToPush, writePushRecord } from './push-record.ts'
import type { BackupRemote, RemoteFailure } from './remote.ts'
import { explain, listRemote, runRemote } from './remote-git.ts'

const BRANCH = '+refs/heads/main:refs/heads/main'

/**
 * Puts the accounts into a new data folder: their repository, and the database of its last commit.
 * @throws Failure `unavailable` when what was fetched is damaged, or newer than this server
 */
export async function fetchAccounts(
  remote: BackupRemote,
  dataDir: string,
  signal: AbortSignal,
): Promise<AccountsManifest | RemoteFailure> {
  const { gitDir } = await AccountsRepository.open(join(dataDir, 'backup'))
  const failure = await fetchInto(remote, ACCOUNTS, gitDir, signal, [BRANCH])
  if (failure) return failure
  await check(gitDir, ACCOUNTS, signal)
  const manifestFile = join(dataDir, MANIFEST_FILE)
  await writeBlob(gitDir, MANIFEST_FILE, manifestFile, signal)
  const manifest = readManifest(await readFile(manifestFile, 'utf8'))
  await rm(manifestFile)
  const database = join(dataDir, DATABASE_FILE)
  await writeBlob(gitDir, DATABASE_FILE, database, signal)
  checkDatabase(database)
  await writePushRecord(gitDir, remote, { at: Date.now(), refs: await refsToPush(gitDir) })
  await syncTree(dataDir)
  return manifest
}

/**
 * Continues the accounts' backup of this folder from what the remote has: another server may have pushed since.
 * @throws Failure `unavailable` when the remote does not answer
 */
export async function followAccounts(remote: BackupRemote, dataDir: string, signal: AbortSignal): Promise<void> {
  const { gitDir } = await AccountsRepository.open(join(dataDir, 'backup'))
  const there = await listRemote(remote, ACCOUNTS, ['refs/heads/main'], { gitDir, signal })
  // The first push creates it.
  if ('refs' in there ? there.refs.size === 0 : there.reason === 'missing') return
  const failure = 'refs' in there ? await fetchInto(remote, ACCOUNTS, gitDir, signal, [BRANCH]) : there
  if (failure) throw new Failure('unavailable', failure.sentence)
}

/**
 * Creates an organization's folder with a work tree equal to HEAD, and notes that: the next start finds no edit.
 * @throws Failure `unavailable` when what was fetched is damaged
 */
export async function fetchOrganization(
  remote: BackupRemote,
  id: string,
  workTree: string,
  signal: AbortSignal,
): Promise<{ id: string; revision: string; tags: number } | RemoteFailure> {
  const gitDir = join(workTree, '.git')
  const refs = await fetchObjects(remote, id, workTree, signal)
  if ('reason' in refs) {
    await rm(workTree, { recursive: true, force: true })
    return refs
  }
  const revision = refs.get('refs/heads/main')!
  await checkOut(gitDir, workTree, signal)
  await writeHead(gitDir, revision)
  await writePushRecord(gitDir, remote, { at: Date.now(), refs })
  await syncTree(workTree)
  return { id, revision, tags: [...refs.keys()].filter(name => name.startsWith(TAGS)).length }
}

/**
 * Fetches all that the remote has of an organization into a new repository, checked by git.
 * @returns its refs
 * @throws Failure `unavailable` when what was fetched is damaged
 */
export async function fetchObjects(
  remote: BackupRemote,
  id: string,
  workTree: string,
  signal: AbortSignal,
): Promise<Map<string, string> | RemoteFailure> {
  await createRepository(workTree)
  const gitDir = join(workTree, '.git')
  const failure = await fetchInto(remote, id, gitDir, signal)
  if (failure) return failure
  await check(gitDir, id, signal)
  return refsToPush(gitDir)
}

/** Brings a repository that is there to what the remote has. */
export async function fetchInto(
  remote: BackupRemote,
  id: string,
  gitDir: string,
  signal: AbortSignal,
  refs = FETCHED_REFS,
): Promise<RemoteFailure | undefined> {
  const said = await runRemote(remote, { command: FETCH, address: remote.address(id), refs }, { gitDir, signal })
  if (said.code === 0) return undefined
  const failure = explain(said, id, signal)
  // Fetching writes nothing there, and a restore has nothing to push again.
  if (failure.reason === 'full') return { ...failure, sentence: NO_ROOM }
  return failure.reason === 'damaged' ? { ...failure, sentence: unusable(id) } : failure
}

const NO_ROOM = 'There is no space left here for what is fetched from the backup remote.'
const unusable = (id: string) =>
  `The backup of ${id} is damaged, so nothing was restored: \`git fsck\` in its repository at the remote shows what is lost.`

/** @throws Failure when git finds anything wrong with the objects */
async function check(gitDir: string, id: string, signal: AbortSignal): Promise<void> {
  const { code, errors, output } = await runIn(gitDir, ['fsck', '--no-dangling', '--no-progress'], {
    inBackground: true,
    signal,
  })
  if (code === 0) return
  signal.throwIfAborted()
  const words = `${errors}${output}`.trim().slice(0, 300)
  throw new Failure('unavailable', `The backup of ${id} is damaged, so nothing was restored: ${words}`, {
    damaged: true,
  })
}

async function checkOut(gitDir: string, workTree: string, signal: AbortSignal): Promise<void> {
  const argv = [`--work-tree=${workTree}`, 'read-tree', '-u', '--reset', 'HEAD']
  const { code, errors } = await runIn(gitDir, argv, { inBackground: true, signal })
  signal.throwIfAborted()
  if (code !== 0) throw new Failure('unavailable', `The files cannot be written: ${errors.trim().slice(0, 300)}`)
}

/** Writes a file of the accounts' last commit, readable by its owner alone. */
async function writeBlob(gitDir: string, name: string, file: string, signal: AbortSignal): Promise<void> {
  const output = () => createWriteStream(file, { mode: 0o600 })
  const code = await pipeIn(gitDir, ['cat-file', 'blob', `main:${name}`], output, { signal })
  signal.throwIfAborted()
  if (code !== 0) {
    throw new Failure('unavailable', `The accounts' backup lacks ${name}; it is not one of ours.`, { damaged: true })
  }
}

function readManifest(text: string): AccountsManifest {
  let manifest: AccountsManifest
  try {
    manifest = JSON.parse(text)
  } catch {
    const sentence = "The accounts' backup has no readable manifest; it is not one of ours."
    throw new Failure('unavailable', sentence, { damaged: true })
  }
  if (manifest.format !== 1) {
    throw new Failure('unavailable', 'A newer Parlance wrote the backup: restore it with that one.')
  }
  const { dataVersion = 0 } = manifest
  if (!(dataVersion <= DATA_VERSION)) throw newer('The backup', dataVersion)
  for (const id of [...manifest.organizations, ...manifest.empty]) checkOrganization(id)
  return manifest
}

function checkDatabase(file: string): void {
  let words: unknown
  try {
    const database = new Sqlite(file, { readonly: true })
    try {
      words = database.pragma('integrity_check', { simple: true })
      if (words === 'ok') return
    } finally {
      database.close()
    }
  } catch (error) {
    words = error
  }
  const sentence = "The accounts' database in the backup is damaged, so nothing was restored."
  throw Object.assign(new Failure('unavailable', sentence, { damaged: true }), { cause: words })
}
