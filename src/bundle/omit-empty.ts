/** A resource without empty texts, so that i18next uses the fallback language. An app displays empty texts as empty. */
import { parseResource } from './canonical.ts'
import { Failure } from './errors.ts'
import { asBuffer } from './file-change.ts'
import { MAX_SEGMENTS } from './names.ts'

/** A file to show, as stored. */
export interface ShownFile {
  bytes: Uint8Array
}

/**
 * The same JSON without empty texts and forms, and without objects and arrays that hold nothing else. An array's items
 * stay at their index: before a text, null replaces an empty one. i18next treats null as absent.
 * @returns the bytes as given when nothing is empty
 * @throws Failure `unfit` for what is no JSON object, or nested deeper than any key
 */
export function omitEmpty({ bytes }: ShownFile): Uint8Array {
  // In canonical JSON `""` is an empty text or an empty name. Only parsing can distinguish them.
  if (!asBuffer(bytes).includes('""')) return bytes
  return Buffer.from(`${JSON.stringify(without(parseResource(bytes)) ?? {}, null, 2)}\n`)
}

/** Modifies its argument: a copy would lose a member named `__proto__`. @returns undefined when nothing is left */
function without(value: unknown, depth = 0): unknown {
  if (value === '') return undefined
  if (value === null || typeof value !== 'object') return value
  if (depth === MAX_SEGMENTS) throw new Failure('unfit', `A key of the file has more than ${MAX_SEGMENTS} segments.`)
  if (Array.isArray(value)) {
    const items = value.map(item => without(item, depth + 1))
    while (items.length > 0 && items.at(-1) === undefined) items.pop()
    // JSON.stringify writes undefined as null.
    return items.length > 0 ? items : undefined
  }
  const members = value as Record<string, unknown>
  for (const name of Object.keys(members)) {
    const left = without(members[name], depth + 1)
    if (left === undefined) delete members[name]
    else if (left !== members[name]) Object.defineProperty(members, name, { value: left })
  }
  return Object.keys(members).length > 0 ? members : undefined
}
