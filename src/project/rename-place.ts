/** Renames a namespace or a language: all files move with their bytes, and no entry of a sidecar is lost. */
import { Failure } from '../bundle/errors.ts'
import type { Steps } from '../scheduling/steps.ts'
import { refuseSidecarLanguageTwin, refuseSidecarTwin, refuseTwinsAmong } from './case-twins.ts'
import { hasLanguage, languagesByNamespace, namespacesOf, requireLanguage } from './layout.ts'
import { type BundleName, bundlePath, type Project } from './project.ts'
import {
  filesOfSidecar,
  isByLanguage,
  SIDECAR_NAMES,
  SIDECARS,
  type SidecarName,
  sidecarFolder,
  sidecarFolders,
  sidecarPath,
} from './sidecars/sidecars.ts'
import { parseStale, renderStale, type StaleEntry } from './stale.ts'
import type { State } from './state.ts'

/** The old and the new name of a namespace or a language. */
export interface PlaceRenaming {
  from: string
  to: string
}

/** The bundles of a renaming, each by both names. */
export interface PlaceMoves {
  project: Project
  moves: { from: BundleName; to: BundleName }[]
}

/** A state that files can be moved in. */
interface MovableState extends State {
  put(path: string, bytes: Buffer, id?: string): void
  remove(path: string): void
}

/**
 * The moves of a namespace in all languages. In steps.
 * @throws Failure `not-found` without such a namespace, `conflict` if the project has the new one
 */
export function* namespaceMoves(state: State, project: Project, { from, to }: PlaceRenaming): Steps<PlaceMoves> {
  const { slug } = project
  const found = yield* languagesByNamespace(state, slug, new Set([from, to]))
  const languages = found.get(from)!
  if (languages.length === 0) throw new Failure('not-found', `Project "${slug}" has no namespace "${from}".`)
  if (found.get(to)!.length > 0) throw taken('namespace', to, project)
  const named = (language: string, namespace: string) => ({ slug, language, namespace })
  return { project, moves: languages.map(language => ({ from: named(language, from), to: named(language, to) })) }
}

/**
 * The moves of a language's bundles.
 * @throws Failure `not-found` without such a language, `conflict` if the project has the new one, `invalid` for the
 * source language
 */
export function languageMoves(state: State, project: Project, { from, to }: PlaceRenaming): PlaceMoves {
  const { slug, sourceLanguage } = project
  if (from === sourceLanguage) {
    const sentence = `"${from}" is the source language of project "${slug}", which stays. Rename a translation instead.`
    throw new Failure('invalid', sentence)
  }
  requireLanguage(state, project, from)
  if (hasLanguage(state, project, to)) throw taken('language', to, project)
  const named = (language: string, namespace: string) => ({ slug, language, namespace })
  const namespaces = namespacesOf(state, slug, from)
  return { project, moves: namespaces.map(namespace => ({ from: named(from, namespace), to: named(to, namespace) })) }
}

/**
 * Moves bundles, byte for byte. In steps.
 * @param count is given the bytes of each file; throws when they are too many
 * @throws Failure `conflict` for a new name that differs from an existing one only in case
 */
export function* moveBundles(
  state: MovableState,
  { project, moves }: PlaceMoves,
  count: (bytes: number) => void,
): Steps<void> {
  const created = moves.map(({ to }) => to)
  const gone = moves.map(({ from }) => bundlePath(from))
  yield* refuseTwinsAmong(state, project, created, gone)
  for (const { from, to } of moves) {
    moveFile(state, bundlePath(from), bundlePath(to), count)
    yield
  }
}

/** The paths of a sidecar of a namespace before and after its renaming. */
interface SidecarMove {
  sidecar: SidecarName
  folder: string
  from: string
  to: string
}

/** Those of `waiting` have entries for the new name: both files are merged. */
interface SidecarMoves {
  moving: SidecarMove[]
  waiting: SidecarMove[]
}

/** The moves of a namespace's sidecars. In steps. */
export function* sidecarMoves(state: State, { slug }: Project, { from, to }: PlaceRenaming): Steps<SidecarMoves> {
  const moves: SidecarMoves = { moving: [], waiting: [] }
  const isThere = (path: string) => state.entry(path)?.kind === 'blob'
  for (const sidecar of SIDECAR_NAMES) {
    for (const folder of sidecarFolders(state, slug, sidecar)) {
      const move = { sidecar, folder, from: `${folder}/${from}.json`, to: `${folder}/${to}.json` }
      yield
      if (!isThere(move.from)) continue
      const isWaiting = SIDECARS[sidecar].follows === 'key' && isThere(move.to)
      moves[isWaiting ? 'waiting' : 'moving'].push(move)
    }
  }
  return moves
}

/**
 * Moves the sidecars of a namespace. In steps.
 * @param place the new name @param merged the files of `waiting`, in order
 * @throws Failure `conflict` for a new name that differs only in case from that of a waiting file
 */
export function* moveSidecars(
  state: MovableState,
  place: { project: Project; namespace: string },
  { moving, waiting }: SidecarMoves,
  merged: readonly (Buffer | null)[],
  count: (bytes: number) => void,
): Steps<void> {
  const { project, namespace } = place
  for (const { folder, from, to } of moving) {
    // Entries of texts that the new name had before belong to no text.
    if (state.entry(to)?.kind === 'blob') state.remove(to)
    moveFile(state, from, to, count)
    refuseSidecarTwin(state, project, folder, namespace)
    yield
  }
  for (const [at, { from, to }] of waiting.entries()) {
    state.remove(from)
    const file = merged[at]!
    if (file === null) state.remove(to)
    else state.put(to, file)
    yield
  }
}

/**
 * Moves the sidecars by language of a renamed language. In steps.
 * @throws Failure `conflict` for a new name that differs only in case from that of waiting files
 */
export function* moveLanguageSidecars(
  state: MovableState,
  project: Project,
  { from, to }: PlaceRenaming,
  count: (bytes: number) => void,
): Steps<void> {
  const { slug } = project
  for (const sidecar of SIDECAR_NAMES.filter(isByLanguage)) {
    const files = filesOfSidecar(state, slug, sidecar)
    // Entries of texts that the new name had before belong to no text.
    for (const file of files) if (file.language === to) state.remove(sidecarPath(file))
    const moving = files.filter(({ language }) => language === from)
    for (const file of moving) {
      moveFile(state, sidecarPath(file), sidecarPath({ ...file, language: to }), count)
      yield
    }
    if (moving.length > 0) refuseSidecarLanguageTwin(state, project, sidecarFolder(slug, sidecar), to)
  }
}

function moveFile(state: MovableState, from: string, to: string, count: (bytes: number) => void): void {
  const entry = state.entry(from)
  if (entry?.kind !== 'blob') return
  const bytes = state.read(from)!
  count(bytes.length)
  state.remove(from)
  state.put(to, bytes, entry.id)
}

/** The input of {@link renameStaleLanguage}. */
interface StaleRenaming extends PlaceRenaming {
  /** A file of stale entries, null where there is none. */
  entries: Uint8Array | null
}

/**
 * Renames a language in a file of stale entries. Entries of the new name belong to no text, so they end.
 * @returns the new file, null without entries; undefined in `file` if nothing changes
 */
export function renameStaleLanguage({ entries, from, to }: StaleRenaming): { file?: Uint8Array | null } {
  const renamed = new Map<string, StaleEntry[]>()
  let isChanged = false
  for (const [key, list] of parseStale(entries)) {
    const changed = list.map(({ source, languages }) => {
      isChanged ||= languages.includes(from) || languages.includes(to)
      const others = languages.filter(language => language !== from && language !== to)
      return { source, languages: languages.includes(from) ? [...others, to].sort() : others }
    })
    renamed.set(
      key,
      changed.filter(({ languages }) => languages.length > 0),
    )
  }
  return isChanged ? { file: renderStale(renamed) } : {}
}

const taken = (what: string, name: string, { slug }: Project) =>
  new Failure('conflict', `Project "${slug}" has the ${what} "${name}" already.`)
