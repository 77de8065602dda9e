/** Reads and writes of approvals, suggestions, machine marks and refusals. The editor loads them late. */
import type { QueryFunctionContext } from '@tanstack/react-query'
import type { Message } from '../../../bundle/message.ts'
import { answer } from '../../api/answer.ts'
import { getStatus } from '../../api/client.ts'
import * as api from '../../api/late-client.ts'
import { noneYet, statusKeys } from '../../api/status-keys.ts'
import { machinesFor, machinesQuery } from '../../api/use-machines.ts'
import { writesFor } from '../model/leaves.ts'
import { idOf, type KeyAddress } from '../model/rows.ts'
import type { ListedMarks } from './cached.ts'

/** As few marks as say everything. @param isReviewed whether approvals are in use, even without any */
export async function readMarks(
  slug: string,
  language: string,
  isReviewed: boolean,
  { client, signal }: QueryFunctionContext,
): Promise<ListedMarks> {
  const readRefused = async () => {
    const machines = await client.ensureQueryData(machinesQuery)
    if (machinesFor(machines, language).length === 0) return []
    return (await answer(api.getRefusals({ slug, language }, { signal }))).refusals
  }
  const refused = readRefused().catch(() => [])
  const [counts] = await answer(getStatus({ slug, language }, { signal })).then(({ languages }) => languages, noneYet)
  if (!counts) return { machine: [], refused: [], listed: null, lists: 'approved' }
  const { approved, machine, translated, incomplete } = counts
  const lists = approved * 2 > translated + incomplete ? 'unapproved' : 'approved'
  const asked = [...(approved > 0 ? [lists] : []), ...(machine > 0 ? ['machine'] : [])].join(',')
  const keys = asked === '' ? [] : await statusKeys(slug, language, asked, signal)
  const idsOf = (listed: typeof keys) => listed.map(({ namespace, key }) => idOf(namespace, key))
  const isListed = ({ approved }: (typeof keys)[number]) => (approved !== undefined) === (lists === 'approved')
  return {
    machine: idsOf(keys.filter(({ machine }) => machine)),
    refused: await refused,
    listed: approved > 0 || isReviewed ? idsOf(keys.filter(isListed)) : null,
    lists,
  }
}

/** @returns the ids of rows with suggestions, sorted */
export async function readSuggested(slug: string, language: string, signal: AbortSignal): Promise<string[]> {
  const keys = await statusKeys(slug, language, 'suggested', signal).catch(noneYet)
  return keys.map(({ namespace, key }) => idOf(namespace, key)).sort()
}

/**
 * Sends a typed text as a suggestion. The text itself stays as it is. A text with a plural is suggested as a whole: a
 * user has one suggestion for a key.
 * @param before the text now @param after the suggested one
 * @throws ApiProblem what the server refuses
 */
export async function suggestText(
  { slug, language, namespace, key }: KeyAddress,
  before: Message | undefined,
  after: Message | undefined,
): Promise<void> {
  const [write = { name: key, value: '' }, ...others] = writesFor(key, before, after)
  const { name, value } = others.length === 0 ? write : { name: key, value: after! }
  const suggestedValue = { value } as api.SuggestedValue
  await answer(api.suggestText({ slug, language, $namespace: namespace, key: name, suggestedValue }))
}

/**
 * @param approves false withdraws the approval @param expected the entity tags of the bundles that were seen
 * @returns the number of changed approvals
 */
export async function approveText(
  { slug, language, namespace, key }: KeyAddress,
  approves: boolean,
  expected: Record<string, string>,
): Promise<number> {
  const body = { language, namespace, keys: [key], expected }
  if (approves) return (await answer(api.approveTexts({ slug, body }))).approved
  return (await answer(api.unapproveTexts({ slug, body }))).unapproved
}
