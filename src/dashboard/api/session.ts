/** The reader: the signed-in user, the active organization and the rights of the role. */
import { type QueryClient, type QueryFilters, type QueryFunctionContext, useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { ApiProblem, answer } from './answer.ts'
import { getSession, listOrganizations, type Organization, type User, type Who, whoami } from './client.ts'

/** The reader's session, organizations and role. */
export interface Viewer {
  user: User
  /** The active organization with the role in it; null where the user is in none, or no longer in the active one. */
  who: Who | null
  organizations: Organization[]
}

/** Key of the query that {@link useViewer} reads; invalidate it after sign-in and a change of organization. */
export const VIEWER = ['viewer'] as const

async function viewer({ client }: QueryFunctionContext): Promise<Viewer | null> {
  const session = await answer(getSession({}))
  if (!session) {
    // The dashboard stays as it is until the reader has signed in again.
    if (client.getQueryData(VIEWER)) throw new ApiProblem(401, 'The session has ended.')
    return null
  }
  const listed = answer(listOrganizations())
  // Without an organization there is no role to ask for.
  const isSomewhere = session.session.activeOrganizationId !== null || (await listed).length > 0
  const who = isSomewhere ? answer(whoami()).catch(nullIfOutside) : null
  const [role, organizations] = await Promise.all([who, listed])
  return { user: session.user, who: role, organizations }
}

/** Null if the active organization was deleted or the reader has left it. */
function nullIfOutside(error: unknown): null {
  if (error instanceof ApiProblem && error.status === 403) return null
  throw error
}

/**
 * The reader; `data` is null without a session. When a session ends, the data stays, with an `error` of status 401.
 */
export const useViewer = () => useQuery({ queryKey: VIEWER, queryFn: viewer, staleTime: 60_000 })

/** A reader who is in an organization. */
type Member = Viewer & { who: Who }

/**
 * The reader, for pages that need a member of an organization. The query may be newer: the membership may have ended
 * since the last render.
 */
export const MemberContext = createContext<Member | undefined>(undefined)

/** Whether the reader is in an organization. */
export const isMember = (viewer: Viewer): viewer is Member => viewer.who !== null

/** The reader within {@link MemberContext}. */
export function useMember(): Member {
  const member = useContext(MemberContext)
  if (!member) throw new Error('useMember outside of the pages for members')
  return member
}

/** Whether the role may manage projects, members and tokens. */
export const mayManage = ({ role }: Who): boolean => role === 'owner' || role === 'admin'

const OF_READER: QueryFilters = { predicate: ({ queryKey }) => queryKey[0] !== VIEWER[0] }

/** Removes all cached data of another user or organization: after sign-in and a change of organization. */
export async function forgetQueries(queries: QueryClient): Promise<void> {
  queries.removeQueries(OF_READER)
  await queries.invalidateQueries({ queryKey: VIEWER })
}

/** Resets all queries after a change of organization on a page that stays open. */
export async function resetQueries(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: VIEWER })
  await queries.resetQueries(OF_READER)
}

/** Forgets the reader and all that was read: after a sign-out. */
export function forgetReader(queries: QueryClient): void {
  queries.setQueryData(VIEWER, null)
  queries.removeQueries(OF_READER)
}
