/** The names that callers may give, and a sentence for others. */
import { Failure } from './errors.ts'
import { INTERPOLATION, type Interpolation } from './placeholders.ts'

/** Nested objects, or every key at the top level with literal dots. */
export type Format = 'i18next-json' | 'i18next-json-flat'

/** Most segments of a key's place, and of a key split at its dots. */
export const MAX_SEGMENTS = 32
/** Most characters (code points) of a key. */
export const MAX_KEY = 1024
/** Most characters (code points) of a text. */
export const MAX_TEXT = 100_000

/** Traps of JavaScript objects, and Windows' device names, with or without an extension. */
const RESERVED = /^(?:__proto__|constructor|prototype|(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\..*)?)$/i

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(shorten(value)) : `a value of type ${typeof value}`
}

const invalid = (message: string): never => {
  throw new Failure('invalid', message)
}

/** Refuses names that mean something else to a runtime, file system or client. */
function checkUnreserved(what: string, value: string): string {
  if (RESERVED.test(value)) invalid(`The ${what} ${quoted(value)} is a reserved name; choose another.`)
  if (/\.json$/i.test(value))
    invalid(`The ${what} ${quoted(value)} ends in .json; give the name without the file ending.`)
  return value
}

/** A project's slug: in URLs, folders and git tags (so no `..` or `.lock`, see git-check-ref-format). */
export function checkSlug(value: unknown): string {
  return checkSegment('slug', value)
}

/** A release's name: in URLs and, after its project's slug, git tags. Like a slug, unlike a revision. */
export function checkReleaseName(value: unknown): string {
  const name = checkSegment('release name', value)
  if (/^[0-9a-f]{40}$/i.test(name)) invalid(`The release name "${name}" is that of a revision; choose another.`)
  return name
}

function checkSegment(what: string, value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/.test(value)) {
    return invalid(
      `The ${what} ${quoted(value)} is not valid: use 1 to 64 of A-Z a-z 0-9 . _ -, beginning and ending with a letter or digit.`,
    )
  }
  if (value.includes('..')) invalid(`The ${what} ${quoted(value)} holds "..", which no ${what} may.`)
  if (/\.lock$/i.test(value)) invalid(`The ${what} ${quoted(value)} ends in .lock, which git reserves.`)
  return checkUnreserved(what, value)
}

/** A project's name for people, as {@link checkLine}. */
export function checkProjectName(value: unknown): string {
  if (typeof value !== 'string') return invalid(`The name must be a string, not ${quoted(value)}.`)
  return checkLine(value, 'The name', 100)
}

/** Characters that break a line or belong to no text. */
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu
/** The same for a text of several lines. */
const CONTROLS_IN_LINES = /(?![\n\t])[\p{Cc}\p{Cs}]/u
/** Characters that show nothing and reorder or split the text around them. */
const MARKS = /[\p{Bidi_Control}\u200B\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu
/** What shows nothing, the blank pattern of Braille included. */
const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Whether nothing of a text shows. */
export const isInvisible = (text: string): boolean => INVISIBLE.test(text)

/** A line for people, trimmed: 1 to `most` characters that show. @param what begins the sentence of a fault */
export function checkLine(value: string, what: string, most: number): string {
  const line = value.trim()
  const fault = lineFault(line, most)
  return fault === undefined ? line : invalid(`${what} ${fault}.`)
}

/** How "The name …" goes on where the text is no line for people. */
export function lineFault(text: string, most: number): string | undefined {
  if (longerThan(text, most) || text === '') return `must have 1 to ${most} characters`
  const [mark] = text.match(MARKS) ?? []
  // Quoted, it would reorder the sentence.
  if (mark !== undefined) return `must not hold direction marks or zero-width spaces: ${codeOf(mark)} is one`
  if (text.search(CONTROLS) >= 0) return `${quoted(text).replace(CONTROLS, codeOf)} holds control characters`
  return isInvisible(text) ? 'must have a character that shows' : undefined
}

/** How "The text …" goes on where it is no text of lines for people. Line breaks and tabs are fine. */
export function linesFault(text: string, most: number): string | undefined {
  if (longerThan(text, most) || text === '') return `must have 1 to ${most.toLocaleString('en')} characters`
  const [control] = text.match(CONTROLS_IN_LINES) ?? []
  if (control !== undefined) return `must not hold control characters: ${codeOf(control)} is one`
  return isInvisible(text) ? 'must have a character that shows' : undefined
}

const codeOf = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`

/** A name that was stored before direction marks were refused, without them. Undefined if nothing of it shows. */
export function withoutMarks(text: string): string | undefined {
  const line = text.replace(MARKS, '')
  return isInvisible(line) ? undefined : line
}

/** A foreign text as a line for people: what does not belong becomes a space. Undefined if nothing is left. */
export function cleanLine(text: string, most: number): string | undefined {
  const plain = text.replace(CONTROLS, ' ').replace(MARKS, ' ').replace(/\s+/g, ' ').trim()
  const line = [...plain.slice(0, 2 * most)].slice(0, most).join('').trim()
  return lineFault(line, most) === undefined ? line : undefined
}

/** A BCP 47 style tag that `Intl.Locale` understands, as written: i18next asks for that (`iw` stays `iw`). */
export function checkLanguage(value: unknown): string {
  const wellFormed =
    typeof value === 'string' &&
    value.length <= 35 &&
    /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/.test(value) &&
    isLocale(value)
  if (!wellFormed) {
    return invalid(
      `The language ${quoted(value)} is not a language tag such as en, pt-BR or zh-Hans (with "-", at most 35 characters).`,
    )
  }
  return value
}

/**
 * Results by tag: ICU needs 30 microseconds, and nearly all requests name the same few. A look at a project with more
 * languages than this holds would ask ICU for each of them.
 */
const known = new Map<string, boolean>()
const MOST_KNOWN = 10_000

function isLocale(tag: string): boolean {
  let is = known.get(tag)
  if (is === undefined) {
    is = isLocaleOfIcu(tag)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(tag, is)
  }
  return is
}

function isLocaleOfIcu(tag: string): boolean {
  try {
    return new Intl.Locale(tag).baseName !== ''
  } catch {
    return false
  }
}

/** A namespace: a file's name before `.json`, on every operating system. */
export function checkNamespace(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$/.test(value)) {
    return invalid(
      `The namespace ${quoted(value)} is not valid: use 1 to 100 of A-Z a-z 0-9 . _ -, beginning with a letter, digit or _, and not ending in a dot.`,
    )
  }
  return checkUnreserved('namespace', value)
}

/** One of the two formats. */
export function checkFormat(value: unknown): Format {
  if (value === 'i18next-json' || value === 'i18next-json-flat') return value
  return invalid(`The format ${quoted(value)} is not known: use "i18next-json" or "i18next-json-flat".`)
}

/** Most characters (code points) of an interpolation's prefix or suffix. */
export const MAX_AFFIX = 20

/** A project's interpolation; undefined for i18next's own, which a project does not store. */
export function checkInterpolation(value: unknown): Interpolation | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return invalid('"interpolation" must be an object such as { "prefix": "{{", "suffix": "}}" }.')
  }
  const { prefix, suffix } = value as Record<string, unknown>
  const checked = { prefix: checkAffix('prefix', prefix), suffix: checkAffix('suffix', suffix) }
  const isUsual = checked.prefix === INTERPOLATION.prefix && checked.suffix === INTERPOLATION.suffix
  return isUsual ? undefined : checked
}

function checkAffix(name: keyof Interpolation, value: unknown): string {
  const what = `"interpolation.${name}"`
  if (typeof value !== 'string') return invalid(`${what} must be a string such as "${INTERPOLATION[name]}".`)
  const fault = lineFault(value, MAX_AFFIX)
  return fault === undefined ? value : invalid(`${what} ${fault}.`)
}

/** A key, or a form's name, in a path. */
export function checkKey(value: unknown): string {
  if (typeof value !== 'string') return invalid(`A key must be a string, not ${quoted(value)}.`)
  const wrong = keyFault(value)
  if (wrong) invalid(`The key ${quoted(value)} ${wrong}.`)
  if (countSegments(value) > MAX_SEGMENTS) invalid(`The key ${quoted(value)} has more than ${MAX_SEGMENTS} segments.`)
  return value
}

/** A key's fault apart from its place, to end a sentence, or undefined. @param storable its characters are checked */
export function keyFault(key: string, storable = false): string | undefined {
  if (key === '') return 'is empty'
  if (longerThan(key, MAX_KEY)) return `is longer than ${MAX_KEY} characters`
  if (!storable && !isStorable(key)) return 'holds U+0000 or a lone surrogate'
  return undefined
}

/** A text's fault, to end a sentence, or undefined. @param storable as for {@link keyFault} */
export function textFault(text: string, storable = false): string | undefined {
  if (longerThan(text, MAX_TEXT)) return `has a text of more than ${MAX_TEXT} characters`
  if (!storable && !isStorable(text)) return 'has a text with U+0000 or a lone surrogate'
  return undefined
}

/** No U+0000, and no half surrogate pair, which UTF-8 lacks. (With `u` a pair is one character.) */
const isStorable = (text: string): boolean => !SUSPECT.test(text) || !/[\0\ud800-\udfff]/u.test(text)

/** Without `u` any surrogate matches: faster, and clears most texts. */
const SUSPECT = /[\0\ud800-\udfff]/

/** Whether a text has more code points than the limit. For most texts the length decides. */
export function longerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  if (text.length > 2 * limit) return true
  let count = 0
  for (const _ of text) count++
  return count > limit
}

/** The number of segments of a name split at its dots. */
export function countSegments(name: string): number {
  let count = 1
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) count++
  return count
}

/** A name shortened for a message. */
export function shorten(name: string): string {
  if (name.length <= 80) return name
  return `${name.slice(0, 60).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A key shortened for a commit's subject. */
export function shortKey(key: string): string {
  const characters = [...key]
  return characters.length > 72 ? `${characters.slice(0, 71).join('')}…` : key
}

/** Whether two (ASCII) names are the same file on a case-insensitive file system. */
export const sameIgnoringCase = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Whether a value is a name as `check` would have it. */
export function accepts(check: (value: unknown) => string, value: string | undefined): value is string {
  try {
    return check(value) === value
  } catch {
    return false
  }
}

/** Whether a text is a language tag, as a folder of `locales` has one. */
export const isLanguage = (name: string): boolean => accepts(checkLanguage, name)
