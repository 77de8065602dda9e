/** The number of unsaved texts by place, for pages outside the editor. The user's other tabs count too. */
import { useMemo, useSyncExternalStore } from 'react'
import { useViewer } from '../api/session.ts'
import type { DraftAddress, Drafts } from './drafts.ts'
import { useDraftStore } from './use-drafts.tsx'

/** A part of the present organization; an absent member stands for all. */
export type UnsavedScope = Partial<Pick<DraftAddress, 'project' | 'language' | 'namespace'>>

/** The unsaved texts of an organization. */
export interface UnsavedCounts {
  /** The text that was typed into longest ago; undefined without any. */
  first: DraftAddress | undefined
  countIn: (scope?: UnsavedScope) => number
}

/** Typing into a text that is unsaved already rerenders nothing. */
export function useUnsavedCounts(): UnsavedCounts {
  const organization = useViewer().data?.who?.organization.id
  const drafts = useDraftStore()
  const subscribe = useMemo(() => (changed: () => void) => drafts?.subscribe(changed) ?? (() => {}), [drafts])
  // As text, equal places are the same snapshot.
  const places = useSyncExternalStore(subscribe, () => JSON.stringify(placesIn(drafts, organization)))
  return useMemo(() => {
    const addresses: DraftAddress[] = JSON.parse(places)
    return {
      first: addresses[0],
      countIn: ({ project, language, namespace } = {}) =>
        addresses.filter(
          at =>
            (project === undefined || at.project === project) &&
            (language === undefined || at.language === language) &&
            (namespace === undefined || at.namespace === namespace),
        ).length,
    }
  }, [places])
}

/** The addresses with a draft, each once, the one typed into longest ago in front. */
function placesIn(drafts: Drafts | undefined, organization: string | undefined): DraftAddress[] {
  const found = new Map<string, DraftAddress & { since: number }>()
  for (const { address, time } of [...(drafts?.all ?? []), ...(drafts?.others ?? [])]) {
    if (address.organization !== organization) continue
    const { project, language, namespace, key, form } = address
    const name = JSON.stringify([project, language, namespace, key, form])
    found.set(name, { ...address, since: Math.min(found.get(name)?.since ?? time, time) })
  }
  return [...found.values()].sort((a, b) => a.since - b.since).map(({ since: _, ...address }) => address)
}
