/** The texts of a language whose translations by a machine the gate refused. */
import type { QueryFunctionContext } from '@tanstack/react-query'
import type { GateFault } from '../../api/late-client.ts'

/** A refused text. */
export interface Refusal {
  namespace: string
  key: string
  machine: string
  faults: GateFault[]
}

/** The start of the keys of the queries. A run of a machine outdates them. */
export const refusalsKey = (slug: string) => ['project', slug, 'jobs', 'refusals']

export const refusalsQuery = (slug: string, language: string) => ({
  queryKey: [...refusalsKey(slug), language],
  queryFn: async (context: QueryFunctionContext): Promise<readonly Refusal[]> =>
    (await import('../saving/read-marks.ts')).readRefusals(slug, language, context),
})
