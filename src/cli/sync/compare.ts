/** Compares the app's files with the server's bundles over their merge base. */
import { isDeepStrictEqual } from 'node:util'
import { blobId, EMPTY_BUNDLE_BYTES, parseBundle, parseResource } from '../../bundle/canonical.ts'
import { Failure } from '../../bundle/errors.ts'
import { join, type LeafName } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import { readTree } from '../../bundle/read-tree.ts'
import { Bundle, isFlat } from '../../bundle/resource.ts'
import { leavesOf } from '../../bundle/three-way.ts'
import type { Api } from '../api/client.ts'
import type { LocalBundle, LocalFile } from '../local/local-bundle.ts'
import type { LocalProject } from '../local/types.ts'
import { Problem } from '../problem.ts'
import { basesHere, branchName, type OtherBranchTexts } from './branches.ts'
import { type DiscardSuspect, findDiscardedPulls } from './discarded-pulls.ts'
import { type Repository, reader } from './git-texts.ts'
import { type Base, type Merge, merge, textOf, whole } from './merge.ts'
import { type ExportQuery, isUnknown, readServer, type ServerBundles } from './server-bundles.ts'
import type { SyncState } from './state.ts'

/** A bundle with different texts on the two sides. */
export interface ComparedBundle {
  /** `de/common`. */
  name: string
  file: LocalFile
  /** Undefined for a missing file, which says nothing. */
  local: LocalBundle | undefined
  /** Whether the file was deleted here since the merge base, and all its keys with it. */
  isGone?: true
  /** Undefined if the server has no such bundle. */
  server: Buffer | undefined
  merged: Merge
  /** Leaves that a push does not change on the server. */
  skipped?: LeafName[]
  /** The base texts of server leaves that rules leave out; null for none. */
  ignored?: ReadonlyMap<string, string | null>
  /** Whether the bundle has a merge base. */
  isKnown: boolean
  /** The branch of the merge base, if this branch says nothing about a leaf. */
  elsewhere?: string | undefined
  /** Whether leaves are as before a pull that no commit has. */
  isDiscardedPull?: boolean
}

/** A bundle to compare. */
export type Pair = Pick<ComparedBundle, 'file' | 'local' | 'isGone'>

export interface Comparison {
  differing: ComparedBundle[]
  /** Names. */
  equal: string[]
}

export const nameOf = ({ language, namespace }: Pick<LocalFile, 'language' | 'namespace'>): string =>
  `${language}/${namespace}`

/** The place that {@link nameOf} names. */
export function placeOf(name: string): Pick<LocalFile, 'language' | 'namespace'> {
  const [language, namespace] = name.split('/') as [string, string]
  return { language, namespace }
}

interface ComparisonScope {
  api: Api
  project: string
  local: Pick<LocalProject, 'layout' | 'sourceLanguage' | 'ignoredKeys'>
  format: Format
  state: SyncState
  repository: Repository
  head: string | undefined
}

/**
 * Requests base revisions from the server only for bundles that differ.
 * @throws Problem with file, line and key of a value that no bundle may hold
 */
export async function compare(
  scope: ComparisonScope,
  pairs: readonly Pair[],
  server: ServerBundles,
): Promise<Comparison> {
  const { api, project, local, format, state, repository } = scope
  const { ignoredKeys } = local
  const equal: string[] = []
  const left: Pair[] = []
  for (const pair of pairs) {
    const name = nameOf(pair.file)
    if (isEqual(state, pair, server.bundles.get(name))) equal.push(name)
    else left.push(pair)
  }
  const states = new Map<string, ServerBundles | undefined>()
  for (const [revision, names] of revisionsOf(state, left)) {
    states.set(revision, revision === server.revision ? server : await serverAt(api, project, revision, names))
  }
  const bases = basesOf(state, left, states)
  const sides = left.map(({ file, local, isGone }) => {
    const name = nameOf(file)
    const stored = server.bundles.get(name)
    const all = bundleIn(server, name, format)
    const { rest: theirs, left } = ignoredKeys.split(all, file.namespace)
    const compared = { name, file, local, server: stored, isKnown: bases.has(name), ...(isGone && { isGone }) }
    if (local === undefined && !isGone) return { compared, all, left, theirs }
    const yours = bundleOf(local, format)
    const interrupted = [...(state.interruptedPulls.get(name) ?? [])].flatMap(revision => states.get(revision) ?? [])
    const recorded = baseOf(bases.get(name), state.baseTexts.get(name), format)
    const base = withInterruptedPulls(
      withUnconfirmedPush(recorded, theirs, state.unconfirmedPush.get(name)),
      yours,
      interrupted.map(then => bundleIn(then, name, format)),
    )
    return { compared, all, left, theirs, mine: { yours, base } }
  })
  const elsewhere = sides.flatMap(({ compared: { file }, theirs, mine }) =>
    mine ? elsewhereOf(scope, file, theirs, mine.yours, mine.base) : [],
  )
  const suspects = sides.flatMap(({ compared: { file, local }, theirs, mine }) =>
    mine && local ? suspectOf(scope, { file, local }, theirs, mine.yours, mine.base) : [],
  )
  const read = reader(repository, local, format)
  const found = await basesHere(repository, read, elsewhere)
  const discarded = await findDiscardedPulls(repository, read, suspects)
  const here = Map.groupBy(
    elsewhere.map(({ file, on }, at) => ({ name: nameOf(file), on, bases: found[at]! })),
    ({ name }) => name,
  )
  const differing = sides.map(({ compared, all, left, theirs, mine }): ComparedBundle => {
    const ignored = new Map(left.map(leaf => [join(leaf), mine?.base(leaf) ?? null]))
    if (mine === undefined) return { ...compared, merged: { ...whole(theirs), server: all }, ignored }
    const own = here.get(compared.name) ?? []
    const before = discarded[suspects.findIndex(({ file }) => file === compared.file)] ?? new Set()
    const isDoubtful = (leaf: LeafName) => before.has(join(leaf))
    const base: Base = leaf => {
      if (isDoubtful(leaf)) return undefined
      const other = own.find(({ bases }) => bases.has(join(leaf)))
      return other ? other.bases.get(join(leaf)) : mine.base(leaf)
    }
    const unknown = own.find(({ bases }) => [...bases.values()].includes(undefined))
    const isSource = compared.file.language === local.sourceLanguage
    const merged = { ...merge(mine.yours, theirs, base, { isDoubtful, isSource }), server: all }
    return {
      ...compared,
      merged,
      ignored,
      elsewhere: unknown && branchName(unknown.on),
      isDiscardedPull: before.size > 0,
    }
  })
  return { differing, equal }
}

/** The leaves of a file that differ from a merge base of another branch, by branch. */
function elsewhereOf(
  { state: { baseBranch, baseTexts }, head }: ComparisonScope,
  file: LocalFile,
  theirs: Bundle,
  yours: Bundle,
  base: Base,
) {
  const found = new Map<string, OtherBranchTexts>()
  const name = nameOf(file)
  for (const { leaf, last } of head === undefined ? [] : changedLeaves(yours, theirs, base)) {
    const branch = baseBranch.get(baseTexts.get(name)?.has(leaf) ? `${name} ${leaf}` : name)
    if (branch === undefined || branch === head) continue
    const one = found.get(branch) ?? { file, on: branch, last: new Map() }
    found.set(branch, one)
    one.last.set(leaf, last)
  }
  return [...found.values()]
}

/** The leaves that differ from the server and from a known base. */
function* changedLeaves(yours: Bundle, theirs: Bundle, base: Base) {
  for (const leaf of leavesOf([...theirs.tree.entries(), ...yours.tree.entries()])) {
    const [own = null, last, stored = null] = [textOf(yours, leaf), base(leaf), textOf(theirs, leaf)]
    const isChanged = own !== last && own !== stored && own !== ''
    if (last !== undefined && isChanged) yield { leaf: join(leaf), own, last }
  }
}

/** The leaves of a file that differ from the texts that pulls wrote on this branch. */
function suspectOf({ state, head }: ComparisonScope, { file, local }: Pair, theirs: Bundle, yours: Bundle, base: Base) {
  const name = nameOf(file)
  const before = state.beforePull.get(name)
  if (before === undefined || head === undefined || state.baseBranch.get(name) !== head) return []
  const leaves: DiscardSuspect['leaves'] = new Map()
  for (const { leaf, own, last } of changedLeaves(yours, theirs, base)) {
    if (before.leaves.has(leaf)) leaves.set(leaf, { own, last })
  }
  return leaves.size > 0 ? [{ file, bytes: local!.bytes, before, leaves }] : []
}

/** The bundle of a file; empty for a missing file. @throws Problem */
export function bundleOf(local: LocalBundle | undefined, format: Format): Bundle {
  if (local === undefined) return Bundle.empty(format)
  return placed(local, () => new Bundle(format, readTree(local.resource, isFlat(format), true)))
}

/** Runs a check of a file's content. @throws Problem with the position of the first wrong key */
export function placed<T>(local: LocalBundle, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const keys = (error.data.keys ?? []) as string[]
    const key = keys.find(name => local.placeOf(name) !== undefined)
    const place = key === undefined ? {} : { key, ...local.placeOf(key) }
    throw new Problem(error.message, { file: local.file.path, ...place, cause: error })
  }
}

/** Whether a file and the server have the same texts in any order. Records equal texts of different bytes. */
function isEqual(state: SyncState, { file, local, isGone }: Pair, stored: Buffer | undefined): boolean {
  if (local === undefined) return stored === undefined || (isGone === true && EMPTY_BUNDLE_BYTES.equals(stored))
  if (stored === undefined) return Object.keys(local.resource).length === 0
  if (local.bytes.equals(stored)) return true
  const name = nameOf(file)
  const isSame = isDeepStrictEqual(local.resource, parseResource(stored))
  if (isSame && local.isWhole && local.document.ignored.size === 0)
    state.equalBytes.set(name, fingerprint(local.bytes, stored))
  else state.equalBytes.delete(name)
  return isSame
}

/** Whether an earlier comparison found equal texts in these bytes: they need no second comparison. */
export const isKnownEqual = ({ equalBytes }: SyncState, name: string, bytes: Buffer, stored: Buffer): boolean =>
  equalBytes.has(name) && equalBytes.get(name) === fingerprint(bytes, stored)

const fingerprint = (bytes: Buffer, stored: Buffer): string => blobId(bytes) + blobId(stored)

/** The revisions of merge bases and interrupted pulls, with the bundles to read at each. */
function revisionsOf({ baseRevision, interruptedPulls }: SyncState, pairs: readonly Pair[]): Map<string, Set<string>> {
  const names = pairs.filter(({ local, isGone }) => local !== undefined || isGone).map(({ file }) => nameOf(file))
  const revisions = new Map<string, Set<string>>()
  for (const name of names) {
    for (const revision of [baseRevision.get(name) ?? [], ...(interruptedPulls.get(name) ?? [])].flat()) {
      revisions.set(revision, (revisions.get(revision) ?? new Set()).add(name))
    }
  }
  return revisions
}

/** The files of the merge bases by bundle; null for a bundle that was missing then. */
function basesOf(
  { baseRevision }: SyncState,
  pairs: readonly Pair[],
  states: ReadonlyMap<string, ServerBundles | undefined>,
): Map<string, Buffer | null> {
  const names = pairs.filter(({ local, isGone }) => local !== undefined || isGone).map(({ file }) => nameOf(file))
  return new Map(
    names.flatMap(name => {
      const then = states.get(baseRevision.get(name) ?? '')
      return then ? [[name, then.bundles.get(name) ?? null] as const] : []
    }),
  )
}

function bundleIn({ bundles }: ServerBundles, name: string, format: Format): Bundle {
  const bytes = bundles.get(name)
  return bytes === undefined ? Bundle.empty(format) : parseBundle(bytes, format)
}

/** A local text that equals one of an interrupted pull is its own base. */
function withInterruptedPulls(base: Base, local: Bundle, interrupted: readonly Bundle[]): Base {
  if (interrupted.length === 0) return base
  return leaf => {
    const text = textOf(local, leaf)
    return interrupted.some(then => textOf(then, leaf) === text) ? (text ?? null) : base(leaf)
  }
}

/** A server text that equals one of an unconfirmed push is its own base. */
function withUnconfirmedPush(base: Base, server: Bundle, sent: ReadonlyMap<string, string | null> | undefined): Base {
  if (!sent) return base
  return leaf => {
    const text = textOf(server, leaf) ?? null
    return sent.get(join(leaf)) === text ? text : base(leaf)
  }
}

/** Maximum bundles in one address. */
const MAX_NAMED = 20

/** Undefined for an unknown revision: the server's history was rewritten, or restored from an older backup. */
async function serverAt(
  api: Api,
  project: string,
  at: string,
  names: ReadonlySet<string>,
): Promise<ServerBundles | undefined> {
  const places = Array.from(names, placeOf)
  const named = {
    languages: [...new Set(places.map(({ language }) => language))],
    namespaces: [...new Set(places.map(({ namespace }) => namespace))],
  }
  // The server refuses names that were missing at that revision.
  return (
    (places.length <= MAX_NAMED ? await readKnown(api, project, { at, ...named }) : undefined) ??
    readKnown(api, project, { at })
  )
}

async function readKnown(api: Api, project: string, asked: ExportQuery): Promise<ServerBundles | undefined> {
  try {
    return await readServer(api, project, asked)
  } catch (error) {
    if (isUnknown(error)) return undefined
    throw error
  }
}

function baseOf(bytes: Buffer | null | undefined, since: Map<string, string | null> | undefined, format: Format): Base {
  const known = bytes === undefined ? undefined : bytes === null ? Bundle.empty(format) : parseBundle(bytes, format)
  return leaf => {
    const later = since?.get(join(leaf))
    return later !== undefined ? later : known && (textOf(known, leaf) ?? null)
  }
}
