/** All that git stores: files by their checksums, objects by `git fsck`, or by reading them without git. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf } from '../disk.ts'
import { FRUGAL, gitVersion, runIn } from '../git/git.ts'
import { isMaintained } from '../git/repack.ts'
import { findMissing } from '../reachable.ts'
import { count, READABLE, RESTORE, unreadable, type VerifyContext } from './finding.ts'

const CHECKSUM = 20
/** git's files that end in their SHA-1; a person's git may be set to leave the index's zero. */
const SUMMED =
  /^(index|objects\/(pack|info|info\/commit-graphs)\/[^/]*(\.(pack|idx|rev|bitmap|mtimes|graph)|-index|-graph))$/
const REMADE = 'Stop the server and remove the file: it only speeds git up, and git builds it again when it is missed.'
/** About as many ids as any command line holds; past that git reads the refs as it finds them. */
const MOST_HEADS = 2000
/** A repack may remove a pack that `git fsck` was about to read. */
const ATTEMPTS = 3
const AGAIN_MS = 500
const SHOWN = 3

/** Checks packs, indexes and maintenance's files; all but the packs can be remade. */
export async function verifyChecksums({ gitDir, running, signal, report }: VerifyContext): Promise<void> {
  const entries = await readdir(join(gitDir, 'objects'), { withFileTypes: true, recursive: true })
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name).slice(gitDir.length + 1))
  for (const path of ['index', ...paths.sort()].filter(path => SUMMED.test(path))) {
    signal.throwIfAborted()
    const isSound = () => endsInItsSum(join(gitDir, path))
    try {
      // A file renamed into place meanwhile is whole at the second reading.
      if ((await isSound()) || (running && (await isSound()))) continue
      report.error(`.git/${path}`, 'The file does not match its own checksum: it was damaged.', remedy(path))
    } catch (error) {
      if (codeOf(error) === 'ENOENT' && (running || path === 'index')) continue
      report.error(`.git/${path}`, unreadable(error), READABLE)
    }
  }
}

function remedy(path: string): string {
  if (path.endsWith('.pack')) return RESTORE
  if (!path.endsWith('.idx')) return REMADE
  const pack = basename(path).replace(/idx$/, 'pack')
  return `Stop the server, remove the file and run \`git index-pack ${pack}\` in that folder: that builds it from the pack.`
}

async function endsInItsSum(path: string): Promise<boolean> {
  const hash = createHash('sha1')
  let tail: Buffer = Buffer.alloc(0)
  for await (const part of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const bytes = Buffer.concat([tail, part as Buffer])
    const end = Math.max(0, bytes.length - CHECKSUM)
    hash.update(bytes.subarray(0, end))
    tail = bytes.subarray(end)
  }
  return hash.digest().equals(tail) || (basename(path) === 'index' && tail.every(byte => byte === 0))
}

/** Checks every object, and that `heads` (the branch, the tags, people's branches) lead to nothing missing. */
export async function verifyObjects(check: VerifyContext, heads: string[]): Promise<void> {
  const { objects, signal, progress, report } = check
  if ((await gitVersion()) !== undefined) return fsck(check, heads)
  const look = (seen: number) => {
    signal.throwIfAborted()
    progress(`${seen} objects read`)
  }
  const missing = await findMissing(heads, objects, { contents: true, look })
  signal.throwIfAborted()
  if (missing !== undefined) report.error('.git/objects', `Of what the refs lead to, ${missing}.`, RESTORE)
}

async function fsck({ gitDir, running, signal, report }: VerifyContext, heads: string[]): Promise<void> {
  // By id, so that neither the index nor a moving ref is looked at.
  const named = heads.length <= MOST_HEADS ? heads : []
  const command = ['fsck', '--full', '--strict', '--no-dangling', '--no-reflogs', '--no-progress', ...named]
  for (let attempt = 1; ; attempt++) {
    // A git that outlived a killed server may be merging, and packs vanish.
    while (!running && (await isMaintained(gitDir))) await pause(AGAIN_MS, undefined, { signal })
    const { code, output, errors } = await runIn(gitDir, [...FRUGAL, ...command], { signal })
    signal.throwIfAborted()
    if (code === 0) return
    if (running && attempt < ATTEMPTS) {
      await pause(AGAIN_MS, undefined, { signal })
      continue
    }
    const lines = `${errors}\n${output}`.replaceAll(`${gitDir}/`, '').split('\n').filter(Boolean)
    const first = lines.slice(0, SHOWN).join('; ') || `it ended with ${code}`
    const more = lines.length > SHOWN ? ` (and ${count(lines.length - SHOWN, 'more line')})` : ''
    return report.error('.git/objects', `git fsck --full --strict: ${first}${more}`, RESTORE)
  }
}
