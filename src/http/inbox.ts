/** The inbox of a member: what others did that concerns them, derived from the commits of the organization. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Caller } from '../auth/access.ts'
import { Failure } from '../bundle/errors.ts'
import { mentionsOf } from '../bundle/mentions.ts'
import { type InboxMember, ITEM_KINDS } from '../inbox/inbox-items.ts'
import { type InboxPosition, isNewer, placesOf, positionText, readPosition } from '../inbox/inbox-position.ts'
import type { InboxReader } from '../inbox/inbox-reader.ts'
import type { LookAtPast } from '../store/revisions/past.ts'
import { sendJson } from './answers/conditional.ts'
import { inboxState } from './reading/inbox-state.ts'
import { resolveCursor, resolveFor } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import { badCursor, cursorOf, readCursor, readLimit, readWord } from './requests/query.ts'
import {
  component,
  count,
  denied,
  failures,
  flag,
  key,
  language,
  like,
  namespace,
  next,
  paged,
  reading,
  type Sends,
  slug,
  text,
  time,
} from './requests/shapes.ts'

const LIMIT = { most: 100, otherwise: 20 }
/** Items that a request counts. */
const MAX_COUNTED = 200

const id = text('The id of the item: a commit and a number.', 'e4f927de68739af7dd1d2434857fa8223e4aed89-0')
const Item = component('InboxItem', {
  id,
  kind: z
    .enum(ITEM_KINDS)
    .describe(
      '`mention`: a comment names the member. `reply`: a comment on a key that the member has commented on. ' +
        '`suggestion`: it waits in a language that the member reviews. `accepted`, `rejected`: own suggestions. `stale`: ' +
        'a source text changed, and the rights of the member name the language of its translation.',
    )
    .meta({ examples: ['mention'] }),
  project: slug,
  namespace,
  key: key.describe('The key; the first one where `keys` says that there are several.'),
  keys: like(z.int().min(2).max(200).optional(), 12).describe(
    'The number of keys, of one commit, bundle and author. Absent for one key.',
  ),
  language: language.optional().describe('Absent of a comment on all languages.'),
  by: z
    .object({
      id: like(z.string().nullable(), 'u4fTq9').describe('The user or token; null where git has only a name.'),
      name: text('The name at that time, of a person, a token or a machine.', 'Ann'),
    })
    .describe('Who did it.'),
  date: time.describe('When it was committed.'),
  text: text(
    'Of a comment: its present text. Of a rejected suggestion: the reason, if one was given.',
    '@Ben Is this a verb?',
  ).optional(),
})
const Inbox = component('Inbox', {
  items: z.array(Item).describe('The newest first.'),
  unread: count('The unread items found so far; a minimum as long as `next` is not null. At most 200 a request.', 1),
  next,
})
const ReadUntil = z
  .strictObject({
    until: z.string().describe('The id of an item: it and all older ones are read. `all`: everything there is.'),
  })
  .meta({ id: 'ReadUntil', examples: [{ until: 'all' }] })
const Settings = z
  .strictObject({ digest: like(z.boolean(), true).describe('Whether the member gets a mail a day.') })
  .meta({ id: 'NewInboxSettings', examples: [{ digest: true }] })
const StoredSettings = component('InboxSettings', {
  digest: Settings.shape.digest,
  mail: like(z.boolean(), true).describe('Whether the server sends mail: without its setting `SMTP_URL` it does not.'),
})

const cursorShape = z.tuple([z.string(), z.int().min(0)])
const session: Record<string, string[]>[] = [{ session: [] }]

/** Adds the routes to a scope behind `identify`. @param sendsMail whether the server has a mail server */
export function inboxRoutes(app: FastifyInstance, reader: InboxReader, sendsMail: boolean): void {
  const { inboxes } = app.auth
  const tags = ['Inbox']
  const config = { permission: 'own-inbox' } as const
  const inTurn = inTurns('inboxes')

  const list = {
    tags,
    operationId: 'getInbox',
    summary: 'What others did that concerns the caller',
    description:
      'Derived from the commits since the caller last read it, at first since the caller joined. Own acts are no items. ' +
      'An item disappears with its comment or suggestion, and with the stale text. A request looks at 500 commits at ' +
      'most: a page may hold fewer items than `limit`, even none, and still have a `next`.',
    querystring: z.object({
      decided: flag.describe(
        "`true`: what became of the caller's own suggestions since the caller joined, read or not. `unread` counts these then.",
      ),
      ...paged(LIMIT, 'items'),
    }),
    ...reading(Inbox.describe('A page of unread items.'), 'unavailable'),
    security: session,
  }
  app.get('/api/inbox', { schema: list, config }, async (request, reply) => {
    const caller = requireCaller(request, 'own-inbox')
    const limit = readLimit(request, LIMIT)
    const decided = readWord(request, 'decided', ['true', 'false']) === 'true'
    const [place, seen] = readCursor(request, cursorShape) ?? [undefined, 0]
    const from = place === undefined ? undefined : readPosition(place)
    if (place !== undefined && from === undefined) throw badCursor()
    if (from) await resolveCursor(request, from.revision)
    await inTurn(reply, async left => {
      const { since, readTo, readTime } = await inboxes.read(caller)
      const read = {
        organization: caller.organization,
        member: memberOf(app, caller),
        ...{ from, limit: MAX_COUNTED, left },
        ...(decided ? { onlyEnded: true } : { to: placesOf(readTo) }),
        since: (decided ? null : readTime) ?? Math.floor(since / 1000),
      }
      const page = await reader.page(read, await inboxState(app, caller.organization))
      const items = page.items.slice(0, limit)
      const further = page.items[limit]
      const after = further ? readPosition(further.id)! : page.next
      sendJson(reply, {
        items,
        unread: seen + page.items.length,
        next: after && cursorOf(positionText(after), seen + items.length),
      })
    })
  })

  const writes = failures('too-large', 'unsupported-media', 'unavailable', 'no-space')
  const mark = {
    tags,
    security: session,
    operationId: 'readInbox',
    summary: 'Mark items as read',
    description: 'An item that is older than what was read already changes nothing.',
    body: ReadUntil,
    response: { 204: { description: 'Read.' }, ...denied, ...failures('not-found'), ...writes },
  }
  app.post<Sends<typeof ReadUntil>>('/api/inbox/read', { schema: mark, config }, async (request, reply) => {
    const caller = requireCaller(request, 'own-inbox')
    const until = await placeOf(request, request.body.until)
    if (until === undefined) return reply.code(204).send()
    const { readTo, readTime } = await inboxes.read(caller)
    const known = readTo === null ? undefined : readPosition(readTo)
    const past: LookAtPast = use => app.store.look(caller.organization, use)
    const isLater = known === undefined || (await isNewer(past, until, { ...known, time: readTime! }))
    if (isLater) await inboxes.markRead(caller, positionText(until), until.time)
    return reply.code(204).send()
  })

  const settings = {
    tags,
    security: session,
    operationId: 'getInboxSettings',
    summary: 'How the caller hears of new items',
    description: 'The digest is off until a member switches it on.',
    response: { 200: StoredSettings.describe('The settings of the caller.'), ...denied, ...failures('unavailable') },
  }
  app.get('/api/inbox/settings', { schema: settings, config }, async request => {
    const { digest } = await inboxes.read(requireCaller(request, 'own-inbox'))
    return { digest, mail: sendsMail }
  })

  const change = {
    tags,
    security: session,
    operationId: 'setInboxSettings',
    summary: 'Switch the daily digest on or off',
    description:
      'At most one mail a day, only when there is something new: numbers and links. Without a mail server the switch ' +
      'waits for one.',
    body: Settings,
    response: { 200: StoredSettings.describe('The settings as stored.'), ...denied, ...writes },
  }
  app.put<Sends<typeof Settings>>('/api/inbox/settings', { schema: change, config }, async request => {
    const { digest } = request.body
    await inboxes.setDigest(requireCaller(request, 'own-inbox'), digest)
    return { digest, mail: sendsMail }
  })
}

/** The owner of an inbox, with the present names of the organization's members. */
export function memberOf(
  { auth }: Pick<FastifyInstance, 'auth'>,
  { id, email, organization, rights }: Pick<Caller, 'id' | 'email' | 'organization' | 'rights'>,
): InboxMember {
  return { id, email, rights, isMentionedIn: mentionsOf(id, auth.members(organization)) }
}

/** The place of an item, undefined before the first commit. @throws Failure `not-found` */
async function placeOf(
  request: FastifyRequest,
  until: string,
): Promise<(InboxPosition & { time: number }) | undefined> {
  const { organization } = requireCaller(request, 'own-inbox')
  const { store } = request.server
  const newest = until === 'all' ? await store.read(organization, ({ revision }) => revision) : undefined
  if (newest === null) return undefined
  const place = newest === undefined ? readPosition(until) : { revision: newest, n: 0 }
  if (place === undefined) throw noItem(until)
  try {
    await resolveFor(request, place.revision)
    return { ...place, time: (await store.commit(organization, place.revision)).time }
  } catch (error) {
    throw error instanceof Failure && error.code === 'not-found' ? noItem(until) : error
  }
}

const noItem = (until: string) =>
  new Failure('not-found', `The inbox has no item ${JSON.stringify(until.slice(0, 100))}.`)
