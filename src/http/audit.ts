/** An organization's audit trail, for its owners: sign-ins, and changes to members, invitations and tokens. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { EVENTS } from '../auth/audit.ts'
import { Failure } from '../bundle/errors.ts'
import { parseTime } from '../store/revisions/iso-time.ts'
import { requireCaller } from './requests/caller.ts'
import { badCursor, readLimit, readOnce, readWord } from './requests/query.ts'
import { denied, next, paged } from './requests/shapes.ts'

const LIMIT = { most: 100, otherwise: 20 }

const Entry = z
  .object({
    id: z.string(),
    time: z.iso.datetime().describe('In UTC.'),
    what: z.enum(EVENTS),
    by: z
      .enum(['user', 'operator', 'nobody'])
      .describe("`operator`: a command on the server's machine; `nobody`: a request without proof of identity."),
    who: z
      .object({ id: z.string(), email: z.string() })
      .nullable()
      .describe('The user, with the address of that time.'),
    about: z
      .object({
        type: z.enum(['user', 'token', 'invitation', 'organization']),
        id: z.string().nullable().describe('Null for an invitation: its id grants access.'),
        name: z.string().describe('Of a user or an invitation the address; never a key.'),
      })
      .nullable(),
    from: z.string().nullable().describe('What it was before: a role, a name, the scope of a token.'),
    to: z.string().nullable().describe('What it became.'),
    address: z.string().nullable().describe("The client's IP address."),
  })
  .meta({
    id: 'AuditEntry',
    examples: [
      {
        id: '42',
        time: '2026-11-22T09:30:00.000Z',
        what: 'token-minted',
        by: 'user',
        who: { id: 'oxbKBE03s4iLXqmtQ2GQ7GdqCy7EdkjI', email: 'ann@example.com' },
        about: { type: 'token', id: 'k3tR8sLq2vXw', name: 'ci' },
        from: null,
        to: 'write',
        address: '203.0.113.7',
      },
    ],
  })

/** Adds the route to a scope behind `identify`. */
export function auditRoutes(app: FastifyInstance): void {
  const read = {
    tags: ['Audit'],
    security: [{ session: [] }],
    operationId: 'getAudit',
    summary: 'Who signed in, and who did what to members, invitations and tokens',
    description:
      'Needs the role owner. Newest first. Entries stay for a year: the newest 10,000 acts, 5,000 sign-ins and -outs and ' +
      '1,000 failed sign-ins of an organization.',
    querystring: z.object({
      what: z.enum(EVENTS).optional().describe('Only entries of this kind.'),
      user: z.string().optional().describe('Only what this user, given by id or address, did or was done to.'),
      at: z
        .string()
        .optional()
        .describe(
          'Only entries that are not later than this time, such as `2026-11-20` or `2026-11-20T09:30:00+02:00`.',
        ),
      ...paged(LIMIT, 'rows'),
    }),
    response: {
      200: z.object({ entries: z.array(Entry), next }).describe('A page of entries.'),
      ...denied,
    },
  }
  app.get('/api/audit', { schema: read }, async request => {
    const { organization } = requireCaller(request, 'read-audit')
    const page = await app.auth.audit.read(organization, {
      what: readWord(request, 'what', EVENTS, `one of ${EVENTS.join(', ')}`),
      user: readOnce(request, 'user'),
      until: timeOf(request),
      after: readOnce(request, 'cursor'),
      limit: readLimit(request, LIMIT),
    })
    if (page === undefined) throw badCursor()
    return page
  })
}

/** The last millisecond included. @throws Failure `invalid` */
function timeOf(request: FastifyRequest): number | undefined {
  const at = readOnce(request, 'at')
  if (at === undefined) return undefined
  const second = parseTime(at)
  if (second !== undefined) return second * 1000 + 999
  throw new Failure('invalid', 'The query parameter at must be a time such as 2026-11-20T09:30:00Z.')
}
