/** The suggestions, approvals, machine marks and refusals of a language, as few as say everything. */
import type { QueryFunctionContext } from '@tanstack/react-query'
import { answer } from '../../api/answer.ts'
import { getStatus } from '../../api/client.ts'
import { noneYet } from '../../api/none-yet.ts'
import { statusKeys } from '../../api/status-keys.ts'
import { machinesFor, machinesQuery } from '../../api/use-machines.ts'
import type { RefusedRow } from '../model/row-marks.ts'
import { idOf } from '../model/rows.ts'
import type { ListedMarks } from './cached-marks.ts'

const NONE: ListedMarks = { machine: [], refused: [], listed: null, lists: 'approved' }

/** @param isReviewed whether the language has a review: approvals are in use, even without any */
export async function readMarks(
  slug: string,
  language: string,
  isReviewed: boolean,
  context: QueryFunctionContext,
): Promise<ListedMarks> {
  const { signal } = context
  const refused = readRefusals(slug, language, context).catch(() => [])
  const [counts] = await answer(getStatus({ slug, language }, { signal })).then(({ languages }) => languages, noneYet)
  if (!counts) return NONE
  const { approved, machine, translated, incomplete } = counts
  const lists = approved * 2 > translated + incomplete ? 'unapproved' : 'approved'
  const asked = [...(approved > 0 ? [lists] : []), ...(machine > 0 ? ['machine'] : [])].join(',')
  const found: ListedMarks = {
    machine: [],
    refused: await refused,
    listed: approved > 0 || isReviewed ? [] : null,
    lists,
  }
  for (const { namespace, key, ...marks } of asked === '' ? [] : await statusKeys(slug, language, asked, signal)) {
    const id = idOf(namespace, key)
    if (marks.machine) found.machine.push(id)
    if ((marks.approved !== undefined) === (lists === 'approved')) found.listed?.push(id)
  }
  return found
}

/** @returns the ids of rows with suggestions, sorted */
export async function readSuggested(slug: string, language: string, signal: AbortSignal): Promise<string[]> {
  const keys = await statusKeys(slug, language, 'suggested', signal).catch(noneYet)
  return keys.map(({ namespace, key }) => idOf(namespace, key)).sort()
}

/** Without a machine for the language nothing is asked. */
async function readRefusals(
  slug: string,
  language: string,
  { client, signal }: QueryFunctionContext,
): Promise<readonly RefusedRow[]> {
  const machines = await client.ensureQueryData(machinesQuery).catch(() => [])
  if (machinesFor(machines, language).length === 0) return []
  const { getRefusals } = await import('../../api/late-client.ts')
  return answer(getRefusals({ slug, language }, { signal })).then(({ refusals }) => refusals)
}
