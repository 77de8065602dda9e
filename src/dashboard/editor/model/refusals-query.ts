/** The texts of a language whose translations by a machine the gate refused. */
import { queryOptions } from '@tanstack/react-query'
import { answer } from '../../api/answer.ts'
import type { GateFault } from '../../api/late-client.ts'
import { machinesFor, machinesQuery } from '../../api/use-machines.ts'

/** A refused text. */
export interface Refusal {
  namespace: string
  key: string
  machine: string
  faults: GateFault[]
}

/** The start of the keys of the queries. */
export const refusalsKey = (slug: string) => ['project', slug, 'jobs', 'refusals'] as const

/** Without a machine for the language nothing is asked. A run of a machine renews it. */
export const refusalsQuery = (slug: string, language: string) =>
  queryOptions({
    queryKey: [...refusalsKey(slug), language],
    queryFn: async ({ client, signal }): Promise<readonly Refusal[]> => {
      const machines = await client.ensureQueryData(machinesQuery).catch(() => [])
      if (machinesFor(machines, language).length === 0) return []
      const { getRefusals } = await import('../../api/late-client.ts')
      return (await answer(getRefusals({ slug, language }, { signal }))).refusals
    },
    retry: false,
  })
