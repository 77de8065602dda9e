/** Reads of the organization's people and tokens. */
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { getAudit, listInvitations, listMembers, listTokens, type MemberWithUser } from '../api/client.ts'

/** Keys of the queries, for writes that outdate them. */
export const MEMBERS = ['members'] as const
export const INVITATIONS = ['invitations'] as const
export const TOKENS = ['tokens'] as const

/** Most that one answer has. */
const PAGE = 100

async function allMembers(): Promise<MemberWithUser[]> {
  const all: MemberWithUser[] = []
  for (;;) {
    const { members, total } = await answer(listMembers({ limit: PAGE, offset: all.length, sortBy: 'createdAt' }))
    all.push(...members)
    if (members.length === 0 || all.length >= total) return all
  }
}

/** No event reports these changes, so each page refetches when it opens. */
const ANEW = { staleTime: 0 }

/** All members of the organization, oldest first. */
export const useMembers = () => useQuery({ queryKey: MEMBERS, queryFn: allMembers, ...ANEW })

/** A former member, with the address of that time. */
export interface FormerMember {
  id: string
  email: string
}

async function allGone(): Promise<FormerMember[]> {
  const all = new Map<string, FormerMember>()
  for (const what of ['member-left', 'member-removed'] as const) {
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof goneIn>> = await goneIn(what, cursor)
      for (const { about } of page.entries) {
        // Newest first: an entry that is already listed is newer.
        if (about?.id != null && !all.has(about.id)) all.set(about.id, { id: about.id, email: about.name })
      }
      cursor = page.next
    } while (cursor !== null)
  }
  return [...all.values()]
}

const goneIn = (what: 'member-left' | 'member-removed', cursor: string | null) =>
  answer(getAudit({ what, limit: PAGE, ...(cursor !== null && { cursor }) }))

/** All former members, as far back as the trail goes; some may be members again. For owners. */
export const useFormerMembers = () => useQuery({ queryKey: ['audit', 'gone'], queryFn: allGone, ...ANEW })

/** The invitations that wait, the newest first. */
export const useInvitations = () =>
  useQuery({
    queryKey: INVITATIONS,
    ...ANEW,
    queryFn: () =>
      answer(listInvitations({})).then(all =>
        all
          .filter(({ status }) => status === 'pending')
          .sort((one, other) => other.createdAt.localeCompare(one.createdAt)),
      ),
  })

/** The organization's tokens. */
export const useTokens = () =>
  useQuery({ queryKey: TOKENS, queryFn: () => answer(listTokens()).then(({ tokens }) => tokens), ...ANEW })

/**
 * Changes or deletes an entry of a list and refetches the list. An entry that another user deleted meanwhile counts
 * as deleted.
 * @param list the key of its query @returns whether it still exists @throws the server's refusal for an existing one
 */
export async function changeEntry(client: QueryClient, list: readonly string[], id: string, change: Promise<unknown>) {
  await Promise.allSettled([change])
  await client.invalidateQueries({ queryKey: list })
  const isThere = !!client.getQueryData<{ id: string }[]>(list)?.some(one => one.id === id)
  if (isThere) await change
  return isThere
}
