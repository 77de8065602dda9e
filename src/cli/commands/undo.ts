/** `parlance undo`: reverts one or more commits by a new one. */
import { ALREADY } from '../../bundle/revert.ts'
import { undone } from '../api/answers.ts'
import type { Of } from '../api/shape.ts'
import type { Context, Run } from '../context.ts'
import { needAnswer } from '../terminal/ask.ts'
import { showChanges, undoHint } from '../terminal/changes.ts'
import { asLine } from '../terminal/printable.ts'
import { counted } from '../terminal/table.ts'
import { sendPlanned } from './planned-change.ts'

interface Options {
  dryRun?: boolean
  yes?: boolean
}

type Undone = Of<typeof undone>

/**
 * With `--json`: `{ revision, revisions?, undoneBy, reverted, stale?, skipped: [ { language, namespace, key, reason }
 * ], moreSkipped?, project?, dryRun, changes: [ { language, namespace, key, before, after } ], more }`, as the API
 * answers. Exit code 1 if nothing could be undone.
 */
export const run: Run<Options> = async (context, { dryRun = false, yes = false }, revisions) => {
  const question = 'Undo it?'
  await needAnswer(context, question, { dryRun, yes })
  // Older servers know a single revision only.
  const body = revisions.length === 1 ? { revision: revisions[0] } : { revisions }
  const done = await sendPlanned(context, {
    ...{ route: 'revert', shape: undone, body, question, dryRun, yes, changesSomething },
    show: plan => shown(context, plan).join('\n'),
  })
  if (done === undefined) return
  const { answer, isShown } = done
  await context.print(answer, () => [...(isShown ? [] : shown(context, answer)), outcome(answer)].join('\n'))
  return changesSomething(answer) || answer.skipped.length === 0 ? 0 : 1
}

const changesSomething = ({ reverted, stale, project }: Undone): boolean =>
  reverted > 0 ||
  stale !== undefined ||
  (project !== undefined && JSON.stringify(project.before) !== JSON.stringify(project.after))

/** Whether an earlier undo had the same effect. */
const isUndone = (undone: Undone): boolean =>
  !changesSomething(undone) &&
  undone.project === undefined &&
  (undone.moreSkipped ?? 0) === 0 &&
  undone.skipped.length > 0 &&
  undone.skipped.every(({ reason }) => reason === ALREADY)

/** The reverted keys, and the others with the reason. */
function shown({ terminal: { style } }: Context, undone: Undone): string[] {
  const { changes, more, stale, skipped, moreSkipped = 0, project } = undone
  const lines = changes.length === 0 ? [] : [showChanges(changes, style)]
  if (more > 0) lines.push(`… and ${more} more`)
  if (stale?.added) lines.push(`Stale by it: ${counted(stale.added, 'translation')}`)
  if (stale?.removed) lines.push(`No longer stale: ${counted(stale.removed, 'translation')}`)
  if (project) lines.push(`The project itself: ${JSON.stringify(project.before)} to ${JSON.stringify(project.after)}`)
  if (project?.reason) lines.push(project.reason)
  for (const { language, namespace, key, reason } of isUndone(undone) ? [] : skipped) {
    lines.push(`${style('yellow', 'stays')}  ${language}/${namespace}  ${asLine(key)}: ${asLine(reason)}`)
  }
  if (moreSkipped > 0) lines.push(`… and ${moreSkipped} more that stay`)
  return lines
}

function outcome(undone: Undone): string {
  const { reverted, skipped, moreSkipped = 0, dryRun, undoneBy, revision, revisions = [revision] } = undone
  if (isUndone(undone)) return 'There is nothing left to undo: it is as it was before already.'
  const stay = skipped.length + moreSkipped
  const stays = stay === 1 ? 'stays as it is' : 'stay as they are'
  const rest = stay === 0 ? '' : `; ${counted(stay, 'key')} ${stays}, wholly or in part`
  if (!changesSomething(undone)) return stay === 0 ? 'There is nothing left to undo.' : `Nothing was undone${rest}.`
  const what = `${counted(reverted, 'key')} of ${revisions.map(one => one.slice(0, 7)).join(', ')}${rest}`
  if (dryRun) return `Would undo ${what}. Nothing was changed: this was a dry run.`
  return `Undone: ${what}.${undoHint(undoneBy)}`
}
