/** Refuses unknown projects in the body of a request: a typing error would give access to nothing. */
import type { FastifyInstance } from 'fastify'
import { Failure } from '../../bundle/errors.ts'
import { missingProjects, noProjects } from '../../project/layout.ts'

/** @param member of the body @throws Failure `invalid` naming unknown projects */
export async function requireProjects(
  { store }: FastifyInstance,
  organization: string,
  slugs: readonly string[],
  member = 'projects',
): Promise<void> {
  const missing = await store.read(organization, snapshot => missingProjects(snapshot, slugs))
  if (missing.length > 0) throw new Failure('invalid', noProjects(member, missing))
}
