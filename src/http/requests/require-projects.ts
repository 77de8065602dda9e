/** Refuses unknown projects in the body of a request: a typing error would give access to nothing. */
import type { FastifyInstance } from 'fastify'
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { checkSlug } from '../../bundle/names.ts'
import { projectPath } from '../../project/project.ts'

/** @param member of the body @throws Failure `invalid` naming unknown projects */
export async function requireProjects(
  { store }: FastifyInstance,
  organization: string,
  slugs: readonly string[],
  member = 'projects',
): Promise<void> {
  const paths = slugs.map(slug => projectPath(checkSlug(slug)))
  const unknown = await store.read(organization, snapshot => slugs.filter((_, at) => !snapshot.entry(paths[at]!)))
  if (unknown.length === 0) return
  throw new Failure('invalid', `The body does not fit: "${member}" names what is no project: ${quoteSome(unknown)}.`)
}
