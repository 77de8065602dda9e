/** JSON (RFC 8259) with the position of each value, and the faults of a file with theirs. */
import { type ParseErrorCode, parse, printParseErrorCode, visit } from 'jsonc-parser'

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

/** A fault of a file at an index of its text. `key` is the path of the value, joined by dots. */
export interface Fault {
  sentence: string
  at: number
  key: string | undefined
  /** The index of the member before it with the same name. */
  twin?: number | undefined
}

/** Levels of objects and arrays that a file may have: the parser recurses. */
const MAX_LEVELS = 200

/**
 * Reads a text as JSON.
 * @returns the value, undefined after a fault that ends the reading: it is the last of `faults`
 */
export function readJson(text: string): { value: Value | undefined; faults: Fault[] } {
  const reader = new Reader(text)
  try {
    visit(text, reader, { disallowComments: true, allowTrailingComma: true })
  } catch (error) {
    if (error !== STOPPED) throw error
    return { value: undefined, faults: reader.faults }
  }
  return { value: reader.root, faults: reader.faults }
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

const STOPPED = new Error('the reading ended at a fault')
const WORD = /[\w$.+-]+/y
const CONTROL = /[\u0000-\u001f]/
const LONE = /[\ud800-\udfff]/u

/** An object or array that the reader is in. */
interface OpenBranch {
  branch: Branch
  /** The index of the last member by name. */
  names: Map<string, number>
  /** The member that has no value yet. */
  name: string | undefined
  hasColon: boolean
  /** Index behind the last comma or the opening bracket. */
  lead: number
  from: number
  hasComma: boolean
}

/** Builds the values from the events of `visit`. Each parser error becomes the sentence of its place. */
class Reader {
  root: Value | undefined
  readonly faults: Fault[] = []
  readonly #text: string
  readonly #open: OpenBranch[] = []

  constructor(text: string) {
    this.#text = text
  }

  onObjectBegin = (at: number) => this.#begin('object', at)
  onArrayBegin = (at: number) => this.#begin('array', at)
  onObjectEnd = (at: number) => this.#end('}', at)
  onArrayEnd = (at: number) => this.#end(']', at)

  onObjectProperty = (name: string, at: number, length: number) => {
    const open = this.#open.at(-1)!
    this.#noteLoneSurrogate(name, at, length)
    Object.assign(open, { name, from: at, hasColon: false })
    const twin = open.names.get(name)
    if (twin !== undefined) this.#note('The object has this name twice; remove one of them', at, twin)
    open.names.set(name, at)
  }

  onLiteralValue = (value: unknown, at: number, length: number) => {
    const to = at + length
    if (typeof value === 'string') {
      this.#noteLoneSurrogate(value, at, length)
      this.#add({ kind: 'text', value, from: at, to })
    } else {
      WORD.lastIndex = to
      if (WORD.test(this.#text)) this.#failWithoutValue(at)
      this.#add({ kind: 'other', value, from: at, to })
    }
  }

  onSeparator = (sign: string, at: number) => {
    const open = this.#open.at(-1)!
    if (sign === ':') {
      open.hasColon = true
      return
    }
    const last = open.branch.members.at(-1)
    if (last) last.trail = at
    Object.assign(open, { lead: at + 1, hasComma: true })
  }

  onError = (code: ParseErrorCode, at: number, length: number) => {
    const open = this.#open.at(-1)
    const sign = this.#text[at] ?? ''
    switch (printParseErrorCode(code)) {
      case 'InvalidCommentToken':
        return this.#note('JSON has no comments; remove this one', at)
      case 'InvalidEscapeCharacter':
      case 'InvalidUnicode':
        return this.#note('A backslash in this text begins no escape; write \\\\ for the sign itself', at)
      case 'UnexpectedEndOfString':
        return this.#failInString(at, at + length)
      case 'InvalidCharacter': {
        const control = CONTROL.exec(this.#text.slice(at, at + length))!
        return this.#note(
          `A control character in a text must be escaped; write ${escapeOf(control[0])}`,
          at + control.index,
        )
      }
      case 'CommaExpected':
        if (sign !== '"' && (open?.branch.kind !== 'array' || !/[[{]/.test(sign))) return this.#failAt(at)
        return this.#note('A comma is missing behind this', open!.branch.members.at(-1)!.value.to)
      default:
        return this.#failAt(at)
    }
  }

  #begin(kind: Branch['kind'], at: number): void {
    if (this.#open.length >= MAX_LEVELS) this.#fail(`It nests deeper than ${MAX_LEVELS} levels`, at)
    const branch: Branch = { kind, members: [], from: at, to: at }
    const names = new Map<string, number>()
    this.#open.push({ branch, names, name: undefined, hasColon: false, lead: at + 1, from: at, hasComma: false })
  }

  #end(close: string, at: number): void {
    if (this.#text[at] !== close) this.#failAt(at)
    const { branch, hasComma } = this.#open.at(-1)!
    if (hasComma) this.#note(`Remove the comma before this "${close}"`, at)
    this.#open.pop()
    branch.to = at + 1
    const last = branch.members.at(-1)
    if (last) last.trail = at
    this.#add(branch)
  }

  #add(value: Value): void {
    const open = this.#open.at(-1)
    if (!open) {
      this.root = value
      return
    }
    const { branch, name = '', lead } = open
    const from = branch.kind === 'array' ? value.from : open.from
    branch.members.push({ name, lead, from, value, trail: value.to })
    Object.assign(open, { name: undefined, hasComma: false, lead: value.to })
  }

  #noteLoneSurrogate(value: string, at: number, length: number): void {
    if (length === value.length + 2 || !LONE.test(value)) return
    this.#note('Half a surrogate pair stands in this text; write the whole character', at)
  }

  #failInString(at: number, end: number): never {
    const sign = this.#text[end]
    if (sign === undefined) this.#fail('This text has no closing quote', at)
    this.#fail(`A line break in a text must be escaped; write ${escapeOf(sign)}`, end)
  }

  /** Ends the reading with the sentence for a place where something else must stand. */
  #failAt(at: number): never {
    const open = this.#open.at(-1)
    const sign = this.#text[at]
    if (!open) {
      if (this.root) this.#fail('Something stands behind the end of the JSON value; remove it', at)
      if (sign === undefined) this.#fail('The file is empty; an empty one is {}', at)
      this.#failWithoutValue(at)
    }
    const { branch, name, hasColon, hasComma } = open
    const close = branch.kind === 'array' ? ']' : '}'
    const isFirst = branch.members.length === 0
    if (name !== undefined ? hasColon : branch.kind === 'array' && (isFirst || hasComma)) this.#failWithoutValue(at)
    if (sign === undefined) {
      this.#fail(`The file ends before it is complete: "${name === undefined ? close : ':'}" is missing`, at)
    }
    if (name !== undefined) this.#fail(`A colon must follow the name ${JSON.stringify(name)}`, at)
    if (!isFirst && !hasComma) {
      this.#fail(`${JSON.stringify(sign)} cannot stand here: a comma or "${close}" must follow`, at)
    }
    if (sign === ',') this.#fail('A member is missing before this comma', at)
    this.#fail('A name must stand here, in double quotes', at)
  }

  #failWithoutValue(at: number): never {
    const sign = this.#text[at]
    if (sign === undefined) this.#fail('The file ends before it is complete', at)
    if (sign === "'") this.#fail('Texts stand in double quotes ("), not in \'', at)
    if (sign === '}' || sign === ']' || sign === ',') this.#fail(`A value is missing before "${sign}"`, at)
    WORD.lastIndex = at
    const word = WORD.exec(this.#text)?.[0] ?? sign
    this.#fail(`${JSON.stringify(word)} is no JSON value; texts stand in double quotes`, at)
  }

  #fail(sentence: string, at: number): never {
    const merge = /^(?:<{7}|={7}|>{7})(?: |$)/m.exec(this.#text)
    if (merge && merge.index <= at + 7) this.#note('Git left a merge conflict here; resolve it first', merge.index)
    else this.#note(sentence, at)
    throw STOPPED
  }

  #note(sentence: string, at: number, twin?: number): void {
    const path = this.#open.map(({ branch, name }) => (branch.kind === 'array' ? branch.members.length : name))
    this.faults.push({ sentence, at, key: path.filter(part => part !== undefined).join('.') || undefined, twin })
  }
}

const escapeOf = (sign: string): string => JSON.stringify(sign).slice(1, -1)
