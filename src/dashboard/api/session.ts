/** Who looks at the page: the signed-in user, the active organization and what the role allows. */
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { answer, Problem } from './answer.ts'
import { getSession, listOrganizations, type Organization, type User, type Who, whoami } from './client.ts'

/** What the page knows of its reader. */
export interface Viewer {
  user: User
  /** The active organization with the role in it; null where the user is in none, or no longer in the active one. */
  who: Who | null
  organizations: Organization[]
}

/** Key of the query that {@link useViewer} reads; invalidate it after sign-in, sign-out and a change of organization. */
export const VIEWER = ['viewer'] as const

async function viewer(): Promise<Viewer | null> {
  const session = await answer(getSession({}))
  if (!session) return null
  const [who, organizations] = await Promise.all([
    answer(whoami()).catch(error => {
      if (error instanceof Problem && error.status === 403) return null
      throw error
    }),
    answer(listOrganizations()),
  ])
  return { user: session.user, who, organizations }
}

/** The reader; `data` is null for nobody. */
export const useViewer = () => useQuery({ queryKey: VIEWER, queryFn: viewer, staleTime: 60_000 })

/** The reader within pages that only signed-in members of an organization see. */
export function useMember(): { user: User; who: Who } {
  const { data } = useViewer()
  if (!data?.who) throw new Error('useMember outside of the pages for members')
  return { user: data.user, who: data.who }
}

/** Whether the role may manage projects, members and tokens. */
export const mayManage = ({ role }: Who): boolean => role === 'owner' || role === 'admin'

/** Forgets all that was read for someone else: after sign-in, sign-out and a change of organization. */
export async function readAnew(queries: QueryClient): Promise<void> {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== VIEWER[0] })
  await queries.invalidateQueries({ queryKey: VIEWER })
}
