/** Skipped keys that an earlier push listed: the next push lists them only after a change of either text. */
import { isDeepStrictEqual } from 'node:util'
import { blobId } from '../../bundle/canonical.ts'
import { placeOf } from './compare.ts'
import type { Row } from './rows.ts'
import { type Scope, saveState } from './scope.ts'
import type { State } from './state.ts'

/** Maximum skipped keys in the state file; a push lists those beyond it each time. */
const MAX_LISTED = 10_000

const nameOf = ({ language, namespace, key }: Row): string => `${language}/${namespace} ${key}`

const fingerprint = ({ before, after }: Row): string =>
  blobId(Buffer.from(JSON.stringify([before, after]))).slice(0, 12)

/** Whether an earlier push listed this skipped key with the same texts. */
export const isListed = ({ listedSkips }: State, row: Row): boolean =>
  row.result === 'skipped' && listedSkips.size > 0 && listedSkips.get(nameOf(row)) === fingerprint(row)

/** Writes the skipped keys of a push to the state file, in place of those of the same bundles. */
export async function recordListed(scope: Scope, rows: readonly Row[]): Promise<void> {
  const { state, has } = scope
  const others = [...state.listedSkips].filter(([name]) => !has(placeOf(name.slice(0, name.indexOf(' ')))))
  const skipped = rows.filter(({ result }) => result === 'skipped').map(row => [nameOf(row), fingerprint(row)] as const)
  const listed = new Map([...others, ...skipped].slice(0, MAX_LISTED))
  if (isDeepStrictEqual(listed, state.listedSkips)) return
  state.listedSkips = listed
  await saveState(scope, state.lastPull)
}
