/** Approves a text, or withdraws its approval. It imports nothing of the editor, which loads it late. */
import type { i18n as Texts } from 'i18next'
import { answer } from '../../api/answer.ts'
import { approveTexts, unapproveTexts } from '../../api/late-client.ts'
import { announce } from '../../ui/announce.ts'
import type { KeyAddress } from './write-key.ts'

/** @param expected the entity tags of the bundles that were seen @returns the number of changed approvals */
export async function approveText(
  { slug, language, namespace, key }: KeyAddress,
  approves: boolean,
  expected: Record<string, string>,
): Promise<number> {
  const body = { language, namespace, keys: [key], expected }
  if (approves) return (await answer(approveTexts({ slug, body }))).approved
  return (await answer(unapproveTexts({ slug, body }))).unapproved
}

/** @param approves undefined where another user changed the text or its source meanwhile */
export async function announceApproval(i18n: Texts, key: string, approves: boolean | undefined): Promise<void> {
  await i18n.loadNamespaces('suggestions')
  if (approves === undefined) announce(i18n.t('suggestions:approvedNot', { key }))
  else announce(i18n.t(approves ? 'suggestions:approvedKey' : 'suggestions:unapprovedKey', { key }))
}
