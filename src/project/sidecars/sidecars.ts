/**
 * Sidecars: files beside the bundles with what belongs to a key but not to the app. This table is the only list of
 * them: all that follows a key, is verified or is read of the disk goes by it.
 */

import { entriesIn, type KeyEntries } from '../../bundle/key-entries.ts'
import { isLanguage } from '../../bundle/names.ts'
import { glossaryAt, glossaryPath } from '../glossary-file.ts'
import { namespaceOf, ownFile, projectPath } from '../project.ts'
import { parseStale, renderStale } from '../stale.ts'
import type { State } from '../state.ts'
import { commentsIn, parseComments } from './comments-file.ts'
import { renderWithin } from './key-file.ts'
import { marksIn, parseMarks } from './marks-file.ts'
import { notesIn, parseNotes } from './notes-file.ts'
import { parseSuggestions, suggestionsIn } from './suggestions-file.ts'

interface SidecarRow {
  /**
   * What an entry follows: a key in all languages or the key of one language (`follow-keys.ts`), or the text of a key
   * in one language (`follow-key.ts`). A sidecar that follows a `translation` has a folder for each language.
   */
  follows: 'key' | 'text' | 'translation'
  /** Whether an external edit is accepted. The server alone writes the others. */
  isEdited: boolean
  /** A file's canonical bytes, null for none. @throws Failure naming the culprit when it breaks the rules */
  canonical: (bytes: Uint8Array) => Buffer | null
  /** The valid entries of a file. */
  entries: (bytes: Uint8Array | null) => KeyEntries
}

const byRules = (parse: (bytes: Uint8Array) => KeyEntries) => (bytes: Uint8Array) =>
  renderWithin('The file', parse(bytes), [bytes])

const TABLE = {
  comments: { follows: 'key', isEdited: true, entries: commentsIn, canonical: byRules(parseComments) },
  marks: { follows: 'translation', isEdited: true, entries: marksIn, canonical: byRules(parseMarks) },
  notes: { follows: 'key', isEdited: true, entries: notesIn, canonical: byRules(parseNotes) },
  stale: { follows: 'text', isEdited: false, entries: entriesIn, canonical: bytes => renderStale(parseStale(bytes)) },
  suggestions: {
    ...{ follows: 'translation', isEdited: true, entries: suggestionsIn },
    canonical: byRules(parseSuggestions),
  },
} as const satisfies Record<string, SidecarRow>

/** The folder of a sidecar in its project. */
export type SidecarName = keyof typeof TABLE

export const SIDECARS: Readonly<Record<SidecarName, SidecarRow>> = TABLE

export const SIDECAR_NAMES: readonly SidecarName[] = Object.keys(TABLE) as SidecarName[]

/** The sidecars with entries that follow a key. */
export const BY_KEY: readonly SidecarName[] = SIDECAR_NAMES.filter(name => SIDECARS[name].follows !== 'text')

/** Whether a sidecar has a folder for each language. */
export const isByLanguage = (sidecar: SidecarName): boolean => SIDECARS[sidecar].follows === 'translation'

/** A file of a sidecar. */
export interface SidecarFile {
  kind: 'sidecar'
  slug: string
  sidecar: SidecarName
  /** Of a sidecar by language. */
  language?: string | undefined
  namespace: string
}

/** The folder of a sidecar, or of one language in it. */
export const sidecarFolder = (slug: string, sidecar: SidecarName, language?: string): string =>
  language === undefined ? `${slug}/${sidecar}` : `${slug}/${sidecar}/${language}`

export const sidecarPath = ({ slug, sidecar, language, namespace }: Omit<SidecarFile, 'kind'>): string =>
  `${sidecarFolder(slug, sidecar, language)}/${namespace}.json`

/** The sidecar's file at a path, names checked; undefined for any other. */
export function sidecarFile(path: string): SidecarFile | undefined {
  const [slug, folder, ...names] = path.split('/')
  const sidecar = SIDECAR_NAMES.find(name => name === folder)
  if (sidecar === undefined || names.length !== (isByLanguage(sidecar) ? 2 : 1)) return undefined
  const namespace = namespaceOf(names.at(-1)!)
  if (namespace === undefined || ownFile(projectPath(slug!)) === undefined) return undefined
  if (!isByLanguage(sidecar)) return { kind: 'sidecar', slug: slug!, sidecar, namespace }
  const language = names[0]!
  return isLanguage(language) ? { kind: 'sidecar', slug: slug!, sidecar, language, namespace } : undefined
}

/** Whether a path is that of a file of stale entries. */
export const isStaleFile = (path: string): boolean => sidecarFile(path)?.sidecar === 'stale'

/** The folders with files of a sidecar: its own, or those of its languages. */
export function sidecarFolders(state: Pick<State, 'list'>, slug: string, sidecar: SidecarName): string[] {
  const folder = sidecarFolder(slug, sidecar)
  if (!isByLanguage(sidecar)) return [folder]
  const languages = state.list(folder).filter(({ kind, name }) => kind === 'tree' && isLanguage(name))
  return languages.map(({ name }) => `${folder}/${name}`)
}

/** The files of a sidecar. */
export const filesOfSidecar = (state: Pick<State, 'list'>, slug: string, sidecar: SidecarName): SidecarFile[] =>
  sidecarFolders(state, slug, sidecar).flatMap(folder =>
    state.list(folder).flatMap(({ kind, name }) => (kind === 'blob' ? (sidecarFile(`${folder}/${name}`) ?? []) : [])),
  )

/** The files of all sidecars of a project, and its glossary. */
export const sidecarFiles = (state: State, slug: string): string[] => [
  ...SIDECAR_NAMES.flatMap(sidecar => filesOfSidecar(state, slug, sidecar).map(sidecarPath)),
  ...(glossaryAt(state, slug).exists ? [glossaryPath(slug)] : []),
]
