/** What this checkout had last from the server: `.parlance/state.json`, which no repository keeps. */
import { lstatSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../bundle/json.ts'
import { replaceFile } from '../local/replace-file.ts'
import { folderOf } from '../local/write-files.ts'
import { Problem } from '../problem.ts'

/** See the top of the file. Bundles are named `de/common`. */
export interface State {
  /** The revision that each bundle was last taken from, or equal to. */
  taken: Map<string, string>
  /** Texts that both sides have since then, by bundle and leaf; null for those that went. */
  since: Map<string, Map<string, string | null>>
  /**
   * Revisions of pulls that began to write these bundles and were cut off: a text of the file that is one of theirs came
   * from there, and was not written here.
   */
  begun: Map<string, Set<string>>
  /**
   * Texts of pushes whose answer has not come, by bundle and leaf; null for those that were to go. What the server has so
   * came from here.
   */
  sent: Map<string, Map<string, string | null>>
  /**
   * The branch (`refs/heads/main`) or commit that the app was on when a bundle was taken, by its name, or a leaf of
   * `since`, as `de/common nav.home`.
   */
  on: Map<string, string>
  /** Fingerprints of the bytes of both sides, by bundle, that say the same in other bytes. */
  same: Map<string, string>
  /** What pulls wrote, by bundle. */
  wrote: Map<string, Wrote>
  /** Fingerprints of skipped keys that a push listed, as `de/common nav.home`. */
  listed: Map<string, string>
  /** What the last pull asked for, the entity tag of what came, and its revision, of which older commands say nothing. */
  pulled: { query: string; etag: string; revision?: string } | undefined
}

/** Of one bundle, what pulls wrote since a commit. */
export interface Wrote {
  /** The commit that the app was at. */
  at: string
  /** Size and time of the file when all of it was compared last: it need not be read while it has these. */
  seen: string
  /** What stood in place of each text that came, by leaf, as fingerprints, the newest last. */
  leaves: Map<string, string[]>
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
  pulled?: State['pulled']
  /** Bundles by revision. */
  taken: Record<string, string[]>
  since: Record<string, Record<string, string | null>>
  begun?: Record<string, string[]>
  sent?: Record<string, Record<string, string | null>>
  /** Names by branch. */
  on?: Record<string, string[]>
  same?: Record<string, string>
  listed?: Record<string, string>
  wrote?: Record<string, Omit<Wrote, 'leaves'> & { leaves: Record<string, string[]> }>
}

const FOLDER = '.parlance'

/** Empty when there is none, when it is damaged, or of another server or project. */
export function readState({ root, url, project }: Origin): State {
  try {
    const kept = parseJson(readFileSync(join(root, FOLDER, 'state.json'), 'utf8')) as Kept
    if (kept.version !== 1 || kept.url !== url || kept.project !== project) throw new Error('of another project')
    const begun = Object.entries(kept.begun ?? {}).map(([name, revisions]) => [name, new Set(revisions)] as const)
    return {
      taken: byName(kept.taken),
      since: textsIn(kept.since),
      begun: new Map(begun),
      sent: textsIn(kept.sent ?? {}),
      on: byName(kept.on ?? {}),
      same: new Map(Object.entries(kept.same ?? {})),
      listed: new Map(Object.entries(kept.listed ?? {})),
      wrote: wroteIn(kept.wrote ?? {}),
      pulled: kept.pulled,
    }
  } catch {
    return noState()
  }
}

/** That of a folder that was never pulled to. */
export const noState = (): State => ({
  taken: new Map(),
  since: new Map(),
  begun: new Map(),
  sent: new Map(),
  on: new Map(),
  same: new Map(),
  wrote: new Map(),
  listed: new Map(),
  pulled: undefined,
})

const byName = (lists: Record<string, string[]>): Map<string, string> =>
  new Map(Object.entries(lists).flatMap(([value, names]) => names.map((name): [string, string] => [name, value])))

const asLists = (values: Map<string, string>): Record<string, string[]> =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(values, ([, value]) => value),
      ([value, rows]) => [value, rows.map(([name]) => name).sort()],
    ),
  )

const textsIn = (kept: Kept['since']): State['since'] =>
  new Map(Object.entries(kept).map(([name, texts]) => [name, new Map(Object.entries(texts))]))

const asKept = (texts: State['since']): Kept['since'] =>
  Object.fromEntries(Array.from(texts, ([name, of]) => [name, Object.fromEntries(of)]))

const wroteIn = (kept: NonNullable<Kept['wrote']>): State['wrote'] =>
  new Map(
    Object.entries(kept).map(([name, one]) => [
      name,
      { ...one, leaves: new Map(Object.entries(one.leaves).map(([leaf, of]) => [leaf, [...of]])) },
    ]),
  )

/** Replaces it as a whole. */
export async function writeState(
  { root, url, project }: Origin,
  { taken, since, begun, sent, on, same, listed, wrote, pulled }: State,
): Promise<void> {
  const kept: Kept = {
    version: 1,
    url,
    project,
    ...(pulled && { pulled }),
    taken: asLists(taken),
    since: asKept(since),
    ...(begun.size > 0 && { begun: Object.fromEntries(Array.from(begun, ([name, of]) => [name, [...of]])) }),
    ...(sent.size > 0 && { sent: asKept(sent) }),
    ...(on.size > 0 && { on: asLists(on) }),
    ...(same.size > 0 && { same: Object.fromEntries(same) }),
    ...(listed.size > 0 && { listed: Object.fromEntries(listed) }),
    ...(wrote.size > 0 && {
      wrote: Object.fromEntries(
        Array.from(wrote, ([name, one]) => [name, { ...one, leaves: Object.fromEntries(one.leaves) }]),
      ),
    }),
  }
  const folder = stateFolder(root)
  try {
    await replaceFile(join(folder, 'state.json'), Buffer.from(`${JSON.stringify(kept, null, 1)}\n`))
  } catch (error) {
    throw failed(error, folder)
  }
}

/** Where what is remembered lies; made where it is not. @throws Problem */
export function stateFolder(root: string): string {
  const folder = join(root, FOLDER)
  try {
    folderOf(realpathSync(root), folder)
    const ignores = join(folder, '.gitignore')
    const there = lstatSync(ignores, { throwIfNoEntry: false })
    // A repository may have it as a link to any file.
    if (there?.isSymbolicLink()) rmSync(ignores)
    // Empty it is where the disk was full.
    if (!there?.size || there.isSymbolicLink()) writeFileSync(ignores, '*\n')
  } catch (error) {
    if (error instanceof Problem) throw new Problem(error.message, { ...error.where, file: FOLDER })
    throw failed(error, folder)
  }
  return folder
}

/** That the folder cannot be used, and why. */
export const failed = (error: unknown, folder: string) =>
  new Problem(`${folder} cannot be written: ${(error as Error).message}.`, { cause: error })
