/** The Atom feed of an inbox: its secret address, by session, and the feed itself, which needs no other credential. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { FeedKey, InboxOwner } from '../auth/member-inboxes.ts'
import { Failure } from '../bundle/errors.ts'
import { ATOM_TYPE, atomFeed } from '../inbox/atom-feed.ts'
import type { InboxReader } from '../inbox/inbox-reader.ts'
import { projectIn } from '../project/layout.ts'
import { idOf, REVALIDATED, sendUnchanged } from './answers/conditional.ts'
import type { RequestLimits } from './bounds/request-limits.ts'
import { memberOf } from './inbox.ts'
import { inboxState } from './reading/inbox-state.ts'
import { actingIn, requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import { readOnce } from './requests/query.ts'
import { answer, component, denied, failures, like, text, time } from './requests/shapes.ts'

/** Items of a feed. */
const MAX_ITEMS = 50

const Feed = component('InboxFeed', {
  url: like(
    z.string().nullable(),
    'https://parlance.example.com/api/inbox.atom?key=HV0ynBZXjIVc.9f3Kq0YbVtWm',
  ).describe(
    'The secret address: its holder reads the inbox. A path, or an address with `BASE_URL`. Null before the first one.',
  ),
  createdAt: time.nullable().describe('When this address was created.'),
})

/** What the routes need beside the app. @param baseUrl as in Config @param limits without them nothing is counted */
interface FeedOptions {
  reader: InboxReader
  baseUrl: string | undefined
  limits: RequestLimits | undefined
}

/** Adds the routes of the address to a scope behind `identify`. */
export function inboxFeedRoutes(app: FastifyInstance, { baseUrl }: Pick<FeedOptions, 'baseUrl'>): void {
  const { inboxes } = app.auth
  const config = { permission: 'own-inbox' } as const
  const common = { tags: ['Inbox'], security: [{ session: [] }] }
  const shown = (reply: FastifyReply, feed: FeedKey | undefined) => {
    const url = feed ? `${baseUrl ?? ''}/api/inbox.atom?key=${encodeURIComponent(feed.key)}` : null
    const createdAt = feed ? new Date(feed.time).toISOString() : null
    return reply.header('cache-control', 'no-store').send({ url, createdAt })
  }

  const read = {
    ...common,
    operationId: 'getInboxFeed',
    summary: 'The secret address of the own feed',
    description: 'Any feed reader reads the inbox there, without a mail server.',
    response: {
      200: answer(Feed.describe('The address.'), 'Cache-Control'),
      ...denied,
      ...failures('unavailable'),
    },
  }
  app.get('/api/inbox/feed', { schema: read, config }, async (request, reply) =>
    shown(reply, await inboxes.feedKey(requireCaller(request, 'own-inbox'))),
  )

  const renew = {
    ...common,
    operationId: 'renewInboxFeed',
    summary: 'Create or replace the secret address of the own feed',
    description: 'The previous address is 404 when the answer comes. The audit trail has an entry of it.',
    response: {
      201: answer(Feed.describe('The new address.'), 'Cache-Control'),
      ...denied,
      ...failures('unavailable', 'no-space'),
    },
  }
  app.post('/api/inbox/feed', { schema: renew, config }, async (request, reply) => {
    const caller = requireCaller(request, 'own-inbox')
    const feed = await inboxes.renewFeedKey(caller, actingIn(request, caller))
    return shown(reply.code(201), feed)
  })
}

/** Adds the feed, which is open to every holder of its address. */
export function inboxAtomRoute(app: FastifyInstance, { reader, baseUrl, limits }: FeedOptions): void {
  const { inboxes } = app.auth
  const inTurn = inTurns('feeds')
  const schema = {
    tags: ['Inbox'],
    security: [],
    operationId: 'getInboxAtom',
    summary: 'The inbox as an Atom feed',
    description: `The newest ${MAX_ITEMS} items, read or unread, of the last 500 commits. Any other key is 404.`,
    querystring: z.object({
      key: z.string().optional().describe('The secret of the feed, as `GET /api/inbox/feed` has it.'),
    }),
    headers: z.object({ 'if-none-match': z.string().optional().describe('An entity tag read before.') }),
    response: {
      200: {
        description: 'The feed.',
        body: text('Atom 1.0.', '<feed xmlns="http://www.w3.org/2005/Atom">…</feed>'),
        type: 'application/atom+xml',
        headers: ['ETag', 'Cache-Control'] as const,
      },
      304: { description: 'Unchanged.', headers: ['ETag', 'Cache-Control'] as const },
      ...failures('invalid', 'not-found', 'too-many', 'unavailable'),
    },
  }
  app.get('/api/inbox.atom', { schema }, async (request, reply) => {
    reply.header('cache-control', REVALIDATED).header('referrer-policy', 'no-referrer')
    const owner = app.mayRead() ? await inboxes.ownerOfFeed(readOnce(request, 'key') ?? '') : undefined
    if (owner === undefined) throw refusal(request, limits)
    const excess = limits?.excess(callerOf(owner), 'read')
    if (excess) throw excess
    await inTurn(reply, async left => send(request, reply, owner, left))
    return reply
  })

  const send = async (request: FastifyRequest, reply: FastifyReply, owner: InboxOwner, left: AbortSignal) => {
    const { organization, user, rights } = owner
    const state = await inboxState(app, organization)
    const { membership, since } = await inboxes.read({ id: user.id, organization })
    const member = memberOf(app, { ...user, organization, rights })
    const asked = { organization, member, since: Math.floor(since / 1000), limit: MAX_ITEMS, left }
    const { items } = await reader.page(asked, state)
    const sourceLanguages = await state.look(snapshot => {
      const slugs = [...new Set(items.map(({ project }) => project))]
      return new Map(slugs.map(slug => [slug, projectIn(snapshot, slug)?.sourceLanguage]))
    })
    // The Host of a request may be forged: without the setting, links are relative to the feed.
    const base = baseUrl ?? '..'
    const name = app.auth.named(organization)?.name ?? ''
    const key = readOnce(request, 'key')!
    const bytes = atomFeed(items, { membership, organization: name, key, base, since, sourceLanguages })
    if (sendUnchanged(reply, idOf(bytes))) return
    reply.type(ATOM_TYPE).send(bytes)
  }
}

/** The sentence names no key. */
function refusal(request: FastifyRequest, limits: RequestLimits | undefined): Failure {
  const failure = new Failure('not-found', 'There is no feed with this key: its owner may have renewed the address.')
  return limits ? limits.refuse(request, failure) : failure
}

const callerOf = ({ user, organization, role }: InboxOwner) => ({
  ...user,
  ...{ kind: 'session' as const, scope: 'write' as const, organization, role },
})
