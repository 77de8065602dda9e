/**
 * Marks on a translation: dismissed problems, a machine's work, an approval. Each holds for one version of the text.
 */
import { isObject } from './body.ts'
import { CHECK_KINDS, type CheckKind } from './checks/check-settings.ts'
import { unknownFields } from './complaints.ts'
import { type EntryAuthor, MAX_AUTHOR } from './entry-author.ts'
import { Failure } from './errors.ts'
import { lineFault, shortKey } from './names.ts'

/** What someone said about a version of a text. */
export interface TextMark<By = EntryAuthor> {
  /** UTC, to the second. */
  at: string
  by: By
  /** The digest of the texts that the mark holds for: see `text-digest.ts`. */
  of: string
}

/** Dismissed problems by the check that found them. */
export type Dismissals = { readonly [K in CheckKind]?: TextMark }

/** The marks of a key in one language. Marks without any are not stored. */
export interface KeyMarks {
  approved?: TextMark
  dismissed?: Dismissals
  /** By a machine's name, or the user or token that had it translated. */
  machine?: TextMark<EntryAuthor | string>
}

const MEMBERS: readonly string[] = ['approved', 'dismissed', 'machine']

/**
 * Marks in their canonical form: members in alphabetical order.
 * @throws Failure `unfit` naming the key and the member
 */
export function checkMarks(key: string, value: unknown): KeyMarks {
  const refuse = (why: string): never => {
    throw new Failure('unfit', `The marks of ${JSON.stringify(shortKey(key))} do not fit: ${why}.`)
  }
  const members = (value: unknown, name: string, known: readonly string[]): Record<string, unknown> => {
    if (!isObject(value)) return refuse(`${name} must be an object`)
    const unknown = unknownFields(value, known)
    return unknown === undefined ? value : refuse(`${name} has ${unknown}`)
  }
  const line = (value: unknown, name: string): string => {
    if (typeof value !== 'string') return refuse(`${name} must be a string`)
    const fault = lineFault(value, MAX_AUTHOR)
    return fault === undefined ? value : refuse(`${name} ${fault}`)
  }
  const author = (value: unknown, name: string): EntryAuthor => {
    const { id, name: own } = members(value, name, ['id', 'name'])
    return { id: line(id, `${name}.id`), name: line(own, `${name}.name`) }
  }
  const mark = <By>(value: unknown, name: string, byOf: (value: unknown, name: string) => By): TextMark<By> => {
    const { at, by, of } = members(value, name, ['at', 'by', 'of'])
    if (typeof at !== 'string' || !isSecond(at)) return refuse(`${name}.at must be a time such as 2026-01-31T12:00:00Z`)
    if (typeof of !== 'string' || !DIGEST.test(of)) return refuse(`${name}.of must be 16 hexadecimal digits`)
    return { at, by: byOf(by, `${name}.by`), of }
  }
  const { approved, dismissed, machine } = members(value, 'it', MEMBERS)
  const found: [CheckKind, TextMark][] = []
  if (dismissed !== undefined) {
    const kinds = members(dismissed, '"dismissed"', CHECK_KINDS)
    for (const kind of [...CHECK_KINDS].sort()) {
      if (kinds[kind] !== undefined) found.push([kind, mark(kinds[kind], `"dismissed.${kind}"`, author)])
    }
  }
  const byMachine = (value: unknown, name: string) =>
    typeof value === 'string' ? line(value, name) : author(value, name)
  return {
    ...(approved !== undefined && { approved: mark(approved, '"approved"', author) }),
    ...(found.length > 0 && { dismissed: Object.fromEntries(found) }),
    ...(machine !== undefined && { machine: mark(machine, '"machine"', byMachine) }),
  }
}

const DIGEST = /^[0-9a-f]{16}$/
const SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

const isSecond = (text: string): boolean =>
  SECOND.test(text) && !Number.isNaN(Date.parse(text)) && secondOf(new Date(text)) === text

/** A time as marks have it. */
export const secondOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** Marks with another approval, undefined for none, in their canonical form. */
export const withApproval = (
  { dismissed, machine }: KeyMarks | undefined = {},
  approved: TextMark | undefined,
): KeyMarks => ({ ...(approved && { approved }), ...(dismissed && { dismissed }), ...(machine && { machine }) })

/** Whether marks say nothing. */
export const hasNoMarks = (marks: KeyMarks): boolean => Object.keys(marks).length === 0

/** The marks that hold for a version of a text, in their canonical form. @param of its digest */
export function fittingMarks({ approved, dismissed, machine }: KeyMarks, of: string): KeyMarks {
  const fits = (mark: TextMark<unknown> | undefined) => mark?.of === of
  const kinds = Object.entries(dismissed ?? {})
    .filter(([, mark]) => fits(mark))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    ...(fits(approved) && { approved: approved! }),
    ...(kinds.length > 0 && { dismissed: Object.fromEntries(kinds) }),
    ...(fits(machine) && { machine: machine! }),
  }
}
