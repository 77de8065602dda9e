/** JSON (RFC 8259) with the position of each value, and the faults of a file with theirs. */
import { getLocation, type Node, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser'

/** A position in a file. Both count from 1; the column counts UTF-16 units, as editors do. */
export interface Position {
  line: number
  column: number
}

/** A value and the range of its text. */
export type Value = Text | Branch | { kind: 'other'; value: unknown; from: number; to: number }

export interface Text {
  kind: 'text'
  value: string
  from: number
  to: number
}

/** An object or array. The items of an array are members without a name. */
export interface Branch {
  kind: 'object' | 'array'
  members: Member[]
  from: number
  to: number
}

/** A member, from the comma before it (`lead`) to the comma after it (`trail`). */
export interface Member {
  name: string
  lead: number
  from: number
  value: Value
  trail: number
}

/** A fault of a file at an index of its text. */
export interface Fault {
  sentence: string
  at: number
  /** Whether the rest of the file is in doubt. */
  isEnd?: true
}

/** Levels of objects and arrays that a file may have: the parser recurses. */
const MAX_LEVELS = 200

/**
 * Reads a text as JSON.
 * @returns the value, undefined after a fault that leaves the rest in doubt: it is the last of `faults`
 */
export function readJson(text: string): { value: Value | undefined; faults: Fault[] } {
  const [errors, faults]: [ParseError[], Fault[]] = [[], []]
  let value: Value | undefined
  try {
    const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: true })
    value = root && convert(root, text, faults)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    faults.push(tooDeep(0))
  }
  faults.push(...errors.map(error => faultOf(text, error)))
  faults.sort((a, b) => a.at - b.at)
  const end = faults.findIndex(({ isEnd }) => isEnd)
  if (end === -1) return { value, faults }
  const merge = /^(?:<{7}|={7}|>{7})(?: |$)/m.exec(text)
  const isMerge = merge && merge.index <= faults[end]!.at + 7
  const last = isMerge
    ? { sentence: 'Git left a merge conflict here; resolve it first', at: merge.index }
    : faults[end]!
  return { value: undefined, faults: [...faults.slice(0, end), last] }
}

/** Reads JSON with comments and trailing commas, as in a tsconfig.json. */
export const readRelaxedJson = (text: string): unknown => parse(text, [], { allowTrailingComma: true })

/** The position of an index in a text. */
export function positionOf(text: string, at: number): Position {
  const before = text.lastIndexOf('\n', at - 1)
  let line = 1
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line++
  return { line, column: at - before }
}

/** The path of the value at an index, joined by dots; empty at the top. */
export const keyAt = (text: string, at: number): string =>
  getLocation(text, at)
    .path.filter(part => part !== '')
    .join('.')

/**
 * A JSON value as a JavaScript value. `__proto__` becomes an own property.
 * @param without members of objects to leave out
 */
export function plain(value: Value, without: ReadonlySet<Member> = new Set()): unknown {
  if (!('members' in value)) return value.value
  if (value.kind === 'array') return value.members.map(({ value: item }) => plain(item, without))
  const members = value.members.filter(member => !without.has(member))
  return Object.fromEntries(members.map(({ name, value: below }) => [name, plain(below, without)]))
}

/** Converts a parsed node, and notes faults that the parser accepts. */
function convert(node: Node, text: string, faults: Fault[], level = 1): Value {
  const { type, offset: from, length, value } = node
  const to = from + length
  noteLoneSurrogate(node, faults)
  if (type === 'string') return { kind: 'text', value, from, to }
  if (type !== 'object' && type !== 'array') return { kind: 'other', value, from, to }
  const branch: Branch = { kind: type, members: [], from, to }
  if (level > MAX_LEVELS) {
    faults.push(tooDeep(from))
    return branch
  }
  const names = new Set<string>()
  for (const child of node.children!) {
    const [named, below] = type === 'array' ? [undefined, child] : child.children!
    if (!below) continue
    const name: string = named?.value ?? ''
    if (named) noteLoneSurrogate(named, faults)
    if (names.has(name)) {
      faults.push({ sentence: 'The object has this name twice; remove one of them', at: child.offset })
    }
    if (named) names.add(name)
    const last = branch.members.at(-1)
    if (last) last.trail += Math.max(0, text.slice(last.trail, child.offset).indexOf(','))
    const lead = last ? last.trail + Number(text[last.trail] === ',') : from + 1
    const member = { name, lead, from: child.offset, value: convert(below, text, faults, level + 1), trail: 0 }
    member.trail = member.value.to
    branch.members.push(member)
  }
  const last = branch.members.at(-1)
  if (last && /^\s*,/.test(text.slice(last.trail, to))) {
    faults.push({ sentence: `Remove the comma before this "${text[to - 1]}"`, at: to - 1 })
  }
  if (last) last.trail = to - 1
  return branch
}

function noteLoneSurrogate({ value, offset }: Node, faults: Fault[]): void {
  if (typeof value !== 'string' || value.isWellFormed()) return
  faults.push({ sentence: 'Half a surrogate pair stands in this text; write the whole character', at: offset })
}

const tooDeep = (at: number): Fault => ({ sentence: `It nests deeper than ${MAX_LEVELS} levels`, at, isEnd: true })

/** The fault of a parser error. */
function faultOf(text: string, { error, offset, length }: ParseError): Fault {
  const sign = text[offset]
  const ends = (sentence: string, at = offset): Fault => ({ sentence, at, isEnd: true })
  switch (printParseErrorCode(error)) {
    case 'InvalidCommentToken':
      return { sentence: 'JSON has no comments; remove this one', at: offset }
    case 'InvalidEscapeCharacter':
    case 'InvalidUnicode':
      return {
        sentence: 'A backslash in this text begins no escape; write \\\\ for the sign itself',
        at: offset,
      }
    case 'InvalidCharacter': {
      const at = offset + text.slice(offset).search(/[\u0000-\u001f]/)
      return { sentence: `A control character in a text must be escaped; write ${escapeOf(text[at]!)}`, at }
    }
    case 'UnexpectedEndOfString': {
      const end = text[offset + length]
      if (end === undefined) return ends('This text has no closing quote')
      return ends(`A line break in a text must be escaped; write ${escapeOf(end)}`, offset + length)
    }
    case 'CommaExpected':
      if (!/["[{]/.test(sign!)) return ends(`${JSON.stringify(sign)} cannot stand here: a comma or the end must follow`)
      return { sentence: 'A comma is missing behind this', at: text.slice(0, offset).trimEnd().length }
    case 'EndOfFileExpected':
      return ends('Something stands behind the end of the JSON value; remove it')
    case 'ColonExpected':
      return ends('A colon must follow the name')
    case 'InvalidSymbol':
    case 'UnexpectedEndOfNumber':
      return ends(
        `${JSON.stringify(text.slice(offset, offset + length))} is no JSON; names and texts stand in double quotes (")`,
      )
    default:
      if (text.trim() === '') return ends('The file is empty; an empty one is {}')
      if (sign === undefined) return ends('The file ends before it is complete')
      if (printParseErrorCode(error) === 'PropertyNameExpected') return ends('A name must stand here, in double quotes')
      return ends(`A value is missing before ${JSON.stringify(sign)}`)
  }
}

const escapeOf = (sign: string): string => JSON.stringify(sign).slice(1, -1)
