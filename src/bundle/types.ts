/**
 * A resource as a TypeScript type for i18next's `CustomTypeOptions`: texts as literals, so that i18next reads their
 * interpolations.
 */
import { parseResource } from './canonical.ts'
import { Failure } from './errors.ts'
import { peel } from './message.ts'
import { MAX_SEGMENTS } from './names.ts'
import { type Interpolation, kindOf, placedIn } from './placeholders.ts'

/** i18next's types read interpolations one by one. TypeScript gives up on many: such a text is any string. */
const MOST_INTERPOLATIONS = 20
/** Longer texts are any string as well: an editor does not show them, and TypeScript would scan them at each use. */
const LONGEST = 2_000

/** What could end a line or show text in another order than it stands (Unicode TR36 §2.10); JSON leaves it as it is. */
const UNSEEN = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu

/**
 * The type of a file, indented to stand in a member. Names and texts are JSON strings, which TypeScript reads alike
 * (ECMA-262 §12.9.4), so that none can leave its quotes.
 * @throws Failure `unfit` for what is no JSON object, or nested deeper than any key
 */
export function renderTypes({ bytes, interpolation }: TypesTask): Uint8Array {
  return Buffer.from(
    typeOf(parseResource(bytes), 2, interpolation ? text => ownTextType(text, interpolation) : textType),
  )
}

/** A file, and the interpolation of its project where it has its own. */
interface TypesTask {
  bytes: Uint8Array
  interpolation?: Interpolation | undefined
}

/** The type of a text. */
type TextType = (text: string) => string

function typeOf(value: unknown, depth: number, textType: TextType): string {
  if (typeof value === 'string') return textType(value)
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  if (depth > MAX_SEGMENTS + 2) throw new Failure('unfit', `A key of the file has more than ${MAX_SEGMENTS} segments.`)
  if (Array.isArray(value)) return `[${value.map(item => typeOf(item, depth + 1, textType)).join(', ')}]`
  const names = Object.keys(value)
  if (names.length === 0) return '{}'
  const inside = '  '.repeat(depth + 2)
  const counted = pluralsInContext(names)
  const members = names.map(name => {
    const part = (value as Record<string, unknown>)[name]
    const isWide = typeof part === 'string' && counted.size > 0 && isPluralOf(counted, name)
    return `${inside}${literal(name)}: ${isWide ? 'string' : typeOf(part, depth + 1, textType)}\n`
  })
  return `{\n${members.join('')}${'  '.repeat(depth + 1)}}`
}

/**
 * The plurals that have forms in a context too, and those: `box_one`, `box_male_one`. i18next's selectors intersect the
 * types of both, and two literals would leave nothing of the whole object.
 */
function pluralsInContext(names: string[]): Set<string> {
  const plurals = new Set<string>()
  for (const name of names) {
    const { key, kind } = peel(name)
    if (kind !== 'text') plurals.add(key)
  }
  const found = new Set<string>()
  for (const key of plurals) {
    for (let at = key.indexOf('_'); at !== -1; at = key.indexOf('_', at + 1)) {
      if (plurals.has(key.slice(0, at))) found.add(key).add(key.slice(0, at))
    }
  }
  return found
}

function isPluralOf(plurals: Set<string>, name: string): boolean {
  const { key, kind } = peel(name)
  return kind !== 'text' && plurals.has(key)
}

/** The name in `{{ name }}` or `{{ name , format }}`: i18next drops the spaces around it, and its types do not. */
const SPACED = /\{\{\s*([^{},\s-][^{},]*)/g

/** An empty text waits for its translation, so its type is any string. */
function textType(text: string): string {
  if (text === '' || text.length > LONGEST || text.split('{{').length > MOST_INTERPOLATIONS + 1) return 'string'
  return literal(text.replace(SPACED, (_, name: string) => `{{${name.trimEnd()}`))
}

/** The same where the project's texts have another prefix and suffix. */
function ownTextType(text: string, interpolation: Interpolation): string {
  if (text === '' || text.length > LONGEST) return 'string'
  const { prefix, suffix } = interpolation
  const spots = placedIn(text, interpolation).filter(({ placeholder }) => kindOf(placeholder) === 'interpolation')
  if (spots.length > MOST_INTERPOLATIONS) return 'string'
  let [shown, at] = ['', 0]
  for (const { from, to } of spots) {
    const [name, ...format] = text.slice(from + prefix.length, to - suffix.length).split(',')
    shown += text.slice(at, from) + prefix + [name!.trim(), ...format].join(',') + suffix
    at = to
  }
  return literal(shown + text.slice(at))
}

/** A JSON string with escapes for invisible characters. */
export function literal(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, found => {
    const units = Array.from({ length: found.length }, (_, at) => found.charCodeAt(at))
    return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

/** The declarations around the types of some namespaces. */
export interface Declared {
  /** Their origin, for a comment; without line breaks. */
  of: string
  /** One of those that are declared: i18next's own declarations break without. */
  defaultNamespace: string
  flat: boolean
  /** Of the project, where it has its own. */
  interpolation?: Interpolation | undefined
}

/** The file's text before and after its namespaces. Each namespace is {@link memberStart} and its type. */
export function declarations({ of, defaultNamespace, flat, interpolation }: Declared): { head: string; foot: string } {
  const fields = {
    defaultNS: literal(defaultNamespace),
    ...(flat && { keySeparator: false }),
    ...(interpolation && {
      interpolationPrefix: literal(interpolation.prefix),
      interpolationSuffix: literal(interpolation.suffix),
    }),
  }
  const options = Object.entries(fields).map(([name, value]) => `    ${name}: ${value}\n`)
  return {
    head:
      `// ${of}\n// Made by Parlance: fetch it again instead of changing it. More options go into an interface of your own:\n` +
      '// TypeScript joins all that are called CustomTypeOptions.\n' +
      `import 'i18next'\n\ndeclare module 'i18next' {\n  interface CustomTypeOptions {\n${options.join('')}    resources: {\n`,
    foot: '    }\n  }\n}\n',
  }
}

/** The name of a namespace, before its type. */
export const memberStart = (namespace: string): string => `      ${literal(namespace)}: `
