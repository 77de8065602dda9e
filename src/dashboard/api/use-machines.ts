/** The machine translators of the server, for the parts of the dashboard that offer them. */
import { type QueryFunctionContext, useQuery } from '@tanstack/react-query'
import { answer } from './answer.ts'
import type { Machine } from './late-client.ts'

const NONE: readonly Machine[] = []

/** Its answer may be older than the operator's list. */
export const machinesQuery = {
  queryKey: ['machines'],
  queryFn: async ({ signal }: QueryFunctionContext): Promise<readonly Machine[]> => {
    const { getMachines } = await import('./late-client.ts')
    return (await answer(getMachines({}, { signal }))).machines
  },
  retry: false,
}

/**
 * Undefined until they are read; none where the operator's list has a fault. Their client loads on request: most pages
 * have no use for it.
 */
export function useMachines(): readonly Machine[] | undefined {
  const { data, isError } = useQuery(machinesQuery)
  return isError ? NONE : data
}

/** The machines that translate into a language: `de` in a list stands for `de-AT` too. */
export const machinesFor = (machines: readonly Machine[] = [], language: string): readonly Machine[] =>
  machines.filter(
    ({ languages }) =>
      languages === null || languages.includes(language) || languages.includes(language.split('-')[0]!.toLowerCase()),
  )
