/** The number of unsaved texts and notes by place, for pages outside the editor. The user's other tabs count too. */
import { useMemo } from 'react'
import { useViewer } from '../api/session.ts'
import type { DraftAddress, Drafts, NoteAddress } from './drafts.ts'
import { useDraftState, useDraftStore } from './use-drafts.tsx'

/** A part of the present organization; an absent member stands for all. */
type UnsavedScope = Partial<Pick<DraftAddress, 'project' | 'language' | 'namespace'>>

/** The unsaved texts and notes of an organization. */
interface UnsavedCounts {
  /** The text that was typed into longest ago, else a note; undefined without any. */
  first: DraftAddress | undefined
  /** A note is of a project, and of no language. */
  countIn: (scope?: UnsavedScope) => number
}

/** Typing into a text that is unsaved already rerenders nothing. */
export function useUnsavedCounts(): UnsavedCounts {
  const organization = useViewer().data?.who?.organization.id
  const drafts = useDraftStore()
  // As text, equal places are the same snapshot.
  const places = useDraftState(() => JSON.stringify(placesIn(drafts, organization)))
  return useMemo(() => {
    const addresses: (DraftAddress & Partial<NoteAddress>)[] = JSON.parse(places)
    return {
      first: addresses[0],
      countIn: ({ project, language, namespace } = {}) =>
        addresses.filter(
          at =>
            (project === undefined || at.project === project) &&
            (language === undefined || (at.language === language && !at.isNote)) &&
            (namespace === undefined || at.namespace === namespace),
        ).length,
    }
  }, [places])
}

/** The addresses of texts with a draft, each once, the one typed into longest ago in front, then those of notes. */
function placesIn(drafts: Drafts | undefined, organization: string | undefined): DraftAddress[] {
  const found = new Map<string, DraftAddress & { since: number }>()
  for (const { address, time } of [...(drafts?.all ?? []), ...(drafts?.others ?? [])]) {
    if (address.organization !== organization) continue
    const { project, language, namespace, key, form } = address
    const name = JSON.stringify([project, language, namespace, key, form])
    found.set(name, { ...address, since: Math.min(found.get(name)?.since ?? time, time) })
  }
  const texts = [...found.values()].sort((a, b) => a.since - b.since).map(({ since: _, ...address }) => address)
  return [...texts, ...(drafts?.notes ?? []).filter(address => address.organization === organization)]
}
