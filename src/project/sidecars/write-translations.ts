/**
 * Writes a machine's translations into a bundle, with marks or as suggestions, by bytes alone, for the worker. All is
 * decided again on the present files: a text that changed since it was sent, that a person wrote, or that the gate
 * refuses is not replaced.
 */
import { bundleIn, parseBundle, renderBundle } from '../../bundle/canonical.ts'
import { maximaIn } from '../../bundle/checks/maxima-in.ts'
import { type KeyChange, sameMessage } from '../../bundle/diff.ts'
import { Failure } from '../../bundle/errors.ts'
import { mostBytes } from '../../bundle/file-size.ts'
import { gateFaults, gateWarnings } from '../../bundle/gate/gate-faults.ts'
import { type GateFault, namedIn } from '../../bundle/gate/gate-sentence.ts'
import { secondOf } from '../../bundle/mark.ts'
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import { Bundle, isFlat } from '../../bundle/resource.ts'
import { setMessages } from '../../bundle/set-messages.ts'
import { SourcePlaces } from '../../bundle/source-places.ts'
import { noRoom } from '../../bundle/suggestion.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import { rulesOfBoth } from '../text-rules.ts'
import { type MachineText, type TextsToTranslateTask, textsToTranslate } from '../texts-to-translate.ts'
import { renderWithin } from './key-file.ts'
import { marksIn, presentMarks } from './marks-file.ts'
import { addSuggestion, suggestionId, suggestionsIn } from './suggestions-file.ts'

/** Translations of a bundle. */
export interface WriteTranslationsTask extends Omit<TextsToTranslateTask, 'keys'> {
  /** Of the files of suggestions and marks. */
  paths: { suggestions: string; marks: string }
  format: Format
  /** JSON of {@link MachineResult}s. */
  results: Uint8Array
  /** Milliseconds since 1970. */
  time: number
  /** Names the write; the ids of suggestions follow from it. */
  seed: string
}

/** A translation, and the version of the text that it is for. */
export interface MachineResult {
  key: string
  of: string
  message: Message
}

/** What was written, and the new files, null for none; undefined where one stays. */
export interface WrittenTranslations {
  added: number
  updated: number
  suggested: number
  /** Keys with a translation that the present gate, or the bundle, does not accept. */
  refused: { key: string; faults: GateFault[] }[]
  bundle?: Uint8Array
  marks?: Uint8Array | null
  suggestions?: Uint8Array | null
}

/** @throws Failure `too-large` naming the file */
export function writeTranslations(task: WriteTranslationsTask): WrittenTranslations {
  const results: MachineResult[] = JSON.parse(Buffer.from(task.results).toString('utf8'))
  const refused: WrittenTranslations['refused'] = []
  const present = new Map(presentTexts(task, results).map(text => [text.key, text]))
  const rules = rulesOfBoth(task.sourceLanguage, task.language, task.rules)
  const maxima = maximaIn(task.maxima ?? null)
  const chosen = results.flatMap(({ key, of, message }): ChosenText[] => {
    const text = present.get(key)
    if (text?.of !== of) return []
    const judged = [text.source, message, rules, maxima.get(key)] as const
    const faults = gateFaults(...judged)
    if (faults.length > 0) refused.push({ key, faults })
    if (faults.length > 0) return []
    // The status shows no problem in a text that no person has seen.
    return [{ ...text, message, as: gateWarnings(...judged).length > 0 ? 'suggestion' : text.as }]
  })
  const written = { added: 0, updated: 0, suggested: 0, refused }
  const texts = chosen.filter(({ as }) => as === 'text')
  const suggestions = chosen.filter(({ as }) => as === 'suggestion')
  return { ...written, ...textsIn(task, texts, refused), ...suggestionsOf(task, suggestions, refused) }
}

type ChosenText = MachineText & { message: Message }

/** The texts that the machine may translate now. */
function presentTexts(task: WriteTranslationsTask, results: readonly MachineResult[]): MachineText[] {
  const texts = textsToTranslate({ ...task, keys: results.map(({ key }) => key) })
  return texts.filter(text => !('skipped' in text)) as MachineText[]
}

/** The bundle and the marks with new texts. */
function textsIn(task: WriteTranslationsTask, texts: readonly ChosenText[], refused: WrittenTranslations['refused']) {
  if (texts.length === 0) return {}
  const { format, machine, time, paths } = task
  const source = bundleIn(task.source)
  const before = task.target === null ? Bundle.empty(format) : parseBundle(task.target, format)
  const order = new Map(source.tree.entries().map(({ key }, at) => [key, at]))
  const inOrder = [...texts].sort((a, b) => order.get(a.key)! - order.get(b.key)!)
  const bundle = withTexts(
    before,
    inOrder,
    { source, places: isFlat(format) ? undefined : new SourcePlaces(source.tree) },
    refused,
  )
  const changes = inOrder.flatMap(({ key, message }): KeyChange[] => {
    const was = before.message(key) ?? null
    return sameMessage(bundle.message(key) ?? null, message) && !sameMessage(was, message)
      ? [{ key, before: was, after: message }]
      : []
  })
  if (changes.length === 0) return {}
  const marks = presentMarks(marksIn(task.marks), source, bundle)
  for (const { key, after } of changes) {
    const of = textDigest(source.message(key)!, after!)
    marks.set(key, { machine: { at: secondOf(new Date(time)), by: machine, of } })
  }
  const added = changes.filter(({ before }) => before === null).length
  return {
    ...{ added, updated: changes.length - added },
    bundle: renderBundle(bundle, mostBytes(task.target)),
    marks: renderWithin(paths.marks, marks, [task.marks]),
  }
}

/** All texts at once; one by one where a place refuses one, such as an item of an array that lacks the item before. */
function withTexts(
  bundle: Bundle,
  texts: readonly ChosenText[],
  model: { source: Bundle; places: SourcePlaces | undefined },
  refused: WrittenTranslations['refused'],
): Bundle {
  try {
    const messages = new Map(texts.map(({ key, message }) => [key, message]))
    const changed = setMessages(bundle, messages, { source: model.places })
    const filled = changed.tree.entries().flatMap(({ key }) => (messages.has(key) || bundle.tree.get(key) ? [] : [key]))
    const gap = filled.filter(key => linesOf(partsOf(model.source.message(key))).some(([, text]) => text !== ''))
    if (gap.length === 0) return changed
    throw new ArrayGap(gap)
  } catch (error) {
    if (!isUnfit(error)) throw error
    const [only, ...others] = texts
    if (others.length === 0) {
      refused.push({ key: only!.key, faults: noPlace(error) })
      return bundle
    }
    const middle = Math.ceil(texts.length / 2)
    const half = withTexts(bundle, texts.slice(0, middle), model, refused)
    return withTexts(half, texts.slice(middle), model, refused)
  }
}

/** An array has no holes: the items before a new one would get empty texts, which apps would show. */
class ArrayGap extends Failure {
  readonly keys: readonly string[]

  constructor(keys: readonly string[]) {
    super('unfit', 'The items before it in the array have no translation.')
    this.keys = keys
  }
}

const noPlace = (error: Failure): GateFault[] =>
  error instanceof ArrayGap
    ? [{ code: 'array-gap', ...namedIn(error.keys) }]
    : [{ code: 'no-place', detail: error.message }]

const isUnfit = (error: unknown): error is Failure => error instanceof Failure && error.code === 'unfit'

/** The suggestions with those of the machine. */
function suggestionsOf(
  { paths, machine, time, seed, ...task }: WriteTranslationsTask,
  texts: readonly ChosenText[],
  refused: WrittenTranslations['refused'],
) {
  const all = suggestionsIn(task.suggestions)
  const target = bundleIn(task.target)
  let suggested = 0
  for (const { key, source, message } of texts) {
    if (sameMessage(target.message(key) ?? null, message)) continue
    const id = suggestionId(seed, paths.suggestions, key)
    const at = new Date(time).toISOString()
    const result = addSuggestion(all, key, { id, message, by: machine, at, of: textDigest(source, message) })
    if (result === 'added') suggested++
    if (result === 'full') refused.push({ key, faults: [{ code: 'full', detail: noRoom(key).message }] })
  }
  return suggested === 0 ? {} : { suggested, suggestions: renderWithin(paths.suggestions, all, [task.suggestions]) }
}
