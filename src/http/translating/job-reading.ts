/** The newest state of a project, as a job reads it. */
import type { FastifyInstance } from 'fastify'
import type { MemoryState } from '../../memory/translation-memory.ts'
import { requireProject } from '../../project/layout.ts'
import { pinnedAt } from '../reading/pinned-state.ts'
import type { MachineReading } from '../reading/texts-for-machine.ts'

/** A pinned state, for the memory too. */
export interface JobReading extends MachineReading {
  memory: MemoryState
  revision: string | null
}

/** @throws Failure `not-found` for a project that has gone */
export async function jobReading(
  app: Pick<FastifyInstance, 'store' | 'worker'>,
  organization: string,
  slug: string,
  left: AbortSignal,
): Promise<JobReading> {
  const { project, revision, root } = await app.store.read(organization, now => {
    return { project: requireProject(now, slug), revision: now.revision, root: now.root }
  })
  const pinned = pinnedAt(app, organization, revision)
  return { project, pinned, left, revision, memory: { organization, root, look: pinned.look } }
}
