/** The merge bases of a checkout, in `.parlance/state.json`. A `.gitignore` beside it excludes the folder from git. */
import { lstatSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../bundle/json.ts'
import { replaceFile } from '../local/replace-file.ts'
import { folderOf } from '../local/write-files.ts'
import { Problem } from '../problem.ts'

/** Texts by leaf; null for a leaf that was removed. */
type LeafTexts = Map<string, string | null>

/** What both sides had last. Bundles are named `de/common`, leaves `nav.home`. */
export interface State {
  /** By bundle: the revision where both sides last had the same texts. */
  baseRevision: Map<string, string>
  /** By bundle: texts that both sides got after that revision. */
  baseTexts: Map<string, LeafTexts>
  /** By bundle: revisions of interrupted pulls. A local text that equals one of theirs is not a local edit. */
  interruptedPulls: Map<string, Set<string>>
  /** By bundle: texts of pushes without an answer. A server text that equals one of them came from here. */
  unconfirmedPush: Map<string, LeafTexts>
  /** By bundle, or by leaf of `baseTexts` as `de/common nav.home`: the branch or commit that the base belongs to. */
  baseBranch: Map<string, string>
  /** By bundle: fingerprints of local and server bytes that differ and have equal texts. */
  equalBytes: Map<string, string>
  /** By bundle: the texts that pulls replaced. */
  beforePull: Map<string, BeforePull>
  /** Fingerprints of skipped keys that a push listed, as `de/common nav.home`. */
  listedSkips: Map<string, string>
  /** Query, entity tag and revision of the last pull. Older versions wrote no revision. */
  lastPull: { query: string; etag: string; revision?: string } | undefined
}

/** The texts that pulls replaced in one bundle since a commit. */
export interface BeforePull {
  commit: string
  /** Size and time of the file at its last comparison. With these the file need not be read. */
  stamp: string
  /** Fingerprints of the replaced texts by leaf, the newest last. */
  leaves: Map<string, string[]>
}

/** The project that a state belongs to. A state of another server or project is ignored. */
export interface Origin {
  /** The app's folder. */
  root: string
  url: string
  project: string
}

/** The file. Its names are those of the first version. */
interface StateFile {
  version: 1
  url: string
  project: string
  pulled?: State['lastPull']
  /** Bundles by revision. */
  taken: Record<string, string[]>
  since: Record<string, Record<string, string | null>>
  begun?: Record<string, string[]>
  sent?: Record<string, Record<string, string | null>>
  /** Names by branch. */
  on?: Record<string, string[]>
  same?: Record<string, string>
  listed?: Record<string, string>
  wrote?: Record<string, { at: string; seen: string; leaves: Record<string, string[]> }>
}

const FOLDER = '.parlance'

/** @returns an empty state if the file is missing, damaged, or of another server or project */
export function readState({ root, url, project }: Origin): State {
  try {
    const file = parseJson(readFileSync(join(root, FOLDER, 'state.json'), 'utf8')) as StateFile
    if (file.version !== 1 || file.url !== url || file.project !== project) return emptyState()
    return {
      baseRevision: byName(file.taken),
      baseTexts: mapOf(file.since, texts => mapOf(texts)),
      interruptedPulls: mapOf(file.begun, revisions => new Set(revisions)),
      unconfirmedPush: mapOf(file.sent, texts => mapOf(texts)),
      baseBranch: byName(file.on ?? {}),
      equalBytes: mapOf(file.same),
      listedSkips: mapOf(file.listed),
      beforePull: mapOf(file.wrote, ({ at, seen, leaves }) => ({
        commit: at,
        stamp: seen,
        leaves: mapOf(leaves, texts => [...texts]),
      })),
      lastPull: file.pulled,
    }
  } catch {
    return emptyState()
  }
}

/** The state before the first pull. */
export const emptyState = (): State => ({
  baseRevision: new Map(),
  baseTexts: new Map(),
  interruptedPulls: new Map(),
  unconfirmedPush: new Map(),
  baseBranch: new Map(),
  equalBytes: new Map(),
  beforePull: new Map(),
  listedSkips: new Map(),
  lastPull: undefined,
})

const mapOf = <V, T = V>(
  record: Record<string, V> = {},
  convert = (value: V): T => value as unknown as T,
): Map<string, T> => new Map(Object.entries(record).map(([name, value]) => [name, convert(value)]))

/** @returns undefined for an empty map: the file then has no such member */
const recordOf = <V, T = V>(
  map: Map<string, V>,
  convert = (value: V): T => value as unknown as T,
): Record<string, T> | undefined =>
  map.size === 0 ? undefined : Object.fromEntries(Array.from(map, ([name, value]) => [name, convert(value)]))

const byName = (lists: Record<string, string[]>): Map<string, string> =>
  new Map(Object.entries(lists).flatMap(([value, names]) => names.map((name): [string, string] => [name, value])))

const byValue = (values: Map<string, string>): Record<string, string[]> =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(values, ([, value]) => value),
      ([value, rows]) => [value, rows.map(([name]) => name).sort()],
    ),
  )

/** Replaces the file. */
export async function writeState({ root, url, project }: Origin, state: State): Promise<void> {
  const file: StateFile = {
    version: 1,
    url,
    project,
    pulled: state.lastPull,
    taken: byValue(state.baseRevision),
    since: recordOf(state.baseTexts, texts => recordOf(texts) ?? {}) ?? {},
    begun: recordOf(state.interruptedPulls, revisions => [...revisions]),
    sent: recordOf(state.unconfirmedPush, texts => recordOf(texts) ?? {}),
    on: state.baseBranch.size > 0 ? byValue(state.baseBranch) : undefined,
    same: recordOf(state.equalBytes),
    listed: recordOf(state.listedSkips),
    wrote: recordOf(state.beforePull, ({ commit, stamp, leaves }) => ({
      at: commit,
      seen: stamp,
      leaves: recordOf(leaves) ?? {},
    })),
  }
  const folder = stateFolder(root)
  try {
    await replaceFile(join(folder, 'state.json'), Buffer.from(`${JSON.stringify(file, null, 1)}\n`))
  } catch (error) {
    throw failed(error, folder)
  }
}

/** The folder of the state; created if it is missing. @throws Problem */
export function stateFolder(root: string): string {
  const folder = join(root, FOLDER)
  try {
    folderOf(realpathSync(root), folder)
    const ignores = join(folder, '.gitignore')
    const stats = lstatSync(ignores, { throwIfNoEntry: false })
    // A repository may hold it as a link to any file.
    if (stats?.isSymbolicLink()) rmSync(ignores)
    // A full disk leaves it empty.
    if (!stats?.size || stats.isSymbolicLink()) writeFileSync(ignores, '*\n')
  } catch (error) {
    if (error instanceof Problem) throw new Problem(error.message, { ...error.where, file: FOLDER })
    throw failed(error, folder)
  }
  return folder
}

/** The problem that the folder cannot be written. */
export const failed = (error: unknown, folder: string) =>
  new Problem(`${folder} cannot be written: ${(error as Error).message}.`, { cause: error })
