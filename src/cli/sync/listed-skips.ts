/** Skipped keys that an earlier push listed: the next push lists them only after a change of either text. */
import { isDeepStrictEqual } from 'node:util'
import { blobId } from '../../bundle/canonical.ts'
import { placeOf } from './compare.ts'
import type { Row } from './rows.ts'
import { remember, type Scope } from './scope.ts'
import type { State } from './state.ts'

/** Maximum skipped keys in the state file; a push lists those beyond it each time. */
const MOST = 10_000

const nameOf = ({ language, namespace, key }: Row): string => `${language}/${namespace} ${key}`

const fingerprint = ({ before, after }: Row): string =>
  blobId(Buffer.from(JSON.stringify([before, after]))).slice(0, 12)

/** Whether an earlier push listed this skipped key with the same texts. */
export const isListed = ({ listed }: State, row: Row): boolean =>
  row.result === 'skipped' && listed.size > 0 && listed.get(nameOf(row)) === fingerprint(row)

/** Writes the skipped keys of a push to the state file, in place of those of the same bundles. */
export async function noteListed(scope: Scope, rows: readonly Row[]): Promise<void> {
  const { state, has } = scope
  const others = [...state.listed].filter(([name]) => !has(placeOf(name.slice(0, name.indexOf(' ')))))
  const skipped = rows.filter(({ result }) => result === 'skipped').map(row => [nameOf(row), fingerprint(row)] as const)
  const listed = new Map([...others, ...skipped].slice(0, MOST))
  if (isDeepStrictEqual(listed, state.listed)) return
  state.listed = listed
  await remember(scope, state.pulled)
}
