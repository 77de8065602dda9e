/** The heaviest organization gives way to others, and every number has a limit with an error sentence. */

import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { MOST_TOKENS } from '../../src/auth/account-bounds.ts'
import { eventually } from '../eventually.ts'
import { EventClient } from './event-client.ts'
import { isError, type Server, type Session, startServer } from './server.ts'

const EVENTS = '/api/events'

/** A stream that ends with the test. */
async function listen(t: Test, server: Server, headers: Record<string, string>): Promise<EventClient> {
  const client = new EventClient(server.base, EVENTS, headers)
  t.teardown(() => client.close())
  return client.opened()
}

/** Creates a further organization of a user and activates it. */
const found = async (server: Server, as: Session, slug: string) =>
  (await server.must('POST', '/api/auth/organization/create', { as, body: { name: slug, slug } })).json.id as string

t.test('limits the streams of a user across all organizations', async t => {
  const server = await startServer(t, { env: { EVENT_STREAMS_PER_CREDENTIAL: '3' } })
  const ann = await server.signUp('Ann')
  for (const slug of ['one', 'two', 'three']) {
    await found(server, ann, slug)
    t.equal((await listen(t, server, { cookie: ann.cookie })).status, 200, slug)
  }
  await found(server, ann, 'four')
  const reply = await server.get(EVENTS, undefined, { cookie: ann.cookie })
  isError(t, reply, 429, 'one more in another organization')
  t.match(reply.json.error, /Your account has as many streams of events open as it may: 3/)
  const bob = await server.signUp('Bob')
  await found(server, bob, 'other')
  t.equal((await listen(t, server, { cookie: bob.cookie })).status, 200, 'another user has a separate limit')
})

t.test('closes streams of the organization with the most when another opens one at the limit', async t => {
  const server = await startServer(t, { env: { MAX_CONNECTIONS: '40' } })
  const [acme, other] = [await server.organization('Ann'), await server.organization('Otto')]
  const first = await Promise.all(Array.from({ length: 20 }, () => listen(t, server, { 'x-api-key': acme.key })))
  t.ok(first.every(({ status }) => status === 200))
  isError(t, await server.get(EVENTS, acme.key), 503, 'a further stream of the first organization is refused')
  t.equal((await server.get('/api/health/live')).status, 200, 'half of the connections remain for other requests')
  for (let n = 1; n <= 10; n++) {
    t.equal((await listen(t, server, { 'x-api-key': other.key })).status, 200, `stream ${n} of the other organization`)
    await eventually(async () => first.filter(({ ended }) => ended).length === n)
    t.equal(first.filter(({ ended }) => ended).length, n, 'one stream of the first organization closes for each')
  }
  isError(t, await server.get(EVENTS, other.key), 503, 'a stream is refused once both have the same number')
})

t.test('returns 409 above the limit of tokens of an organization', async t => {
  const dataDir = t.testdir()
  const server = await startServer(t, { dataDir })
  const { owner, id } = await server.organization('Ann')
  const database = new Sqlite(`${dataDir}/parlance.sqlite`)
  const numbers = 'with recursive number (n) as (select 1 union all select n + 1 from number where n < ?)'
  database
    .prepare(
      `
       insert into api_token (id, organizationId, name, scope, start, hash, createdAt, createdById, createdByName)
       ${numbers} select 'token' || n, ?, 'ci', 'read', 'prl_', randomblob(32), 0, '', '' from number`,
    )
    .run(MOST_TOKENS - 2, id)
  database.close()
  const mint = () => server.call('POST', '/api/tokens', { as: owner, body: { name: 'one more' } })
  const last = await mint()
  t.equal(last.status, 201, 'the last one')
  const refused = await mint()
  isError(t, refused, 409, 'one too many')
  t.match(refused.json.error, /1,000 API tokens, the most that there can be: revoke one first/)
  await server.must('DELETE', `/api/tokens/${last.json.id}`, { as: owner })
  t.equal((await mint()).status, 201, 'a revoked token frees its place')
})
