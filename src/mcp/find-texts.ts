/** Finds keys by words in their names and texts, a page of the status at a time. */
import { z } from 'zod'
import { linesOf, type Message, partsOf } from '../bundle/message.ts'
import { type ApiCall, manifestOf, pathOf } from './api-call.ts'
import { MOST_BYTES, sizeOf } from './fit-answer.ts'
import type { ToolAnswer } from './tool.ts'

/** Keys of a page, and pages that one answer reads. */
const PAGE = 1_000
const MOST_PAGES = 20
/** Keys of an answer. */
const MOST_FOUND = 50
/** Of each key. */
const EVERY_KEY = 'missing,empty,incomplete,translated,extra'

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
  const isSource = language === sourceLanguage
  const words = text.toLowerCase()
  const found: Record<string, unknown>[] = []
  let place = placeIn(asked.cursor)
  let bytes = 0
  for (let pages = 0; place && pages < MOST_PAGES; pages++) {
    const query = { language, namespace, is: EVERY_KEY, limit: PAGE, cursor: place.page }
    const page = await call({ method: 'GET', path: pathOf('projects', project, 'status', 'keys'), query })
    const { keys, next } = page as unknown as { keys: FoundRow[]; next: string | null }
    let row = place.row
    for (; row < keys.length && found.length < MOST_FOUND; row++) {
      const { namespace, key, source, message } = keys[row]!
      if (![key, ...textsOf(source), ...textsOf(message)].some(one => one.toLowerCase().includes(words))) continue
      const shown = isSource ? { namespace, key, message } : { namespace, key, source, message }
      bytes += sizeOf(shown)
      if (bytes > MOST_BYTES / 2 && found.length > 0) break
      found.push(shown)
    }
    if (row < keys.length) place = { page: place.page, row }
    else place = next === null ? undefined : { page: next, row: 0 }
    if (found.length === MOST_FOUND || bytes > MOST_BYTES / 2) break
  }
  const next = place ? Buffer.from(JSON.stringify([place.page ?? null, place.row])).toString('base64url') : null
  const says = next === null ? `${found.length} keys.` : `${found.length} keys. Ask with the cursor for more.`
  return { says, data: { language, keys: found, next } }
}

const textsOf = (message: Message | null): string[] => linesOf(partsOf(message)).map(([, text]) => text)

/** A page of the status, and the next row in it. */
interface FindPlace {
  page: string | undefined
  row: number
}

const Cursor = z.tuple([z.string().nullable(), z.int().min(0)])

function placeIn(cursor: string | undefined): FindPlace | undefined {
  if (cursor === undefined) return { page: undefined, row: 0 }
  try {
    const [page, row] = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')))
    return { page: page ?? undefined, row }
  } catch {
    // The route refuses it.
    return { page: cursor, row: 0 }
  }
}
