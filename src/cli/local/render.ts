/**
 * Writes texts into locale files as a careful person would: what does not change keeps its bytes, new keys stand where
 * the project's order has them, removed ones leave nothing behind.
 */
import { placeByName } from '../../bundle/place.ts'
import { Problem } from '../problem.ts'
import { type Leaf, LocaleDocument } from './document.ts'
import { Draft, type Place } from './draft.ts'
import type { Branch } from './json-source.ts'
import { type Compare, isIndex, orderOf } from './order.ts'
import type { Change, FileContent, LocalFile, LocalProject, Resource } from './types.ts'

type Rules = Pick<LocalProject, 'sort' | 'indentation' | 'layout' | 'keySeparator'>

/**
 * The files that hold other texts than they should, as they should be. Where no text differs, however it is arranged, a
 * file is left out; a file of several namespaces is one.
 */
export function render(changes: readonly Change[], rules: Rules): FileContent[] {
  const byPath = new Map<string, Change[]>()
  for (const change of changes) {
    const { path } = change.file
    const others = byPath.get(path)
    if (others) others.push(change)
    else byPath.set(path, [change])
  }
  return Array.from(byPath, ([path, of]) => renderFile(path, of, rules)).filter(content => content !== undefined)
}

function renderFile(path: string, changes: Change[], rules: Rules): FileContent | undefined {
  const [first] = changes
  const text = first!.local || rules.layout === 'merged' ? undefined : newFile(first!.wanted, rules)
  if (text !== undefined) return { path, bytes: Buffer.from(text) }
  const document = changes.find(({ local }) => local)?.local?.document ?? empty(path, rules)
  const draft = new Draft(document, rules.sort, rules.layout === 'merged' ? 1 : 0)
  let changed = false
  for (const change of changes) changed = apply(draft, document, change, rules) || changed
  return changed ? { path, bytes: draft.bytes() } : undefined
}

/** @returns whether a text differs */
function apply(draft: Draft, document: LocaleDocument, { file, local, wanted }: Change, rules: Rules): boolean {
  const top = rules.layout === 'merged' ? [file.namespace] : []
  const branch = local ? local.branch : top.length === 0 ? document.root : undefined
  if (branch && holds(branch, wanted)) return false
  const texts = placesOf(wanted)
  const leaves = branch ? document.leaves(branch) : new Map<string, Leaf>()
  const isSame = ([key, { text }]: [string, Wanted]) => leaves.get(key)?.text.value === text
  if (texts.size === leaves.size && [...texts].every(isSame)) return false
  const place = placing(branch, wanted, rules)
  const fits = draft.fill(branch, leaves, texts, top, place)
  // The texts that are there are in each other's way: the file follows the wanted one's shape.
  if (!fits && !draft.replace(branch, top, texts)) {
    throw new Problem('A text of the server has no place beside keys that are left out.', {
      file: file.path,
      hint: 'Leave out the keys of the server too, or none of them.',
    })
  }
  return true
}

/** Whether an object has these members, in whatever order: the quick answer for most files. */
function holds({ kind, members }: Branch, wanted: object): boolean {
  if ((kind === 'array') !== Array.isArray(wanted) || members.length !== Object.keys(wanted).length) return false
  return members.every(({ name, value }, at) => {
    const own = kind === 'array' ? String(at) : name
    const below = Object.hasOwn(wanted, own) ? (wanted as Resource)[own] : undefined
    if (value.kind === 'text') return below === value.value
    return value.kind !== 'other' && typeof below === 'object' && below !== null && holds(value, below)
  })
}

/** A wanted text and where the server has it. */
interface Wanted {
  text: string
  place: Place
}

/** The texts of a resource by their places joined with dots, in its order. */
function placesOf(resource: Resource): Map<string, Wanted> {
  const texts = new Map<string, Wanted>()
  const walk = (value: object, prefix: string, above: Place) => {
    const list = Array.isArray(value)
    for (const [name, below] of Object.entries(value)) {
      const place = [...above, list ? Number(name) : name]
      if (typeof below === 'string') texts.set(prefix + name, { text: below, place })
      else if (below !== null && typeof below === 'object') walk(below, `${prefix}${name}.`, place)
    }
  }
  walk(resource, '', [])
  return texts
}

/**
 * Where a new key goes: as the file has it, nested or with dots in the names; a file that shows neither goes by the
 * project, as the server's place where that nests.
 */
function placing(branch: Branch | undefined, wanted: Resource, rules: Rules) {
  const members = branch?.members ?? []
  const nests = members.some(({ value }) => 'members' in value && value.members.length > 0)
  const dotted = members.some(({ name }) => placeByName(name).length > 1)
  const flat = nests ? false : dotted || rules.keySeparator === false
  if (flat) return (key: string) => [key]
  const wantedNests = Object.values(wanted).some(value => typeof value === 'object')
  return (key: string, place: Place) => (wantedNests ? place : rules.keySeparator === '.' ? placeByName(key) : [key])
}

/**
 * A file that there is not yet; undefined where nothing would be in it.
 * @param bytes of a canonical file, taken as they are where the project would have them so
 * @param wanted what they say
 */
export function renderNew(file: LocalFile, bytes: Buffer, wanted: Resource, rules: Rules): FileContent | undefined {
  const { sort, indentation } = rules
  const isTaken =
    [2, '  '].includes(indentation) &&
    standsIn(wanted, rules) &&
    isArranged(wanted, orderOf(sort, true), orderOf(sort, false))
  if (isTaken) return { path: file.path, bytes }
  return renderFile(file.path, [{ file, local: undefined, wanted }], rules)
}

/** Whether the members are in this order, and as JavaScript would write them. */
function isArranged(value: object, order: Compare | undefined, below: Compare | undefined): boolean {
  let last: string | undefined
  for (const name in value) {
    const member = (value as Resource)[name]
    if (typeof member === 'object' && !isArranged(member as object, below, below)) return false
    if (Array.isArray(value)) continue
    if (last === undefined ? isIndex(name) : order && order(last, name) > 0) return false
    last = name
  }
  return last !== undefined || Array.isArray(value)
}

/** A file that nobody has arranged yet; undefined where its keys stand otherwise than they are wanted. */
function newFile(wanted: Resource, rules: Rules): string | undefined {
  const { sort, indentation } = rules
  const members = standsIn(wanted, rules) ? arranged(wanted, orderOf(sort, true), orderOf(sort, false)) : undefined
  return members && `${JSON.stringify(members, null, indentation)}\n`
}

/** Whether keys stand where the project would have them, nested or not. */
function standsIn(wanted: Resource, { keySeparator }: Rules): boolean {
  if (Object.values(wanted).some(value => typeof value === 'object')) return keySeparator !== false
  return keySeparator !== '.' || Object.keys(wanted).every(name => placeByName(name).length === 1)
}

/** Its members in their order; undefined where an object or array has none. */
function arranged(value: object, order: Compare | undefined, below: Compare | undefined): object | undefined {
  const names = Object.keys(value)
  if (order && !Array.isArray(value)) names.sort(order)
  const members: [string, unknown][] = []
  for (const name of names) {
    const own = (value as Resource)[name]
    const member = typeof own === 'object' && own !== null ? arranged(own, below, below) : own
    if (member === undefined) return undefined
    members.push([name, member])
  }
  if (members.length === 0) return undefined
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)
}

/** What a new file begins as. */
function empty(path: string, { indentation }: Rules): LocaleDocument {
  const unit = typeof indentation === 'number' ? ' '.repeat(indentation) : indentation
  const style = unit === '' ? { indentation: unit, colon: ':' } : { indentation: unit }
  return new LocaleDocument(path, Buffer.from('{}\n'), style)
}
