/** Lists of items beside a key, such as its comments. Each item has an id and a time. */
import { isObject } from './body.ts'
import { unknownFields } from './complaints.ts'
import { Failure } from './errors.ts'

interface KeyItem {
  /** Unique in its file. */
  id: string
  /** ISO 8601, in UTC. */
  at: string
}

interface ItemRules<Item> {
  /** Names the list in a sentence, such as `The comments on "k"`. */
  named: string
  members: readonly string[]
  /** What is wrong with the other members. */
  fault: (item: Record<string, unknown>) => string | undefined
  canonical: (item: Item) => Item
}

const ID = /^[A-Za-z0-9_-]{1,40}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A list in its canonical form and order. @throws Failure `unfit` naming the list and the member */
export function checkItems<Item extends KeyItem>(value: unknown, rules: ItemRules<Item>): Item[] {
  const refuse = (why: string): never => {
    throw new Failure('unfit', `${rules.named} do not fit: ${why}.`)
  }
  if (!Array.isArray(value)) return refuse('they must be a list')
  const items = value.map(item => {
    const fault = itemFault(item, rules)
    return fault === undefined ? rules.canonical(item) : refuse(fault)
  })
  if (new Set(items.map(({ id }) => id)).size < items.length) return refuse('two have the same "id"')
  return byTime(items)
}

function itemFault(item: unknown, { members, fault }: Pick<ItemRules<never>, 'members' | 'fault'>): string | undefined {
  if (!isObject(item)) return 'each must be an object'
  const { id, at } = item
  const unknown = unknownFields(item, members)
  if (unknown !== undefined) return unknown
  if (typeof id !== 'string' || !ID.test(id)) return '"id" must have 1 to 40 of A-Z a-z 0-9 _ -'
  if (typeof at !== 'string' || !TIME.test(at) || Number.isNaN(Date.parse(at)))
    return '"at" must be a time such as 2026-11-22T09:30:00.000Z'
  return fault(item)
}

/** Sorts in place by time, then by id. */
export const byTime = <Item extends KeyItem>(items: Item[]): Item[] =>
  items.sort((a, b) => order(a.at, b.at) || order(a.id, b.id))

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
