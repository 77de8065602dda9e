/** Saves in the background, with a notice of the result. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../bundle/message.ts'
import { ApiProblem } from '../api/answer.ts'
import type { Key, KeyStatus } from '../api/client.ts'
import { isReached } from '../api/connection.ts'
import { problemOf } from '../api/problem-of.ts'
import { useReached } from '../api/use-reached.ts'
import type { AddressedDraft } from '../drafts/drafts.ts'
import { useDraftStore } from '../drafts/use-drafts.tsx'
import { ownWrite } from '../live/live.ts'
import { announce } from '../ui/announce.ts'
import { hasMore, same, textsOf, withTexts, writesFor } from './model/leaves.ts'
import { type Columns, type EditorRow, idOf } from './model/rows.ts'
import { languageQuery, staleQuery } from './read.ts'
import { conflictsIn, endingOf, textsIn, type UnsavedTexts } from './use-texts.ts'
import {
  bundleOf,
  confirm as confirmNow,
  type KeyAddress,
  newest,
  prepare,
  unconfirm,
  undoWrites,
  write,
} from './write.ts'

/** The state of a save. A failed one has its reason, and whether the server did not answer. */
export type SaveState = { is: 'saving' } | { is: 'failed'; why: string; isLine: boolean }

/** By {@link saveId}. */
export type SaveStates = ReadonlyMap<string, SaveState>

export const saveId = (rowId: string, language: string): string => `${language}\n${rowId}`

/** A save, or the commit that confirmed a text; `stale` is the stale key from before it. */
interface Last extends KeyAddress {
  done: { before: Message | undefined; after: Message | undefined } | { confirmed: string }
  stale: KeyStatus | undefined
}

/** Saves that can run and be undone. */
export interface Saves {
  states: SaveStates
  /** The last save, for {@link Saves.undo}. */
  last: Last | undefined
  /** Whether the base of the typed text differs from the text that is known now. */
  isInConflict: (row: Pick<EditorRow, 'namespace' | 'key'>, language: string) => boolean
  /** Saves the typed texts of a row in a language. @returns whether all of them are saved */
  save: (row: Pick<EditorRow, 'namespace' | 'key'>, language: string) => Promise<boolean>
  /** Confirms that a stale text is still right. */
  confirm: (row: Pick<EditorRow, 'namespace' | 'key'>, language: string) => Promise<void>
  undo: () => Promise<void>
}

/** Save attempts while other forms of the same key change. */
const ATTEMPTS = 5

/** @param unsaved the typed texts @param rows the saved texts, in the languages of the columns */
export function useSaves(
  slug: string,
  unsaved: UnsavedTexts,
  rows: readonly EditorRow[],
  { source, targets }: Columns,
): Saves {
  const { t } = useTranslation('editor')
  const queries = useQueryClient()
  const drafts = useDraftStore()
  const [states, setStates] = useState<SaveStates>(new Map())
  const [last, setLast] = useState<Saves['last']>()
  const underWay = useRef(new Map<string, Promise<unknown>>())

  const show = (id: string, state: SaveState | undefined) =>
    setStates(states => {
      if (states.get(id)?.is === 'saving' && state?.is === 'saving') return states
      const changed = new Map(states)
      if (state) changed.set(id, state)
      else changed.delete(id)
      return changed
    })

  // The answer of a save was lost, or another user wrote the same text: both count as saved.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the saved text matters
  useEffect(() => {
    for (const row of rows) {
      if (!unsaved.ids.has(row.id)) continue
      for (const [at, language] of targets.entries()) {
        const id = saveId(row.id, language)
        const typed = unsaved.of(row.namespace, row.key, language)
        const stored = textsOf(row.cells[at]!.message)
        const saved = typed.filter(({ address, text }) => stored[endingOf(address)] === text)
        if (saved.length === 0 || states.get(id)?.is === 'saving') continue
        for (const { address } of saved) drafts?.discard(address)
        if (saved.length === typed.length) show(id, undefined)
      }
    }
  }, [rows])

  const reached = useReached()
  useEffect(() => {
    // The connection is back, so its errors are over. The texts stay marked as unsaved.
    if (!reached) return
    setStates(states => {
      const left = [...states].filter(([, state]) => state.is !== 'failed' || !state.isLine)
      return left.length === states.size ? states : new Map(left)
    })
  }, [reached])

  /**
   * Writes to the same bundle run one after the other: each needs the entity tag of the one before, and the server
   * would refuse one of two at once. Each failure is shown at its text.
   */
  async function during<T>(place: KeyAddress, act: () => Promise<T>): Promise<T | undefined> {
    const id = saveId(idOf(place.namespace, place.key), place.language)
    const bundle = bundleOf(place)
    const before = underWay.current.get(bundle)
    show(id, { is: 'saving' })
    const done = (before ?? Promise.resolve()).then(async () => {
      // An earlier save of the same key has just been reported as done.
      show(id, { is: 'saving' })
      try {
        const result = await act()
        show(id, undefined)
        return result
      } catch (error) {
        const why = problemOf(error, t)
        const isLine = error instanceof ApiProblem && error.status === 0
        show(id, isLine && isReached() ? undefined : { is: 'failed', why, isLine })
        announce(t('notSaved', { key: place.key, why }))
        return undefined
      }
    })
    underWay.current.set(bundle, done)
    return done.finally(() => underWay.current.get(bundle) === done && underWay.current.delete(bundle))
  }

  /** Discards the saved draft. Text that was typed meanwhile stays, with the saved text as its base. */
  function settle(saved: readonly AddressedDraft[], message: Message | undefined) {
    for (const { address, text, etag } of saved) {
      const now = drafts?.get(address)
      if (!now || now.text === text) drafts?.discard(address)
      else {
        const before = textsOf(message)[endingOf(address)] ?? null
        drafts?.set(address, { ...now, before, ...(etag !== undefined && { etag }) })
      }
    }
  }

  async function save({ namespace, key }: Pick<EditorRow, 'namespace' | 'key'>, language: string): Promise<boolean> {
    const place = { slug, language, namespace, key }
    if (unsaved.of(namespace, key, language).length === 0) {
      announce(t('nothingToSave'))
      return true
    }
    const ends = unsaved.of(namespace, key, language).map(({ address }) => drafts?.saving(address))
    const done = await during(place, () =>
      ownWrite(async note => {
        await prepare(place, () => readAnew(queries, place))
        for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
          const typed = unsaved.of(namespace, key, language)
          const before = messageNow(queries, place)
          if (conflictsIn(typed, { message: before }).length > 0) break
          const after = withTexts(before, textsIn(typed))
          const written = same(before, after)
            ? { is: 'saved' as const, message: after }
            : await write(place, before, after, note)
          if (written.is === 'conflict') {
            patch(queries, place, written.theirs, { isStale: true })
            continue
          }
          const stale = staleNow(queries, place)
          patch(queries, place, written.message)
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
    return done ?? false
  }

  const isInConflict: Saves['isInConflict'] = ({ namespace, key }, language) =>
    conflictsIn(unsaved.of(namespace, key, language), {
      message: messageNow(queries, { slug, language, namespace, key }),
    }).length > 0

  async function confirm({ namespace, key }: Pick<EditorRow, 'namespace' | 'key'>, language: string) {
    const place = { slug, language, namespace, key }
    // The field shows another text than the one that would be confirmed.
    if (unsaved.of(namespace, key, language).length > 0) return void (await save({ namespace, key }, language))
    await during(place, async () => {
      const stale = staleNow(queries, place)
      const seen = [place, { ...place, language: source }].map(
        place => ({ place, message: messageNow(queries, place) }) as const,
      )
      const done = await confirmNow(place, seen)
      if (done.is === 'conflict') {
        for (const { place, message } of done.theirs) patch(queries, place, message, { isStale: true })
        return announce(t('confirmedNot', { key }))
      }
      const { revision, confirmed } = done
      unstale(queries, place)
      if (confirmed > 0 && revision !== null) setLast({ ...place, done: { confirmed: revision }, stale })
      announce(t('confirmedKey', { key }))
    })
  }

  async function undo() {
    if (!last) return announce(t('nothingToUndo'))
    const { done, stale, ...place } = last
    const isStale = () =>
      queries.setQueryData<KeyStatus[]>(staleQuery(slug, place.language), keys => [...(keys ?? []), stale!])
    await during(place, () =>
      ownWrite(async note => {
        if ('confirmed' in done) {
          const isBack = await unconfirm(slug, done.confirmed)
          if (isBack && stale) isStale()
          setLast(undefined)
          return announce(t(isBack ? 'undoneKey' : 'undoneNot', { key: place.key }))
        }
        const { before, after } = done
        // On the server: the cache may be older.
        const now = await newest(place)
        const isOurs = same(now, after)
        // By reverting its commits, where a write would mark the text as a translation of the current source.
        const commits = writesFor(place.key, before, after).length
        // The same for texts that were missing before: a write only adds texts to the existing ones.
        const isByCommits = isOurs && (stale !== undefined || hasMore(before, after))
        const isBack = isByCommits ? await undoWrites(place, { before, after }, commits) : undefined
        if (isBack) {
          patch(queries, place, before)
          if (stale) isStale()
          setLast(undefined)
          return announce(t('undoneKey', { key: place.key }))
        }
        const written =
          isOurs && isBack !== false
            ? await write(place, after, before, note)
            : { is: 'conflict' as const, theirs: isBack === false ? await newest(place) : now }
        if (written.is === 'saved') patch(queries, place, written.message)
        else patch(queries, place, written.theirs, { isStale: true })
        setLast(undefined)
        const isUndone = written.is === 'saved' && same(written.message, before)
        announce(t(isUndone ? 'undoneKey' : 'undoneNot', { key: place.key }))
      }),
    )
  }

  return { states, last, isInConflict, save, confirm, undo }
}

/** The cached message of a key. */
export const messageNow = (queries: QueryClient, { slug, language, namespace, key }: KeyAddress) =>
  queries
    .getQueryData<Key[]>(languageQuery(slug, language))
    ?.find(row => row.namespace === namespace && row.key === key)?.message as Message | undefined

const staleNow = (queries: QueryClient, { slug, language, namespace, key }: KeyAddress) =>
  queries
    .getQueryData<KeyStatus[]>(staleQuery(slug, language))
    ?.find(row => row.namespace === namespace && row.key === key)

const readAnew = (queries: QueryClient, { slug, language }: KeyAddress) =>
  queries.refetchQueries({ queryKey: languageQuery(slug, language), exact: true }, { throwOnError: true })

/** Writes a key's message into the cache. A written text is no longer stale. */
function patch(queries: QueryClient, place: KeyAddress, message: Message | undefined, { isStale = false } = {}) {
  const { slug, language, namespace, key } = place
  queries.setQueryData<Key[]>(languageQuery(slug, language), rows => {
    if (!rows) return rows
    const at = rows.findIndex(row => row.namespace === namespace && row.key === key)
    if (message === undefined) return at === -1 ? rows : rows.toSpliced(at, 1)
    const row: Key = { namespace, key, message }
    return at === -1 ? [...rows, row] : rows.with(at, row)
  })
  if (!isStale) unstale(queries, place)
}

/** A text that was just written or confirmed is a translation of the current source. */
const unstale = (queries: QueryClient, { slug, language, namespace, key }: KeyAddress) =>
  queries.setQueryData<KeyStatus[]>(staleQuery(slug, language), keys => {
    if (!keys?.some(row => row.namespace === namespace && row.key === key)) return keys
    return keys.filter(row => row.namespace !== namespace || row.key !== key)
  })
