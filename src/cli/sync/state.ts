/** What this checkout had last from the server: `.parlance/state.json`, which no repository keeps. */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '../problem.ts'

/** See the top of the file. Bundles are named `de/common`. */
export interface State {
  /** The revision that each bundle was last taken from, or equal to. */
  taken: Map<string, string>
  /** Texts that both sides have since then, by bundle and leaf; null for those that went. */
  since: Map<string, Map<string, string | null>>
  /** The entity tag of the last pull, and what it asked for. */
  pulled: { query: string; etag: string } | undefined
}

/** Where the state is of: that of another server or project tells nothing. */
export interface Origin {
  /** Of the app's folder. */
  root: string
  url: string
  project: string
}

interface Kept {
  version: 1
  url: string
  project: string
  pulled?: { query: string; etag: string }
  /** Bundles by revision. */
  taken: Record<string, string[]>
  since: Record<string, Record<string, string | null>>
}

const FOLDER = '.parlance'
/** How long another command is waited for, in ms, and how often it is looked for. */
const PATIENCE = { all: 10_000, each: 50 }

/** Empty when there is none, when it is damaged, or of another server or project. */
export async function readState({ root, url, project }: Origin): Promise<State> {
  const text = await readFile(join(root, FOLDER, 'state.json'), 'utf8').catch(() => '')
  try {
    const kept: Kept = JSON.parse(text)
    if (kept.version !== 1 || kept.url !== url || kept.project !== project) throw new Error('of another project')
    const taken = Object.entries(kept.taken).flatMap(([revision, names]) =>
      names.map((name): [string, string] => [name, revision]),
    )
    const since = Object.entries(kept.since).map(([name, texts]) => [name, new Map(Object.entries(texts))] as const)
    return { taken: new Map(taken), since: new Map(since), pulled: kept.pulled }
  } catch {
    return { taken: new Map(), since: new Map(), pulled: undefined }
  }
}

/** Replaces it as a whole. */
export async function writeState({ root, url, project }: Origin, { taken, since, pulled }: State): Promise<void> {
  const byRevision = Map.groupBy(taken, ([, revision]) => revision)
  const kept: Kept = {
    version: 1,
    url,
    project,
    ...(pulled && { pulled }),
    taken: Object.fromEntries(
      Array.from(byRevision, ([revision, rows]) => [revision, rows.map(([name]) => name).sort()]),
    ),
    since: Object.fromEntries(Array.from(since, ([name, texts]) => [name, Object.fromEntries(texts)])),
  }
  const folder = await stateFolder(root)
  const aside = join(folder, `state-${randomBytes(4).toString('hex')}.tmp`)
  try {
    await writeFile(aside, `${JSON.stringify(kept, null, 1)}\n`)
    await rename(aside, join(folder, 'state.json'))
  } catch (error) {
    await rm(aside, { force: true })
    throw failed(error, folder)
  }
}

/**
 * Runs one command at a time in an app's folder: of two pulls, the older must not write over what the newer brought.
 * @throws Problem when another one does not end
 */
export async function alone<T>(root: string, stop: AbortSignal, run: () => Promise<T>): Promise<T> {
  const file = join(await stateFolder(root), 'lock')
  for (let waited = 0; ; waited += PATIENCE.each) {
    const error = await writeFile(file, String(process.pid), { flag: 'wx' }).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    )
    if (error === undefined) break
    if (error.code !== 'EEXIST') throw failed(error, root)
    const holder = Number(await readFile(file, 'utf8').catch(() => ''))
    // A file without a number may be half written; after a while it is a dead one's.
    if (holder > 0 ? !isAlive(holder) : waited > PATIENCE.all / 2) await rm(file, { force: true })
    else if (waited >= PATIENCE.all) {
      throw new Problem(`Another command (process ${holder}) is at work in ${root}.`, {
        hint: `Wait for its end; when there is none, remove ${file}.`,
      })
    } else await pause(PATIENCE.each, undefined, { signal: stop })
  }
  try {
    return await run()
  } finally {
    await rm(file, { force: true })
  }
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function stateFolder(root: string): Promise<string> {
  const folder = join(root, FOLDER)
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } catch (error) {
    throw failed(error, folder)
  }
  return folder
}

const failed = (error: unknown, folder: string) =>
  new Problem(`${folder} cannot be written: ${(error as Error).message}.`, { cause: error })
