/**
 * Sidecars: files beside the bundles with what belongs to a key but not to the app. This table is the only list of
 * them. A new sidecar by key is one row.
 */

import { entriesIn, type KeyEntries } from '../../bundle/key-entries.ts'
import { glossaryAt, glossaryPath } from '../glossary-file.ts'
import { namespaceOf, ownFile, projectPath } from '../project.ts'
import { parseStale, renderStale } from '../stale.ts'
import type { State } from '../state.ts'
import { canonicalComments, commentsIn } from './comments-file.ts'
import { renderWithin } from './key-file.ts'
import { notesIn, parseNotes } from './notes-file.ts'

interface SidecarRow {
  /**
   * What an entry follows: a key in all languages (`follow-keys.ts`), or the text of a key in one language
   * (`follow-key.ts`).
   */
  follows: 'key' | 'text'
  /** Whether an external edit is accepted. The server alone writes the others. */
  isEdited: boolean
  /** A file's canonical bytes, null for none. @throws Failure naming the culprit when it breaks the rules */
  canonical: (bytes: Uint8Array) => Buffer | null
  /** The valid entries of a file. */
  entries: (bytes: Uint8Array | null) => KeyEntries
}

const TABLE = {
  comments: { follows: 'key', isEdited: true, entries: commentsIn, canonical: canonicalComments },
  notes: {
    ...{ follows: 'key', isEdited: true, entries: notesIn },
    canonical: bytes => renderWithin('The file', parseNotes(bytes), [bytes]),
  },
  stale: {
    ...{ follows: 'text', isEdited: false, entries: entriesIn },
    canonical: bytes => renderStale(parseStale(bytes)),
  },
} as const satisfies Record<string, SidecarRow>

/** The folder of a sidecar in its project. */
export type SidecarName = keyof typeof TABLE

export const SIDECARS: Readonly<Record<SidecarName, SidecarRow>> = TABLE

export const SIDECAR_NAMES: readonly SidecarName[] = ['comments', 'notes', 'stale']

/** The sidecars with entries that follow a key. */
export const BY_KEY: readonly SidecarName[] = SIDECAR_NAMES.filter(name => SIDECARS[name].follows === 'key')

/** A file of a sidecar. */
export interface SidecarFile {
  kind: 'sidecar'
  slug: string
  sidecar: SidecarName
  namespace: string
}

export const sidecarFolder = (slug: string, sidecar: SidecarName): string => `${slug}/${sidecar}`

export const sidecarPath = ({ slug, sidecar, namespace }: Omit<SidecarFile, 'kind'>): string =>
  `${sidecarFolder(slug, sidecar)}/${namespace}.json`

/** The sidecar's file at a path, names checked; undefined for any other. */
export function sidecarFile(path: string): SidecarFile | undefined {
  const [slug, folder, file, ...deeper] = path.split('/')
  const sidecar = SIDECAR_NAMES.find(name => name === folder)
  if (sidecar === undefined || file === undefined || deeper.length > 0) return undefined
  const namespace = namespaceOf(file)
  if (namespace === undefined || ownFile(projectPath(slug!)) === undefined) return undefined
  return { kind: 'sidecar', slug: slug!, sidecar, namespace }
}

/** Whether a path is that of a file of stale entries. */
export const isStaleFile = (path: string): boolean => sidecarFile(path)?.sidecar === 'stale'

/** The namespaces with a file of a sidecar. */
export const sidecarNamespaces = (state: State, slug: string, sidecar: SidecarName): string[] =>
  state
    .list(sidecarFolder(slug, sidecar))
    .flatMap(({ kind, name }) => (kind === 'blob' ? (namespaceOf(name) ?? []) : []))

/** The files of all sidecars of a project, and its glossary. */
export const sidecarFiles = (state: State, slug: string): string[] => [
  ...SIDECAR_NAMES.flatMap(sidecar =>
    sidecarNamespaces(state, slug, sidecar).map(namespace => sidecarPath({ slug, sidecar, namespace })),
  ),
  ...(glossaryAt(state, slug).exists ? [glossaryPath(slug)] : []),
]
