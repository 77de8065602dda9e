/** The rules of `ignore` and `--leave-out`: no command sends, writes, checks or deletes these keys. */
import { outermostArray } from '../../bundle/json-node.ts'
import { treeWithout } from '../../bundle/leaf-changes.ts'
import { join, type LeafName, peel } from '../../bundle/message.ts'
import { Bundle } from '../../bundle/resource.ts'
import { counted } from '../terminal/table.ts'
import type { Branch, Member } from './json-source.ts'

/** A rule as it applies to one namespace. */
interface Pattern {
  rule: string
  /** The name of a key or form. */
  name: string
  /** For a rule with `*` at its end: how names begin. */
  prefix: string | undefined
}

/** A rule, and the number of keys that it leaves out. */
export interface IgnoredCount {
  rule: string
  keys: number
}

/** Finds left-out keys, and counts them over a whole run. */
export class IgnoredKeys {
  readonly rules: readonly string[]
  readonly #separator: string | false
  readonly #patterns = new Map<string, Pattern[]>()
  readonly #found: Map<string, Set<string>>

  /** @param separator between a namespace and a key */
  constructor(rules: readonly string[], separator: string | false) {
    this.rules = [...new Set(rules)]
    this.#separator = separator
    this.#found = new Map(this.rules.map(rule => [rule, new Set()]))
  }

  get isEmpty(): boolean {
    return this.rules.length === 0
  }

  /** The left-out members of a namespace's object, at any depth. */
  #membersIn(branch: Branch, namespace: string): Member[] {
    if (this.isEmpty) return []
    const visit = ({ members }: Branch, prefix: string): Member[] =>
      members.flatMap(member => {
        const { name, value } = member
        // An array is a key; an object is not.
        if (value.kind === 'object') return visit(value, `${prefix}${name}.`)
        return this.#has(namespace, prefix + name, value.kind === 'array') ? [member] : []
      })
    return visit(branch, '')
  }

  /** The left-out members of a file with one namespace, or with one in each member. */
  membersOf(root: Branch, namespace: string, isMerged: boolean): Member[] {
    if (!isMerged) return this.#membersIn(root, namespace)
    return root.members.flatMap(({ name, value }) => (value.kind === 'object' ? this.#membersIn(value, name) : []))
  }

  /** The left-out leaves of a bundle. */
  leavesIn({ tree }: Bundle, namespace: string): LeafName[] {
    if (this.isEmpty) return []
    return tree.entries().flatMap(entry => {
      const array = outermostArray(entry)
      const leaves = entry.leaves().map(([leaf]) => leaf)
      return leaves.filter(leaf => this.#has(namespace, array ?? join(leaf), array !== undefined))
    })
  }

  /** A resource without its left-out keys, which are not counted. */
  without(resource: object, namespace: string, prefix = ''): object {
    if (this.isEmpty || Array.isArray(resource)) return resource
    const left = Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
      const isArray = Array.isArray(value)
      if (typeof value === 'object' && value !== null && !isArray)
        return [[name, this.without(value, namespace, `${prefix}${name}.`)]]
      return this.#fitting(namespace, prefix + name, isArray).length > 0 ? [] : [[name, value]]
    })
    return Object.fromEntries(left)
  }

  /** Splits a bundle into its left-out leaves and the rest. */
  split(bundle: Bundle, namespace: string): { rest: Bundle; left: LeafName[] } {
    const left = this.leavesIn(bundle, namespace)
    return { rest: left.length === 0 ? bundle : new Bundle(bundle.format, treeWithout(bundle.tree, left)), left }
  }

  #has(namespace: string, name: string, isArray: boolean): boolean {
    const fitting = this.#fitting(namespace, name, isArray)
    const { key } = isArray ? { key: name } : peel(name)
    for (const { rule } of fitting) this.#found.get(rule)!.add(`${namespace}\n${key}`)
    return fitting.length > 0
  }

  #fitting(namespace: string, name: string, isArray: boolean): Pattern[] {
    const { key } = isArray ? { key: name } : peel(name)
    // `list.*` names all items of an array, and so the array.
    const begins = isArray ? `${name}.` : name
    return this.#patternsOf(namespace).filter(
      pattern =>
        pattern.name === name ||
        pattern.name === key ||
        isItemOf(pattern.name, name) ||
        (pattern.prefix !== undefined && begins.startsWith(pattern.prefix)),
    )
  }

  #patternsOf(namespace: string): Pattern[] {
    const known = this.#patterns.get(namespace)
    if (known) return known
    const start = this.#separator === false ? undefined : namespace + this.#separator
    const patterns = this.rules.flatMap(rule => {
      // The part before a separator may belong to the key: a sentence may have a colon.
      const names = start !== undefined && rule.startsWith(start) ? [rule, rule.slice(start.length)] : [rule]
      return names.map(name => ({ rule, name, prefix: name.endsWith('*') ? name.slice(0, -1) : undefined }))
    })
    this.#patterns.set(namespace, patterns)
    return patterns
  }

  /** The counts so far, by rule. */
  counts(): IgnoredCount[] {
    return Array.from(this.#found, ([rule, { size }]) => ({ rule, keys: size }))
  }

  /**
   * Sentences about the rules; empty without rules.
   * @param whole the place where all keys were read, to name rules without a key; undefined after a partial run
   */
  text(whole: string | undefined): string[] {
    const counts = this.counts()
    const all = new Set([...this.#found.values()].flatMap(keys => [...keys])).size
    const used = counts.filter(({ keys }) => keys > 0).map(({ rule, keys }) => `${rule} (${keys})`)
    const unused = whole === undefined ? [] : counts.filter(({ keys }) => keys === 0).map(({ rule }) => rule)
    return [
      ...(used.length > 0 ? [`Left out by rules: ${counted(all, 'key')}, ${used.join(', ')}.`] : []),
      ...unused.map(rule => `The rule ${JSON.stringify(rule)} fits no key of ${whole}. ${hintFor(rule)}`),
    ]
  }
}

/** Whether a name is below an item of an array. The other side may have the array as an object or as flat keys. */
const isItemOf = (array: string, name: string): boolean =>
  name.startsWith(`${array}.`) && /^\d+(\.|$)/.test(name.slice(array.length + 1))

const hintFor = (rule: string): string =>
  rule.endsWith('*')
    ? 'Remove it, or correct the name.'
    : `Remove it, or correct the name; ${JSON.stringify(`${rule}.*`)} is all keys below it.`
