/** Reads of the organization's people and tokens. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { answer } from '../api/answer.ts'
import {
  type AuditEntry,
  getAudit,
  listInvitations,
  listMembers,
  listTokens,
  type MemberWithUser,
  type Token,
} from '../api/client.ts'
import { strongest } from '../api/rights.ts'

/** Keys of the queries, for writes that outdate them. */
export const MEMBERS = ['members'] as const
export const INVITATIONS = ['invitations'] as const
export const TOKENS = ['tokens'] as const

/** Most that one answer has. */
const PAGE = 100

/** No event reports these changes, so each page refetches when it opens. */
const ANEW = { staleTime: 0 }

/** All members of the organization, oldest first. */
export const useMembers = () => useQuery({ queryKey: MEMBERS, queryFn: allMembers, ...ANEW })

async function allMembers(): Promise<MemberWithUser[]> {
  const all: MemberWithUser[] = []
  for (;;) {
    const { members, total } = await answer(listMembers({ limit: PAGE, offset: all.length, sortBy: 'createdAt' }))
    all.push(...members)
    if (members.length === 0 || all.length >= total) return all
  }
}

/** The owner whom nothing may remove; undefined with several owners. */
export function lastOwner(members: readonly MemberWithUser[]): MemberWithUser | undefined {
  const [owner, ...others] = members.filter(({ role }) => strongest(role) === 'owner')
  return others.length === 0 ? owner : undefined
}

/** All former members, as far back as the trail goes; some may be members again. For owners. */
export const useFormerMembers = () => useQuery({ queryKey: ['audit', 'gone'], queryFn: allGone, ...ANEW })

/** The ids, each with the address of that time. */
async function allGone(): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for (const what of ['member-left', 'member-removed'] as const) {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const request = getAudit({ what, limit: PAGE, ...(cursor && { cursor }) })
      const page: { entries: AuditEntry[]; next: string | null } = await answer(request)
      for (const { about } of page.entries) {
        // Newest first: an entry that is already listed is newer.
        if (about?.id != null && !all.has(about.id)) all.set(about.id, about.name)
      }
      cursor = page.next
    }
  }
  return all
}

/** The invitations that wait, the newest first. */
export const useInvitations = () =>
  useQuery({
    queryKey: INVITATIONS,
    queryFn: async () => {
      const waiting = (await answer(listInvitations({}))).filter(({ status }) => status === 'pending')
      return waiting.sort((one, other) => other.createdAt.localeCompare(one.createdAt))
    },
    ...ANEW,
  })

export const useTokens = () =>
  useQuery({ queryKey: TOKENS, queryFn: () => answer(listTokens()).then(({ tokens }) => tokens), ...ANEW })

/**
 * Changes or deletes an entry of a list and refetches the list. An entry that another user deleted meanwhile counts
 * as deleted.
 * @param list the key of its query @returns whether it still exists @throws the server's refusal for an existing one
 */
export function useEntryChange(list: readonly string[]) {
  const client = useQueryClient()
  return async (id: string, change: Promise<unknown>): Promise<boolean> => {
    await Promise.allSettled([change])
    await client.invalidateQueries({ queryKey: list })
    const isThere = !!client.getQueryData<{ id: string }[]>(list)?.some(one => one.id === id)
    if (isThere) await change
    return isThere
  }
}

/** The scopes of tokens, from the least to the most. */
export const SCOPES = ['read', 'add', 'suggest', 'write'] as const

/** The name and the purpose of a scope. @param t of any namespace */
export function scopeWords(scope: Token['scope'], t: TFunction): { label: string; note: string } {
  return {
    read: { label: t('team:scopeRead'), note: t('team:scopeReadFor') },
    add: { label: t('team:scopeAdd'), note: t('team:scopeAddFor') },
    suggest: { label: t('team:scopeSuggest'), note: t('team:scopeSuggestFor') },
    write: { label: t('team:scopeWrite'), note: t('team:scopeWriteFor') },
  }[scope]
}

/** Days after which a token expires unless its owner chooses otherwise. */
export const DEFAULT_DAYS = 365
