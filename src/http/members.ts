/** The rights by language of an organization's members, for its owners and admins. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { checkRights, projectsOf } from '../auth/rights.ts'
import { Failure } from '../bundle/errors.ts'
import { actingIn, requireCaller } from './requests/caller.ts'
import { requireProjects } from './requests/require-projects.ts'
import { RightsShape } from './requests/rights-shape.ts'
import { component, denied, failures, type Sends, text } from './requests/shapes.ts'

const id = text('The id of the membership, from the list of members.', 'HV0ynBZXjIVcy94mGJ8NDlY30DqXiIJS')
const rights = RightsShape.nullable().describe('Null: everything that the role member may do.')
const NewRights = z.strictObject({ rights }).meta({ id: 'NewRights' })
const MemberRights = component('MemberRights', { id, rights })

/** Adds the route to a scope behind `identify`. */
export function memberRoutes(app: FastifyInstance): void {
  const set = {
    tags: ['Rights'],
    security: [{ session: [] }],
    operationId: 'setMemberRights',
    summary: 'Set the languages that a member may write',
    description:
      'Needs the role owner or admin. Rights add up, and the strongest one that covers a language counts; elsewhere the ' +
      'member only reads. They narrow the role member alone: the membership of an owner or admin is 409. The answer comes ' +
      'when no further write without the new rights can succeed.',
    params: z.object({ id }),
    body: NewRights,
    response: {
      200: MemberRights.describe('The membership and its rights.'),
      ...denied,
      ...failures('not-found', 'conflict', 'too-large', 'unsupported-media', 'unavailable', 'no-space'),
    },
  }
  const config = { permission: 'manage-members' } as const
  type Set = { Params: { id: string } } & Sends<typeof NewRights>
  app.put<Set>('/api/members/:id/rights', { schema: set, config }, async (request, reply) => {
    const caller = requireCaller(request, 'manage-members')
    const { id } = request.params
    const rights = request.body.rights && checkRights(request.body.rights)
    if (rights) await requireProjects(app, caller.organization, projectsOf(rights), 'rights')
    if (!(await app.auth.setRights(caller, id, rights, actingIn(request, caller)))) {
      throw new Failure('not-found', 'The organization has no membership of this id.')
    }
    return reply.send({ id, rights })
  })
}
