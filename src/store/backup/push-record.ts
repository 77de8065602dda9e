/** What a repository has to push, and its last push, remembered in a file beside the journal. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifThere, replaceFile } from '../disk.ts'
import { readRef, readRefs } from '../refs/read-refs.ts'
import { JOURNAL_PREFIX } from '../write/journal.ts'
import { PUSHED_REFS } from './push.ts'
import type { BackupRemote } from './remote.ts'

export interface PushRecord {
  /** Milliseconds since 1970. */
  at: number
  /** What the remote had then, by ref. */
  refs: Map<string, string>
}

const pathOf = (gitDir: string) => join(gitDir, 'parlance', 'pushed')

/** Undefined when no push to this address is known. */
export async function readPushRecord(gitDir: string, remote: BackupRemote): Promise<PushRecord | undefined> {
  try {
    const { remote: where, at, refs } = JSON.parse(await readFile(pathOf(gitDir), 'utf8'))
    if (where !== remote.fingerprint) return undefined
    return { at: Number(at), refs: new Map(Object.entries<string>(refs)) }
  } catch {
    // Cut short by a power loss, or never written: the next push finds out what the remote has.
    return undefined
  }
}

export async function writePushRecord(gitDir: string, remote: BackupRemote, { at, refs }: PushRecord): Promise<void> {
  const record = JSON.stringify({ remote: remote.fingerprint, at, refs: Object.fromEntries(refs) })
  await replaceFile(pathOf(gitDir), `${record}\n`)
}

export function sameRefs(a: Map<string, string>, b: Map<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, id]) => b.get(name) === id)
}

/** A repository's refs to push, read as files: every start asks for every organization. */
export async function refsToPush(gitDir: string): Promise<Map<string, string>> {
  const refs = new Map<string, string>()
  for (const ref of PUSHED_REFS) {
    if (ref.endsWith('/')) for (const [name, id] of await readRefs(gitDir, ref)) refs.set(name, id)
    else {
      const id = await readRef(gitDir, ref)
      if (id !== undefined) refs.set(ref, id)
    }
  }
  return refs
}

/** Whether an unclosed server left writes in the journal that no ref has yet. */
export async function hasJournal(gitDir: string): Promise<boolean> {
  const names = await ifThere(readdir(join(gitDir, 'parlance')))
  return names?.some(name => name.startsWith(JOURNAL_PREFIX)) ?? false
}
