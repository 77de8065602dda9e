/** Every object of a repository, and that nothing reachable is missing: by `git fsck`, or without a git by reading them all here. */
import fs from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause, setImmediate as yieldToOthers } from 'node:timers/promises'
import { codeOf } from '../disk.ts'
import { QUIET, runGit } from '../git/git.ts'
import type { GitObject, ObjectReader } from '../objects/objects.ts'
import { Tree } from '../objects/tree.ts'
import { readCommit } from '../write/commit.ts'
import { count, type Found, RESTORE } from './finding.ts'

interface Options {
  /** What must be complete: the branch, the tags, people's own branches. */
  heads: string[]
  running: boolean
  signal: AbortSignal
  tell(step: string): void
}

/** Of memory. */
const BOUNDS = [
  ...['-c', 'core.packedGitLimit=64m', '-c', 'core.packedGitWindowSize=1m', '-c', 'core.deltaBaseCacheLimit=32m'],
]
/** A command line holds about this many ids everywhere; past that git takes the refs as it finds them. */
const MOST_HEADS = 2000
/** A repack beside it may take a pack away that `git fsck` was about to read. */
const ATTEMPTS = 3
const AGAIN_MS = 500
const SHOWN = 3

/** @param home see `makeHome` of store/git */
export async function fsck(gitDir: string, home: string, options: Options, found: Found): Promise<void> {
  const { heads, running, signal } = options
  const named = heads.length <= MOST_HEADS ? heads : []
  // Given by id, so that neither the index nor a ref that moves meanwhile is looked at.
  const command = ['fsck', '--full', '--strict', '--no-dangling', '--no-reflogs', '--no-progress', ...named]
  for (let attempt = 1; ; attempt++) {
    const { code, output, errors } = await runGit([...QUIET, ...BOUNDS, `--git-dir=${gitDir}`, ...command], {
      cwd: gitDir,
      home,
      signal,
    })
    signal.throwIfAborted()
    if (code === 0) return
    if (running && attempt < ATTEMPTS) {
      await pause(AGAIN_MS, undefined, { signal })
      continue
    }
    const lines = `${errors}\n${output}`
      .replaceAll(`${gitDir}/`, '')
      .split('\n')
      .filter(line => line.trim() !== '')
    const first = lines.slice(0, SHOWN).join('; ')
    const more = lines.length > SHOWN ? ` (and ${count(lines.length - SHOWN, 'more line')})` : ''
    const what = `git fsck --full --strict: ${first || `it ended with ${code}`}${more}`
    found({ severity: 'error', path: '.git/objects', what, todo: RESTORE })
    return
  }
}

/** Ids that are known to be there; trees share most of what they hold with the ones before. */
const REMEMBERED = 100_000

/** Does what {@link fsck} does where there is no git: every object has the content of its id, and all that it refers to is there. */
export async function readAllObjects(
  gitDir: string,
  reader: ObjectReader,
  options: Options,
  found: Found,
): Promise<void> {
  const { signal, tell } = options
  const present = new Set<string>()
  const has = (id: string) => {
    if (present.has(id)) return true
    if (!reader.has(id)) return false
    if (present.size >= REMEMBERED) present.clear()
    present.add(id)
    return true
  }
  let read = 0
  for await (const { id, path } of allIds(gitDir)) {
    const wrong = (what: string) => found({ severity: 'error', path, what, todo: RESTORE })
    try {
      const object = reader.read(id)
      // A repack may have moved it, but then it is there.
      if (object === undefined) wrong(`Object ${id} is in the index and cannot be found.`)
      const missing = object && referred(object).find(other => !has(other))
      if (missing !== undefined) wrong(`The ${object!.type} ${id} refers to ${missing}, which is missing.`)
    } catch (error) {
      wrong(error instanceof Error ? error.message : String(error))
    }
    if (++read % 500 === 0) {
      signal.throwIfAborted()
      tell(`${read} objects read`)
      await yieldToOthers()
    }
  }
}

/** The ids that an object cannot do without. */
function referred({ type, bytes }: GitObject): string[] {
  if (type === 'commit') {
    const { tree, parents } = readCommit(bytes)
    return [tree, ...parents]
  }
  // A submodule's commit is in another repository.
  if (type === 'tree') {
    return Tree.parse(bytes)
      .entries()
      .filter(({ mode }) => mode !== '160000')
      .map(({ id }) => id)
  }
  return type === 'tag' ? [/^object ([0-9a-f]{40})$/m.exec(bytes.toString('latin1'))?.[1] ?? '0'.repeat(40)] : []
}

const FAN_OUT_AT = 8
const IDS_AT = FAN_OUT_AT + 1024
const ID_BYTES = 20
const IDS_AT_ONCE = 512

/** The ids of all packed and all loose objects, each with the file that holds it. */
async function* allIds(gitDir: string): AsyncGenerator<{ id: string; path: string }> {
  const objects = join(gitDir, 'objects')
  for (const name of await readdir(join(objects, 'pack'))) {
    if (name.endsWith('.idx'))
      yield* packedIds(join(objects, 'pack', name), `.git/objects/pack/${name.replace(/idx$/, 'pack')}`)
  }
  for (const folder of await readdir(objects)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue
    for (const name of await readdir(join(objects, folder))) {
      if (/^[0-9a-f]{38}$/.test(name)) yield { id: folder + name, path: `.git/objects/${folder}/${name}` }
    }
  }
}

/** Only as many as the file has room for, whatever it says: a damaged one is told by its checksum. */
function* packedIds(index: string, path: string): Generator<{ id: string; path: string }> {
  let descriptor: number
  try {
    descriptor = fs.openSync(index, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  try {
    const count = Buffer.alloc(4)
    fs.readSync(descriptor, count, 0, 4, IDS_AT - 4)
    const ids = Buffer.alloc(ID_BYTES * IDS_AT_ONCE)
    for (let at = 0; at < count.readUInt32BE(0); at += IDS_AT_ONCE) {
      const wanted = Math.min(IDS_AT_ONCE, count.readUInt32BE(0) - at) * ID_BYTES
      const length = fs.readSync(descriptor, ids, 0, wanted, IDS_AT + at * ID_BYTES)
      for (let id = 0; id + ID_BYTES <= length; id += ID_BYTES)
        yield { id: ids.toString('hex', id, id + ID_BYTES), path }
      if (length < wanted) return
    }
  } finally {
    fs.closeSync(descriptor)
  }
}
