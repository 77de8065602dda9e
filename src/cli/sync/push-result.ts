/** What a push reports at its end. A skipped key is listed again only after a change of either text. */
import { isDeepStrictEqual } from 'node:util'
import { blobId } from '../../bundle/canonical.ts'
import type { IgnoredKeys } from '../local/ignored-keys.ts'
import { leftOutText, unnamedIn } from '../local/left-out.ts'
import type { LeftOut } from '../local/types.ts'
import { type NoteChanges, notesText } from '../notes/note-changes.ts'
import { undoHint, undosOf } from '../terminal/changes.ts'
import { counted } from '../terminal/table.ts'
import { type ComparedBundle, placeOf } from './compare.ts'
import { deletedIn, goneIn, goneText } from './gone.ts'
import { counts, type KeyChangeRow } from './rows.ts'
import { type CommandResult, type Scope, saveState } from './scope.ts'
import type { SyncState } from './state.ts'

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

/** Maximum skipped keys in the state file; a push lists those beyond it each time. */
const MAX_LISTED = 10_000

const keyNameOf = ({ language, namespace, key }: KeyChangeRow): string => `${language}/${namespace} ${key}`

const fingerprint = ({ before, after }: KeyChangeRow): string =>
  blobId(Buffer.from(JSON.stringify([before, after]))).slice(0, 12)

/** Whether an earlier push listed this skipped key with the same texts. */
export const isListed = ({ listedSkips }: SyncState, row: KeyChangeRow): boolean =>
  row.result === 'skipped' && listedSkips.size > 0 && listedSkips.get(keyNameOf(row)) === fingerprint(row)

/** Writes the skipped keys of a push to the state file, in place of those of the same bundles. */
export async function recordListed(scope: Scope, rows: readonly KeyChangeRow[]): Promise<void> {
  const { state, has } = scope
  const others = [...state.listedSkips].filter(([name]) => !has(placeOf(name.slice(0, name.indexOf(' ')))))
  const skipped = rows
    .filter(({ result }) => result === 'skipped')
    .map(row => [keyNameOf(row), fingerprint(row)] as const)
  const listed = new Map([...others, ...skipped].slice(0, MAX_LISTED))
  if (isDeepStrictEqual(listed, state.listedSkips)) return
  state.listedSkips = listed
  await saveState(scope, state.lastPull)
}
