/** A note on a key, for translators: what the developer meant, how long a text may be, and where the key is used. */
import { isObject } from './body.ts'
import { unknownFields } from './complaints.ts'
import { Failure } from './errors.ts'
import { lineFault, shortKey, textFault } from './names.ts'

/** All members are optional; a note without any is not stored. */
export interface Note {
  note?: string
  /** Maximum of grapheme clusters in each form of the text. */
  max?: number
  tags?: readonly string[]
  /** Places in the code, as `path:line`. */
  refs?: readonly string[]
  /** Who wrote `note`: a push from the code, or a person. */
  from?: 'code' | 'person'
}

/** Maximum bytes of a note's text in UTF-8. */
export const MAX_NOTE = 4096
/** Maximum of `max`. */
export const MAX_MAX = 100_000
/** Maximum number of tags, and of characters of one. */
export const MAX_TAGS = { count: 20, characters: 50 }
/** Maximum number of references, and of characters of one. */
export const MAX_REFS = { count: 50, characters: 300 }

const MEMBERS: readonly string[] = ['note', 'max', 'tags', 'refs', 'from']

/** A note in its canonical form: no empty members. @throws Failure `unfit` naming the key and the member */
export function checkNote(key: string, value: unknown): Note {
  const refuse = (why: string): never => {
    throw new Failure('unfit', `The note of ${JSON.stringify(shortKey(key))} does not fit: ${why}.`)
  }
  if (!isObject(value)) return refuse('it must be an object')
  const unknown = unknownFields(value, MEMBERS)
  if (unknown !== undefined) return refuse(unknown)
  const { note = '', max, tags = [], refs = [], from } = value
  if (typeof note !== 'string') return refuse('"note" must be a string')
  const fault = textFault(note)
  if (fault !== undefined) return refuse(`it ${fault}`)
  if (new TextEncoder().encode(note).length > MAX_NOTE) return refuse(`"note" has more than ${MAX_NOTE} bytes`)
  if (max !== undefined && !isMax(max)) {
    return refuse(`"max" must be a whole number from 1 to ${MAX_MAX}`)
  }
  const tagFault = listFault(tags, MAX_TAGS)
  if (tagFault !== undefined) return refuse(`"tags" ${tagFault}`)
  const refFault = listFault(refs, MAX_REFS, ref => (REF.test(ref) ? undefined : 'must be path:line'))
  if (refFault !== undefined) return refuse(`"refs" ${refFault}`)
  if (from !== undefined && from !== 'code' && from !== 'person') return refuse('"from" must be "code" or "person"')
  return canonicalNote({ note, tags, refs, ...(max !== undefined && { max }), ...(from && { from }) } as Note)
}

/** Whether a value can be the maximum of a note. */
export const isMax = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_MAX

const REF = /^.*[^:]:[1-9]\d{0,8}$/

type ListLimit = { count: number; characters: number }

function listFault(
  value: unknown,
  { count, characters }: ListLimit,
  faultOf: (item: string) => string | undefined = () => undefined,
): string | undefined {
  if (!Array.isArray(value)) return 'must be a list'
  if (value.length > count) return `may have at most ${count} entries`
  for (const item of value) {
    if (typeof item !== 'string') return 'must hold strings'
    const fault = lineFault(item, characters) ?? faultOf(item)
    if (fault !== undefined) return `holds ${JSON.stringify(item.slice(0, 40))}, which ${fault}`
  }
  return undefined
}

/** Without empty members and repeated items; members in the order of the file. `from` is for a text. */
function canonicalNote({ note = '', max, tags = [], refs = [], from }: Note): Note {
  return {
    ...(note !== '' && { note }),
    ...(max !== undefined && { max }),
    ...(tags.length > 0 && { tags: [...new Set(tags)] }),
    ...(refs.length > 0 && { refs: [...new Set(refs)] }),
    ...(note !== '' && from !== undefined && { from }),
  }
}

/** Whether a note says nothing. */
export const isEmptyNote = (note: Note): boolean => Object.keys(note).length === 0

/** A key's note after a person replaced it. References that the new note leaves out stay. */
export const noteByPerson = (old: Note | undefined, { note, max, tags, refs = old?.refs }: Note): Note =>
  canonicalNote({ note, max, tags, refs, from: 'person' } as Note)

/** A key's note after a push from the code: a person's text stays, and the references are those of the code. */
export function noteByCode(old: Note | undefined, { note, refs }: Note): Note {
  const isPersons = old?.note !== undefined && old.from !== 'code'
  const text = isPersons ? { note: old.note, from: old.from } : { note, from: 'code' }
  return canonicalNote({ max: old?.max, tags: old?.tags, refs, ...text } as Note)
}
