/** The one door to saving: typed text becomes a write, its state is that of `save-state.ts`. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../bundle/message.ts'
import { ApiProblem, problemOf } from '../../api/answer.ts'
import type { KeyStatus } from '../../api/client.ts'
import { isReached } from '../../api/connection.ts'
import { useReached } from '../../api/queries.ts'
import type { LanguagePermit } from '../../api/rights.ts'
import type { AddressedDraft } from '../../drafts/drafts.ts'
import { useDraftStore } from '../../drafts/use-drafts.tsx'
import { ownWrite } from '../../live/live.ts'
import { announce } from '../../ui/announce.ts'
import { hasMore, same, textsOf, withTexts, writesFor } from '../model/leaves.ts'
import { type Columns, type EditorRow, idOf, type KeyAddress, type NamespacedKey } from '../model/rows.ts'
import {
  languageQuery,
  markStale,
  marksQuery,
  messageNow,
  patch,
  patchMarks,
  staleNow,
  suggestionsKey,
  unmarkStale,
} from './cached.ts'
import { isSaving, nextStates, type SaveEvent, type SaveStates, saveId } from './save-state.ts'
import { conflictsIn, endingOf, textsIn, type UnsavedTexts } from './unsaved-texts.ts'
import { bundleOf, confirmText, newest, prepare, unconfirm, undoWrites, whileSeen, write } from './write-key.ts'

/** A save, the commit that confirmed a text, or an approval; `stale` is the stale key from before it. */
interface LastSave extends KeyAddress {
  done: { before: Message | undefined; after: Message | undefined } | { confirmed: string } | { approves: boolean }
  stale: KeyStatus | undefined
}

/** The states of all saves, and what the user may do. */
export type Saving = ReturnType<typeof useSaving>

/** Save attempts while other forms of the same key change. */
const ATTEMPTS = 5

/**
 * @param unsaved the typed texts @param rows the saved texts, in the languages of the columns
 * @param permits by target
 */
export function useSaving(
  slug: string,
  unsaved: UnsavedTexts,
  rows: readonly EditorRow[],
  { source, targets }: Columns,
  permits: readonly LanguagePermit[],
) {
  const { t, i18n } = useTranslation('editor')
  const queries = useQueryClient()
  const drafts = useDraftStore()
  const [states, setStates] = useState<SaveStates>(new Map())
  const [last, setLast] = useState<LastSave>()
  const underWay = useRef(new Map<string, Promise<unknown>>())
  const permitOf = (language: string) => permits[targets.indexOf(language)]
  const placeOf = ({ namespace, key }: NamespacedKey, language: string) => ({ slug, language, namespace, key })
  const typedAt = ({ namespace, key, language }: KeyAddress) => unsaved.of(namespace, key, language)
  const happens = (id: string, event: SaveEvent) => setStates(states => nextStates(states, [id], event))

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the saved text matters
  useEffect(() => {
    for (const row of rows) {
      if (!unsaved.ids.has(row.id)) continue
      for (const [at, language] of targets.entries()) {
        const id = saveId(row.id, language)
        const typed = unsaved.of(row.namespace, row.key, language)
        const stored = textsOf(row.cells[at]!.message)
        const saved = typed.filter(({ address, text }) => stored[endingOf(address)] === text)
        if (saved.length === 0 || isSaving(states.get(id))) continue
        for (const { address } of saved) drafts?.discard(address)
        if (saved.length === typed.length) happens(id, { is: 'overtaken' })
      }
    }
  }, [rows])

  const reached = useReached()
  useEffect(() => {
    if (reached) setStates(states => nextStates(states, states.keys(), { is: 'reconnected' }))
  }, [reached])

  /**
   * Writes to the same bundle run one after the other: each needs the entity tag of the one before, and the server
   * would refuse one of two at once. @param act returns whether the text is as the user wanted it
   */
  async function during(place: KeyAddress, act: () => Promise<boolean>): Promise<void> {
    const id = saveId(idOf(place.namespace, place.key), place.language)
    const bundle = bundleOf(place)
    const before = underWay.current.get(bundle)
    happens(id, { is: before ? 'queued' : 'sent' })
    const done = (before ?? Promise.resolve()).then(async () => {
      // Also after an earlier save of the same key, which has just been answered.
      happens(id, { is: 'sent' })
      try {
        happens(id, { is: (await act()) ? 'answered' : 'conflict' })
      } catch (error) {
        const why = problemOf(error, t)
        const isOffline = error instanceof ApiProblem && error.status === 0
        happens(id, isOffline ? { is: 'offline', why, isReached: isReached() } : { is: 'refused', why })
        announce(t('notSaved', { key: place.key, why }))
      }
    })
    underWay.current.set(bundle, done)
    return done.finally(() => underWay.current.get(bundle) === done && underWay.current.delete(bundle))
  }

  /** Discards the saved draft. Text that was typed meanwhile stays, with the saved text as its base. */
  function settle(saved: readonly AddressedDraft[], message: Message | undefined) {
    for (const { address, text } of saved) {
      const now = drafts?.get(address)
      if (!now || now.text === text) drafts?.discard(address)
      else drafts?.set(address, { ...now, before: textsOf(message)[endingOf(address)] ?? null })
    }
  }

  async function save(row: NamespacedKey, language: string) {
    const place = placeOf(row, language)
    const { key } = place
    if (typedAt(place).length === 0) return announce(t('nothingToSave'))
    const ends = typedAt(place).map(({ address }) => drafts?.saving(address))
    await during(place, () =>
      ownWrite(async note => {
        const texts = { queryKey: languageQuery(slug, language), exact: true }
        await prepare(place, () => queries.refetchQueries(texts, { throwOnError: true }))
        for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
          const typed = typedAt(place)
          const before = messageNow(queries, place)
          if (conflictsIn(typed, { message: before }).length > 0) break
          const after = withTexts(before, textsIn(typed))
          const written = same(before, after)
            ? { is: 'saved' as const, message: after }
            : permitOf(language)?.mode === 'suggest'
              ? { is: 'suggested' as const }
              : await write(place, before, after, note)
          if (written.is === 'suggested') {
            // Also after a write: the right to save was withdrawn a moment ago, and a part of the text was sent.
            await (await import('./review.ts')).suggestText(place, before, after)
            settle(typed, before)
            await queries.invalidateQueries({ queryKey: suggestionsKey(slug, language) })
            announce(t('suggestedKey', { key }))
            return true
          }
          if (written.is === 'conflict') {
            patch(queries, place, written.theirs, { isStale: true })
            continue
          }
          const stale = staleNow(queries, place)
          patch(queries, place, written.message)
          patchMarks(queries, place, permitOf(language)?.isReviewed === true, true)
          // Queries notify in a later turn. Until then the old text would count as the saved one.
          await new Promise(resolve => setTimeout(resolve))
          settle(typed, written.message)
          setLast({ ...place, done: { before, after: written.message }, stale })
          announce(t('savedKey', { key }))
          return true
        }
        announce(t('conflictKey', { key }))
        return false
      }),
    )
    for (const end of ends) end?.()
  }

  /** Whether the base of the typed text differs from the text that is known now. */
  const isInConflict = (row: NamespacedKey, language: string) => {
    const place = placeOf(row, language)
    return conflictsIn(typedAt(place), { message: messageNow(queries, place) }).length > 0
  }

  /** Sends a request about a text and its source as they are shown, or shows another user's change of them. */
  async function whileShown<T>(place: KeyAddress, send: Parameters<typeof whileSeen<T>>[1]) {
    const shown = [place, { ...place, language: source }].map(at => ({ place: at, message: messageNow(queries, at) }))
    const done = await whileSeen(shown, send)
    if (done.is === 'done') return done
    for (const { place, message } of done.theirs) patch(queries, place, message, { isStale: true })
    return undefined
  }

  /** Confirms that a stale text is still right. */
  async function confirm(row: NamespacedKey, language: string) {
    const place = placeOf(row, language)
    // The field shows another text than the one that would be confirmed.
    if (typedAt(place).length > 0) return save(row, language)
    await during(place, async () => {
      const stale = staleNow(queries, place)
      const done = await whileShown(place, expected => confirmText(place, expected))
      announce(t(done ? 'confirmedKey' : 'confirmedNot', { key: row.key }))
      if (!done) return false
      const { revision, confirmed } = done.answered
      unmarkStale(queries, place)
      if (confirmed > 0 && revision !== null) setLast({ ...place, done: { confirmed: revision }, stale })
      return true
    })
  }

  /** Approves a text, after a save of what is typed. @param approves false withdraws the approval */
  async function approve(row: NamespacedKey, language: string, approves: boolean) {
    const place = placeOf(row, language)
    if (typedAt(place).length > 0) {
      await save(row, language)
      if (permitOf(language)?.mode !== 'save' || typedAt(place).length > 0) return
    }
    await during(place, async () => {
      const changed = await approveNow(place, approves)
      if (changed) setLast({ ...place, done: { approves }, stale: undefined })
      return changed !== undefined
    })
  }

  /** @returns the number of changed approvals; undefined after another user's change */
  async function approveNow(place: KeyAddress, approves: boolean): Promise<number | undefined> {
    const [{ approveText }] = await Promise.all([import('./review.ts'), i18n.loadNamespaces('suggestions')])
    const done = await whileShown(place, expected => approveText(place, approves, expected))
    if (done) patchMarks(queries, place, approves, false)
    const said = !done ? 'approvedNot' : approves ? 'approvedKey' : 'unapprovedKey'
    announce(i18n.t(`suggestions:${said}`, { key: place.key }))
    return done?.answered
  }

  async function undo() {
    if (!last) return announce(t('nothingToUndo'))
    const { done, stale, ...place } = last
    const isUndone = async (note: Parameters<typeof write>[3]) => {
      if ('approves' in done) return (await approveNow(place, !done.approves)) !== undefined
      if ('confirmed' in done) {
        const isBack = await unconfirm(slug, done.confirmed)
        if (isBack && stale) markStale(queries, place, stale)
        return isBack
      }
      const { before, after } = done
      // On the server: the cache may be older.
      const now = await newest(place)
      const isOurs = same(now, after)
      // By reverting its commits, where a write would mark the text as a translation of the current source, and for
      // texts that were missing before: a write only adds texts to the existing ones.
      const isByCommits = isOurs && (stale !== undefined || hasMore(before, after))
      const commits = writesFor(place.key, before, after).length
      const isBack = isByCommits ? await undoWrites(place, { before, after }, commits) : undefined
      if (isBack) {
        patch(queries, place, before)
        if (stale) markStale(queries, place, stale)
        return true
      }
      const written =
        isOurs && isBack !== false
          ? await write(place, after, before, note)
          : { is: 'conflict' as const, theirs: isBack === false ? await newest(place) : now }
      if (written.is === 'saved') patch(queries, place, written.message)
      else if (written.is === 'conflict') patch(queries, place, written.theirs, { isStale: true })
      return written.is === 'saved' && same(written.message, before)
    }
    await during(place, () =>
      ownWrite(async note => {
        const isDone = await isUndone(note)
        if (!('approves' in done)) void queries.invalidateQueries({ queryKey: marksQuery(slug, place.language) })
        setLast(undefined)
        announce(t(isDone ? 'undoneKey' : 'undoneNot', { key: place.key }))
        return isDone
      }),
    )
  }

  return { states, last, isInConflict, save, confirm, approve, undo }
}
