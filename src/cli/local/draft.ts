/** A draft of a changed locale file. Unchanged parts retain their bytes. */
import type { FileStyle, LocaleDocument } from './document.ts'
import type { Branch, Member } from './json-source.ts'
import { arrange, type Compare, orderOf } from './order.ts'
import type { Sort } from './types.ts'

/** Names and indices from the top of the namespace. */
export type Place = (string | number)[]

/** A text that a namespace should have, and its place on the server. */
export interface WantedText {
  text: string
  place: Place
}

/** An object or array with its members as they will be written. */
interface DraftBranch {
  kind: 'object' | 'array'
  /** As the file has it; undefined for a new one. */
  old: Branch | undefined
  /** Members of the file, in its order, with those that are removed. */
  present: DraftMember[]
  /** New members, in the order of the server. */
  added: DraftMember[]
  /** The members that will be written, by name or index. */
  byName: Map<string, DraftMember>
  /** The last member that was passed in the order of the server. */
  last: DraftMember | undefined
}

interface DraftMember {
  name: string
  /** Undefined: the bytes of the file. */
  value: string | DraftBranch | undefined
  old?: Member
  isRemoved?: boolean
  /** Of a new member: its neighbour before it, or the removed member with the same text. */
  behind?: DraftMember | undefined
  /** Of a new member: whether it has the place of a removed one. */
  isRenamed?: boolean
  /** The index of the removed member with the same text. */
  oldIndex?: number | undefined
}

/** A text, and each branch and member on the way to it. */
interface Leaf {
  member: DraftMember
  steps: { branch: DraftBranch; member: DraftMember }[]
}

export class FileDraft {
  readonly #document: LocaleDocument
  readonly #style: FileStyle
  readonly #sort: Sort
  /** The level of a namespace's own object. */
  readonly #top: number
  readonly #root: DraftBranch

  constructor(document: LocaleDocument, style: FileStyle, sort: Sort, top: number) {
    this.#document = document
    this.#style = style
    this.#sort = sort
    this.#top = top
    this.#root = draftOf(document.root, document.ignored)
  }

  /**
   * Gives a namespace these texts and no others.
   * @param path from the root of the file to the namespace
   * @param placeOf where a new key goes
   * @returns whether a text differs; undefined if a text has no place beside members that rules leave out
   */
  apply(
    path: string[],
    wanted: ReadonlyMap<string, WantedText>,
    placeOf: (key: string, place: Place) => Place,
  ): boolean | undefined {
    const [top] = path
    const own = top === undefined ? this.#root : this.#root.byName.get(top)?.value
    const branch = typeof own === 'object' ? own : undefined
    const leaves = branch ? leavesOf(branch) : new Map<string, Leaf>()
    const isSame = ([key, { text }]: [string, WantedText]) => leaves.get(key)?.member.value === text
    if (wanted.size === leaves.size && [...wanted].every(isSame)) return false
    const above = branch ? [] : path
    if (fill(branch ?? this.#root, leaves, wanted, (key, place) => [...above, ...placeOf(key, place)])) return true
    // The present texts have no room for the new ones: the namespace gets the shape that the server has.
    if (branch) clear(branch, this.#document.ignored)
    else {
      this.#root.added = this.#root.added.filter(({ name }) => name !== top)
      this.#root.byName.delete(top!)
    }
    const fits = Array.from(wanted.values(), ({ text, place }) => add(branch ?? this.#root, [...above, ...place], text))
    return fits.every(Boolean) || this.#document.ignored.size === 0 || undefined
  }

  bytes(): Buffer {
    const { bom, text, root } = this.#document
    const body = this.#write(this.#root, 0) ?? '{}'
    return Buffer.from(bom + text.slice(0, root.from) + body + text.slice(root.to))
  }

  /** The text of an object or array; undefined for one that lost all its members. */
  #write(branch: DraftBranch, depth: number): string | undefined {
    const { text } = this.#document
    const members = this.#inOrder(branch, depth)
    if (members.length === 0) {
      if (branch.old && branch.present.length === 0) return text.slice(branch.old.from, branch.old.to)
      return branch.old ? undefined : '{}'
    }
    const spaces = this.#spacesOf(branch, depth)
    const [first, last] = [branch.present[0], branch.present.at(-1)]
    const parts = members.map((member, at) => {
      const { old } = member
      const lead = at === 0 ? spaces.first : old && member !== first ? text.slice(old.lead, old.from) : spaces.lead
      const trail =
        at === members.length - 1 ? spaces.close : old && member !== last ? text.slice(old.value.to, old.trail) : ''
      return lead + this.#writeMember(branch, member, depth) + trail
    })
    const [open, close] = branch.kind === 'array' ? '[]' : '{}'
    return open + parts.join(',') + close
  }

  #writeMember({ kind }: DraftBranch, { name, value, old }: DraftMember, depth: number): string {
    const { text } = this.#document
    const isSame = old?.value.kind === 'text' && old.value.value === value
    if (old && (value === undefined || isSame)) return text.slice(old.from, old.value.to)
    const written = typeof value === 'string' ? JSON.stringify(value) : (this.#write(value!, depth + 1) ?? '{}')
    if (old) return text.slice(old.from, old.value.from) + written
    return kind === 'array' ? written : JSON.stringify(name) + this.#style.colon + written
  }

  /** The white space before the first member, before each other, and behind the last. */
  #spacesOf({ present }: DraftBranch, depth: number) {
    const { text } = this.#document
    const [first, second] = present.map(({ old }) => old!)
    if (!first) {
      const { indentation, newline } = this.#style
      const margin = (levels: number) => (indentation === '' ? '' : newline + indentation.repeat(levels))
      return { first: margin(depth + 1), lead: margin(depth + 1), close: margin(depth) }
    }
    const last = present.at(-1)!.old!
    const lead = text.slice(first.lead, first.from)
    const other = second ? text.slice(second.lead, second.from) : lead
    return { first: lead, lead: other, close: text.slice(last.value.to, last.trail) }
  }

  #inOrder({ kind, old, present, added }: DraftBranch, depth: number): DraftMember[] {
    const staying = present.filter(({ isRemoved }) => !isRemoved)
    if (added.length === 0) return staying
    // The namespaces of one file have no order.
    if (kind === 'array' || depth < this.#top) return [...staying, ...added]
    const compare = orderOf(this.#sort, depth === this.#top)
    if (!compare && !old) return inOldOrder(added)
    if (compare && isSorted(present, compare)) return arrange(staying, added, compare)
    const placed = compare ? added.filter(({ isRenamed }) => isRenamed) : added
    const behind = Map.groupBy(placed, member => member.behind)
    const all: DraftMember[] = []
    // A stack instead of recursion: each of a thousand new keys is behind the one before.
    const next = [...present.toReversed(), ...(behind.get(undefined) ?? []).toReversed()]
    for (let member = next.pop(); member; member = next.pop()) {
      if (!member.isRemoved) all.push(member)
      next.push(...(behind.get(member) ?? []).toReversed())
    }
    return compare
      ? arrange(
          all,
          added.filter(({ isRenamed }) => !isRenamed),
          compare,
        )
      : all
  }
}

function draftOf(old: Branch, ignored: ReadonlySet<Member>): DraftBranch {
  const present = old.members.map((member): DraftMember & { old: Member } => {
    const { name, value } = member
    if (ignored.has(member) || value.kind === 'other') return { name, value: undefined, old: member }
    return { name, value: value.kind === 'text' ? value.value : draftOf(value, ignored), old: member }
  })
  const named = present.map((member, at) => [old.kind === 'array' ? String(at) : member.name, member] as const)
  // A left-out member may have the name of another one.
  const isLeft = ([, { old }]: (typeof named)[number]) => ignored.has(old)
  const byName = new Map([...named.filter(isLeft), ...named.filter(one => !isLeft(one))])
  return { kind: old.kind, old, present, added: [], byName, last: undefined }
}

/** The texts below an object by their places joined with dots. */
function leavesOf(
  branch: DraftBranch,
  prefix = '',
  above: Leaf['steps'] = [],
  leaves = new Map<string, Leaf>(),
): Map<string, Leaf> {
  for (const [name, member] of branch.byName) {
    const steps = [...above, { branch, member }]
    if (typeof member.value === 'string') leaves.set(prefix + name, { member, steps })
    else if (member.value) leavesOf(member.value, `${prefix}${name}.`, steps, leaves)
  }
  return leaves
}

/** @returns false where a new text has no place beside the present ones */
function fill(
  base: DraftBranch,
  leaves: ReadonlyMap<string, Leaf>,
  wanted: ReadonlyMap<string, WantedText>,
  placeOf: (key: string, place: Place) => Place,
): boolean {
  const gone = [...leaves].filter(([key]) => !wanted.has(key)).map(([, leaf]) => leaf)
  const oldLeaves = Map.groupBy(gone, ({ member }) => member.value)
  for (const leaf of gone) remove(leaf)
  const arrays = new Set(gone.flatMap(({ steps }) => steps).filter(({ member }) => member.isRemoved))
  if (![...arrays].every(({ branch }) => isCutAtEnd(branch))) return false
  for (const [key, { text, place }] of wanted) {
    const leaf = leaves.get(key)
    if (leaf) {
      leaf.member.value = text
      for (const { branch, member } of leaf.steps) branch.last = member
    } else {
      const renamed = text === '' ? undefined : oldLeaves.get(text)?.shift()
      if (!add(base, placeOf(key, place), text, renamed)) return false
    }
  }
  return true
}

/** Removes a text, and the objects and arrays that had nothing else. */
function remove({ steps }: Leaf): void {
  for (const { branch, member } of steps.toReversed()) {
    member.isRemoved = true
    const name = branch.kind === 'array' ? String(branch.present.indexOf(member)) : member.name
    branch.byName.delete(name)
    if (branch.byName.size > 0) return
  }
}

/** Whether an array lost items at its end only: others would move. */
function isCutAtEnd({ kind, present }: DraftBranch): boolean {
  const first = present.findIndex(({ isRemoved }) => isRemoved)
  return kind === 'object' || present.slice(first).every(({ isRemoved }) => isRemoved)
}

/** Removes all members except those that rules leave out, and the objects around these. */
function clear(branch: DraftBranch, ignored: ReadonlySet<Member>): void {
  branch.added = []
  branch.byName.clear()
  branch.last = undefined
  for (const member of branch.present) {
    const { value, old } = member
    if (typeof value === 'object' && value.kind === 'object') clear(value, ignored)
    const stays = ignored.has(old!) || (typeof value === 'object' && value.kind === 'object' && value.byName.size > 0)
    member.isRemoved = !stays
    if (stays) branch.byName.set(member.name, member)
  }
}

/** @param renamed the removed text that a new one equals: in an unsorted object the new one has its place */
function add(base: DraftBranch, place: Place, text: string, renamed?: Leaf): boolean {
  let branch = base
  for (const [at, segment] of place.entries()) {
    const name = String(segment)
    const isLast = at === place.length - 1
    const present = branch.byName.get(name)
    if (branch.kind === 'array' && !present && name !== String(branch.byName.size)) return false
    if (!present) {
      const below = isLast ? text : newBranch(typeof place[at + 1] === 'number' ? 'array' : 'object')
      insert(branch, name, below, renamed)
      if (typeof below === 'string') return true
      branch = below
    } else if (isLast) {
      return false
    } else if (typeof present.value === 'object') {
      branch.last = present
      branch = present.value
    } else {
      // A text is in the way: the rest becomes a name with dots beside it, as on the server.
      const dotted = place.slice(at).join('.')
      if (branch.kind === 'array' || branch.byName.has(dotted)) return false
      insert(branch, dotted, text, renamed)
      return true
    }
  }
  return true
}

const newBranch = (kind: DraftBranch['kind']): DraftBranch => ({
  kind,
  old: undefined,
  present: [],
  added: [],
  byName: new Map(),
  last: undefined,
})

function insert(branch: DraftBranch, name: string, value: string | DraftBranch, renamed: Leaf | undefined): void {
  const old = renamed?.steps.find(step => step.branch === branch)?.member
  const oldIndex = renamed?.member.old?.from
  const member = { name, value, behind: old ?? branch.last, isRenamed: old !== undefined, oldIndex }
  branch.added.push(member)
  branch.last = member
  branch.byName.set(name, member)
}

/** The members of a new object have their old order if all are renamed. */
const inOldOrder = (added: DraftMember[]): DraftMember[] =>
  added.every(({ oldIndex }) => oldIndex !== undefined) ? added.toSorted((a, b) => a.oldIndex! - b.oldIndex!) : added

const isSorted = (members: readonly DraftMember[], compare: Compare): boolean =>
  members.every(({ name }, at) => at === 0 || compare(members[at - 1]!.name, name) <= 0)
