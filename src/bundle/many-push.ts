/** The body of a push of many bundles: what it asks for, and one JSON text per bundle. */
import { isObject, parseBody } from './body.ts'
import { quoteSome } from './complaints.ts'
import { Failure } from './errors.ts'
import { peel } from './message.ts'
import { checkKey, checkLanguage, checkLine, checkNamespace, MAX_SEGMENTS } from './names.ts'
import { checkNote, type Note } from './note.ts'

/** Maximum bundles of a push, and maximum members of `expected`. Each needs a kilobyte of memory besides its bytes. */
const MAX_BUNDLES = 10_000

/** What a push of many bundles asks for. */
export interface ManyPush {
  /** The subject of the commit. */
  message: string | undefined
  /**
   * In the order of the body, but names that are integers first. The JSON of each resource ends at `end` in `bytes`,
   * where the next one begins.
   */
  bundles: { language: string; namespace: string; end: number }[]
  bytes: Uint8Array
  /** The notes from the code: by namespace, pairs of a key and its note as JSON. Undefined without the member. */
  notes: { namespace: string; changes: Uint8Array }[] | undefined
  expected: ExpectedTag[]
}

/** The entity tag that a bundle must have, as `If-Match` has it. */
export interface ExpectedTag {
  language: string
  namespace: string
  tag: string
}

/**
 * Reads a body. @param largest bytes of one resource
 * @throws Failure `invalid`; `too-large`; `unfit` for a resource that nests too deeply to be written
 */
export function readManyPush({ body, largest }: { body: Uint8Array; largest: number }): ManyPush {
  const { resource: fields } = parseBody(body)
  if (!isObject(fields)) throw misfit('it must be a JSON object')
  const { bundles, expected, message, notes, ...unknown } = fields
  const names = Object.keys(unknown)
  if (names.length > 0) throw misfit(`unknown ${names.length === 1 ? 'field' : 'fields'} ${quoteSome(names)}`)
  if (message !== undefined && typeof message !== 'string') throw misfit('"message" must be a string')
  return {
    message: message === undefined ? undefined : checkLine(message, 'The body does not fit: "message"', 200),
    ...readBundles(bundles, largest),
    notes: notes === undefined ? undefined : readNotes(notes),
    expected: readExpected(expected),
  }
}

function readBundles(value: unknown, largest: number): Pick<ManyPush, 'bundles' | 'bytes'> {
  const bundles: ManyPush['bundles'] = []
  const texts: Buffer[] = []
  let end = 0
  for (const [name, namespaces] of membersOf('bundles', value)) {
    const language = checkLanguage(name)
    for (const [name, resource] of membersOf(`bundles.${language}`, namespaces)) {
      const namespace = checkNamespace(name)
      if (bundles.length === MAX_BUNDLES) throw tooMany()
      const text = jsonOf(resource, `${language}/${namespace}`)
      if (text.length > largest) throw tooLarge(language, namespace, largest)
      end += text.length
      texts.push(text)
      bundles.push({ language, namespace, end })
    }
  }
  return { bundles, bytes: Buffer.concat(texts) }
}

/** Notes from the code: a text and references. A form's name is that of its key: its last note counts. */
function readNotes(value: unknown): ManyPush['notes'] {
  const namespaces = membersOf('notes', value)
  if (namespaces.length > MAX_BUNDLES) throw tooMany()
  return namespaces.map(([name, notes]) => ({
    namespace: checkNamespace(name),
    changes: Buffer.from(JSON.stringify([...notesOf(membersOf(`notes.${name}`, notes))])),
  }))
}

function notesOf(members: [name: string, note: unknown][]): Map<string, Note> {
  const notes = new Map<string, Note>()
  for (const [name, note] of members) {
    const { key } = peel(checkKey(name))
    const { max, tags, from } = isObject(note) ? note : {}
    if ((max ?? tags ?? from) !== undefined) {
      throw misfit(`a note of a push has "note" and "refs" alone, and that of ${quoteSome([key])} has more`)
    }
    notes.set(key, checkNote(key, note))
  }
  return notes
}

function jsonOf(resource: unknown, bundle: string): Buffer {
  try {
    return Buffer.from(JSON.stringify(resource))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Failure('unfit', `${bundle}: A key may have at most ${MAX_SEGMENTS} segments.`)
  }
}

function readExpected(value: unknown): ExpectedTag[] {
  const members = value === undefined ? [] : membersOf('expected', value)
  if (members.length > MAX_BUNDLES) throw tooMany()
  return members.map(([name, tag]) => expectedOf(name, tag))
}

/** A member of `expected`. @throws Failure `invalid` */
export function expectedOf(name: string, tag: unknown): ExpectedTag {
  const [language, namespace, ...others] = name.split('/')
  if (namespace === undefined || others.length > 0) {
    throw misfit(`"expected" names ${quoteSome([name])}, which is not "<language>/<namespace>"`)
  }
  if (typeof tag !== 'string' || !/^\s*(\*|(W\/)?"[^"]*")\s*$/.test(tag)) {
    throw misfit(`"expected" of ${quoteSome([name])} must be an entity tag such as W/"…", or *`)
  }
  return { language: checkLanguage(language), namespace: checkNamespace(namespace), tag }
}

/** The members of a field that must be an object. */
function membersOf(field: string, value: unknown): [string, unknown][] {
  if (value === undefined) throw misfit(`"${field}" is missing`)
  if (!isObject(value)) throw misfit(`"${field}" must be an object`)
  return Object.entries(value)
}

const misfit = (problem: string) => new Failure('invalid', `The body does not fit: ${problem}.`)

const tooLarge = (language: string, namespace: string, largest: number) =>
  new Failure(
    'too-large',
    `The resource of namespace "${namespace}" of "${language}" is larger than ${largest.toLocaleString('en')} bytes, ` +
      'the maximum for one.',
  )

const tooMany = () =>
  new Failure(
    'too-large',
    `A push may have at most ${MAX_BUNDLES.toLocaleString('en')} bundles, and as many members of "expected": send several pushes.`,
  )
