/** Holds answers to a size that a model can read. */
import { ApiRefusal } from './api-call.ts'

/** Bytes of an answer's data, by {@link sizeOf}. The whole answer has less than 32 KiB. */
const MOST_BYTES = 31_000
/** Bytes of the cursor and of the names around rows. */
const MARGIN = 500
/** Lengths of texts and lists that are tried one after the other. */
const ROUNDS = [
  { characters: 2_000, items: 200 },
  { characters: 500, items: 50 },
  { characters: 200, items: 20 },
  { characters: 80, items: 10 },
  { characters: 40, items: 3 },
]

/** Bytes of data. Older clients get it twice: as JSON, and as JSON in a text, with escapes. */
function sizeOf(value: unknown): number {
  const json = JSON.stringify(value)
  return Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(json))
}

/** Cuts long texts and lists until the answer fits. `cut` says so. */
export function fitAnswer(answer: Record<string, unknown>): Record<string, unknown> {
  if (sizeOf(answer) <= MOST_BYTES) return answer
  for (const { characters, items } of ROUNDS) {
    const shorter = { ...(shortened(answer, characters, items) as object), cut: true }
    if (sizeOf(shorter) <= MOST_BYTES) return shorter
  }
  return { cut: true, error: 'The answer is too large: ask for fewer keys or languages.' }
}

function shortened(value: unknown, characters: number, items: number): unknown {
  if (typeof value === 'string') return value.length > characters ? `${value.slice(0, characters)}…` : value
  if (Array.isArray(value)) return value.slice(0, items).map(item => shortened(item, characters, items))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).slice(0, items)
  return Object.fromEntries(members.map(([name, part]) => [name, shortened(part, characters, items)]))
}

/** The first rows that fit beside the rest of an answer. */
export function fittingRows<T>(rows: readonly T[], rest: object): T[] {
  let left = MOST_BYTES - sizeOf(rest) - MARGIN
  const end = rows.findIndex(row => {
    left -= sizeOf(row)
    return left < 0
  })
  return rows.slice(0, end === -1 ? rows.length : end)
}

/**
 * A page of a list that the API answers whole.
 * @param rest of the answer @param cursor the `next` of an earlier answer
 * @throws ApiRefusal for another cursor
 */
export function pageOf<T>(rows: readonly T[], rest: object, cursor = ''): { rows: T[]; next: string | null } {
  if (!/^\d{0,6}$/.test(cursor)) throw new ApiRefusal(400, 'The cursor does not fit: send the `next` of an answer.')
  const from = Number(cursor)
  const page = fittingRows(rows.slice(from), rest)
  // A row that is too large for a page of its own is cut by the answer.
  const end = from + (cursor === '' ? page.length : Math.max(page.length, 1))
  return { rows: rows.slice(from, end), next: end < rows.length ? String(end) : null }
}

/** A page with as many rows as fit. @param read reads a page of at most that many */
export async function fittingPage<T extends Record<string, unknown>>(
  limit: number,
  read: (limit: number) => Promise<T>,
): Promise<T> {
  for (let most = limit; ; most = Math.floor(most / 3)) {
    const page = await read(most)
    if (most <= 1 || sizeOf(page) <= MOST_BYTES) return page
  }
}
