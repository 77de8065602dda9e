/** Dismisses a problem of a text, or shows it again, by bytes alone, for the worker. */
import { bundleIn } from '../../bundle/canonical.ts'
import type { CheckKind } from '../../bundle/checks/check-settings.ts'
import { maximaIn } from '../../bundle/checks/maxima-in.ts'
import { problemsOf } from '../../bundle/checks/problems-of.ts'
import type { EntryAuthor } from '../../bundle/entry-author.ts'
import type { Bundle } from '../../bundle/resource.ts'
import { factsOf, isEmpty, type TextRules } from '../../bundle/status.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import { rulesOfBoth } from '../text-rules.ts'
import { renderWithin } from './key-file.ts'
import { marksIn, presentMarks } from './marks-file.ts'

/** A problem of a key's text in a translation. */
export interface DismissProblemTask {
  /** Of the file of marks. */
  path: string
  /** The files, null where there is none. */
  marks: Uint8Array | null
  source: Uint8Array | null
  target: Uint8Array | null
  notes: Uint8Array | null
  sourceLanguage: string
  language: string
  rules: TextRules
  key: string
  kind: CheckKind
  /** The author and the time, null to show the problem again. */
  mark: { by: EntryAuthor; at: string } | null
}

/**
 * - `no-key`: the translation lacks the key
 * - `no-problem`: the text has no such problem
 */
export type DismissOutcome =
  | { is: 'no-key' | 'no-problem' | 'unchanged' }
  | { is: 'changed' /** Null for none. */; file: Uint8Array | null }

/**
 * Marks that do not fit the present texts leave the file with the change.
 * @throws Failure `too-large` naming the file
 */
export function dismissProblem(task: DismissProblemTask): DismissOutcome {
  const { key, kind, mark, marks: stored } = task
  const [source, target] = [bundleIn(task.source), bundleIn(task.target)]
  const message = target.message(key)
  if (message === undefined) return { is: 'no-key' }
  const of = textDigest(source.message(key) ?? null, message)
  const all = marksIn(stored)
  const known = all.get(key)?.dismissed?.[kind]
  const isDismissed = known?.of === of
  if (mark === null) {
    if (!isDismissed) return { is: 'unchanged' }
  } else {
    if (!hasProblem(task, source, target)) return { is: 'no-problem' }
    if (isDismissed) return { is: 'unchanged' }
  }
  const { dismissed = {}, ...others } = all.get(key) ?? {}
  const { [kind]: _, ...kinds } = dismissed
  const now = mark === null ? kinds : { ...kinds, [kind]: { at: mark.at, by: mark.by, of } }
  all.set(key, { ...others, dismissed: now })
  return { is: 'changed', file: renderWithin(task.path, presentMarks(all, source, target), [stored]) }
}

function hasProblem({ key, kind, ...task }: DismissProblemTask, source: Bundle, target: Bundle): boolean {
  const [from, to] = [source.tree.get(key), target.tree.get(key)]
  if (!from || !to) return false
  const { rules, sourceLanguage, language } = task
  const [due, has] = [factsOf(from, rules.interpolation), factsOf(to, rules.interpolation)]
  if (isEmpty(has.flags)) return false
  const problems = problemsOf(due, has, rulesOfBoth(sourceLanguage, language, rules), maximaIn(task.notes).get(key))
  return problems.some(problem => problem.kind === kind)
}
