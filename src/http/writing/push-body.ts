/** The body of a push of many: what it names, and where its resources stand in it, unread. */
import { z } from 'zod'
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { type Member, membersOf, readValue, TooManyMembers } from '../../bundle/members.ts'
import { checkLanguage, checkLine, checkNamespace } from '../../bundle/names.ts'
import type { BundleName } from '../../project/project.ts'
import type { Steps } from '../../scheduling/steps.ts'
import { checkShape } from '../requests/body.ts'

/** Most bundles that one push takes, and that it expects something of: each takes a kilobyte beside its bytes. */
const MOST_BUNDLES = 10_000
/** Members of a body, its languages and namespaces and what it expects. */
const MOST_MEMBERS = 3 * MOST_BUNDLES
/** Bytes of a value that is no resource; longer ones are nobody's. */
const MOST_VALUE = 4096

/** What a push of many asks for. */
export interface ManyPush {
  /** The subject of the commit. */
  message: string | undefined
  /** In the order of the body; `body` has the JSON of the resource. */
  resources: { bundle: BundleName; body: Uint8Array }[]
  /** Entity tags, as `If-Match` has them, of bundles of the project. */
  expected: Expected[]
}

/** The entity tag, or `*`, that a bundle must have. */
export interface Expected {
  bundle: BundleName
  tag: string
}

const Rest = z.strictObject({ message: z.string().optional() })

/**
 * Reads a body, in steps. @param most bytes of one resource
 * @throws Failure `invalid`, `too-large`; NoJson, also of a resource that is found to be none later
 */
export function* readManyPush(bytes: Uint8Array, slug: string, most: number): Steps<ManyPush> {
  const fields = yield* membersIn(bytes)
  if (fields === undefined) throw unfitting('it must be a JSON object')
  const { bundles, expected, ...others } = Object.fromEntries(fields.map(field => [field.name, field]))
  const rest = Object.entries(others).map(([name, field]) => [
    name,
    name === 'message' ? shortValue(bytes, field) : null,
  ])
  const { message } = checkShape(Rest, Object.fromEntries(rest))
  return {
    message: message === undefined ? undefined : checkLine(message, 'The body does not fit: "message"', 200),
    resources: yield* resourcesIn(bytes, slug, bundles, most),
    expected: yield* expectedIn(bytes, slug, expected),
  }
}

function* membersIn(bytes: Uint8Array): Steps<Member[] | undefined> {
  try {
    return yield* membersOf(bytes, deep, MOST_MEMBERS)
  } catch (error) {
    throw error instanceof TooManyMembers ? tooMany() : error
  }
}

/** The members of the body, of `bundles` and its languages, and of `expected`. */
const deep = ([field, ...below]: readonly string[]): boolean =>
  field === 'bundles' ? below.length <= 1 : field === 'expected' && below.length === 0

function* resourcesIn(bytes: Uint8Array, slug: string, bundles: Member | undefined, most: number) {
  const resources: ManyPush['resources'] = []
  for (const { name, members } of objectIn('bundles', bundles)) {
    const language = checkLanguage(name)
    for (const resource of objectIn(`bundles.${language}`, { members })) {
      const namespace = checkNamespace(resource.name)
      if (resources.length === MOST_BUNDLES) throw tooMany()
      if (resource.to - resource.from > most) {
        const where = `namespace "${namespace}" of "${language}"`
        const bytes = most.toLocaleString('en')
        throw new Failure(
          'too-large',
          `The resource of ${where} is larger than ${bytes} bytes, the most that one may have.`,
        )
      }
      resources.push({ bundle: { slug, language, namespace }, body: bytes.subarray(resource.from, resource.to) })
      if (resources.length % 256 === 0) yield
    }
  }
  return resources
}

function* expectedIn(bytes: Uint8Array, slug: string, expected: Member | undefined) {
  const tags: ManyPush['expected'] = []
  if (expected === undefined) return tags
  for (const field of objectIn('expected', expected)) {
    if (tags.length === MOST_BUNDLES) throw tooMany()
    tags.push(expectedOf(slug, field.name, shortValue(bytes, field)))
    if (tags.length % 256 === 0) yield
  }
  return tags
}

/** A member of `expected`. @throws Failure `invalid` */
export function expectedOf(slug: string, name: string, tag: unknown): Expected {
  const [language, namespace, ...more] = name.split('/')
  if (namespace === undefined || more.length > 0) {
    throw unfitting(`"expected" names ${quoteSome([name])}, which is not "<language>/<namespace>"`)
  }
  if (typeof tag !== 'string' || !/^\s*(\*|(W\/)?"[^"]*")\s*$/.test(tag)) {
    throw unfitting(`"expected" of ${quoteSome([name])} must be an entity tag such as W/"…", or *`)
  }
  return { bundle: { slug, language: checkLanguage(language), namespace: checkNamespace(namespace) }, tag }
}

/** A field that must be an object. */
function objectIn(field: string, member: { members?: Member[] | undefined } | undefined): Member[] {
  if (member === undefined) throw unfitting(`"${field}" is missing`)
  if (member.members === undefined) throw unfitting(`"${field}" must be an object`)
  // Of a name that stands there twice the last one, as in JSON.parse.
  return [...new Map(member.members.map(one => [one.name, one])).values()]
}

function shortValue(bytes: Uint8Array, member: Member): unknown {
  if (member.to - member.from <= MOST_VALUE) return readValue(bytes, member)
  throw unfitting(`${quoteSome([member.name])} is too long`)
}

const unfitting = (problem: string) => new Failure('invalid', `The body does not fit: ${problem}.`)

const tooMany = () =>
  new Failure(
    'too-large',
    `A push takes at most ${MOST_BUNDLES.toLocaleString('en')} bundles, and as many members of "expected": send several pushes.`,
  )
