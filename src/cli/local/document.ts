/** A locale file and the positions of its texts. */
import { Problem } from '../problem.ts'
import type { FaultList } from './fault-list.ts'
import { type Branch, type Fault, type Member, positionOf, readJson } from './json-source.ts'

/** The white space of a file. */
export interface FileStyle {
  /** Of one level; empty for a file in one line. */
  indentation: string
  newline: '\n' | '\r\n'
  /** Between a name and its value. */
  colon: string
}

/** Options of reading a file. */
interface Reading {
  /** Collects the faults; without it the first one is thrown. */
  faults?: FaultList | undefined
  /** Finds the members that rules leave out. */
  ignoredIn?: ((root: Branch) => readonly Member[]) | undefined
}

const NO_TEXT = 'A value must be a text in quotes, not a number, true, false or null.'
export const BOM = '\ufeff'
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A file as it was read. */
export class LocaleDocument {
  readonly path: string
  readonly bytes: Buffer
  /** Without a byte order mark. */
  readonly text: string
  readonly bom: string
  readonly root: Branch
  /** Members that rules leave out. Their texts and faults do not count, and their bytes do not change. */
  readonly ignored: ReadonlySet<Member>
  readonly #places = new Map<Branch, Map<string, number>>()

  /**
   * @param path for messages
   * @throws Problem with line and column for a file that is not a JSON object
   */
  constructor(path: string, bytes: Buffer, { faults: list, ignoredIn }: Reading = {}) {
    this.path = path
    this.bytes = bytes
    const decoded = decode(path, bytes)
    this.bom = decoded.startsWith(BOM) ? BOM : ''
    this.text = decoded.slice(this.bom.length)
    const { value, faults } = readJson(this.text)
    const toProblem = ({ sentence, at, key }: Fault) => this.problem(`${sentence}.`, at, key)
    const end = value ? undefined : faults.pop()!
    this.ignored = new Set(value?.kind === 'object' ? ignoredIn?.(value) : [])
    const left = Array.from(this.ignored, ({ from, value: { to } }) => ({ from, to })).sort((a, b) => a.from - b.from)
    const isIgnored = (at = -1) => {
      const range = left.findLast(({ from }) => from <= at)
      return range !== undefined && at < range.to
    }
    for (const fault of faults) {
      if (isIgnored(fault.at) || isIgnored(fault.twin)) continue
      if (!list) throw toProblem(fault)
      list.add(path, fault.at, () => toProblem(fault))
    }
    if (!value) throw toProblem(end!)
    if (value.kind !== 'object') {
      throw this.problem('A locale file must be a JSON object of keys and texts.', value.from)
    }
    this.root = value
  }

  /** A problem at a place of the text. */
  problem(sentence: string, at: number, key?: string): Problem {
    return new Problem(sentence, { file: this.path, ...positionOf(this.text, at), ...(key && { key }) })
  }

  /** The object of a namespace. @param namespace undefined: the whole file is one */
  branchOf(namespace: string | undefined): Branch | undefined {
    if (namespace === undefined) return this.root
    const value = this.root.members.find(({ name }) => name === namespace)?.value
    return value?.kind === 'object' ? value : undefined
  }

  /** Each value that is not a text, and each key that occurs twice. */
  *faultsIn(branch: Branch): Generator<{ at: number; problem: () => Problem }> {
    const leaves = new Map<string, number>()
    for (const { key, member } of membersBelow(branch, this.ignored)) {
      const { value, from: at } = member
      if ('members' in value) continue
      if (value.kind === 'other') yield { at, problem: () => this.problem(NO_TEXT, at, key) }
      const first = leaves.get(key)
      if (first === undefined) leaves.set(key, at)
      else yield { at, problem: () => this.#twice(first, at, key) }
    }
  }

  #twice(first: number, second: number, key: string): Problem {
    const { line } = positionOf(this.text, first)
    return this.problem(`Line ${line} has the same key; remove one of them.`, second, key)
  }

  /** The index of each member below an object, by its path joined with dots. */
  placesIn(branch: Branch): ReadonlyMap<string, number> {
    const known = this.#places.get(branch)
    if (known) return known
    const places = new Map<string, number>()
    for (const { key, member } of membersBelow(branch)) if (!places.has(key)) places.set(key, member.from)
    this.#places.set(branch, places)
    return places
  }

  /** As the first member shows it. */
  get style(): FileStyle {
    const [first] = this.root.members
    const lead = first ? this.text.slice(first.lead, first.from) : '\n  '
    const colon = first && this.text.slice(first.from, first.value.from).slice(JSON.stringify(first.name).length)
    return {
      indentation: lead.includes('\n') ? lead.slice(lead.lastIndexOf('\n') + 1) : '',
      newline: this.text.includes('\r\n') ? '\r\n' : '\n',
      // An escape in the name changes its length.
      colon: colon !== undefined && /^\s*:\s*$/.test(colon) ? colon : ': ',
    }
  }
}

/** All members below an object, each before those below it. */
function membersBelow(
  branch: Branch,
  without: ReadonlySet<Member> = new Set(),
  prefix = '',
  found: { key: string; member: Member }[] = [],
): { key: string; member: Member }[] {
  for (const [at, member] of branch.members.entries()) {
    if (without.has(member)) continue
    const key = prefix + (branch.kind === 'array' ? at : member.name)
    found.push({ key, member })
    if ('members' in member.value) membersBelow(member.value, without, `${key}.`, found)
  }
  return found
}

/** @throws Problem with the position of the first byte that is not UTF-8 */
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
