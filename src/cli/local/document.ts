/** A locale file as it is written, and the texts in it. */
import { Problem } from '../problem.ts'
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

const BOM = '\ufeff'
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
  readonly #leaves = new Map<Branch, Map<string, Leaf>>()

  /**
   * @param path for messages
   * @param style wins over what the file shows
   * @throws Problem with line and column for what is no JSON object
   */
  constructor(path: string, bytes: Buffer, style: Partial<Style> = {}) {
    this.path = path
    this.bytes = bytes
    const whole = decode(path, bytes)
    this.bom = whole.startsWith(BOM) ? BOM : ''
    this.text = whole.slice(this.bom.length)
    const value = this.#parse()
    if (value.kind !== 'object')
      throw this.problem('A locale file must be a JSON object of keys and texts.', value.from)
    this.root = value
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
    for (const [at, { name, value, from }] of branch.members.entries()) {
      if (value.kind === 'text') dotted ||= name.includes('.')
      else {
        const key = prefix + (branch.kind === 'array' ? at : name)
        if (value.kind === 'other') {
          throw this.problem('A value must be a text in quotes, not a number, true, false or null.', from, key)
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
      const key = prefix + (branch.kind === 'array' ? at : member.name)
      if (value.kind === 'object' || value.kind === 'array') {
        this.#collect(value, `${key}.`, [...above, { branch, member }], leaves)
      }
      if (value.kind !== 'text') continue
      const other = leaves.get(key)
      if (other) {
        const { line } = this.positionOf(other.member.from)
        throw this.problem(`The same key stands on line ${line} already; keep one of them.`, from, key)
      }
      leaves.set(key, { text: value, branch, member, above })
    }
  }

  #parse(): Value {
    try {
      return readJson(this.text)
    } catch (error) {
      if (error instanceof Fault) throw this.problem(`${error.message}.`, error.at, error.key)
      throw error
    }
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

function decode(path: string, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    const good = Buffer.from(bytes).toString('utf8')
    const { line, column } = positionOf(good, good.indexOf('\ufffd'))
    const hint = 'Save the file as UTF-8.'
    throw new Problem('The file is not UTF-8 from here on.', { file: path, line, column, hint })
  }
}
