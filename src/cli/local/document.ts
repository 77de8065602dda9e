/** A locale file as it is written, and the texts in it. */
import { Problem } from '../problem.ts'
import type { FaultList } from './fault-list.ts'
import {
  type Branch,
  Fault,
  type Member,
  type Position,
  positionOf,
  readJson,
  type Text,
  type Value,
} from './json-source.ts'

/** How a file is written. */
export interface Style {
  /** Of one level; empty: all stands in one line. */
  indentation: string
  newline: '\n' | '\r\n'
  /** Between a name and its value. */
  colon: string
}

/** A member of an object or array. */
export interface Step {
  branch: Branch
  member: Member
}

/** A text of a file, and where it stands. */
export interface Leaf extends Step {
  text: Text
  /** The way to its object, from the namespace's own. */
  above: readonly Step[]
}

/** What is done with parts that cannot be read as they are. */
export interface Reading {
  /** Collects the faults behind which reading can go on. */
  faults?: FaultList | undefined
  /** The members that rules leave out. */
  ignoredIn?: ((root: Branch) => readonly Member[]) | undefined
}

const NO_TEXT = 'A value must be a text in quotes, not a number, true, false or null.'
export const BOM = '\ufeff'
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A file that was read; nothing changes in it. */
export class LocaleDocument {
  readonly path: string
  readonly bytes: Buffer
  /** Without a byte order mark. */
  readonly text: string
  readonly bom: string
  readonly root: Branch
  readonly style: Style
  /** Members that rules leave out: they have neither texts nor faults, and keep their bytes. */
  readonly ignored: ReadonlySet<Member>
  readonly #leaves = new Map<Branch, Map<string, Leaf>>()

  /**
   * @param path for messages
   * @param style wins over what the file shows
   * @throws Problem with line and column for what is no JSON object
   */
  constructor(path: string, bytes: Buffer, style: Partial<Style> = {}, { faults, ignoredIn }: Reading = {}) {
    this.path = path
    this.bytes = bytes
    const whole = decode(path, bytes)
    this.bom = whole.startsWith(BOM) ? BOM : ''
    this.text = whole.slice(this.bom.length)
    const noted: Fault[] = []
    const value = this.#parse(noted, faults)
    if (value.kind !== 'object')
      throw this.problem('A locale file must be a JSON object of keys and texts.', value.from)
    this.root = value
    this.ignored = new Set(ignoredIn?.(value))
    const isIgnored = within([...this.ignored].map(({ from, value }) => [from, value.to]))
    this.#tell(
      noted.filter(({ at }) => !isIgnored(at)),
      faults,
    )
    this.style = { ...this.#styleOf(value), ...style }
  }

  /** A position by its index in the text. */
  positionOf(at: number): Position {
    return positionOf(this.text, at)
  }

  /** A problem at a place of the text. */
  problem(sentence: string, at: number, key?: string): Problem {
    return new Problem(sentence, { file: this.path, ...this.positionOf(at), ...(key && { key }) })
  }

  /** @throws Problem for a value that is no text, or a key that stands twice */
  check(branch: Branch): void {
    // Where names have no dots, no two places can be one key.
    if (this.#checkValues(branch, '')) this.leaves(branch)
  }

  /** @returns whether a name has a dot */
  #checkValues(branch: Branch, prefix: string): boolean {
    let dotted = false
    for (const [at, member] of branch.members.entries()) {
      const { name, value, from } = member
      if (this.ignored.has(member)) continue
      if (value.kind === 'text') dotted ||= name.includes('.')
      else {
        const key = prefix + (branch.kind === 'array' ? at : name)
        if (value.kind === 'other') {
          throw this.problem(NO_TEXT, from, key)
        }
        dotted = this.#checkValues(value, `${key}.`) || dotted || name.includes('.')
      }
    }
    return dotted
  }

  /** The texts below an object that is sound, by their place joined with dots. */
  leaves(branch: Branch): Map<string, Leaf> {
    const known = this.#leaves.get(branch)
    if (known) return known
    const leaves = new Map<string, Leaf>()
    this.#collect(branch, '', [], leaves)
    this.#leaves.set(branch, leaves)
    return leaves
  }

  #collect(branch: Branch, prefix: string, above: readonly Step[], leaves: Map<string, Leaf>): void {
    for (const [at, member] of branch.members.entries()) {
      const { value, from } = member
      if (this.ignored.has(member)) continue
      const key = prefix + (branch.kind === 'array' ? at : member.name)
      if (value.kind === 'object' || value.kind === 'array') {
        this.#collect(value, `${key}.`, [...above, { branch, member }], leaves)
      }
      if (value.kind !== 'text') continue
      const other = leaves.get(key)
      if (other) throw this.#twice(other.member.from, from, key)
      leaves.set(key, { text: value, branch, member, above })
    }
  }

  /** Collects each value that is no text, and each key that stands twice. */
  collectFaults(branch: Branch, faults: FaultList): void {
    const leaves = new Map<string, number>()
    const visit = ({ kind, members }: Branch, prefix: string) => {
      for (const [at, member] of members.entries()) {
        if (this.ignored.has(member)) continue
        const { name, value, from } = member
        const key = prefix + (kind === 'array' ? at : name)
        if (value.kind === 'object' || value.kind === 'array') visit(value, `${key}.`)
        else if (value.kind === 'other') faults.add(this.path, from, () => this.problem(NO_TEXT, from, key))
        else if (!leaves.has(key)) leaves.set(key, from)
        else faults.add(this.path, from, () => this.#twice(leaves.get(key)!, from, key))
      }
    }
    visit(branch, '')
  }

  #twice(first: number, second: number, key: string): Problem {
    const { line } = this.positionOf(first)
    return this.problem(`The same key stands on line ${line} already; keep one of them.`, second, key)
  }

  /** @param noted gets the faults behind which reading went on */
  #parse(noted: Fault[], faults: FaultList | undefined): Value {
    try {
      return readJson(this.text, { note: fault => noted.push(fault) })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#tell(noted, faults)
      throw this.#toProblem(error)
    }
  }

  /** @throws Problem for the first of them, without a list */
  #tell(noted: readonly Fault[], faults: FaultList | undefined): void {
    for (const fault of noted) {
      if (!faults) throw this.#toProblem(fault)
      faults.add(this.path, fault.at, () => this.#toProblem(fault))
    }
  }

  #toProblem({ message, at, key }: Fault): Problem {
    return this.problem(`${message}.`, at, key)
  }

  #styleOf({ members }: Branch): Style {
    const [first] = members
    const lead = first ? this.text.slice(first.lead, first.from) : '\n  '
    const colon = first && this.text.slice(first.from, first.value.from).slice(JSON.stringify(first.name).length)
    return {
      indentation: lead.includes('\n') ? lead.slice(lead.lastIndexOf('\n') + 1) : '',
      newline: this.text.includes('\r\n') ? '\r\n' : '\n',
      // A name with escapes of its own is longer than ours.
      colon: colon !== undefined && /^\s*:\s*$/.test(colon) ? colon : ': ',
    }
  }
}

/** Whether an index is in one of some ranges, which do not overlap. */
function within(ranges: [from: number, to: number][]): (at: number) => boolean {
  const sorted = ranges.sort(([a], [b]) => a - b)
  return at => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]![0] <= at) low = middle + 1
      else high = middle
    }
    return low > 0 && at < sorted[low - 1]![1]
  }
}

/** @throws Problem with the place of the first byte that is no UTF-8 */
export function decode(path: string, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    const good = Buffer.from(bytes).toString('utf8')
    const { line, column } = positionOf(good, good.indexOf('\ufffd'))
    const hint = 'Save the file as UTF-8.'
    throw new Problem('The file is not UTF-8 from here on.', { file: path, line, column, hint })
  }
}
