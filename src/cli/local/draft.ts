/** A file being changed: the document as it is, and what is to be different. */
import type { Leaf, LocaleDocument, Style } from './document.ts'
import type { Branch, Member, Value } from './json-source.ts'
import { arrange, type Compare, orderOf } from './order.ts'
import type { Sort } from './types.ts'

/** Names and indices from the top of the namespace. */
export type Place = (string | number)[]

/** An object or array that is not in the document. */
interface NewBranch {
  kind: 'object' | 'array'
  added: NewMember[]
}

interface NewMember {
  name: string
  value: string | NewBranch
  /** Its nearest neighbour before it in the wanted order; of a renamed key, the member that had its text. */
  behind: Member | NewMember | undefined
  /** Whether it holds the place of a renamed key. */
  isRenamed: boolean
  /** The offset of the removed member that had its text. */
  oldOffset: number | undefined
}

type AnyBranch = Branch | NewBranch
type AnyMember = Member | NewMember

const isNew = (member: AnyMember): member is NewMember => 'behind' in member

export class Draft {
  readonly #document: LocaleDocument
  readonly #sort: Sort
  /** How deep a namespace's own object is. */
  readonly #top: number
  readonly #texts = new Map<Value, string>()
  readonly #removed = new Set<Member>()
  /** How many of a branch's members are removed. */
  readonly #goneOf = new Map<Branch, number>()
  readonly #added = new Map<AnyBranch, NewMember[]>()
  /** The members by name, and each one's place before those that come. */
  readonly #named = new Map<AnyBranch, Map<string, AnyMember>>()
  readonly #last = new Map<AnyBranch, AnyMember>()

  constructor(document: LocaleDocument, sort: Sort, top: number) {
    this.#document = document
    this.#sort = sort
    this.#top = top
  }

  /**
   * Gives the texts of a namespace other values, and it other texts.
   * @param branch where it is; undefined: nowhere yet
   * @param top its way from the root of the file
   * @returns false where a new text has no place beside those that are there
   */
  fill(
    branch: Branch | undefined,
    leaves: ReadonlyMap<string, Leaf>,
    wanted: ReadonlyMap<string, { text: string; place: Place }>,
    top: Place,
    placeOf: (key: string, place: Place) => Place,
  ): boolean {
    const gone: Leaf[] = []
    for (const [key, leaf] of leaves) if (!wanted.has(key)) gone.push(leaf)
    if (!this.#remove(gone)) return false
    const oldLeaves = Map.groupBy(gone, ({ text }) => text.value)
    const base = branch ?? this.#document.root
    const above = branch ? [] : top
    for (const [key, { text, place }] of wanted) {
      const leaf = leaves.get(key)
      if (!leaf) {
        const renamed = text === '' ? undefined : oldLeaves.get(text)?.shift()
        if (!this.#add(base, [...above, ...placeOf(key, place)], text, renamed)) return false
        continue
      }
      if (leaf.text.value !== text) this.#texts.set(leaf.text, text)
      this.#pass(leaf)
    }
    return true
  }

  /**
   * Puts the texts in place of all that a namespace has but what is left out, where their places say.
   * @returns false where what is left out is in the way of a text
   */
  replace(
    branch: Branch | undefined,
    top: Place,
    wanted: ReadonlyMap<string, { text: string; place: Place }>,
  ): boolean {
    const base = branch ?? this.#document.root
    if (branch) this.#clear(branch)
    const added = branch ? [] : (this.#added.get(base) ?? []).filter(({ name }) => name !== top[0])
    this.#added.set(base, added)
    this.#named.delete(base)
    this.#last.delete(base)
    const places = Array.from(wanted.values(), ({ text, place }) => ({
      text,
      place: [...(branch ? [] : top), ...place],
    }))
    return places
      .map(({ text, place }) => this.#add(base, place, text))
      .every(isPlaced => isPlaced || this.#document.ignored.size === 0)
  }

  /** Removes all members but those that are left out, and the objects around these. @returns whether any stays */
  #clear(branch: Branch): boolean {
    this.#added.delete(branch)
    this.#named.delete(branch)
    this.#last.delete(branch)
    let stays = false
    for (const member of branch.members) {
      const { value } = member
      const holds = this.#document.ignored.size > 0 && value.kind === 'object' && this.#clear(value)
      if (holds || this.#document.ignored.has(member)) {
        this.#removed.delete(member)
        stays = true
      } else this.#removed.add(member)
    }
    return stays
  }

  bytes(): Buffer {
    const { bom, text, root } = this.#document
    const body = this.#write(root, 0) ?? '{}'
    return Buffer.from(bom + text.slice(0, root.from) + body + text.slice(root.to))
  }

  /**
   * Removes texts, and the objects and arrays that held nothing else.
   * @returns false where items of an array would move
   */
  #remove(leaves: Leaf[]): boolean {
    const lists = new Set<Branch>()
    for (const leaf of leaves) {
      const steps = [...leaf.above, leaf]
      for (let step = steps.pop(); step; step = steps.pop()) {
        const { branch, member } = step
        this.#removed.add(member)
        if (branch.kind === 'array') lists.add(branch)
        const gone = (this.#goneOf.get(branch) ?? 0) + 1
        this.#goneOf.set(branch, gone)
        if (gone < branch.members.length) break
      }
    }
    return [...lists].every(({ members }) => {
      const first = members.findIndex(member => this.#removed.has(member))
      return members.slice(first).every(member => this.#removed.has(member))
    })
  }

  /** Notes that what comes next in the wanted order comes behind this text. */
  #pass(leaf: Leaf): void {
    for (const { branch, member } of leaf.above) this.#last.set(branch, member)
    this.#last.set(leaf.branch, leaf.member)
  }

  /** @param renamed the removed leaf that had this text: in an unsorted object the new member takes its place */
  #add(base: Branch, place: Place, text: string, renamed?: Leaf): boolean {
    let branch: AnyBranch = base
    for (const [at, segment] of place.entries()) {
      const rest = place.length - at - 1
      const next = branch.kind === 'array' ? String(this.#lengthOf(branch)) : undefined
      if (next !== undefined && String(segment) !== next && !this.#find(branch, segment)) return false
      const present = this.#find(branch, segment)
      const below: AnyBranch | undefined = present && branchOf(present)
      if (rest === 0) {
        if (present) return false
        this.#insert(branch, String(segment), text, renamed)
      } else if (below) {
        this.#last.set(branch, present!)
        branch = below
      } else if (present) {
        // A text stands in the way: its dots become part of a name beside it, as on the server.
        if (branch.kind === 'array') return false
        const name = place.slice(at).join('.')
        if (this.#find(branch, name)) return false
        this.#insert(branch, name, text, renamed)
        return true
      } else {
        const made: NewBranch = { kind: typeof place[at + 1] === 'number' ? 'array' : 'object', added: [] }
        this.#insert(branch, String(segment), made, renamed)
        branch = made
      }
    }
    return true
  }

  #insert(branch: AnyBranch, name: string, value: string | NewBranch, renamed?: Leaf): void {
    const old = renamed && [...renamed.above, renamed].find(step => step.branch === branch)?.member
    const behind = old ?? this.#last.get(branch)
    const member = { name, value, behind, isRenamed: old !== undefined, oldOffset: renamed?.member.from }
    const added = this.#added.get(branch)
    if (added) added.push(member)
    else this.#added.set(branch, [member])
    this.#last.set(branch, member)
    this.#members(branch).set(branch.kind === 'array' ? String(this.#lengthOf(branch) - 1) : name, member)
  }

  #find(branch: AnyBranch, segment: string | number): AnyMember | undefined {
    return this.#members(branch).get(String(segment))
  }

  /** The members that stay, by name or index. */
  #members(branch: AnyBranch): Map<string, AnyMember> {
    let members = this.#named.get(branch)
    if (!members) {
      const stay = this.#staying(branch)
      members = new Map(stay.map((member, at) => [branch.kind === 'array' ? String(at) : member.name, member]))
      this.#named.set(branch, members)
    }
    return members
  }

  #staying(branch: AnyBranch): Member[] {
    return 'members' in branch ? branch.members.filter(member => !this.#removed.has(member)) : []
  }

  #lengthOf(branch: AnyBranch): number {
    return this.#staying(branch).length + (this.#added.get(branch)?.length ?? 0)
  }

  /** The text of an object or array, undefined for one that lost all that it had. */
  #write(branch: AnyBranch, depth: number): string | undefined {
    const { text, style } = this.#document
    const staying = this.#staying(branch)
    const added = this.#added.get(branch) ?? []
    const present: readonly Member[] = 'members' in branch ? branch.members : []
    if (present.length > 0 && staying.length + added.length === 0) return undefined
    if (present.length === 0 && added.length === 0)
      return 'members' in branch ? text.slice(branch.from, branch.to) : '{}'
    const members = this.#arranged(branch, staying, added, depth)
    const spaces = spacesOf(text, present, style, depth)
    const parts = members.map((member, at) => {
      const isLast = at === members.length - 1
      const kept = isNew(member) ? undefined : member
      const lead =
        at === 0 ? spaces.first : kept && kept !== present[0] ? text.slice(kept.lead, kept.from) : spaces.lead
      const trail = isLast ? spaces.close : kept && kept !== present.at(-1) ? text.slice(kept.value.to, kept.trail) : ''
      return lead + this.#writeMember(branch, member, depth) + trail
    })
    const [open, close] = branch.kind === 'array' ? '[]' : '{}'
    return open + parts.join(',') + close
  }

  #writeMember(branch: AnyBranch, member: AnyMember, depth: number): string {
    const { text, style, ignored } = this.#document
    if (!isNew(member) && ignored.has(member)) return text.slice(member.from, member.value.to)
    if (!isNew(member)) return text.slice(member.from, member.value.from) + this.#writeValue(member.value, depth)
    const { name, value } = member
    const written = typeof value === 'string' ? JSON.stringify(value) : this.#write(value, depth + 1)!
    return branch.kind === 'array' ? written : JSON.stringify(name) + style.colon + written
  }

  #writeValue(value: Value, depth: number): string {
    const { text } = this.#document
    const changed = this.#texts.get(value)
    if (changed !== undefined) return JSON.stringify(changed)
    if (value.kind === 'object' || value.kind === 'array') return this.#write(value, depth + 1) ?? '{}'
    return text.slice(value.from, value.to)
  }

  #arranged(branch: AnyBranch, staying: Member[], added: NewMember[], depth: number): AnyMember[] {
    if (added.length === 0) return staying
    // Namespaces of one file have no order.
    if (branch.kind === 'array' || depth < this.#top) return [...staying, ...added]
    const compare = orderOf(this.#sort, depth === this.#top)
    if (!compare && !('members' in branch)) return inOldOrder(added)
    const present: Member[] = 'members' in branch ? branch.members : []
    if (compare && isSorted(present, compare)) return arrange<AnyMember>(staying, added, compare)
    const [placed, others] = compare ? split(added) : [added, []]
    const behind = Map.groupBy(placed, member => member.behind)
    const all: AnyMember[] = []
    // A stack and no calls within calls: a thousand new keys are each behind the one before.
    const next: AnyMember[] = [...present.toReversed(), ...(behind.get(undefined) ?? []).toReversed()]
    for (let member = next.pop(); member; member = next.pop()) {
      if (isNew(member) || !this.#removed.has(member)) all.push(member)
      next.push(...(behind.get(member) ?? []).toReversed())
    }
    return compare && others.length > 0 ? arrange(all, others, compare) : all
  }
}

/** A new object of renamed keys alone has them in their old order. */
const inOldOrder = (added: NewMember[]): NewMember[] =>
  added.every(({ oldOffset }) => oldOffset !== undefined)
    ? added.toSorted((a, b) => a.oldOffset! - b.oldOffset!)
    : added

/** The renamed members, and the others. */
const split = (added: readonly NewMember[]): [renamed: NewMember[], others: NewMember[]] => [
  added.filter(({ isRenamed }) => isRenamed),
  added.filter(({ isRenamed }) => !isRenamed),
]

const isSorted = (members: readonly Member[], compare: Compare): boolean =>
  members.every(({ name }, at) => at === 0 || compare(members[at - 1]!.name, name) <= 0)

const branchOf = ({ value }: AnyMember): AnyBranch | undefined =>
  typeof value === 'object' && (value.kind === 'object' || value.kind === 'array') ? value : undefined

/** What stands before the first member, before each other, and behind the last: as the object has it, else as the file. */
function spacesOf(text: string, present: readonly Member[], style: Style, depth: number) {
  const [first, second] = present
  if (!first) {
    const margin = (levels: number) =>
      style.indentation === '' ? '' : style.newline + style.indentation.repeat(levels)
    return { first: margin(depth + 1), lead: margin(depth + 1), close: margin(depth) }
  }
  const last = present.at(-1)!
  const lead = text.slice(first.lead, first.from)
  const other = second ? text.slice(second.lead, second.from) : lead
  return { first: lead, lead: other, close: text.slice(last.value.to, last.trail) }
}
