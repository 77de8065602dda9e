import t, { type Test } from 'tap'
import { isError, openScene, type Reply, type Row, runRows, type Scene, segment } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

type Body = Record<string, unknown>

const send = (method: string, path: string, body?: unknown) =>
  scene.server.must(method, path, { key: scene.acme.key, ...(body !== undefined && { body }) })

/** The newest revision of Acme. */
const head = (): Promise<string> => scene.server.newest(scene.acme.id)

const diff = (slug: string, query: string) => scene.server.get(`/api/projects/${slug}/diff?${query}`, scene.acme.key)

/** A whole diff, read in pages of `limit` changes. */
async function paged(slug: string, query: string, limit: number): Promise<Reply['json']> {
  let cursor = ''
  const changes: unknown[] = []
  for (;;) {
    const { json } = await diff(slug, `${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
    changes.push(...json.changes)
    if (json.next === null) return { ...json, changes }
    if (json.changes.length !== limit) throw new Error(`a page of ${json.changes.length}`)
    cursor = json.next
  }
}

/** The messages of a whole project at a revision, by `language namespace key`, as reads with `at` return them. */
async function model(slug: string, at: string): Promise<Map<string, unknown>> {
  const read = async (path: string) =>
    (await scene.server.get(`/api/projects/${slug}${path}?at=${at}`, scene.acme.key)).json
  const messages = new Map<string, unknown>()
  for (const language of (await read('')).languages ?? []) {
    for (const { key, namespace, message } of (await read(`/bundles/${language}`)).keys) {
      messages.set(JSON.stringify([language, namespace, key]), message)
    }
  }
  return messages
}

/** Compares a diff with the reads of both states. */
async function agrees(t: Test, slug: string, from: string, to: string): Promise<void> {
  const [before, after] = await Promise.all([model(slug, from), model(slug, to)])
  const changes = [...new Set([...before.keys(), ...after.keys()])]
    .map(place => ({ place, before: before.get(place) ?? null, after: after.get(place) ?? null }))
    .filter(change => JSON.stringify(change.before) !== JSON.stringify(change.after))
    .map(({ place, ...messages }) => {
      const [language, namespace, key] = JSON.parse(place)
      return { language, namespace, key, ...messages }
    })
    .sort((a, b) =>
      JSON.stringify([a.language, a.namespace, a.key]) < JSON.stringify([b.language, b.namespace, b.key]) ? -1 : 1,
    )
  const counts = {
    added: changes.filter(change => change.before === null).length,
    updated: changes.filter(change => change.before !== null && change.after !== null).length,
    removed: changes.filter(change => change.after === null).length,
  }
  const { json } = await diff(slug, `from=${from}&to=${to}`)
  t.match(json, { from, to, next: null })
  t.strictSame(json.changes, changes, 'the keys that differ')
  t.strictSame(json.counts, counts)
  for (const limit of [1, 3])
    t.strictSame(await paged(slug, `from=${from}&to=${to}`, limit), json, `in pages of ${limit}`)
}

t.test('returns the changes between every two states of a project', async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'life')
  const at = (place: string, key = '') => `${web}/bundles/${place}${key && `/${segment(key)}`}`
  const states = [await head()]
  for (const [method, path, body] of [
    ['PUT', at('en/common'), { nav: { home: 'Home' }, item_one: 'one', item_other: 'many', list: ['a', 'b'] }],
    ['PUT', at('de/common'), { nav: { home: 'Start', back: '' }, place_ordinal_one: 'x' }],
    ['PUT', at('en/a-b'), { x: 'y', 'Hello. World': 'z' }],
    ['PUT', at('en/a', 'item_one'), { value: 'ONE' }],
    ['PATCH', web, { defaultFormat: 'i18next-json-flat' }],
    ['POST', `${web}/rename-key`, { namespace: 'common', from: 'nav.home', to: 'nav.start' }],
    ['DELETE', at('de/common', 'place_ordinal_one')],
    ['PATCH', web, { defaultFormat: 'i18next-json', name: 'Life' }],
    ['DELETE', at('en/a-b')],
  ] as [string, string, Body?][]) {
    await send(method, path, body)
    states.push(await head())
  }
  for (const [index, from] of states.entries()) {
    for (const to of states.slice(index)) await agrees(t, 'life', from, to)
  }
  await agrees(t, 'life', states.at(-1)!, states[1]!)

  const [first, , third] = states as [string, string, string]
  const part = (await diff('life', `from=${first}&to=${states.at(-1)}&language=en&namespace=common`)).json
  t.strictSame(
    [...new Set(part.changes.map((change: Body) => `${change.language} ${change.namespace}`))],
    ['en common'],
  )
  t.equal(part.counts.added, part.changes.length)
  t.equal(part.project, undefined, 'a diff of a part omits the project')
  const whole = (await diff('life', `from=${third}&to=${states.at(-1)}`)).json
  t.strictSame(whole.project, {
    before: { name: 'life', sourceLanguage: 'en', defaultFormat: 'i18next-json' },
    after: { name: 'Life', sourceLanguage: 'en', defaultFormat: 'i18next-json' },
  })
  t.equal((await diff('life', `from=${first}&to=${third}`)).json.project, undefined, 'the same in both')
})

t.test('returns all keys when one of the states lacks the project', async t => {
  const { server, acme } = scene
  await server.project(acme.key, 'before')
  const none = await head()
  const web = await server.project(acme.key, 'brief')
  await send('PUT', `${web}/bundles/de/common`, { a: 'x', b: 'y' })
  const there = await head()
  await send('DELETE', web)
  const row = { name: 'brief', sourceLanguage: 'en', defaultFormat: 'i18next-json' }
  const came = (await diff('brief', `from=${none}&to=${there}`)).json
  t.strictSame(came.counts, { added: 2, updated: 0, removed: 0 })
  t.strictSame(came.project, { before: null, after: row })
  const went = (await diff('brief', `from=${there}`)).json
  t.strictSame(went.counts, { added: 0, updated: 0, removed: 2 })
  t.strictSame(went.project, { before: row, after: null })
  const ever = (await diff('brief', `from=2001-01-01&to=${there}`)).json
  t.equal(ever.from, null, 'from before the first commit')
  t.strictSame(ever.changes, came.changes)
  t.strictSame((await paged('brief', `from=2001-01-01&to=${there}`, 1)).changes, came.changes)
  isError(t, await diff('brief', `from=${none}`), 404, 'in neither')
})

t.test('refuses other roles and wrong queries', async t => {
  const { server, acme, admin, member, reader, other, stranger } = scene
  const web = await server.project(acme.key, 'asked')
  const from = await head()
  await send('PUT', `${web}/bundles/de/common`, { a: 'x' })
  await server.project(other.key, 'theirs')
  const theirs = (await server.get('/api/projects/theirs/history', other.key)).json.revisions[0].revision
  const GET = { method: 'GET', path: `${web}/diff?from=${from}`, key: acme.key }
  const refused = (name: string, query: string, status = 400): Row => ({
    ...GET,
    name,
    path: `${web}/diff?${query}`,
    status,
  })
  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  await runRows(t, server, [
    { ...GET, name: 'nobody', key: '', status: 401 },
    { method: 'GET', path: GET.path, name: 'a member of nothing', as: stranger, status: 403 },
    { ...GET, name: 'another organization', key: other.key, status: 404 },
    { ...GET, name: 'a token that reads', key: reader, status: 200 },
    { method: 'GET', path: GET.path, name: 'a member', as: member, status: 200 },
    { method: 'GET', path: GET.path, name: 'an admin', as: admin, status: 200 },
    { ...GET, name: 'HEAD', method: 'HEAD', status: 200 },
    { ...GET, name: 'PUT', method: 'PUT', status: 405 },
    { ...GET, name: 'an unknown parameter, as on every read', path: `${GET.path}&colour=red`, status: 200 },
    { ...GET, name: 'a short id', path: `${web}/diff?from=${from.slice(0, 10)}`, status: 200 },
    { ...GET, name: 'a time', path: `${web}/diff?from=2001-01-01T00:00:00Z`, status: 200 },
    { ...GET, name: 'the source language', path: `${GET.path}&language=en`, status: 200 },
    refused('no from', ''),
    refused('an empty from', 'from='),
    refused('nonsense', 'from=..'),
    refused('two', `from=${from}&from=${from}`),
    refused('two to', `from=${from}&to=${from}&to=${from}`),
    refused('no revision', `from=${'0'.repeat(40)}`, 404),
    refused('a revision of another organization', `from=${theirs}`, 404),
    refused('to no revision', `from=${from}&to=${'0'.repeat(40)}`, 404),
    refused('no release', `from=v1`, 404),
    refused('a language', `from=${from}&language=fr`, 404),
    refused('a namespace', `from=${from}&namespace=nope`, 404),
    refused('a bad language', `from=${from}&language=d_e`),
    refused('a bad namespace', `from=${from}&namespace=a%2fb`),
    refused('limit 0', `from=${from}&limit=0`),
    refused('limit 10001', `from=${from}&limit=10001`),
    refused('an empty cursor', `from=${from}&cursor=`),
    refused('no cursor', `from=${from}&cursor=%F0%9F`),
    refused('a cursor of nulls', `from=${from}&cursor=${cursor([null])}`),
    refused('a cursor of names', `from=${from}&cursor=${cursor(['HEAD', null, 'de', 'common', 'a'])}`),
    refused('a cursor elsewhere', `from=${from}&cursor=${cursor([theirs, theirs, 'de', 'common', 'a'])}`),
    { ...GET, name: 'a bad slug', path: '/api/projects/-/diff?from=x', status: 400 },
    { ...GET, name: 'no project', path: `/api/projects/nope/diff?from=${from}`, status: 404 },
    { ...GET, name: "another organization's project", path: `/api/projects/theirs/diff?from=${from}`, status: 404 },
  ])
})

t.test('tags', async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'tagged')
  const from = await head()
  await send('PUT', `${web}/bundles/de/common`, { a: 'x' })
  const open = await diff('tagged', `from=${from}`)
  t.match(open.headers.etag, /^W\/"[0-9a-f]{40}"$/)
  t.equal(open.headers['cache-control'], 'private, no-cache')
  const path = `${web}/diff?from=${from}`
  const again = await server.get(path, acme.key, { 'if-none-match': open.headers.etag! })
  t.equal(again.status, 304)
  t.equal(again.text, '')
  await send('PUT', `${web}/bundles/de/common/a`, { value: 'y' })
  t.equal((await server.get(path, acme.key, { 'if-none-match': open.headers.etag! })).status, 200, 'a newer state')

  const to = open.json.to
  const closed = await diff('tagged', `from=${from}&to=${to}`)
  t.equal(closed.headers['cache-control'], 'private, max-age=31536000, immutable')
  t.strictSame(closed.json, open.json)
  t.equal((await diff('tagged', `from=${from.slice(0, 20)}&to=${to}`)).headers['cache-control'], 'private, no-cache')
  const missing = await diff('tagged', `from=${from}&to=${to}&language=fr`)
  t.equal(missing.status, 404)
  t.equal(missing.headers['cache-control'], 'private, no-cache')
})

t.test('reads later pages from the states of the first page while others write', async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'moving')
  const from = await head()
  await send('PUT', `${web}/bundles/de/common`, { a: 'x', b: 'x', c: 'x' })
  const first = (await diff('moving', `from=${from}&limit=2`)).json
  await send('PUT', `${web}/bundles/de/common?prune=true`, { b: 'z' })
  const second = (await diff('moving', `from=${from}&limit=2&cursor=${first.next}`)).json
  t.strictSame([second.from, second.to], [first.from, first.to])
  t.strictSame(
    [...first.changes, ...second.changes].map(change => change.key),
    ['a', 'b', 'c'],
  )
  t.strictSame(second.counts, { added: 3, updated: 0, removed: 0 }, 'the counts cover all pages')
  t.equal(second.next, null)
})
