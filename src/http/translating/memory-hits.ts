/** Translations that the organization has already: equal sources, with equal placeholders, that pass the gate. */
import { sameMessage } from '../../bundle/diff.ts'
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import { judgeMessages } from '../reading/judge-messages.ts'
import type { MemorySearch } from '../reading/memory-search.ts'
import type { JobReading } from './job-reading.ts'
import type { PlannedText } from './plan-language.ts'

/** Matches looked at for a text. */
const MOST_MATCHES = 5
/** Characters of a source that is searched for. */
const MOST_SEARCHED = 4_000

/** A search for texts of a language. */
interface HitsQuery {
  language: string
  /** The projects that the caller reaches; null for all. */
  projects: readonly string[] | null
}

/**
 * A translation for each text, undefined where there is none.
 * @throws Failure `unavailable` while the memory is being built
 */
export async function memoryHits(
  search: MemorySearch,
  reading: JobReading,
  texts: readonly PlannedText[],
  { language, projects }: HitsQuery,
): Promise<(Message | undefined)[]> {
  const { project, memory, left } = reading
  const { sourceLanguage: from, slug } = project
  const hits: (Message | undefined)[] = []
  const open = texts.length === 0 ? undefined : await search.opened(memory, from, language)
  for (const { namespace, key, source, max } of texts) {
    left.throwIfAborted()
    const lines = linesOf(partsOf(source))
    const [, searched = ''] = lines.find(([ending]) => ending === '' || ending.endsWith('_other')) ?? lines[0] ?? []
    const isSearched = searched.trim() !== '' && searched.length <= MOST_SEARCHED
    const query = { source: searched, from, to: language, projects, limit: MOST_MATCHES }
    const matches = isSearched ? await open!(query) : []
    const equal = matches.filter(
      match =>
        sameMessage(match.source, source) &&
        !(match.project === slug && match.namespace === namespace && match.key === key),
    )
    const messages = equal.map(({ message }) => message)
    const judged = messages.length === 0 ? [] : await judgeMessages(reading, { language, source, max }, messages)
    hits.push(messages.find((_, at) => judged[at]!.faults.length + judged[at]!.problems.length === 0))
  }
  return hits
}
