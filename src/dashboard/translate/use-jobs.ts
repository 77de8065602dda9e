/** The latest runs of machines over a project, and how far they are. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { answer } from '../api/answer.ts'
import { getJobs, type Job } from '../api/late-client.ts'
import { onChange, useLive } from '../live/live.ts'

/** Ms between two reads of a run, while the stream of events is away, and as a precaution while it is there. */
const POLLED_AFTER = { away: 2000, live: 15_000 }

/** Of the query. */
export const jobsKey = (slug: string) => ['project', slug, 'jobs']

/** Whether a run may still change. */
export const isUnderWay = ({ state }: Pick<Job, 'state'>): boolean => state === 'queued' || state === 'running'

/** The newest first. Events move the numbers; the end of a run reads it again. */
export function useJobs(slug: string) {
  const client = useQueryClient()
  const isLive = useLive() === 'live'
  useEffect(
    () =>
      onChange(heard => {
        if (heard.event !== 'job' || heard.job.project !== slug) return
        const { id, state, done, of, written } = heard.job
        const known = client.getQueryData<Job[]>(jobsKey(slug))?.find(job => job.id === id)
        if (!known || known.state !== state) return void client.invalidateQueries({ queryKey: jobsKey(slug) })
        client.setQueryData<Job[]>(jobsKey(slug), jobs =>
          jobs?.map(job => (job.id === id ? { ...job, done, of, written } : job)),
        )
      }),
    [slug, client],
  )
  return useQuery({
    queryKey: jobsKey(slug),
    queryFn: ({ signal }) => answer(getJobs({ slug }, { signal })).then(({ jobs }) => jobs),
    refetchInterval: ({ state }) =>
      state.data?.some(isUnderWay) === true && (isLive ? POLLED_AFTER.live : POLLED_AFTER.away),
  })
}
