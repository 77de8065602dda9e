/** Holds the app's files against the server's bundles, over what this checkout had last. */
import { isDeepStrictEqual } from 'node:util'
import { blobId, EMPTY_BUNDLE_BYTES, parseBundle, parseResource } from '../../bundle/canonical.ts'
import { Failure } from '../../bundle/errors.ts'
import { join, type LeafName } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import { readTree } from '../../bundle/read-tree.ts'
import { Bundle, isFlat } from '../../bundle/resource.ts'
import type { Api } from '../api/client.ts'
import type { LocalBundle, LocalFile, LocalProject } from '../local/types.ts'
import { Problem } from '../problem.ts'
import { basesHere, branchName, type Elsewhere } from './branches.ts'
import { type Repository, reader } from './git-texts.ts'
import { type Base, leavesOf, type Merge, merge, textOf, whole } from './merge.ts'
import { putBack, type Suspect } from './put-back.ts'
import { type Asked, isUnknown, readServer, type ServerBundles } from './server-bundles.ts'
import type { State } from './state.ts'

/** A bundle of which the two sides differ. */
export interface Compared {
  /** `de/common`. */
  name: string
  file: LocalFile
  /** Undefined: the file is not there, and says nothing. */
  local: LocalBundle | undefined
  /** Whether it was there when both sides had the same: without it, all its keys are deleted here. */
  isGone?: true
  /** Undefined: the server has no such bundle. */
  server: Buffer | undefined
  merged: Merge
  /** Leaves that a push leaves as the server has them. */
  skipped?: LeafName[]
  /** The server's leaves that rules leave out, by name: what both sides had last, null for nothing. */
  ignored?: ReadonlyMap<string, string | null>
  /** Whether it is known what both sides had last. */
  isKnown: boolean
  /** The other branch that the app was on when both sides had them, for leaves of which nothing is known on this one. */
  elsewhere?: string | undefined
  /** Whether leaves, of which nothing is known either, are as before a pull. */
  isPutBack?: boolean
}

/** A bundle to compare. */
export type Pair = Pick<Compared, 'file' | 'local' | 'isGone'>

/** Those that differ, and the names of those that are equal. */
export interface Comparison {
  differing: Compared[]
  equal: string[]
}

export const nameOf = ({ language, namespace }: Pick<LocalFile, 'language' | 'namespace'>): string =>
  `${language}/${namespace}`

/** The place that {@link nameOf} names. */
export function placeOf(name: string): Pick<LocalFile, 'language' | 'namespace'> {
  const [language, namespace] = name.split('/') as [string, string]
  return { language, namespace }
}

/** What a comparison needs of a command's scope. */
interface Compares {
  api: Api
  project: string
  local: Pick<LocalProject, 'layout' | 'sourceLanguage' | 'ignoredKeys'>
  format: Format
  state: State
  repository: Repository
  head: string | undefined
}

/**
 * Asks for the states that were taken from only when something differs from it.
 * @throws Problem naming file, line and key of what no bundle may hold
 */
export async function compare(scope: Compares, pairs: readonly Pair[], server: ServerBundles): Promise<Comparison> {
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
    const begun = [...(state.begun.get(name) ?? [])].flatMap(revision => states.get(revision) ?? [])
    const last = orSent(baseOf(bases.get(name), state.since.get(name), format), theirs, state.sent.get(name))
    const base = orBegun(
      last,
      yours,
      begun.map(then => bundleIn(then, name, format)),
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
  const backs = await putBack(repository, read, suspects)
  const here = Map.groupBy(
    elsewhere.map(({ file, on }, at) => ({ name: nameOf(file), on, bases: found[at]! })),
    ({ name }) => name,
  )
  const differing = sides.map(({ compared, all, left, theirs, mine }): Compared => {
    const ignored = new Map(left.map(leaf => [join(leaf), mine?.base(leaf) ?? null]))
    if (mine === undefined) return { ...compared, merged: { ...whole(theirs), server: all }, ignored }
    const own = here.get(compared.name) ?? []
    const back = backs[suspects.findIndex(({ file }) => file === compared.file)] ?? new Set()
    const isDoubtful = (leaf: LeafName) => back.has(join(leaf))
    const base: Base = leaf => {
      if (isDoubtful(leaf)) return undefined
      const other = own.find(({ bases }) => bases.has(join(leaf)))
      return other ? other.bases.get(join(leaf)) : mine.base(leaf)
    }
    const unknown = own.find(({ bases }) => [...bases.values()].includes(undefined))
    const isSource = compared.file.language === local.sourceLanguage
    const merged = { ...merge(mine.yours, theirs, base, { isDoubtful, isSource }), server: all }
    return { ...compared, merged, ignored, elsewhere: unknown && branchName(unknown.on), isPutBack: back.size > 0 }
  })
  return { differing, equal }
}

/** What of a file differs from what both sides had when the app was on other branches. */
function elsewhereOf(
  { state: { on, since }, head }: Compares,
  file: LocalFile,
  theirs: Bundle,
  yours: Bundle,
  base: Base,
) {
  const found = new Map<string, Elsewhere>()
  const name = nameOf(file)
  for (const { leaf, last } of head === undefined ? [] : changedLeaves(yours, theirs, base)) {
    const branch = on.get(since.get(name)?.has(leaf) ? `${name} ${leaf}` : name)
    if (branch === undefined || branch === head) continue
    const one = found.get(branch) ?? { file, on: branch, last: new Map() }
    found.set(branch, one)
    one.last.set(leaf, last)
  }
  return [...found.values()]
}

/** The leaves, by their names, that differ from the server's and from what both sides had, where that is known. */
function* changedLeaves(yours: Bundle, theirs: Bundle, base: Base) {
  for (const leaf of leavesOf(yours, theirs)) {
    const [own = null, last, stored = null] = [textOf(yours, leaf), base(leaf), textOf(theirs, leaf)]
    const isChanged = own !== last && own !== stored && own !== ''
    if (last !== undefined && isChanged) yield { leaf: join(leaf), own, last }
  }
}

/** What of a file differs from what pulls wrote on this branch. */
function suspectOf({ state, head }: Compares, { file, local }: Pair, theirs: Bundle, yours: Bundle, base: Base) {
  const name = nameOf(file)
  const wrote = state.wrote.get(name)
  if (wrote === undefined || head === undefined || state.on.get(name) !== head) return []
  const leaves: Suspect['leaves'] = new Map()
  for (const { leaf, own, last } of changedLeaves(yours, theirs, base)) {
    if (wrote.leaves.has(leaf)) leaves.set(leaf, { own, last })
  }
  return leaves.size > 0 ? [{ file, bytes: local!.bytes, wrote, leaves }] : []
}

/** A file's bundle, that of a missing file without keys. @throws Problem */
export function bundleOf(local: LocalBundle | undefined, format: Format): Bundle {
  if (local === undefined) return Bundle.empty(format)
  return placed(local, () => new Bundle(format, readTree(local.resource, isFlat(format), true)))
}

/** Runs a rule over a file's content. @throws Problem with the place of the first key that breaks it */
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

/** Whether a file says what the server has, in whatever order; noted where it is not byte by byte. */
function isEqual(state: State, { file, local, isGone }: Pair, stored: Buffer | undefined): boolean {
  if (local === undefined) return stored === undefined || (isGone === true && EMPTY_BUNDLE_BYTES.equals(stored))
  if (stored === undefined) return Object.keys(local.resource).length === 0
  if (local.bytes.equals(stored)) return true
  const name = nameOf(file)
  const isSame = isDeepStrictEqual(local.resource, parseResource(stored))
  if (isSame && local.isWhole && local.document.ignored.size === 0)
    state.same.set(name, fingerprint(local.bytes, stored))
  else state.same.delete(name)
  return isSame
}

/** Whether it is noted that a file and the server's say the same: texts in other orders are compared once. */
export const isNoted = ({ same }: State, name: string, bytes: Buffer, stored: Buffer): boolean =>
  same.has(name) && same.get(name) === fingerprint(bytes, stored)

const fingerprint = (bytes: Buffer, stored: Buffer): string => blobId(bytes) + blobId(stored)

/** The revisions from which files took texts, each with the bundles of which it has something to tell. */
function revisionsOf({ taken, begun }: State, pairs: readonly Pair[]): Map<string, Set<string>> {
  const names = pairs.filter(({ local, isGone }) => local !== undefined || isGone).map(({ file }) => nameOf(file))
  const revisions = new Map<string, Set<string>>()
  for (const name of names) {
    for (const revision of [...(taken.has(name) ? [taken.get(name)!] : []), ...(begun.get(name) ?? [])]) {
      revisions.set(revision, (revisions.get(revision) ?? new Set()).add(name))
    }
  }
  return revisions
}

/** What the differing bundles were when they were taken, by name: null for one that was not there. */
function basesOf(
  { taken }: State,
  pairs: readonly Pair[],
  states: ReadonlyMap<string, ServerBundles | undefined>,
): Map<string, Buffer | null> {
  const names = pairs.filter(({ local, isGone }) => local !== undefined || isGone).map(({ file }) => nameOf(file))
  return new Map(
    names.flatMap(name => {
      const then = states.get(taken.get(name) ?? '')
      return then ? [[name, then.bundles.get(name) ?? null] as const] : []
    }),
  )
}

function bundleIn({ bundles }: ServerBundles, name: string, format: Format): Bundle {
  const bytes = bundles.get(name)
  return bytes === undefined ? Bundle.empty(format) : parseBundle(bytes, format)
}

/** A text that is one of a pull that was cut off came by it, and was not written here. */
function orBegun(last: Base, local: Bundle, begun: readonly Bundle[]): Base {
  if (begun.length === 0) return last
  return leaf => {
    const text = textOf(local, leaf)
    return begun.some(then => textOf(then, leaf) === text) ? (text ?? null) : last(leaf)
  }
}

/** A text of the server that is one of a push whose answer was lost came by that. */
function orSent(last: Base, server: Bundle, sent: ReadonlyMap<string, string | null> | undefined): Base {
  if (!sent) return last
  return leaf => {
    const text = textOf(server, leaf) ?? null
    return sent.get(join(leaf)) === text ? text : last(leaf)
  }
}

/** An address names no more bundles than these. */
const MOST_NAMED = 20

/** Undefined for a revision that the server does not know: its history was written anew, or brought back older. */
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
  // One that was not there then cannot be asked for.
  return (
    (places.length <= MOST_NAMED ? await readKnown(api, project, { at, ...named }) : undefined) ??
    readKnown(api, project, { at })
  )
}

async function readKnown(api: Api, project: string, asked: Asked): Promise<ServerBundles | undefined> {
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
