import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { eventually } from '../contract/server.ts'
import { Description } from '../described.ts'
import { EventClient, EventParser } from './event-client.ts'
import { noGit } from './git-client.ts'
import { type Organization, openScene, type Row, runRows, type Scene, type Server } from './server.ts'

/** The schemas of the OpenAPI document, by the kind of event. */
const SHAPES: Record<string, object> = {
  change: { $ref: '#/components/schemas/Change' },
  reset: { $ref: '#/components/schemas/Reset' },
}

let scene: Scene
let described: Description
t.before(async () => {
  scene = await openScene(t, {}, { timeouts: { silence: 500 } })
  described = Description.of((await scene.server.get('/api/openapi.json')).json)
  await scene.server.project(scene.acme.key, 'web')
  await scene.server.project(scene.other.key, 'secret')
})

const ALL = '/api/events'
const WEB = '/api/projects/web/events'
const NONE = '0'.repeat(40)
const UNKNOWN = 'e'.repeat(40)

/** A stream that closes with the test. Its events match the OpenAPI document. */
function listen(t: Test, path = ALL, headers: Record<string, string> = { 'x-api-key': scene.acme.key }, where = scene) {
  const client = new EventClient(where.server.base, path, headers)
  t.teardown(() => {
    client.close()
    const misfits = client.events.flatMap(({ id, event, data }) =>
      described.misfit(SHAPES[event]!, data, `${event} ${id}`),
    )
    if (misfits.length > 0) throw new Error(misfits.join('\n'))
  })
  return client.opened()
}

/** Writes a bundle. @returns the revision */
async function write(text: string, path = '/api/projects/web/bundles/en/common', key = scene.acme.key) {
  await scene.server.must('PUT', path, { key, body: { text } })
  const [, slug, language, namespace] = /projects\/([^/]+)\/bundles\/([^/]+)\/(.+)/.exec(path)!
  const query = new URLSearchParams({ language: language!, namespace: namespace!, limit: '1' })
  const { json } = await scene.server.get(`/api/projects/${slug}/history?${query}`, key)
  return json.revisions[0].revision as string
}

/** The revisions of the main line, oldest first. */
async function logged({ id }: Organization = scene.acme, ...paths: string[]): Promise<string[]> {
  await scene.server.sealed(id)
  const text = scene.server.git(id, 'log', '--first-parent', '--reverse', '--format=%H', '--', ...paths)
  return text.split('\n').filter(Boolean)
}

/** A measured value of `/metrics`, with its labels if it has any. */
async function measured(server: Server, name: string): Promise<number> {
  const { text } = await server.get('/metrics')
  return Number(
    text
      .split('\n')
      .find(line => line.startsWith(`${name} `))!
      .slice(name.length),
  )
}

t.test('refuses other roles and wrong requests for a stream', async t => {
  const { server, acme, member, reader, other, stranger } = scene
  const body = { name: 'limited', scope: 'read', projects: ['web'] }
  const limited = (await server.must('POST', '/api/tokens', { as: acme.owner, body })).json.key
  const event = { 'last-event-id': 'nonsense' }
  const rows: Row[] = [ALL, WEB].flatMap(path => [
    { name: 'nobody', method: 'GET', path, status: 401 },
    { name: 'an unknown token', method: 'GET', path, key: 'prl_x', status: 401 },
    { name: 'a member of nothing', method: 'GET', path, as: stranger, status: 403 },
    { name: 'a token', method: 'GET', path, key: acme.key, status: 200 },
    { name: 'a read token', method: 'GET', path, key: reader, status: 200 },
    { name: 'a session', method: 'GET', path, as: member, status: 200 },
    { name: 'since what is no revision', method: 'GET', path: `${path}?since=v1`, key: reader, status: 400 },
    { name: 'since nothing', method: 'GET', path: `${path}?since=`, key: reader, status: 400 },
    { name: 'since twice', method: 'GET', path: `${path}?since=${NONE}&since=${NONE}`, key: reader, status: 400 },
    { name: 'an unknown revision', method: 'GET', path: `${path}?since=${UNKNOWN}`, key: reader, status: 200 },
    { name: 'a last id that is none', method: 'GET', path, headers: event, key: reader, status: 200 },
    { name: 'a write', method: 'POST', path, key: acme.key, body: {}, status: 405 },
    {
      name: 'the headers alone',
      method: 'HEAD',
      path,
      key: reader,
      status: 200,
      check: ({ headers, text }, t) => {
        t.match(headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
        t.equal(text, '')
      },
    },
  ])
  await runRows(t, server, [
    ...rows,
    { name: 'no such project', method: 'GET', path: '/api/projects/nothing/events', key: reader, status: 404 },
    { name: 'a bad name', method: 'GET', path: '/api/projects/No/events', key: reader, status: 404 },
    { name: "another organization's project", method: 'GET', path: WEB, key: other.key, status: 404 },
    { name: 'the same, the other way', method: 'GET', path: '/api/projects/secret/events', key: reader, status: 404 },
    { name: 'a limited token, of all', method: 'GET', path: ALL, key: limited, status: 403 },
    { name: 'a limited token, of its own', method: 'GET', path: WEB, key: limited, status: 200 },
    { name: 'and of another', method: 'GET', path: '/api/projects/app/events', key: limited, status: 404 },
    { name: 'HEAD of no project', method: 'HEAD', path: '/api/projects/nothing/events', key: reader, status: 404 },
  ])
})

t.test('sends headers, a comment, the retry time and the current id first', async t => {
  const client = await listen(t, ALL, {
    'x-api-key': scene.acme.key,
    'accept-encoding': 'gzip, br',
    origin: 'https://app.example.com',
  })
  const { headers } = client
  t.match(headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'access-control-allow-origin': '*',
  })
  t.equal(headers['content-encoding'], undefined)
  t.ok(client.comments >= 1, 'a comment comes at once')
  t.ok(client.retry! >= 1000, 'the retry time')
  t.equal(client.lastId, (await logged()).at(-1), 'the current revision')
  t.strictSame(client.events, [])
  const { status, headers: allowed } = await scene.server.call('OPTIONS', ALL, {
    headers: {
      origin: 'https://app.example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'last-event-id',
    },
  })
  t.equal(status, 204)
  t.match(allowed['access-control-allow-headers'], 'last-event-id')
})

t.test('sends a change with the values of the answers', async t => {
  const { server, acme } = scene
  const [all, web] = await Promise.all([listen(t), listen(t, WEB)])
  const bundle = '/api/projects/web/bundles/fr/common'
  const revision = await write('Bonjour', bundle)
  const { headers } = await server.get(bundle, acme.key)
  const [event] = await all.reaches(1)
  const [row] = (await server.get('/api/projects/web/history?limit=1', acme.key)).json.revisions
  t.strictSame(event, {
    id: revision,
    event: 'change',
    data: {
      revision,
      project: 'web',
      author: row.author,
      date: row.date,
      subject: row.subject,
      bundles: [{ language: 'fr', namespace: 'common', etag: headers.etag }],
    },
  })
  t.strictSame(await web.reaches(1), [event])
  await server.must('DELETE', bundle, { key: acme.key })
  const [, gone] = await all.reaches(2)
  t.strictSame(gone!.data.bundles, [{ language: 'fr', namespace: 'common', etag: null }])
  const rename = { key: acme.key, body: { name: 'The web' } }
  await server.must('PATCH', '/api/projects/web', rename)
  t.strictSame((await all.reaches(3))[2]!.data.bundles, [], 'a commit without bundles is sent too')
  await server.must('PATCH', '/api/projects/web', rename)
  t.equal(await write('Salut', bundle), (await all.reaches(4))[3]!.id, 'an equal write sends no event')
})

t.test('sends the commits of the own project, and only the ids of others', async t => {
  const { server, acme } = scene
  await server.project(acme.key, 'app')
  const web = await listen(t, WEB)
  const app = await listen(t, '/api/projects/app/events')
  const elsewhere = await write('one', '/api/projects/app/bundles/de/common')
  const here = await write('two')
  t.strictSame(
    (await web.reaches(1)).map(({ id }) => id),
    [here],
  )
  t.strictSame(
    (await app.reaches(1)).map(({ id }) => id),
    [elsewhere],
  )
  t.ok(await eventually(() => app.lastId === here), 'its last id moves on without an event')
  t.equal(app.events.length, 1)
})

t.test('replays events since a revision from memory, from the history and from the first commit', async t => {
  const { server, acme } = scene
  for (let at = 0; at < 5; at++) await write(`since ${at}`)
  const live = await listen(t)
  const last = await write('since, at last')
  await live.reaches(1)
  const ids = await logged()
  t.equal(ids.at(-1), last)
  const after = async (since: string, path = ALL, headers = {}) => {
    const client = await listen(t, `${path}?since=${since}`, { 'x-api-key': acme.key, ...headers })
    await eventually(() => client.lastId === last)
    return client
  }
  t.strictSame((await after(ids.at(-4)!)).ids, ids.slice(-3))
  t.strictSame((await after(ids.at(-4)!.toUpperCase())).ids, ids.slice(-3))
  t.strictSame((await after(last)).ids, [], 'no event since')
  const whole = await after(NONE)
  t.strictSame(whole.ids, ids, 'all events of the organization')
  t.strictSame((await after(NONE, WEB)).ids, await logged(acme, 'web'), 'all events of the project')
  t.strictSame(
    (await after(NONE, ALL, { 'last-event-id': ids[2]! })).ids,
    ids.slice(3),
    'Last-Event-ID wins over since',
  )
  const told = whole.events.at(-1)
  t.strictSame(told, live.events[0], 'a replayed event equals the live one')
  const past = await server.get(`/api/projects/web/bundles/en/common?at=${whole.ids.at(-2)}`, acme.key)
  t.equal(whole.events.at(-2)!.data.bundles[0].etag, past.headers.etag)
  const next = await write('afterwards')
  t.ok(await eventually(() => whole.ids.at(-1) === next), 'live events follow the replay')
  t.strictSame(whole.ids, await logged())
})

t.test('accepts the revision of an answered write as since', async t => {
  const before = await listen(t)
  for (let at = 0; at < 20; at++) {
    const since = await write(`just ${at}`)
    const client = new EventClient(scene.server.base, `${ALL}?since=${since}`, { 'x-api-key': scene.acme.key })
    await client.opened()
    t.strictSame(client.events, [], 'neither an event nor a reset')
    client.close()
  }
  t.strictSame(
    (await before.reaches(20)).map(({ id }) => id),
    (await logged()).slice(-20),
  )
})

t.test('sends a reset where it cannot continue, and then goes on', async t => {
  const { acme, other } = scene
  const newest = (await logged()).at(-1)!
  const foreign = (await logged(other))[0]!
  const tree = scene.server.git(acme.id, 'rev-parse', `${newest}^{tree}`).trim()
  const clients = await Promise.all([
    listen(t, `${ALL}?since=${UNKNOWN}`),
    listen(t, `${ALL}?since=${foreign}`),
    listen(t, `${ALL}?since=${tree}`),
    listen(t, WEB, { 'x-api-key': acme.key, 'last-event-id': 'nonsense' }),
  ])
  for (const client of clients) {
    t.strictSame(client.events, [{ id: newest, event: 'reset', data: { revision: newest } }])
  }
  const next = await write('after a reset')
  for (const client of clients)
    t.strictSame(
      (await client.reaches(2)).map(({ id }) => id),
      [newest, next],
    )
})

t.test('streams the events of an organization without a commit', async t => {
  const { server } = scene
  const fresh = await server.organization('Flo')
  const key = { 'x-api-key': fresh.key }
  const client = await listen(t, ALL, key)
  t.equal(client.lastId, NONE)
  const reset = await listen(t, `${ALL}?since=${UNKNOWN}`, key)
  t.strictSame(reset.events, [{ id: NONE, event: 'reset', data: { revision: null } }])
  await server.project(fresh.key, 'first')
  const [event] = await client.reaches(1)
  t.match(event!.data, { project: 'first', bundles: [] })
  const again = await listen(t, ALL, { ...key, 'last-event-id': NONE })
  t.strictSame(again.events, [event])
})

t.test('sends an external edit', { skip: noGit }, async t => {
  const { server, acme } = scene
  await write('mine')
  await eventually(() => existsSync(join(server.repository(acme.id), 'web/locales/en/common.json')))
  const client = await listen(t, WEB)
  const path = join(server.repository(acme.id), 'web/locales/en/outside.json')
  writeFileSync(path, '{\n  "from": "outside"\n}\n')
  const [event] = await client.reaches(1)
  t.match(event!.data.bundles, [{ language: 'en', namespace: 'outside' }])
  rmSync(path)
  const [, gone] = await client.reaches(2)
  t.match(gone!.data.bundles, [{ language: 'en', namespace: 'outside', etag: null }])
})

t.test('sends a revert and a restore', { skip: noGit }, async t => {
  const { server, acme } = scene
  await write('first')
  const second = await write('second')
  const client = await listen(t, WEB)
  const key = acme.key
  await server.must('POST', '/api/projects/web/revert', { key, body: { revision: second } })
  const there = { at: second, language: 'en', namespace: 'common' }
  await server.must('POST', '/api/projects/web/restore', { key, body: there })
  const events = await client.reaches(2)
  t.strictSame(
    events.map(({ id }) => id),
    (await logged()).slice(-2),
  )
  for (const { data } of events) t.match(data.bundles, [{ language: 'en', namespace: 'common' }])
})

t.test('sends the deletion of a project, then ends its streams', async t => {
  const { server, acme } = scene
  const path = await server.project(acme.key, 'short')
  const bundle = `${path}/bundles/en/common`
  const first = await write('x', bundle)
  const [all, short] = [await listen(t), await listen(t, `${path}/events`)]
  await server.must('DELETE', path, { key: acme.key })
  const [event] = await short.reaches(1)
  t.match(event!.data, { project: 'short', bundles: [{ language: 'en', namespace: 'common', etag: null }] })
  t.ok(await eventually(() => short.ended !== undefined))
  t.equal(short.ended, 'whole')
  t.equal(all.ended, undefined)
  t.equal((await server.get(`${path}/events`, acme.key)).status, 404)
  await server.project(acme.key, 'short')
  // The objects contain everything that git reads.
  await server.get(`${path}/history?limit=1`, acme.key)
  const again = await listen(t, `${path}/events?since=${first}`)
  t.strictSame(
    (await again.reaches(2)).map(({ id }) => id),
    (await logged(acme, 'short')).slice(-2),
    'recreated it goes on',
  )
  const next = await write('y', bundle)
  t.equal((await again.reaches(3))[2]!.id, next)
  t.equal(again.ended, undefined)
})

/** Seconds as the timers of this process, which are the server's too, count them: a busy machine stretches both. */
function countSeconds(t: Test): () => number {
  let seconds = 0
  const counting = setInterval(() => seconds++, 1000)
  t.teardown(() => clearInterval(counting))
  return () => seconds
}

t.test('ends the stream within two seconds when its access ends', async t => {
  const { server, acme } = scene
  const token = await server.mint(acme.owner, 'short', 'read')
  const [leaver, outsider] = [await server.join(acme, 'Lea', 'member'), await server.join(acme, 'Olaf', 'member')]
  const cookie = (session: typeof leaver) => ({ cookie: session.cookie })
  const [byToken, byLeaver, byOutsider, stays] = await Promise.all([
    listen(t, ALL, { 'x-api-key': token.key }),
    listen(t, WEB, cookie(leaver)),
    listen(t, ALL, cookie(outsider)),
    listen(t),
  ])
  const endsAfter = async (client: EventClient, act: () => Promise<unknown>, what: string) => {
    await act()
    const seconds = countSeconds(t)
    t.ok(await eventually(() => client.ended !== undefined), what)
    t.ok(seconds() <= 3, `${what}: soon`)
  }
  await endsAfter(
    byToken,
    () => server.must('DELETE', `/api/tokens/${token.id}`, { as: acme.owner }),
    'a revoked token',
  )
  await endsAfter(byLeaver, () => server.must('POST', '/api/auth/sign-out', { as: leaver, body: {} }), 'a sign-out')
  const members = (await server.call('GET', '/api/auth/organization/list-members', { as: acme.owner })).json.members
  const { id } = members.find(({ userId }: { userId: string }) => userId === outsider.user.id)
  const removal = { as: acme.owner, body: { memberIdOrEmail: id, organizationId: acme.id } }
  await endsAfter(byOutsider, () => server.must('POST', '/api/auth/organization/remove-member', removal), 'a removal')
  t.equal(stays.ended, undefined, 'the other stream stays open')
  const doomed = await server.organization('Dora')
  const all = await listen(t, ALL, { 'x-api-key': doomed.key })
  const deletion = { as: doomed.owner, body: { organizationId: doomed.id } }
  await endsAfter(all, () => server.must('POST', '/api/auth/organization/delete', deletion), 'a deleted organization')
  t.equal(await measured(server, 'parlance_event_streams_ended_total{reason="access"}'), 4)
})

t.test('ends the stream when its token expires', async t => {
  let ahead = 0
  const later = await openScene(t, {}, { now: () => Date.now() + ahead })
  const { server, acme } = later
  const body = { name: 'a day', scope: 'read', expiresInDays: 1 }
  const { key } = (await server.must('POST', '/api/tokens', { as: acme.owner, body })).json
  const client = await listen(t, ALL, { 'x-api-key': key }, later)
  t.equal(client.ended, undefined)
  ahead = 86_400_001
  t.ok(await eventually(() => client.ended !== undefined))
})

t.test('writes to a silent stream', async t => {
  const client = await listen(t)
  const { comments } = client
  t.ok(await eventually(() => client.comments >= comments + 2))
  t.strictSame(client.events, [])
  const { key } = (
    await scene.server.must('POST', '/api/tokens', {
      as: scene.acme.owner,
      body: { name: 'limited', scope: 'read', projects: ['web'] },
    })
  ).json
  const limited = await listen(t, WEB, { 'x-api-key': key })
  const { lastId, comments: before } = limited
  const elsewhere = await write('elsewhere', '/api/projects/app/bundles/en/common')
  t.ok(await eventually(() => client.lastId === elsewhere && limited.comments >= before + 2))
  t.equal(limited.lastId, lastId, 'a limited token receives no id of other projects')
  const here = await write('here')
  t.strictSame(
    (await limited.reaches(1)).map(({ id }) => id),
    [here],
  )
})

t.test('refuses streams past the limit', async t => {
  const bounded = await openScene(t, { EVENT_STREAMS: '3', EVENT_STREAMS_PER_CREDENTIAL: '2' })
  const { server, acme, other, reader } = bounded
  const open = (key: string) => listen(t, ALL, { 'x-api-key': key }, bounded)
  const first = await open(acme.key)
  await open(acme.key)
  const third = await open(acme.key)
  t.equal(third.status, 429)
  t.match(JSON.parse(third.text).error, /2/)
  t.ok(Number(third.headers['retry-after']) > 0)
  t.equal((await open(reader)).status, 200)
  const fourth = await server.get(ALL, (await server.mint(acme.owner)).key)
  t.equal(fourth.status, 429)
  t.match(fourth.json.error, /organization.*3/)
  t.equal((await open(other.key)).status, 200, 'another organization has a separate limit')
  first.close()
  let again = await open(acme.key)
  await eventually(async () => {
    if (again.status === 200) return true
    again = await open(acme.key)
    return again.status === 200
  })
  t.equal(again.status, 200, 'a closed stream frees its place')
  t.equal(await measured(server, 'parlance_event_streams'), 4, 'of all organizations')
  const sent = await measured(server, 'parlance_events_sent_total')
  await server.project(acme.key, 'counted')
  const counted = () => measured(server, 'parlance_events_sent_total')
  t.ok(await eventually(async () => (await counted()) === sent + 3), 'each event counts once for each stream')
})

t.test('ends all streams at once when the server stops', async t => {
  const stopping = await openScene(t)
  const client = await listen(t, ALL, { 'x-api-key': stopping.acme.key }, stopping)
  const seconds = countSeconds(t)
  await stopping.server.close()
  t.ok(seconds() <= 4, 'the stop does not wait for the streams')
  t.ok(await eventually(() => client.ended !== undefined))
  t.equal(client.ended, 'whole')
})

t.test('resumes after a lost connection with the function of docs/live-events.md', async t => {
  const guide = readFileSync(new URL('../../docs/live-events.md', import.meta.url), 'utf8')
  const [source] = /^async function listen[\s\S]*?^\}$/m.exec(guide)!
  const { server, acme } = scene
  const token = await server.mint(acme.owner, 'page', 'read')
  let again = () => {}
  const asked = new Promise<void>(resolve => (again = resolve))
  let comeBack = () => {}
  const later = (run: () => void) => {
    comeBack = run
    again()
  }
  // Aborts the streams of the function, as a stopping server does.
  const streams: AbortController[] = []
  const fetched = (url: string, options: RequestInit) => {
    streams.push(new AbortController())
    return fetch(url, { ...options, signal: streams.at(-1)!.signal })
  }
  const listenTo = new Function('setTimeout', 'fetch', `${source}; return listen`)(later, fetched)
  const heard: string[] = []
  const before = await write('before it')
  const hear = (event: string, { revision }: { revision: string }) => void heard.push(`${event} ${revision}`)
  const first = listenTo(`${server.base}${ALL}`, token.key, hear, before)
  const here = await write('by the guide')
  t.ok(await eventually(() => heard.length === 1))
  streams.at(-1)!.abort()
  await Promise.all([first, asked])
  const away = await write('while it was away')
  comeBack()
  t.ok(await eventually(() => heard.length === 2))
  t.strictSame(heard, [`change ${here}`, `change ${away}`])
  streams.at(-1)!.abort()
})

t.test('parses events in chunks of any size with the client of these tests', async t => {
  const text = ': hello\nretry: 5\n\nid: a\nevent: change\ndata: {"a":\ndata: 1}\n\nid: b\n\nid: c\ndata: 2\n'
  for (let size = 1; size < 9; size++) {
    const parser = new EventParser()
    for (let at = 0; at < text.length; at += size) parser.take(text.slice(at, at + size))
    t.strictSame(parser.events, [{ id: 'a', event: 'change', data: { a: 1 } }])
    t.equal(parser.lastId, 'b', 'an unfinished event is dropped')
  }
})
