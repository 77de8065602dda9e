/**
 * JSON (RFC 8259) as it is written: each value with where it stands, members in the file's order. What people leave in
 * files by hand is told with its position: comments, commas too many, names twice, halves of a merge.
 */

/** A position in a file, both from 1; the column in UTF-16 units, as editors count. */
export interface Position {
  line: number
  column: number
}

/** A value: where its text begins and ends. */
export type Value = Text | Branch | { kind: 'other'; from: number; to: number }

export interface Text {
  kind: 'text'
  value: string
  from: number
  to: number
}

/** An object or array. Its items are members without a name. */
export interface Branch {
  kind: 'object' | 'array'
  members: Member[]
  from: number
  to: number
}

/** A member with all that is written between its neighbours' commas: white space, name, colon, value. */
export interface Member {
  name: string
  lead: number
  from: number
  value: Value
  trail: number
}

/** What is wrong with a file. `key` is the path of the value concerned, joined by dots. */
export class Fault extends Error {
  readonly at: number
  readonly key: string | undefined

  constructor(message: string, at: number, key?: string) {
    super(message)
    this.at = at
    this.key = key
  }
}

/** Deeper files are nobody's, and a reader that calls itself must end. */
const MOST_LEVELS = 200

/**
 * Reads a text as JSON.
 * @param relaxed takes comments and trailing commas too, as a tsconfig.json has them
 * @param note receives each fault behind which reading can go on; without it the first fault is thrown
 * @throws Fault
 */
export function readJson(
  text: string,
  { relaxed = false, note }: { relaxed?: boolean; note?: ((fault: Fault) => void) | undefined } = {},
): Value {
  const reader = new Reader(text, relaxed, note)
  return reader.whole()
}

/** A position by its index in the text. */
export function positionOf(text: string, at: number): Position {
  const before = text.lastIndexOf('\n', at - 1)
  let line = 1
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line++
  return { line, column: at - before }
}

/**
 * A JSON value as JavaScript has it; `__proto__` is a member like any other.
 * @param without members of objects to pass over
 */
export function plain(text: string, value: Value, without: ReadonlySet<Member> = new Set()): unknown {
  if (value.kind === 'text') return value.value
  if (value.kind === 'other') return JSON.parse(text.slice(value.from, value.to))
  if (value.kind === 'array') return value.members.map(({ value: item }) => plain(text, item, without))
  const members = without.size === 0 ? value.members : value.members.filter(member => !without.has(member))
  return Object.fromEntries(members.map(({ name, value: below }) => [name, plain(text, below, without)]))
}

const OTHER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const WORD = /[\w$.+-]+/y
const CONTROL = /[\u0000-\u001f]/
const ESCAPES = /^(?:[^\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*$/
const LONE = /[\ud800-\udfff]/u

class Reader {
  readonly #text: string
  readonly #relaxed: boolean
  readonly #noted: ((fault: Fault) => void) | undefined
  readonly #path: string[] = []
  #at = 0

  constructor(text: string, relaxed: boolean, noted?: (fault: Fault) => void) {
    this.#text = text
    this.#relaxed = relaxed
    this.#noted = noted
  }

  whole(): Value {
    this.#space()
    if (this.#at >= this.#text.length) this.#fail('The file is empty; an empty one is {}')
    const value = this.#value()
    this.#space()
    if (this.#at < this.#text.length) this.#fail('Something stands behind the end of the JSON value; remove it')
    return value
  }

  #fail(sentence: string, at = this.#at): never {
    const key = this.#path.join('.') || undefined
    const merge = /^(?:<{7}|={7}|>{7})(?: |$)/m.exec(this.#text)
    if (merge && merge.index <= at + 7) {
      throw new Fault('A merge conflict of git is left here; resolve it first', merge.index, key)
    }
    throw new Fault(sentence, at, key)
  }

  /** For a fault that leaves no doubt how the text goes on. */
  #note(sentence: string, at = this.#at): void {
    if (!this.#noted) this.#fail(sentence, at)
    this.#noted(new Fault(sentence, at, this.#path.join('.') || undefined))
  }

  #space(): void {
    const text = this.#text
    for (;;) {
      const code = text.charCodeAt(this.#at)
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) this.#at++
      else if (code === 0x2f) this.#comment()
      else return
    }
  }

  #comment(): void {
    const opening = this.#text.slice(this.#at, this.#at + 2)
    const ending = { '//': '\n', '/*': '*/' }[opening] ?? this.#fail('"/" begins no JSON value')
    if (!this.#relaxed) this.#note('JSON has no comments; remove this one')
    const end = this.#text.indexOf(ending, this.#at + 2)
    this.#at = end === -1 ? this.#text.length : end + ending.length
  }

  #value(): Value {
    const text = this.#text
    const from = this.#at
    const sign = text[from]
    if (sign === '"') return { kind: 'text', value: this.#string(), from, to: this.#at }
    if (sign === '{') return this.#branch('object', '}')
    if (sign === '[') return this.#branch('array', ']')
    OTHER.lastIndex = from
    if (!OTHER.test(text)) return this.#noValue()
    this.#at = OTHER.lastIndex
    WORD.lastIndex = this.#at
    if (WORD.test(text)) {
      this.#at = from
      return this.#noValue()
    }
    return { kind: 'other', from, to: this.#at }
  }

  #noValue(): never {
    const sign = this.#text[this.#at]
    if (sign === undefined) this.#fail('The file ends before it is complete')
    if (sign === "'") this.#fail('Texts stand in double quotes ("), not in \'')
    if (sign === '}' || sign === ']' || sign === ',') this.#fail(`A value is missing before "${sign}"`)
    WORD.lastIndex = this.#at
    const word = WORD.exec(this.#text)?.[0] ?? sign
    this.#fail(`${JSON.stringify(word)} is no JSON value; texts stand in double quotes`)
  }

  #branch(kind: 'object' | 'array', close: string): Branch {
    const text = this.#text
    const from = this.#at++
    const members: Member[] = []
    const names = kind === 'object' ? new Set<string>() : undefined
    if (this.#path.length >= MOST_LEVELS) this.#fail(`It nests deeper than ${MOST_LEVELS} levels`)
    for (;;) {
      const lead = this.#at
      this.#space()
      const start = this.#at
      if (text[start] === close) {
        const comma = members.length > 0
        if (comma && !this.#relaxed) this.#note(`Remove the comma before this "${close}"`)
        this.#at++
        return { kind, members, from, to: this.#at }
      }
      let name = ''
      if (names) {
        name = this.#name()
        this.#path.push(name)
        if (names.has(name)) this.#note('The name stands twice in this object; keep one of them', start)
        names.add(name)
      } else this.#path.push(String(members.length))
      const value = this.#value()
      this.#path.pop()
      const end = this.#at
      this.#space()
      members.push({ name, lead, from: start, value, trail: this.#at })
      const sign = text[this.#at]
      if (sign === ',') {
        this.#at++
        continue
      }
      if (sign === close) {
        this.#at++
        return { kind, members, from, to: this.#at }
      }
      if (sign === undefined) this.#fail(`The file ends before it is complete: "${close}" is missing`)
      if (sign === '"' || (kind === 'array' && /[[{]/.test(sign!))) {
        this.#note('A comma is missing behind this', end)
        continue
      }
      this.#fail(`${JSON.stringify(sign)} cannot stand here: a comma or "${close}" must follow`)
    }
  }

  #name(): string {
    const sign = this.#text[this.#at]
    if (sign === undefined) this.#fail('The file ends before it is complete: "}" is missing')
    if (sign === ',') this.#fail('A member is missing before this comma')
    if (sign !== '"') this.#fail('A name must stand here, in double quotes')
    const name = this.#string()
    this.#space()
    if (this.#at >= this.#text.length) this.#fail('The file ends before it is complete: ":" is missing')
    if (this.#text[this.#at] !== ':') this.#fail(`A colon must follow the name ${JSON.stringify(name)}`)
    this.#at++
    this.#space()
    return name
  }

  #string(): string {
    const text = this.#text
    const from = this.#at
    let end = text.indexOf('"', from + 1)
    for (; end !== -1 && text[end - 1] === '\\'; end = text.indexOf('"', end + 1)) {
      let before = end
      while (text[before - 1] === '\\') before--
      if ((end - before) % 2 === 0) break
    }
    if (end === -1) this.#fail('This text has no closing quote')
    const raw = text.slice(from + 1, end)
    const control = CONTROL.exec(raw)
    if (control) {
      const isBreak = control[0] === '\n' || control[0] === '\r'
      const name = isBreak ? 'A line break' : 'A control character'
      const sentence = `${name} cannot stand in a text as it is; write ${escapeOf(control[0])}`
      // Behind a line break the closing quote may be that of another text.
      if (isBreak) this.#fail(sentence, from + 1 + control.index)
      this.#note(sentence, from + 1 + control.index)
    }
    this.#at = end + 1
    if (control) return raw
    let value = raw
    if (raw.includes('\\')) {
      if (!ESCAPES.test(raw)) {
        this.#note('A backslash in this text begins no escape; write \\\\ for the sign itself', from)
        return raw
      }
      value = JSON.parse(text.slice(from, end + 1)) as string
      if (LONE.test(value)) this.#note('Half a surrogate pair stands in this text; write the whole character', from)
    }
    return value
  }
}

const escapeOf = (sign: string): string => JSON.stringify(sign).slice(1, -1)
