/** Finds the members of JSON objects in bytes (RFC 8259) without reading their values, however large these are. */
import { parseBody } from './body.ts'

/** A member: its name, and where the bytes of its value begin and end. */
export interface Member {
  name: string
  from: number
  to: number
  /** Those of the value, where it is an object and they are asked for. */
  members?: Member[]
}

/** Whether the members of the value at a path of names are asked for. */
type Deep = (path: readonly string[]) => boolean
/** As in `scheduling/steps.ts`. */
type Steps<T> = Generator<undefined, T, undefined>

/** Thrown for what is no JSON; a reader of the whole tells where. */
export class NoJson extends Error {
  override name = 'NoJson'
}

/** Thrown for more members than are asked for. */
export class TooManyMembers extends Error {
  override name = 'TooManyMembers'
}

/** Bytes looked at between two steps: less than a millisecond. */
const AT_ONCE = 2 ** 18
/** Longer names and words are nobody's. In bytes. */
const MOST_NAME = 2 ** 12

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * The members of a body that is an object, in steps; undefined when it begins as something else. When each value without
 * members parses, the whole body does.
 * @param most members in all, of those that are asked for
 * @throws NoJson, TooManyMembers
 */
export function* membersOf(bytes: Uint8Array, deep: Deep, most: number): Steps<Member[] | undefined> {
  const reader = new Reader(bytes, most)
  yield* reader.space()
  if (bytes[reader.at] !== OPEN_OBJECT) return undefined
  const members = yield* reader.object(deep, [])
  yield* reader.space()
  if (reader.at < bytes.length) throw new NoJson()
  return members
}

/** A member's value, which fits some memory. @throws NoJson */
export function readValue(bytes: Uint8Array, { from, to }: Pick<Member, 'from' | 'to'>): unknown {
  try {
    return parseBody(bytes.subarray(from, to)).resource
  } catch {
    throw new NoJson()
  }
}

class Reader {
  at: number
  /** Where the next step is due. */
  #due = AT_ONCE
  /** Members that may still come. */
  #left: number
  readonly #bytes: Uint8Array
  readonly #words: DataView

  constructor(bytes: Uint8Array, most: number) {
    this.#bytes = bytes
    this.#left = most
    this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    // Behind a byte order mark, which `parseBody` skips too.
    this.at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  }

  /** The object that begins here. */
  *object(deep: Deep, path: readonly string[]): Steps<Member[]> {
    const bytes = this.#bytes
    const members: Member[] = []
    this.at++
    yield* this.space()
    for (let more = bytes[this.at] !== CLOSE_OBJECT; more; yield* this.space()) {
      const name = this.#name()
      yield* this.space()
      this.#sign(COLON)
      yield* this.space()
      const member: Member = { name, from: this.at, to: 0 }
      const below = [...path, name]
      if (bytes[this.at] === OPEN_OBJECT && deep(below)) member.members = yield* this.object(deep, below)
      else yield* this.#skip()
      member.to = this.at
      if (this.#left-- === 0) throw new TooManyMembers()
      members.push(member)
      if (members.length % 64 === 0 || this.at >= this.#due) {
        this.#due = this.at + AT_ONCE
        yield
      }
      yield* this.space()
      more = bytes[this.at] === COMMA
      if (more) this.at++
    }
    this.#sign(CLOSE_OBJECT)
    return members
  }

  *space(): Steps<void> {
    for (let left = AT_ONCE; isSpace(this.#bytes[this.at]); this.at++) {
      if (left-- === 0) {
        left = AT_ONCE
        yield
      }
    }
  }

  #sign(sign: number): void {
    if (this.#bytes[this.at++] !== sign) throw new NoJson()
  }

  #name(): string {
    const from = this.at
    this.#sign(QUOTE)
    this.at = endOfText(this.#words, this.at, Math.min(this.#bytes.length, from + MOST_NAME))
    this.#sign(QUOTE)
    return readValue(this.#bytes, { from, to: this.at }) as string
  }

  /** To the end of a value that is JSON; of any other anywhere. */
  *#skip(): Steps<void> {
    const bytes = this.#bytes
    const first = bytes[this.at]
    if (first !== QUOTE && first !== OPEN_OBJECT && first !== OPEN_ARRAY) {
      const most = this.at + MOST_NAME
      while (this.at < most && !endsWord(bytes[this.at])) this.at++
      return
    }
    const place = { at: this.at, depth: 0, inText: false }
    for (;;) {
      skip(bytes, this.#words, place, Math.min(bytes.length, place.at + AT_ONCE))
      if (place.depth === 0 && !place.inText) break
      if (place.at >= bytes.length) throw new NoJson()
      yield
    }
    this.at = place.at
  }
}

/** Goes on to the value's end, or to `to`. */
function skip(
  bytes: Uint8Array,
  words: DataView,
  place: { at: number; depth: number; inText: boolean },
  to: number,
): void {
  let { at, depth, inText } = place
  do {
    if (inText) {
      at = endOfText(words, at, to)
      if (at >= to) break
      at++
      inText = false
      continue
    }
    const byte = bytes[at++]
    if (byte === QUOTE) inText = true
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
  } while ((depth > 0 || inText) && at < to)
  place.at = at
  place.depth = depth
  place.inText = inText
}

/** The place of the quote that ends a text, or at least `to`, within the bytes, when there is none. */
function endOfText(words: DataView, from: number, to: number): number {
  let at = from
  while (at < to) {
    // Most of a body is text: it is gone through four bytes at a time.
    while (at + 4 <= to && !holdsSign(words.getInt32(at, true))) at += 4
    const end = Math.min(to, at + 4)
    for (; at < end; at++) {
      const byte = words.getUint8(at)
      if (byte === QUOTE) return at
      if (byte !== BACKSLASH) continue
      at += 2
      break
    }
  }
  return at
}

/** Whether one of four bytes is a quote or a backslash: one that is becomes zero, from which 1 borrows the highest bit. */
function holdsSign(word: number): boolean {
  const quote = word ^ 0x22222222
  const backslash = word ^ 0x5c5c5c5c
  return ((((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash)) & 0x80808080) !== 0
}

const isSpace = (byte?: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const endsWord = (byte?: number): boolean =>
  byte === undefined || isSpace(byte) || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY
