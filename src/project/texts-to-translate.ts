/** The texts of a bundle that a machine may translate, and how its translations are saved: by bytes alone. */
import { markedTextsIn } from '../bundle/checks/marked-texts.ts'
import { maximaIn } from '../bundle/checks/maxima-in.ts'
import { entriesIn } from '../bundle/key-entries.ts'
import { linesOf, type Message, partsOf } from '../bundle/message.ts'
import type { Suggestion } from '../bundle/suggestion.ts'
import { textDigest } from '../bundle/text-digest.ts'
import { suggestionsIn } from './sidecars/suggestions-file.ts'
import { listStatus, type StatusKeysTask, type StatusRow } from './status.ts'

/** Characters of a source that a machine translates, all forms together. */
export const MOST_CHARACTERS = 10_000

/** A bundle, and who translates it. */
export interface TextsToTranslateTask extends Omit<StatusKeysTask, 'is' | 'behind' | 'only' | 'most' | 'bytes'> {
  suggestions: Uint8Array | null
  is: readonly ('missing' | 'empty' | 'stale')[]
  /** Only these; null for all. */
  keys: readonly string[] | null
  /** The name of the machine. */
  machine: string
  /** Whether all its texts become suggestions: that was asked for, or the language has a review. */
  suggests: boolean
}

/** A text to translate. */
export interface MachineText {
  key: string
  source: Message
  /** Digest of the source and the present text: a result counts while it stays. */
  of: string
  as: SavedAs
  /** Maximum of characters by the note. */
  max?: number | undefined
  /** Of a stale text: the source that it was written for, and itself. */
  previous?: { source: Message; translation: Message }
}

/** How a translation of a machine is saved. */
export type SavedAs = 'text' | 'suggestion'

/** Why a text is not translated. */
export type SkipCode = 'source-missing' | 'source-empty' | 'source-long' | 'suggested'

interface SkippedText {
  key: string
  skipped: SkipCode
}

/** In the order of keys. */
export function textsToTranslate(task: TextsToTranslateTask): (MachineText | SkippedText)[] {
  const { keys, suggestions, machine, suggests, ...status } = task
  const all = { ...status, behind: null, most: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }
  const wanted = keys && new Set(keys)
  const waiting = suggestionsIn(suggestions)
  const marks = markedTextsIn(entriesIn(task.marks))
  const maxima = maximaIn(task.maxima ?? null)
  return listStatus(all).keys.flatMap((row): (MachineText | SkippedText)[] => {
    const { key } = row
    if (wanted && !wanted.has(key)) return []
    const fate = fateOf(row, { mark: marks.get(key), waiting: waiting.get(key) ?? [], machine, suggests })
    if (fate !== 'text' && fate !== 'suggestion') return [{ key, skipped: fate }]
    const { source, message, sourceThen } = row
    const previous = sourceThen !== undefined && message !== null ? { source: sourceThen, translation: message } : null
    const max = maxima.get(key)
    return [{ key, source: source!, max, of: versionOf(source, message), as: fate, ...(previous && { previous }) }]
  })
}

/** Names a version of a source and its translation. An absent text and an empty one are the same. */
const versionOf = (source: Message | null, message: Message | null): string =>
  textDigest(source, message === null || isBlank(message) ? '' : message)

interface TextFacts {
  mark: ReturnType<ReturnType<typeof markedTextsIn>['get']>
  waiting: readonly Suggestion[]
  machine: string
  suggests: boolean
}

/** How the machine's translation of a key is saved, or why there is none. */
function fateOf(
  { source, message, sourceThen }: StatusRow,
  { mark, waiting, machine, suggests }: TextFacts,
): SavedAs | SkipCode {
  if (source === null) return 'source-missing'
  const fault = sourceFault(source)
  if (fault !== undefined) return fault
  if (waiting.some(one => one.by === machine && one.of === textDigest(source, one.message))) return 'suggested'
  const isOwn = message === null || isBlank(message) || isMachineMade(message, sourceThen ?? source, mark)
  return !suggests && isOwn ? 'text' : 'suggestion'
}

/** Why no machine translates a source. */
export function sourceFault(source: Message): 'source-empty' | 'source-long' | undefined {
  const texts = linesOf(partsOf(source)).map(([, text]) => text)
  if (texts.some(text => text.trim() === '')) return 'source-empty'
  return texts.join('').length > MOST_CHARACTERS ? 'source-long' : undefined
}

/** Whether a machine wrote a text for a source, and no person has changed or approved it since. */
function isMachineMade(message: Message, source: Message, mark: TextFacts['mark']): boolean {
  const of = textDigest(source, message)
  return mark?.machine?.of === of && mark.approved?.of !== of
}

const isBlank = (message: Message): boolean => linesOf(partsOf(message)).every(([, text]) => text.trim() === '')
