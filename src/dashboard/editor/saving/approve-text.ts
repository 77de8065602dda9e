/** Approves a text, or withdraws its approval, while it and its source are as they were seen. */
import type { QueryClient } from '@tanstack/react-query'
import type { i18n as Texts } from 'i18next'
import { answer } from '../../api/answer.ts'
import { approveTexts, unapproveTexts } from '../../api/late-client.ts'
import { announce } from '../../ui/announce.ts'
import { patchMarks } from './cached-marks.ts'
import { messageNow, patch } from './cached-texts.ts'
import { type KeyAddress, whileSeen } from './write-key.ts'

/** @returns whether the server accepted it; `isChanged` where the text did not have that mark before */
export async function approveText(
  queries: QueryClient,
  place: KeyAddress,
  source: string,
  approves: boolean,
  i18n: Texts,
): Promise<{ isDone: boolean; isChanged: boolean }> {
  const { slug, language, namespace, key } = place
  const [done] = await Promise.all([
    whileSeen(
      [place, { ...place, language: source }].map(place => ({ place, message: messageNow(queries, place) })),
      async expected => {
        const body = { language, namespace, keys: [key], expected }
        if (approves) return (await answer(approveTexts({ slug, body }))).approved
        return (await answer(unapproveTexts({ slug, body }))).unapproved
      },
    ),
    i18n.loadNamespaces('suggestions'),
  ])
  if (done.is === 'conflict') {
    for (const { place, message } of done.theirs) patch(queries, place, message, { isStale: true })
    announce(i18n.t('suggestions:approvedNot', { key }))
    return { isDone: false, isChanged: false }
  }
  patchMarks(queries, place, approves, false)
  announce(i18n.t(approves ? 'suggestions:approvedKey' : 'suggestions:unapprovedKey', { key }))
  return { isDone: true, isChanged: done.answered > 0 }
}
