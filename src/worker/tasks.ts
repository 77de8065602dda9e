/** What the worker can compute: pure functions of `bundle/` and `project/`, by name. */
import { checkBody } from '../bundle/body.ts'
import { requireResource } from '../bundle/canonical.ts'
import { changeTexts } from '../bundle/change-texts.ts'
import { computeKey, computeRemoval } from '../bundle/edit-key.ts'
import { computeCount, computeReformat, renderRows } from '../bundle/file-change.ts'
import { readManyPush } from '../bundle/many-push.ts'
import { omitEmpty } from '../bundle/omit-empty.ts'
import { computePush, tryPush } from '../bundle/push.ts'
import { renderTmx } from '../bundle/tmx.ts'
import { renderTypes } from '../bundle/types.ts'
import { presentEntries, sidecarNews } from '../inbox/sidecar-news.ts'
import { changeGlossary, exportGlossary } from '../project/glossary-file.ts'
import { judgeCandidates } from '../project/judge-candidates.ts'
import { differingKeys, judgeTexts } from '../project/judge-texts.ts'
import { keySurroundings } from '../project/key-surroundings.ts'
import { keyTerms } from '../project/key-terms.ts'
import { offloaded } from '../project/offload.ts'
import { pastSource } from '../project/past-source.ts'
import { renameStaleLanguage } from '../project/rename-place.ts'
import { approveTexts } from '../project/sidecars/approve-texts.ts'
import { changesApprovals } from '../project/sidecars/changes-approvals.ts'
import { changesOfOthers } from '../project/sidecars/changes-of-others.ts'
import { changeComments, commentsOn, countComments } from '../project/sidecars/comments-file.ts'
import { decideSuggestions } from '../project/sidecars/decide-suggestions.ts'
import { dismissProblem } from '../project/sidecars/dismiss-problem.ts'
import { divertTexts } from '../project/sidecars/divert-texts.ts'
import { heldMarksOf } from '../project/sidecars/held-marks-of.ts'
import { mergeEntries } from '../project/sidecars/key-file.ts'
import { listSuggestions } from '../project/sidecars/list-suggestions.ts'
import { changeNotes, noteIn, notesJson } from '../project/sidecars/notes-file.ts'
import { suggestText } from '../project/sidecars/suggest-text.ts'
import { writeTranslations } from '../project/sidecars/write-translations.ts'
import { countStale } from '../project/stale.ts'
import { confirmStale } from '../project/staleness.ts'
import { countBundle, listMaxima, listStatus, staleKeys } from '../project/status.ts'
import { textsToTranslate } from '../project/texts-to-translate.ts'
import { revertFile } from '../project/versions.ts'

/** TaskInput and answer must survive the structured clone: bytes, texts, numbers, flags, arrays, plain objects. */
export const tasks = {
  push: computePush,
  tryPush,
  changeTexts,
  key: computeKey,
  remove: computeRemoval,
  reformat: computeReformat,
  count: computeCount,
  rows: renderRows,
  types: renderTypes,
  tmx: renderTmx,
  omit: omitEmpty,
  resource: requireResource,
  read: checkBody,
  readManyPush,
  ...offloaded,
  revert: revertFile,
  confirmStale,
  dismissProblem,
  approveTexts,
  changesApprovals,
  changesOfOthers,
  mergeEntries,
  renameStaleLanguage,
  countStale,
  changeNotes,
  changeComments,
  comments: commentsOn,
  countComments,
  suggestText,
  decideSuggestions,
  divertTexts,
  listSuggestions,
  heldMarksOf,
  note: noteIn,
  changeGlossary,
  exportGlossary,
  notes: notesJson,
  countBundle,
  maxima: listMaxima,
  staleKeys,
  statusKeys: listStatus,
  keyTerms,
  keySurroundings,
  textsToTranslate,
  writeTranslations,
  judgeCandidates,
  judgeTexts,
  differingKeys,
  pastSource,
  sidecarNews,
  presentEntries,
}

export type TaskName = keyof typeof tasks
export type TaskInput<N extends TaskName> = Parameters<(typeof tasks)[N]>[0]
export type TaskAnswer<N extends TaskName> = ReturnType<(typeof tasks)[N]>

/** Computes a task here. @throws Failure as the task does */
export function compute<N extends TaskName>(name: N, task: TaskInput<N>): TaskAnswer<N> {
  return (tasks[name] as (task: TaskInput<N>) => TaskAnswer<N>)(task)
}
