/** Holds the texts of a machine in a change to the gate, and marks them. */
import type { Caller } from '../../auth/access.ts'
import type { BundleChange } from '../../bundle/diff.ts'
import type { JudgeTextsTask } from '../../project/judge-texts.ts'
import { idOf } from '../../project/layout.ts'
import { bundlePath, type Project } from '../../project/project.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import { TaskFile, type UnreadTask } from '../../project/sidecars/task-file.ts'
import { nameOfRules, textRulesIn } from '../../project/text-rules.ts'
import { inSteps, type Steps } from '../../scheduling/steps.ts'
import type { Transaction } from '../../store/store.ts'
import { entryAuthor } from '../requests/entry-author.ts'
import type { Compute } from './bundle-task.ts'
import { fateOfTexts } from './fate-of-texts.ts'
import { putSidecar } from './sidecar-file.ts'
import { unreadTask } from './unread-task.ts'

/** What becomes of a key in a language. */
export interface ChangeRow extends BundleChange {
  result: 'added' | 'updated' | 'unchanged' | 'removed' | 'renamed' | 'suggested' | 'refused'
  reason?: string
}

/** A change under way. */
export interface ChangeContext {
  state: Transaction
  compute: Compute
  project: Project
  caller: Caller
}

/** Writes the marks. @param at UTC, to the second @returns the rows that the gate refuses, with its reasons */
export function* judgeRows(
  { state, compute, project, caller }: ChangeContext,
  rows: readonly ChangeRow[],
  at: string,
): Steps<[ChangeRow, string][]> {
  const { slug, sourceLanguage } = project
  const wanted = rows.filter(row => {
    return row.language !== sourceLanguage && row.result !== 'unchanged' && row.after !== null
  })
  const byBundle = Map.groupBy(wanted, ({ language, namespace }) => `${language}/${namespace}`)
  yield
  const judged = [...byBundle.values()].map(rows => {
    const { language, namespace } = rows[0]!
    const isMarked = fateOfTexts(project, caller, language, true) !== 'suggested'
    return { bundle: { slug, language, namespace }, rows, isMarked }
  })
  const by = entryAuthor(caller)
  const rules = textRulesIn(state, project)
  const tasks = yield* inSteps(judged, ({ bundle, rows, isMarked }) => {
    const { language, namespace } = bundle
    const place = { slug, sidecar: 'marks', language, namespace } as const
    const file = (path: string) => TaskFile.at(path, state)
    const files: UnreadTask<Omit<JudgeTextsTask, 'rules'>> = {
      path: sidecarPath(place),
      source: file(bundlePath({ ...bundle, language: sourceLanguage })),
      target: file(bundlePath(bundle)),
      marks: file(sidecarPath(place)),
      notes: file(sidecarPath({ slug, sidecar: 'notes', namespace })),
      keys: rows.map(({ key }) => key),
      added: rows.flatMap(({ key, before }) => (before === null ? [key] : [])),
      mark: isMarked ? { by, at } : null,
      ...{ sourceLanguage, language },
    }
    return unreadTask('judgeTexts', bundle, idOf(state.before, bundle), {
      files,
      rest: { input: { rules }, name: nameOfRules(rules) },
    })
  })
  const refused: [ChangeRow, string][] = []
  for (const [index, answer] of compute(tasks).entries()) {
    const { bundle, rows, isMarked } = judged[index]!
    if (isMarked) putSidecar(state, project, { sidecar: 'marks', ...bundle }, answer.marks)
    const reasons = new Map(answer.refused.map(({ key, reason }) => [key, reason]))
    for (const row of rows) if (reasons.has(row.key)) refused.push([row, reasons.get(row.key)!])
    yield
  }
  return refused
}
