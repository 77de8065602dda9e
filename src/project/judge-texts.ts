/** Holds texts that an agent writes to the gate, and marks them as a machine's work, by bytes alone, for the worker. */
import { bundleIn } from '../bundle/canonical.ts'
import { maximaIn } from '../bundle/checks/maxima-in.ts'
import { sameMessage } from '../bundle/diff.ts'
import type { EntryAuthor } from '../bundle/entry-author.ts'
import { gateFaults } from '../bundle/gate/gate-faults.ts'
import { gateSentence } from '../bundle/gate/gate-sentence.ts'
import type { TextRules } from '../bundle/status.ts'
import { textDigest } from '../bundle/text-digest.ts'
import { renderWithin } from './sidecars/key-file.ts'
import { marksIn, presentMarks } from './sidecars/marks-file.ts'
import { rulesOfBoth } from './text-rules.ts'

/** Texts of a translation, with the files as the change leaves them; null where there is none. */
export interface JudgeTextsTask {
  /** Of the file of marks. */
  path: string
  source: Uint8Array | null
  target: Uint8Array | null
  marks: Uint8Array | null
  notes: Uint8Array | null
  keys: string[]
  /** Those of the keys that the language had not before. */
  added: string[]
  /** Null for suggestions: they have no marks, and belong to a key that exists. */
  mark: { by: EntryAuthor; at: string } | null
  sourceLanguage: string
  language: string
  rules: TextRules
}

/** What the gate refuses, and the file of marks. */
export interface JudgedTexts {
  refused: { key: string; reason: string }[]
  marks: Uint8Array | null
}

/** A key without a source has nothing to be compared with. @throws Failure `too-large` naming the file */
export function judgeTexts({
  path,
  keys,
  added,
  mark,
  sourceLanguage,
  language,
  ...task
}: JudgeTextsTask): JudgedTexts {
  const [source, target] = [bundleIn(task.source), bundleIn(task.target)]
  const rules = rulesOfBoth(sourceLanguage, language, task.rules)
  const maxima = maximaIn(task.notes)
  const refused = keys.flatMap(key => {
    const [from, to] = [source.message(key), target.message(key)]
    const isUnknown = from === undefined && mark === null && added.includes(key)
    if (isUnknown) return [{ key, reason: `"${sourceLanguage}" has no such key to translate.` }]
    if (from === undefined || to === undefined) return []
    const reason = gateSentence(gateFaults(from, to, rules, maxima.get(key)))
    return reason === '' ? [] : [{ key, reason }]
  })
  if (mark === null) return { refused, marks: task.marks }
  const marks = presentMarks(marksIn(task.marks), source, target)
  for (const key of keys) {
    const message = target.message(key)
    if (message === undefined) continue
    const machine = { at: mark.at, by: mark.by, of: textDigest(source.message(key) ?? null, message) }
    marks.set(key, { ...marks.get(key), machine })
  }
  return { refused, marks: renderWithin(path, marks, [task.marks]) }
}

/** A key in two states of a bundle. */
export interface DifferingKeysTask {
  was: Uint8Array | null
  now: Uint8Array | null
  keys: string[]
}

/** The keys with other messages now. */
export function differingKeys({ was, now, keys }: DifferingKeysTask): string[] {
  const [before, after] = [bundleIn(was), bundleIn(now)]
  return keys.filter(key => !sameMessage(before.message(key) ?? null, after.message(key) ?? null))
}
