/**
 * A folder in which git makes packs and commit-graphs for the server: an object folder of its own over the repository's. Whatever
 * git leaves half done when it or the server is killed lies there, and a git that outlives its server can harm nothing.
 */
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { closeFile, openFile, removeFile, syncFile } from '../disk.ts'
import { FRUGAL, makeHome, QUIET, runGit } from './git.ts'

const PREFIX = 'repack-'
/** Long enough for tens of millions of objects; a git that takes longer hangs. */
const LONGEST_MS = 3_600_000
const ERROR_LENGTH = 300

/** What the repository's own configuration may not ask for. */
const ALWAYS = [...['-c', 'pack.packSizeLimit=0', '-c', 'pack.writeReverseIndex=true', '-c', 'core.commitGraph=true']]

/** See the top of the file. Made by {@link Workshop.open}. */
export class Workshop {
  /** The object folder that git writes into. */
  readonly objects: string
  /** What the names of the packs begin with that `git pack-objects` makes here. */
  readonly packs: string
  readonly #gitDir: string
  readonly #home: string
  readonly #signal: AbortSignal

  private constructor(gitDir: string, objects: string, home: string, signal: AbortSignal) {
    this.#gitDir = gitDir
    this.objects = objects
    this.packs = join(objects, 'pack', 'pack')
    this.#home = home
    this.#signal = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)])
  }

  /** @param signal ends the git in it */
  static async open(gitDir: string, signal: AbortSignal): Promise<Workshop> {
    const home = await makeHome(gitDir)
    // A name that was never used: a git of a server that was killed may still be at work in another one.
    const objects = await mkdtemp(join(gitDir, 'parlance', PREFIX))
    const shop = new Workshop(gitDir, objects, home, signal)
    try {
      await mkdir(join(objects, 'pack'))
      await mkdir(join(objects, 'info'))
      await writeFile(join(objects, 'info', 'alternates'), '../../objects\n')
      return shop
    } catch (error) {
      await shop.close()
      throw error
    }
  }

  /**
   * Runs git on the repository; what it writes of objects it writes here. `--progress` belongs in `argv`: speaking every
   * second is how a git that has lost its server learns of it and ends.
   * @throws Error with git's own words when it fails, the signal's reason when that ended it
   */
  async run(argv: string[], input?: string | Readable): Promise<void> {
    this.#signal.throwIfAborted()
    const { code, errors } = await runGit([...QUIET, ...FRUGAL, ...ALWAYS, `--git-dir=${this.#gitDir}`, ...argv], {
      cwd: this.#gitDir,
      home: this.#home,
      env: { GIT_OBJECT_DIRECTORY: this.objects },
      signal: this.#signal,
      inBackground: true,
      ...(input === undefined ? {} : { input }),
    })
    this.#signal.throwIfAborted()
    if (code !== 0) throw new Error(`git ${argv[0]} ended with ${code}: ${complaint(errors)}`)
  }

  /** Removes the folder and all that is left in it. */
  close(): Promise<void> {
    return rm(this.objects, { recursive: true, force: true })
  }
}

/** Progress overwrites itself line by line; a complaint begins on a line of its own. */
function complaint(errors: string): string {
  const lines = errors.split(/[\r\n]+/).filter(line => /^(?:fatal|error|warning):/.test(line))
  return lines.join('; ').slice(0, ERROR_LENGTH)
}

/** Syncs a file that git has made: read-only, and that is enough here. */
export async function syncMade(path: string): Promise<void> {
  const descriptor = await openFile(path, 'r')
  try {
    await syncFile(descriptor)
  } finally {
    await closeFile(descriptor)
  }
}

/** The extensions of the files of a pack, in the order in which they come: git sees a pack once its index is there. */
const PACK_FILES = ['.pack', '.rev', '.idx', '.bitmap'] as const

/**
 * Removes the workshops that a killed server left, with what it had begun to move from them into the repository's packs.
 * A git may still be at work in one of them; what cannot be removed now can be the next time.
 */
export async function clearWorkshops(gitDir: string): Promise<void> {
  const parent = join(gitDir, 'parlance')
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue
    const shop = join(parent, name)
    for (const file of await readdir(join(shop, 'pack')).catch(() => [])) {
      // An index is moved last: while it is here, its pack, wherever that is, is no part of the repository.
      if (file.endsWith('.idx')) await withdraw(join(gitDir, 'objects', 'pack', file.slice(0, -'.idx'.length)))
    }
    await rm(shop, { recursive: true, force: true }).catch(() => {})
  }
}

async function withdraw(stem: string): Promise<void> {
  if (await exists(`${stem}.idx`)) return
  for (const extension of PACK_FILES) await removeFile(stem + extension)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
