/** The query client, and reads that several folders share. Query keys begin with what live events name. */
import { QueryClient, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { ApiProblem, answer } from './answer.ts'
import { getManifest, getStatus, listProjects } from './client.ts'
import { isReached, onServer } from './connection.ts'

/** Answers are cached until an event or an own write outdates them. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5 * 60_000,
      // A refused request would be refused again.
      retry: (failures, error) =>
        (!(error instanceof ApiProblem) || error.status === 0 || error.status >= 500) && failures < 3,
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

export const isNotFound = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404

const subscribe = (changed: () => void) => onServer('reached', changed)

/** Whether the last request reached the server. */
export const useReached = (): boolean => useSyncExternalStore(subscribe, isReached)

export const useProjects = () =>
  useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => answer(listProjects({}, { signal })).then(({ projects }) => projects),
  })

/** The name of a project; its slug while the name is unknown. */
export function useProjectName(slug: string): { name: string; isPending: boolean } {
  const { data, isPending } = useProjects()
  return { name: data?.find(project => project.slug === slug)?.name ?? slug, isPending }
}

export const useManifest = (slug: string) =>
  useQuery({
    queryKey: ['project', slug, 'manifest'],
    queryFn: ({ signal }) => answer(getManifest({ slug }, { signal })),
  })

export const useStatus = (slug: string) =>
  useQuery({
    queryKey: ['project', slug, 'status'],
    queryFn: ({ signal }) => answer(getStatus({ slug }, { signal })),
  })
