/** What was typed and is not saved yet, by row. */
import { useMemo, useRef } from 'react'
import { useMember } from '../api/session.ts'
import { conflictOf } from '../drafts/conflict.ts'
import type { AddressedDraft, DraftAddress } from '../drafts/drafts.ts'
import { useDrafts } from '../drafts/use-drafts.tsx'
import { type Texts, textsOf } from './model/leaves.ts'
import { type Cell, idOf } from './model/rows.ts'

/** A text of the editor. */
export interface LeafPlace {
  language: string
  namespace: string
  key: string
  ending: string
}

/** The address of a text's draft. */
export function useDraftAddress(slug: string): (place: LeafPlace) => DraftAddress {
  const { organization } = useMember().who
  return ({ language, namespace, key, ending }) => ({
    organization: organization.id,
    project: slug,
    language,
    namespace,
    key,
    ...(ending !== '' && { form: ending.slice(1) }),
  })
}

/** The unsaved texts of a project's language, by row. */
export interface Unsaved {
  /** Ids of rows; the same set as long as it has the same. */
  ids: ReadonlySet<string>
  /** Those of a key, newest drafts as they are now. */
  of: (namespace: string, key: string, language: string) => readonly AddressedDraft[]
}

/** See {@link Unsaved}. */
export function useUnsaved(slug: string, languages: readonly string[]): Unsaved {
  const { organization } = useMember().who
  const drafts = useDrafts()
  const own = useRef<readonly AddressedDraft[]>([])
  own.current = drafts.filter(({ address }) => address.organization === organization.id && address.project === slug)
  const list = [
    ...new Set(
      own.current
        .filter(({ address }) => languages.includes(address.language))
        .map(({ address }) => idOf(address.namespace, address.key)),
    ),
  ].sort()
  const said = JSON.stringify(list)
  const ids = useMemo<ReadonlySet<string>>(() => new Set(JSON.parse(said)), [said])
  return useMemo(
    () => ({
      ids,
      of: (namespace, key, language) =>
        own.current.filter(
          ({ address }) => address.namespace === namespace && address.key === key && address.language === language,
        ),
    }),
    [ids],
  )
}

/** The texts of drafts by the ending of their leaf. */
export const textsIn = (drafts: readonly AddressedDraft[]): Texts =>
  Object.fromEntries(drafts.map(({ address, text }) => [endingOf(address), text]))

/** Drafts that were begun on a text which is another one now. */
export const conflictsIn = (drafts: readonly AddressedDraft[], { message }: Pick<Cell, 'message'>) =>
  drafts.filter(({ address, before, text }) => {
    const theirs = textsOf(message)[endingOf(address)] ?? null
    return conflictOf({ before, theirs, yours: text }) === 'conflict'
  })

const endingOf = ({ form }: DraftAddress) => (form === undefined ? '' : `_${form}`)
