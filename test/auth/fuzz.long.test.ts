/**
 * Every route of better-auth with what fits its description, what nearly fits and what does not: never a failure of the
 * server.
 */
import fc from 'fast-check'
import t from 'tap'
import { startServer } from '../contract/server.ts'
import { type Document, encode, operationsOf } from '../http/fuzz/from-openapi.ts'
import { bodiesWithOneWrong, queriesWithOneWrong, wholeOf } from '../http/fuzz/one-wrong.ts'
import { hostileValue, mostly, valueFor } from '../http/fuzz/values.ts'
import { admit, openAuth } from './open.ts'
import { PASSWORD, type Visitor } from './visitor.ts'

const runs = Number(process.env.FUZZ ?? 1)

const QUERY = [
  ...['limit', 'offset', 'sortBy', 'sortDirection', 'filterField', 'filterValue', 'filterOperator', 'membersLimit'],
  ...[
    'id',
    'userId',
    'email',
    'organizationId',
    'organizationSlug',
    'disableRefresh',
    'disableCookieCache',
    'callbackURL',
  ],
]

t.test('no request fails the server', async t => {
  t.setTimeout(0)
  const { user, errors } = await openAuth(t)
  const [ann, ben] = [await user('ann'), await user('ben')]
  const acme = await ann.found('acme')
  await admit(ann, ben, 'ben', 'admin', acme)
  const { members } = (await ann.get('/organization/list-members')).body
  const invited = await ann.post('/organization/invite-member', { email: 'cid@example.com', role: 'member' })
  const known = {
    organizationId: [acme],
    organizationSlug: ['acme'],
    invitationId: [invited.body.id],
    id: [invited.body.id],
    memberId: members.map(({ id }: { id: string }) => id),
    memberIdOrEmail: ['ben@example.com'],
    userId: [members[0].userId],
    email: ['ann@example.com', 'dan@example.com'],
    password: [PASSWORD],
    currentPassword: [PASSWORD],
    newPassword: [PASSWORD],
    role: ['member', 'admin', 'owner'],
    slug: ['acme', 'other'],
    sortBy: ['createdAt', 'nope', 'user', 'organization'],
    filterField: ['role', 'nope', 'createdAt'],
    filterOperator: ['eq', 'in', 'not_in', 'lt', 'contains', 'nope'],
    sortDirection: ['asc', 'up'],
    limit: ['1', '-1', '1e99', 'NaN', ''],
  }
  const pair = fc.constantFrom(...QUERY).chain(name => {
    const fitting = (known as Record<string, string[]>)[name] ?? ['x']
    return fc.tuple(fc.constant(name), mostly(30, fc.constantFrom(...fitting), hostileValue))
  })
  const query = fc
    .array(pair, { maxLength: 5 })
    .map(pairs => (pairs.length > 0 ? `?${pairs.map(([name, value]) => `${name}=${encode(value)}`).join('&')}` : ''))
  const seen = new Map<number, number>()
  const document = (await (await startServer(t)).get('/api/openapi.json')).json as Document
  // First those that change nothing that the others ask for.
  const operations = operationsOf(document)
    .filter(({ path }) => path.startsWith('/api/auth/'))
    .sort((one, other) => Number(other.method === 'GET') - Number(one.method === 'GET'))
  t.ok(operations.length > 30)
  for (const { method, path: whole, parameters = [], requestBody } of operations) {
    const path = whole.slice('/api/auth'.length)
    // Those would leave no user to go on with.
    const callers: Visitor[] = /sign-out|revoke|leave|delete/.test(path) ? [ben] : [ann, ben]
    const schema = requestBody?.content['application/json']?.schema ?? {}
    const body = fc.constantFrom(0, 8, 40).chain(malice => valueFor(schema, known, malice))
    const ask = async (who: Visitor, query: string, body: unknown) => {
      const answer = await who.request(method, path + query, method === 'GET' ? undefined : body)
      const { status } = answer
      seen.set(status, (seen.get(status) ?? 0) + 1)
      if (status >= 500) t.fail(`${method} ${path}${query} ${JSON.stringify(body)}: ${status} ${answer.body?.error}`)
      if (status >= 400 && !/^[A-Z"].* .*$/su.test(answer.body.error)) t.fail(`no sentence: ${answer.body.error}`)
      if (/^\[(body|query)|Invalid input|_NOT_FOUND:/.test(answer.body?.error)) t.fail(`raw: ${answer.body.error}`)
    }
    for (const body of bodiesWithOneWrong(wholeOf(schema, known))) await ask(callers[0]!, '', body)
    const named = parameters.filter(one => one.in === 'query')
    for (const query of queriesWithOneWrong(named, known)) await ask(callers[0]!, `?${new URLSearchParams(query)}`, {})
    const asked = fc.tuple(fc.constantFrom(...callers), query, body)
    for (const all of fc.sample(asked, method === 'GET' ? runs * 5 : runs * 2)) await ask(...all)
    await ben.signIn('ben')
    await ann.signIn('ann')
    if ((await ann.get('/organization/list-members')).status !== 200) {
      await ann.post('/organization/set-active', { organizationId: acme })
    }
    await ann.post('/organization/update', { data: { slug: 'acme' }, organizationId: acme })
  }
  t.same(errors, [])
  t.ok((seen.get(200) ?? 0) > 20 && (seen.get(400) ?? 0) > 20, JSON.stringify([...seen]))
})

t.test('what does not fit is named, with what would', async t => {
  const { user, errors } = await openAuth(t)
  const ann = await user('ann')
  await ann.found('acme')
  await ann.found('other')
  const list = '/organization/list-members'
  const rows: [path: string, body: object | undefined, status: number, error: RegExp][] = [
    ['/organization/update', { data: { createdAt: 7 } }, 400, /data must have one of name, slug, logo, metadata/],
    ['/organization/update', { data: { name: 7 } }, 400, /The name must be a text/],
    ['/organization/update', {}, 400, /"data" is missing/],
    ['/organization/update', { data: {} }, 400, /data must have one of name, slug, logo, metadata/],
    ['/organization/update', { data: 7 }, 400, /data must be a JSON object/],
    ['/organization/update', { data: { slug: 'acme' } }, 409, /with this slug already/],
    ['/organization/create', { name: 'Acme', slug: 'acme' }, 409, /with this slug already/],
    ['/organization/check-slug', { slug: 'acme' }, 409, /with this slug already/],
    [
      '/organization/invite-member',
      { email: 'x@example.com', role: 'translator' },
      400,
      /role must be one of owner, admin and member/,
    ],
    ['/organization/invite-member', { email: 'nobody', role: 'member' }, 400, /such as ann@example.com/],
    [`${list}?sortBy=nope`, undefined, 400, /sortBy must be one of createdAt, id, role, userId/],
    [`${list}?filterField=nope&filterValue=x`, undefined, 400, /filterField must be one of/],
    [
      `${list}?filterField=role&filterOperator=in&filterValue=x`,
      undefined,
      400,
      /filterOperator must be one of eq, ne/,
    ],
    [`${list}?limit=-1`, undefined, 400, /limit must be a whole number/],
    [`${list}?limit=1&limit=2`, undefined, 400, /limit may be given once/],
    ['/sign-up/email', { email: 'bob@example.com', password: PASSWORD }, 400, /"name" is missing/],
    [
      '/sign-up/email',
      { name: 'Bob', email: 'bob@example.com', password: 'short' },
      400,
      /password must have 8 to 128 characters; this one has 5/,
    ],
    ['/sign-up/email', { name: 'Bob', email: 'bob', password: PASSWORD }, 400, /such as ann@example.com/],
    ['/change-password', { currentPassword: PASSWORD, newPassword: 'short' }, 400, /newPassword must have 8 to 128/],
    ['/two-factor/enable', { password: PASSWORD, method: 'otp' }, 400, /method must be one of totp/],
  ]
  for (const [path, body, status, error] of rows) {
    const answer = body ? await ann.post(path, body) : await ann.get(path)
    t.match(answer, { status, body: { error, code: /^[A-Z_]+$/, message: error } }, `${path} ${JSON.stringify(body)}`)
  }
  t.same(errors, [])
  t.equal((await ann.get(`${list}?sortBy=createdAt&sortDirection=desc&limit=1`)).body.members.length, 1)
  t.equal((await ann.get(`${list}?filterField=role&filterOperator=eq&filterValue=owner`)).body.members.length, 1)
})
