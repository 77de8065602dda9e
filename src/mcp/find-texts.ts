/** Finds keys by words in their names and texts, a page of the status at a time. */
import { linesOf, type Message, partsOf } from '../bundle/message.ts'
import { type ApiCall, manifestOf, pathOf } from './api-call.ts'
import { fittingRows } from './fit-answer.ts'
import type { ToolAnswer } from './tool.ts'

/** Keys of a page, and pages that one answer reads. */
const PAGE = 1_000
const MOST_PAGES = 20
/** Keys of an answer. */
const MOST_FOUND = 30

interface FindTextsInput {
  project: string
  text: string
  language?: string | undefined
  namespace?: string | undefined
  cursor?: string | undefined
}

interface FoundRow {
  namespace: string
  key: string
  source: Message | null
  message: Message | null
}

export async function findTexts(call: ApiCall, { project, text, ...asked }: FindTextsInput): Promise<ToolAnswer> {
  const { sourceLanguage } = await manifestOf(call, project)
  const { language = sourceLanguage, namespace } = asked
  const words = text.toLowerCase()
  const isMatch = ({ key, source, message }: FoundRow) =>
    [key, ...textsOf(source), ...textsOf(message)].some(one => one.toLowerCase().includes(words))
  const shownOf = ({ namespace, key, source, message }: FoundRow) =>
    language === sourceLanguage ? { namespace, key, message } : { namespace, key, source, message }
  const readPage = (cursor: string | undefined, limit: number) => {
    const query = { language, namespace, is: 'missing,empty,incomplete,translated,extra', limit, cursor }
    const path = pathOf('projects', project, 'status', 'keys')
    return call<{ keys: FoundRow[]; next: string | null }>({ method: 'GET', path, query })
  }
  const found: object[] = []
  let next = asked.cursor ?? null
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const cursor = next ?? undefined
    let page = await readPage(cursor, PAGE)
    const matches = page.keys.filter(isMatch)
    const fitting = fittingRows(matches.slice(0, MOST_FOUND - found.length).map(shownOf), { found })
    // Of a match that fits in no answer, the answer shows the beginning.
    const shown = found.length === 0 ? Math.max(fitting.length, 1) : fitting.length
    const end = shown < matches.length ? page.keys.indexOf(matches[shown]!) : undefined
    // The answer is full: the next one begins with this page of keys.
    if (end === 0) break
    // A shorter page ends where the answer does, and has the cursor.
    if (end !== undefined) page = await readPage(cursor, end)
    found.push(...page.keys.filter(isMatch).map(shownOf))
    next = page.next
    if (end !== undefined || next === null) break
  }
  const says = next === null ? `${found.length} keys.` : `${found.length} keys. Ask with the cursor for more.`
  return { says, data: { language, keys: found, next } }
}

const textsOf = (message: Message | null): string[] => linesOf(partsOf(message)).map(([, text]) => text)
