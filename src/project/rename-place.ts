/** Renames a namespace or a language: all files move with their bytes, and no note of a stale translation is lost. */
import { Failure } from '../bundle/errors.ts'
import type { Steps } from '../scheduling/steps.ts'
import { refuseTwinsAmong } from './case-twins.ts'
import { hasLanguage, hasNamespace, idOf, languagesOf, namespacesOf, requireLanguage } from './layout.ts'
import { type BundleName, bundlePath, type Project } from './project.ts'
import { parseStale, renderStale, type StaleNote, stalePath } from './stale.ts'
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
 * The moves of a namespace in all languages.
 * @throws Failure `not-found` without such a namespace, `conflict` if the project has the new one
 */
export function namespaceMoves(state: State, project: Project, { from, to }: PlaceRenaming): PlaceMoves {
  const { slug } = project
  const languages = languagesOf(state, project).filter(
    language => idOf(state, { slug, language, namespace: from }) !== null,
  )
  if (languages.length === 0) throw new Failure('not-found', `Project "${slug}" has no namespace "${from}".`)
  if (hasNamespace(state, slug, to)) throw taken('namespace', to, project)
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

/** Moves a namespace's file of notes. A file that bears the new name already belongs to no namespace. */
export function moveNotes(
  state: MovableState,
  { slug }: Project,
  { from, to }: PlaceRenaming,
  count: (bytes: number) => void,
): void {
  if (state.entry(stalePath(slug, to))?.kind === 'blob') state.remove(stalePath(slug, to))
  moveFile(state, stalePath(slug, from), stalePath(slug, to), count)
}

function moveFile(state: MovableState, from: string, to: string, count: (bytes: number) => void): void {
  const entry = state.entry(from)
  if (entry?.kind !== 'blob') return
  const bytes = state.read(from)!
  count(bytes.length)
  state.remove(from)
  state.put(to, bytes, entry.id)
}

/** The input of {@link renameNotesLanguage}. */
interface NotesRenaming extends PlaceRenaming {
  /** A file of notes. */
  notes: Uint8Array
}

/**
 * Renames a language in a file of notes. Notes of the new name belong to no text, so they end.
 * @returns the new file, null without notes; undefined in `file` if nothing changes
 */
export function renameNotesLanguage({ notes, from, to }: NotesRenaming): { file?: Uint8Array | null } {
  const renamed = new Map<string, StaleNote[]>()
  let isChanged = false
  for (const [key, list] of parseStale(notes)) {
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
