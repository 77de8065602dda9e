/**
 * A changed tree as text, made from the file that it was written to before: only the lines of what was touched are written, the rest
 * is copied. In a canonical file each member begins a line of its own, no text holds a line break, and the margin tells how deep a
 * line stands, so that bytes can be searched for where members stand.
 */
import type { Branch, Entry } from './branch.ts'
import { linesOf } from './message.ts'
import type { PlaceTree } from './place.ts'
import { type Quote, quoteOf, renderMember } from './render.ts'
import type { Touched } from './touched.ts'

const LINE_BREAK = 0x0a
const COMMA = 0x2c
/** The length of a file without members. */
const EMPTY = '{}\n'.length

/** Something of the tree whose lines are written anew, or for the first time. */
type Member = Entry | Branch

/** Bytes of the old file, from one offset to another, and what stands there now. */
interface Edit {
  from: number
  to: number
  lines: Buffer
}

/**
 * The file of a tree.
 * @param touched all that has changed in it since `before` was written from it
 * @returns undefined where the lines cannot be found: then the whole is to be rendered
 */
export function renderTouched(tree: PlaceTree, touched: Touched, before: Buffer): Buffer | undefined {
  if (before.length <= EMPTY) return undefined
  const file = new WrittenFile(before, touched, quoteOf(tree))
  const parts: Buffer[] = []
  let copied = 0
  for (const member of inFileOrder(touched)) {
    const edit = file.edit(member, copied)
    if (edit === undefined) return undefined
    parts.push(before.subarray(copied, edit.from), edit.lines)
    copied = edit.to
  }
  parts.push(before.subarray(copied))
  return Buffer.concat(parts)
}

/** The file that a tree was written to, and where in it the members of the tree stand. */
class WrittenFile {
  readonly #bytes: Buffer
  readonly #touched: Touched
  readonly #quote: Quote
  /** Where the first member of an object begins, at the line break before it. */
  readonly #begins = new Map<Branch, number>()

  constructor(bytes: Buffer, touched: Touched, quote: Quote) {
    this.#bytes = bytes
    this.#touched = touched
    this.#quote = quote
  }

  /** What a member changes in the file. @param after where it can stand at the earliest: members are asked for in their order */
  edit(member: Member, after: number): Edit | undefined {
    const home = homeOf(member)
    const begin = this.#begin(home, after)
    if (begin === undefined) return undefined
    const margin = marginIn(home)
    const lines = renderMember(member, margin, this.#quote)
    const endings = isBranch(member) ? [] : this.#touched.entries.get(member)!
    if (endings.length > 0) {
      const place = this.#entry(member as Entry, endings, Math.max(begin, after))
      return place && { ...place, lines }
    }
    const before = this.#memberBefore(member)
    if (before === undefined) {
      // Objects are not empty, so there is a member for it to stand before; of a file without any, the whole is rendered.
      return { from: begin, to: begin, lines: Buffer.concat([lines, Buffer.from(',')]) }
    }
    const end = isBranch(before)
      ? this.#branchEnd(before, begin)
      : this.#entry(before, this.#touched.entries.get(before) ?? linesOf(before).map(([ending]) => ending), begin)?.to
    return end === undefined ? undefined : { from: end, to: end, lines: Buffer.concat([Buffer.from(','), lines]) }
  }

  #begin(branch: Branch, after: number): number | undefined {
    // Behind the bracket that the file begins with.
    if (!branch.parent) return 1
    const known = this.#begins.get(branch)
    if (known !== undefined) return known
    const around = this.#begin(branch.parent, after)
    if (around === undefined) return undefined
    const line = `\n${marginIn(branch.parent)}"${this.#quote(branch.name)}": {`
    const found = this.#find(line, Math.max(around, after))
    if (found === undefined) return undefined
    const begin = found + Buffer.byteLength(line)
    this.#begins.set(branch, begin)
    return begin
  }

  /** Where the lines of a key stand, without the comma behind them. */
  #entry({ home, base }: Entry, endings: string[], after: number): { from: number; to: number } | undefined {
    const from = this.#find(`\n${marginIn(home)}"${this.#quote(base + endings[0])}": "`, after)
    if (from === undefined) return undefined
    let to = from
    for (const _ of endings) to = this.#bytes.indexOf(LINE_BREAK, to + 1)
    if (to === -1) return undefined
    return { from, to: this.#bytes[to - 1] === COMMA ? to - 1 : to }
  }

  /** Where an object ends, without the comma behind it. */
  #branchEnd(branch: Branch, after: number): number | undefined {
    const margin = marginIn(branch.parent!)
    const begin = this.#find(`\n${margin}"${this.#quote(branch.name)}": ${branch.list ? '[' : '{'}`, after)
    if (begin === undefined) return undefined
    const close = branch.list ? `\n${margin}]` : `\n${margin}}`
    const end = this.#find(close, begin)
    return end === undefined ? undefined : end + close.length
  }

  /** The last member before another one of its home that the file has. */
  #memberBefore(member: Member): Member | undefined {
    const home = homeOf(member)
    const name = nameOf(member)
    // Of one name, the object stands before the key.
    const same = isBranch(member) ? undefined : home.branches.get(name)
    if (same && !this.#touched.branches.has(same)) return same
    let before: Member | undefined
    for (const branch of home.branches.values()) {
      if (branch.name < name && (!before || branch.name > nameOf(before)) && !this.#touched.branches.has(branch))
        before = branch
    }
    for (const entry of home.keys.values()) {
      if (entry.base < name && (!before || entry.base >= nameOf(before)) && !this.#isNew(entry)) before = entry
    }
    return before
  }

  #isNew(entry: Entry): boolean {
    return this.#touched.entries.get(entry)?.length === 0
  }

  #find(line: string, after: number): number | undefined {
    const at = this.#bytes.indexOf(line, after)
    return at === -1 ? undefined : at
  }
}

const isBranch = (member: Member): member is Branch => 'branches' in member
const homeOf = (member: Member): Branch => (isBranch(member) ? member.parent! : member.home)
const nameOf = (member: Member): string => (isBranch(member) ? member.name : member.base)

/** What stands before a member of an object. */
function marginIn(branch: Branch): string {
  let margin = '  '
  for (let at = branch; at.parent; at = at.parent) margin += '  '
  return margin
}

/** The touched members in the order in which they stand in the file. */
function inFileOrder(touched: Touched): Member[] {
  const entries = Array.from(touched.entries.keys()).filter(({ home }) => !touched.isNew(home))
  const members = [...touched.branches, ...entries].map(member => ({ member, path: pathOf(member) }))
  members.sort((a, b) => comparePaths(a.path, b.path) || (isBranch(a.member) ? -1 : 1))
  return members.map(({ member }) => member)
}

function pathOf(member: Member): string[] {
  const path = [nameOf(member)]
  for (let at = homeOf(member); at.parent; at = at.parent) path.push(at.name)
  return path.reverse()
}

/** Members stand in code-unit order; of a key and an object of one name, the object with all that is in it comes first. */
function comparePaths(a: string[], b: string[]): number {
  const common = Math.min(a.length, b.length)
  for (let at = 0; at < common; at++) if (a[at] !== b[at]) return a[at]! < b[at]! ? -1 : 1
  return b.length - a.length
}
