/** The files that people see: which differ from HEAD, and what the server will do about it. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MAX_FILE } from '../../bundle/file-size.ts'
import { classify, judgeFile, reason } from '../../project/judge.ts'
import type { Snapshot } from '../snapshot.ts'
import { readContent } from '../work-tree/plain-file.ts'
import { scanWorkTree } from '../work-tree/scan.ts'
import type { Finding, VerifyContext } from './finding.ts'

/** Whether a version (null: no file) is the server's own, merely not replaced yet. */
type IsBehind = (id: string | null, path: string) => boolean

/**
 * Looks at a file, and their distance, before it counts as different beside a running server that does not write it.
 */
const LOOKS = 4
const APART_MS = 700
/** Most files looked at again: a running server may be an edit behind. */
const MOST_AGAIN = 5000

const WAITING = 'it waits to be committed as an external edit, which a server does while it runs.'
const OR_RESTORE = (path: string) => `\`git checkout HEAD -- ${path}\` in that folder restores HEAD's version.`

/** Goes through all files that people see. @param snapshot gives the branch's present state */
export async function verifyWorkTree(
  { workTree, running, signal, report }: VerifyContext,
  snapshot: () => Promise<Snapshot>,
  isBehind: IsBehind,
): Promise<void> {
  /** With the version that the state had at the last look. */
  let suspects = new Map<string, string | undefined>()
  const look = async (path: string, state: Snapshot, last: boolean): Promise<boolean> => {
    const finding = await judge(path, state, { workTree, running, isBehind })
    if (finding && last) report.take(finding)
    return finding !== undefined
  }
  const state = await snapshot()
  await scanWorkTree({
    root: workTree,
    state,
    since: 0,
    within: '',
    stopped: () => signal.aborted,
    suspect: async path => {
      if (running && suspects.size < MOST_AGAIN) suspects.set(path, state.entry(path)?.id)
      else await look(path, state, true)
    },
    visited: () => {},
  })
  signal.throwIfAborted()
  for (let again = 1; suspects.size > 0; again++) {
    await pause(APART_MS, undefined, { signal })
    const now = await snapshot()
    const still = new Map<string, string | undefined>()
    for (const [path, before] of suspects) {
      const id = now.entry(path)?.id
      if (await look(path, now, again >= LOOKS && id === before)) still.set(path, id)
    }
    suspects = again < LOOKS ? still : new Map()
  }
}

/** What to say of a path; undefined when it is HEAD's or the server's own version. */
async function judge(
  path: string,
  state: Snapshot,
  { workTree, running, isBehind }: Pick<VerifyContext, 'workTree' | 'running'> & { isBehind: IsBehind },
): Promise<Finding | undefined> {
  const head = state.entry(path)?.id
  const content = await readContent(workTree, path)
  const wrong = (what: string, todo: string): Finding => ({ severity: 'warning', path, what, todo })
  if (content.state === 'missing') {
    if (head === undefined || isBehind(null, path)) return undefined
    return wrong(
      `The file is at HEAD and not in the work tree: ${running ? 'its removal ' : 'the next start sees a removal; '}${WAITING}`,
      OR_RESTORE(path),
    )
  }
  if (content.state === 'foreign') {
    const large = await largeId(join(workTree, path))
    return large !== undefined && large === head
      ? undefined
      : wrong(`The server does not accept this: ${content.error}`, OR_RESTORE(path))
  }
  if (content.id === head || isBehind(content.id, path)) return undefined
  const place = classify(path)
  if (place === undefined) return undefined
  try {
    if (place.kind === 'misnamed') throw new Error(place.error)
    const bytes = await judgeFile(place, content.bytes, state)
    return (bytes === null ? state.read(path) === undefined : state.read(path)?.equals(bytes))
      ? wrong(
          "The file says what HEAD's says, in another form; a server puts that right while it runs.",
          OR_RESTORE(path),
        )
      : wrong(`The file differs from HEAD: ${WAITING}`, `Unless a person edited it, ${OR_RESTORE(path)}`)
  } catch (error) {
    const why = place.kind === 'misnamed' ? place.error : reason(error)
    return wrong(`The file breaks the rules, and HEAD's version is served: ${why}`, `Correct it; ${OR_RESTORE(path)}`)
  }
}

/** The blob id of a plain file past the limit for edits; a bundle can grow past it write by write. */
async function largeId(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats?.isFile() || stats.size <= MAX_FILE) return undefined
  const hash = createHash('sha1').update(`blob ${stats.size}\0`)
  for await (const part of createReadStream(path)) hash.update(part as Buffer)
  return hash.digest('hex')
}
