/** The gate: what a machine's translation must not have. Code decides it: no instruction to a machine guarantees it. */
import { CHECK_KINDS, type CheckKind, type CheckSettings } from '../checks/check-settings.ts'
import { problemsOf } from '../checks/problems-of.ts'
import { linesOf, type Message, partsOf } from '../message.ts'
import { isInvisible, textFault } from '../names.ts'
import {
  INTERPOLATION,
  type Interpolation,
  isMarkup,
  kindOf,
  type PlacedPlaceholder,
  placedIn,
} from '../placeholders.ts'
import { factsOf, type RulesOfBoth, type TextProblem } from '../status.ts'
import { type GateFault, namedIn } from './gate-sentence.ts'
import { wantedLeaves } from './wanted-leaves.ts'

/** Faults that are named. */
const MOST_FAULTS = 10

/**
 * Compares form by form: interpolations, nestings and tags, the forms that the language needs and no others, the
 * maximum of the note, and the checks that the project refuses. Nothing is empty, no placeholder is changed inside or
 * repeated, and tags nest as in the source. A project cannot switch off the checks of placeholders here.
 * @returns nothing for a translation that fits
 */
export function gateFaults(source: Message, target: Message, rules: RulesOfBoth, max?: number): GateFault[] {
  const wanted = new Set(wantedLeaves(source, rules).map(({ name }) => name))
  const lines = linesOf(partsOf(target)).map(
    ([ending, text]) => [ending === '' ? 'text' : ending.slice(1), text] as const,
  )
  const names = new Set(lines.map(([name]) => name))
  const faults: GateFault[] = []
  for (const name of wanted) if (!names.has(name)) faults.push(at(name, { code: 'form-missing' }))
  for (const name of names) if (!wanted.has(name)) faults.push(at(name, { code: 'form-unwanted' }))
  faults.push(...checkedBy(kind => isHeld(kind, rules.checks), source, target, rules, max))
  const model = new SourcePlaceholders(source, rules.interpolation)
  for (const [name, text] of lines) {
    if (isInvisible(text)) faults.push(at(name, { code: 'empty' }))
    const unstorable = textFault(text)
    if (unstorable !== undefined) faults.push(at(name, { code: 'unstorable', detail: unstorable }))
    for (const fault of model.faultsOf(text)) faults.push(at(name, fault))
  }
  return faults.slice(0, MOST_FAULTS)
}

/** What the status reports and the gate lets through: warnings of the project. With one, a person decides. */
export const gateWarnings = (source: Message, target: Message, rules: RulesOfBoth, max?: number): GateFault[] =>
  checkedBy(kind => !isHeld(kind, rules.checks) && rules.checks?.[kind] !== 'off', source, target, rules, max)

const at = (name: string, fault: GateFault): GateFault => ({ ...fault, ...(name !== 'text' && { form: name }) })

/** Faults by some checks of the status. */
function checkedBy(
  isChecked: (kind: CheckKind) => boolean,
  ...[source, target, rules, max]: Parameters<typeof gateFaults>
): GateFault[] {
  const [due, there] = [source, target].map(message => factsOf(partsOf(message), rules.interpolation))
  const checks = Object.fromEntries(CHECK_KINDS.map(kind => [kind, isChecked(kind) ? 'refuse' : 'off'] as const))
  const problems = problemsOf(due!, there!, { ...rules, checks }, max)
  return problems.flatMap(problem => faultsOf(problem).map(fault => at(problem.form ?? 'text', fault)))
}

/** Whether a check is due in each translation, or the project refuses its faults. */
const isHeld = (kind: CheckKind, own: CheckSettings | undefined): boolean =>
  ALWAYS.has(kind) || own?.[kind] === 'refuse'

const ALWAYS: ReadonlySet<string> = new Set(['interpolation', 'nesting', 'tag', 'length'])

function faultsOf({ kind, missing, extra, length, max, terms = [] }: TextProblem): GateFault[] {
  if (kind === 'length') return [{ code: 'length', length: length!, max: max! }]
  if (kind === 'space') return [{ code: 'space' }]
  if (kind === 'control' || kind === 'avoid') return [{ code: kind, ...namedIn(extra) }]
  if (kind === 'term') return [{ code: 'term', ...namedIn(terms.flatMap(({ use }) => use[0] ?? [])) }]
  const parts = [['lacks', missing] as const, ['adds', extra] as const]
  return parts.flatMap(([code, names]) => (names.length > 0 ? [{ code, ...namedIn(names) }] : []))
}

/** Beginnings of tags and comments in HTML, and entities. */
const MARKUP = /<[a-z/!?][^<>]*>?|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/gi
/** What no word in angle brackets is: signs, entities, ends of elements, comments, attributes. */
const NO_WORD = /^(?:[^<]|<[/!?])|\/>$|[\s/][\w:-]+\s*=/

/** The placeholders of a source as they are written, which translations repeat letter by letter. */
class SourcePlaceholders {
  readonly #interpolation: Interpolation | undefined
  /** The maximum of each written placeholder in a text or form. */
  readonly #written = new Map<string, number>()
  readonly #known = new Set<string>()
  /** Markup that is no placeholder, such as words in angle brackets, and signs of placeholders alone. */
  readonly #others = new Set<string>()
  readonly #nests: boolean

  constructor(source: Message, interpolation: Interpolation | undefined) {
    this.#interpolation = interpolation
    const texts = linesOf(partsOf(source)).map(([, text]) => text)
    for (const text of texts) {
      const placed = outermost(text, interpolation)
      for (const { placeholder } of placed) this.#known.add(placeholder)
      for (const [written, count] of countsOf(text, placed)) {
        this.#written.set(written, Math.max(count, this.#written.get(written) ?? 0))
      }
    }
    for (const text of texts) for (const one of this.#othersIn(text)) this.#others.add(one)
    this.#nests = texts.every(text => areNested(outermost(text, interpolation).map(({ placeholder }) => placeholder)))
  }

  /** Of a translation: other markup, changed and repeated placeholders, crossed tags. Checks name added ones. */
  *faultsOf(text: string): Generator<GateFault> {
    const placed = this.#placed(text)
    const others = this.#othersIn(text).filter(one => !this.#others.has(one))
    const words = others.filter(one => !NO_WORD.test(one))
    const added = words.length > this.#others.size ? others : others.filter(one => NO_WORD.test(one))
    if (added.length > 0) yield { code: 'adds', ...namedIn(added) }
    const known = placed.filter(({ placeholder }) => this.#known.has(placeholder))
    const counts = countsOf(text, known)
    const changed = [...counts.keys()].filter(written => !this.#written.has(written))
    if (changed.length > 0) yield { code: 'changes', ...namedIn(changed) }
    const repeated = [...counts].filter(([written, count]) => count > (this.#written.get(written) ?? count))
    if (repeated.length > 0) yield { code: 'repeats', ...namedIn(repeated.map(([written]) => written)) }
    if (this.#nests && !areNested(placed.map(({ placeholder }) => placeholder))) yield { code: 'nesting' }
  }

  #placed(text: string): PlacedPlaceholder[] {
    const isHeld = (one: string) => kindOf(one) !== 'tag' || isMarkup(one, this.#known)
    return outermost(text, this.#interpolation).filter(({ placeholder }) => isHeld(placeholder))
  }

  #othersIn(text: string): string[] {
    let behind = 0
    const before = this.#placed(text).map(({ from, to }) => {
      const between = text.slice(behind, from)
      behind = to
      return between
    })
    const { prefix, suffix } = this.#interpolation ?? INTERPOLATION
    const signs = [...new Set([prefix, suffix, '$t('])]
    return [...before, text.slice(behind)].flatMap(between => [
      ...(between.match(MARKUP) ?? []),
      ...signs.filter(sign => between.includes(sign)),
    ])
  }
}

/** Placeholders that stand in no other one. Their places are those of the text. */
export function outermost(text: string, interpolation: Interpolation | undefined): PlacedPlaceholder[] {
  let behind = 0
  return placedIn(text, interpolation).filter(({ from, to }) => {
    if (from < behind) return false
    behind = to
    return true
  })
}

function countsOf(text: string, placed: readonly PlacedPlaceholder[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { from, to } of placed) {
    const written = text.slice(from, to)
    counts.set(written, (counts.get(written) ?? 0) + 1)
  }
  return counts
}

/** The tags that form pairs, by their indices. A tag without its other one has none. */
export function tagPairs(placeholders: readonly string[]): Map<number, { id: number; side: 0 | 1 }> {
  const pairs = new Map<number, { id: number; side: 0 | 1 }>()
  const open: number[] = []
  for (const [index, one] of placeholders.entries()) {
    if (!isHalf(one)) continue
    if (!one.startsWith('</')) open.push(index)
    else if (open.length > 0 && placeholders[open.at(-1)!] === one.replace('</', '<')) {
      const id = open.pop()!
      pairs.set(id, { id, side: 0 })
      pairs.set(index, { id, side: 1 })
    }
  }
  return pairs
}

const isHalf = (placeholder: string): boolean => kindOf(placeholder) === 'tag' && !placeholder.endsWith('/>')

/** Whether each closing tag closes the tag that was opened last. */
const areNested = (placeholders: readonly string[]): boolean =>
  tagPairs(placeholders).size === placeholders.filter(isHalf).length
