/** A page of a project's suggestions: its files one after the other, large ones in the worker. */
import { MAX_SUGGESTIONS } from '../../bundle/suggestion.ts'
import { bundlePath } from '../../project/project.ts'
import type { ListSuggestionsTask, SuggestionRow } from '../../project/sidecars/list-suggestions.ts'
import { filesOfSidecar, sidecarPath } from '../../project/sidecars/sidecars.ts'
import type { StatusPart } from '../../project/status.ts'
import { textRulesIn } from '../../project/text-rules.ts'
import type { Snapshot } from '../../store/store.ts'
import { LARGE, type StatusRequest } from './status-cache.ts'

/** Bytes of messages on a page, beside its last suggestion. */
const PAGE_BYTES = 8 * 2 ** 20
/** Files that one page reads at most: a page that ends there may be empty. */
const MOST_FILES = 1_000

/** A suggestion of a project. */
export interface SuggestionPosition {
  language: string
  namespace: string
  key: string
  id: string
}

/** The wanted suggestions, and the end of the previous page. */
export interface SuggestionQuery extends StatusPart {
  key: string | null
  /** Of this author; undefined for all. */
  by: string | undefined
  limit: number
  after: SuggestionPosition | undefined
}

/** Rows in their order, and the position of the last one when there are more. */
interface SuggestionPage {
  suggestions: (Pick<SuggestionPosition, 'language' | 'namespace'> & SuggestionRow)[]
  next: SuggestionPosition | null
}

/** Reads the files of one page. */
export async function suggestionPage(
  request: SuggestionRequest,
  { limit, after, key, by, ...part }: SuggestionQuery,
): Promise<SuggestionPage> {
  const { project, pinned, left } = request
  const { slug } = project
  const { rules, files } = await pinned.look(state => ({
    rules: textRulesIn(state, project),
    files: filesOf(state, slug, part).filter(file => !isBefore(file, after)),
  }))
  files.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const page: SuggestionPage = { suggestions: [], next: null }
  let room = PAGE_BYTES
  for (const [at, { language, namespace }] of files.entries()) {
    left.throwIfAborted()
    const isCut = at === MOST_FILES
    const isLast = after?.language === language && after.namespace === namespace
    const most = room < 0 ? 0 : limit - page.suggestions.length
    const wants = { rules, only: key, by: by ?? null, behind: isLast ? after : null, most, bytes: room }
    const found = isCut ? NOTHING : await bundleSuggestions(request, { language, namespace }, wants)
    for (const row of found.rows) page.suggestions.push({ language, namespace, ...row })
    room -= found.bytes
    const last = page.suggestions.at(-1)
    if (isCut) {
      const { language, namespace } = files[at - 1]!
      // Behind every key and id.
      return { ...page, next: { language, namespace, key: '\uffff', id: '' } }
    }
    if (found.more && last) return { ...page, next: positionOf(last) }
  }
  return page
}

/** The files with suggestions of a project, or of a part of it. */
function filesOf(state: Snapshot, slug: string, { language, namespace }: StatusPart) {
  if (language !== undefined && namespace !== undefined) {
    const isThere = state.entry(sidecarPath({ slug, sidecar: 'suggestions', language, namespace })) !== undefined
    return isThere ? [{ language, namespace }] : []
  }
  const all = filesOfSidecar(state, slug, 'suggestions').map(file => ({ ...file, language: file.language! }))
  return all.filter(
    file => file.language === (language ?? file.language) && file.namespace === (namespace ?? file.namespace),
  )
}

type SuggestionRequest = Pick<StatusRequest, 'project' | 'pinned' | 'left'>

/** The suggestions of one key with what a reviewer needs to know, as a page has them. */
export async function keySuggestions(
  request: SuggestionRequest,
  { language, namespace, key }: Omit<SuggestionPosition, 'id'>,
): Promise<SuggestionPage['suggestions']> {
  const query = { language, namespace, key, by: undefined, limit: MAX_SUGGESTIONS, after: undefined }
  return (await suggestionPage(request, query)).suggestions
}

/** The wanted suggestions of a bundle. */
function bundleSuggestions(
  { project, pinned, left }: SuggestionRequest,
  { language, namespace }: Pick<SuggestionPosition, 'language' | 'namespace'>,
  wants: Pick<ListSuggestionsTask, 'rules' | 'only' | 'by' | 'behind' | 'most' | 'bytes'>,
) {
  const { slug, sourceLanguage } = project
  const read = (state: Snapshot): ListSuggestionsTask => {
    const file = (path: string) => state.read(path) ?? null
    return {
      suggestions: file(sidecarPath({ slug, sidecar: 'suggestions', language, namespace })),
      source: file(bundlePath({ slug, language: sourceLanguage, namespace })),
      target: file(bundlePath({ slug, language, namespace })),
      notes: file(sidecarPath({ slug, sidecar: 'notes', namespace })),
      ...{ sourceLanguage, language, ...wants },
    }
  }
  return pinned.compute('listSuggestions', read, { most: LARGE, left })
}

const NOTHING = { rows: [], more: false, bytes: 0 }

const positionOf = ({ language, namespace, key, id }: SuggestionPosition): SuggestionPosition => ({
  ...{ language, namespace, key, id },
})

/** Whether a file is before that of a suggestion. */
function isBefore(
  a: { language: string; namespace: string },
  b: { language: string; namespace: string } | undefined,
): boolean {
  if (b === undefined) return false
  return a.language < b.language || (a.language === b.language && a.namespace < b.namespace)
}
