/** What a push reports at its end. */
import type { IgnoredKeys } from '../local/ignored-keys.ts'
import { leftOutText, unnamedIn } from '../local/left-out.ts'
import type { LeftOut } from '../local/types.ts'
import type { NoteChanges } from '../notes/note-changes.ts'
import { notesText } from '../notes/note-rows.ts'
import { undoHint, undosOf } from '../terminal/changes.ts'
import { counted } from '../terminal/table.ts'
import type { ComparedBundle } from './compare.ts'
import { deletedIn, goneIn, goneText } from './gone.ts'
import { counts, type KeyChangeRow } from './rows.ts'
import type { CommandResult } from './scope.ts'

/** What a push compared, sent and left out. */
interface Pushed {
  rows: readonly KeyChangeRow[]
  bundles: readonly ComparedBundle[]
  leftOut: readonly LeftOut[]
  ignoredKeys: IgnoredKeys
  /** The number of skipped keys that an earlier push listed. */
  listedBefore: number
  /** Whether only some languages or namespaces were compared. */
  isPart: boolean
  notes: NoteChanges | undefined
}

export function resultOf(
  { dryRun, prune }: { dryRun?: boolean; prune?: boolean },
  { rows, bundles, leftOut, ignoredKeys, listedBefore, isPart, notes }: Pushed,
  revisions: readonly string[],
): CommandResult {
  const changes = rows.filter(({ result }) => result !== 'skipped')
  const skipped = rows.length - changes.length
  const [deletedHere, deletedKeys] = prune
    ? [0, 0]
    : [deletedIn(bundles), deletedIn(bundles.filter(one => !one.isGone))]
  const undo = undosOf(revisions)
  const pushed = [...(changes.length > 0 ? [counts(changes)] : []), ...notesText(notes?.changes)].join('; ')
  const result =
    pushed === ''
      ? 'Nothing to push.'
      : dryRun
        ? `Dry run: ${pushed}; nothing was pushed.`
        : `Pushed: ${pushed}.${undoHint(...revisions)}`
  const lines = [
    result,
    ...(skipped > 0
      ? [`${counted(skipped, 'key')} left alone, where the server has a text: --overwrite replaces it.`]
      : []),
    ...(listedBefore > 0 ? [`Not listed again: ${counted(listedBefore, 'key')}. \`parlance diff\` lists all.`] : []),
    ...(deletedKeys > 0
      ? [`Deleted here, and still on the server: ${counted(deletedKeys, 'key')}. --prune deletes there too.`]
      : []),
    ...(prune ? [] : goneText(bundles, '--prune deletes there too.')),
    ...ignoredKeys.text(isPart ? undefined : 'the files and the server'),
    ...leftOutText('Not sent', leftOut),
  ]
  const document = {
    revision: revisions.at(-1) ?? null,
    revisions,
    dryRun: dryRun === true,
    changes: rows,
    notes: notes?.changes,
    deletedHere,
    deletedFiles: goneIn(bundles).map(({ file }) => file.path),
    unnamedLanguages: unnamedIn(leftOut),
    leftOut,
    ignoredKeys: ignoredKeys.counts(),
    undo,
  }
  return { code: 0, document, text: () => lines.join('\n') }
}
