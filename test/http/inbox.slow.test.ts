/** The inbox over HTTP: items of each member, what was read, the feed and its key, and the switch of the digest. */
import { setTimeout as pause } from 'node:timers/promises'
import { parseFeed } from '@rowanmanning/feed-parser'
import t from 'tap'
import { openScene, type Row, runRows, type Scene, type Session } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t, { LOG_LEVEL: 'info', LOG_REQUESTS: 'all' }, { log: { write: line => lines.push(line) } })
  const { server, acme, member } = scene
  web = await server.project(acme.key, 'web')
  for (const language of ['en', 'de']) {
    await server.must('PUT', `${web}/bundles/${language}/common`, { key: acme.key, body: { home: 'x', nav: 'y' } })
  }
  await server.narrow(acme, member, [{ languages: ['de'], may: 'translate' }])
})
const lines: string[] = []
let web: string

type Item = { id: string; kind: string; key: string; by: { name: string } }
const inbox = async (as: Session, query = ''): Promise<{ items: Item[]; unread: number; next: string | null }> =>
  (await scene.server.must('GET', `/api/inbox${query}`, { as })).json
const comment = (as: Session, key: string, text: string) =>
  scene.server.must('POST', `${web}/comments/common/${key}`, { as, body: { text } })
const kindsOf = ({ items }: { items: Item[] }) => items.map(({ kind, key }) => `${kind} ${key}`)
const address = async (as: Session): Promise<string> =>
  new URL((await scene.server.must('POST', '/api/inbox/feed', { as })).json.url, scene.server.base).search

t.test('has what concerns a member, until it is read', async t => {
  const { server, acme, admin, member } = scene
  t.strictSame(await inbox(member), { items: [], unread: 0, next: null })
  await comment(acme.owner, 'home', '@mia is this right?')
  await comment(member, 'home', 'It is')
  await comment(acme.owner, 'home', 'Good')
  await server.must('PUT', `${web}/bundles/en/common/nav`, { as: admin, body: { value: 'z' } })
  const mia = await inbox(member)
  t.strictSame(kindsOf(mia), ['stale nav', 'reply home', 'mention home'])
  t.strictSame([mia.unread, mia.next], [3, null])
  t.strictSame(Object.keys(mia.items[0]!), ['id', 'kind', 'project', 'namespace', 'key', 'language', 'by', 'date'])
  t.match(mia.items[0], { project: 'web', language: 'de', by: { id: null, name: 'Adam' } })
  t.match(mia.items[2], { by: { id: acme.owner.user.id, name: 'Ann' }, text: '@mia is this right?' })
  t.strictSame(kindsOf(await inbox(acme.owner)), ['reply home'])
  t.strictSame(await inbox(admin), { items: [], unread: 0, next: null })
  t.notMatch(JSON.stringify(mia), /example\.com/, 'no address')

  const one = await inbox(member, '?limit=2')
  t.strictSame([kindsOf(one), one.unread], [['stale nav', 'reply home'], 3])
  const two = await inbox(member, `?limit=2&cursor=${one.next}`)
  t.strictSame([kindsOf(two), two.unread, two.next], [['mention home'], 3, null])

  const { headers } = await server.must('GET', '/api/inbox', { as: member })
  const etag = { 'if-none-match': String(headers.etag) }
  t.equal((await server.call('GET', '/api/inbox', { as: member, headers: etag })).status, 304)

  const read = (until: string) => server.must('POST', '/api/inbox/read', { as: member, body: { until } })
  await read(mia.items[1]!.id)
  t.strictSame(kindsOf(await inbox(member)), ['stale nav'])
  await read(mia.items[2]!.id)
  t.strictSame(kindsOf(await inbox(member)), ['stale nav'], 'an older item unreads nothing')
  await read('all')
  t.strictSame(kindsOf(await inbox(member)), [])
  await read(mia.items[0]!.id)
  t.strictSame(kindsOf(await inbox(member)), [])
  await comment(acme.owner, 'nav', 'Ask @Mia')
  t.strictSame(kindsOf(await inbox(member)), ['mention nav'])
  t.strictSame(kindsOf(await inbox(acme.owner)), ['reply home'], "another member's is as it was")
})

t.test('has suggestions that wait for a review', async t => {
  const { server, acme, admin, member } = scene
  await server.must('POST', '/api/inbox/read', { as: admin, body: { until: 'all' } })
  const path = `${web}/suggestions/de/common/nav`
  await server.must('POST', path, { as: member, body: { value: 'Navigation' } })
  t.match(await inbox(admin), {
    items: [{ kind: 'suggestion', key: 'nav', language: 'de', by: { id: member.user.id, name: 'Mia' } }],
    unread: 1,
  })
  t.strictSame(kindsOf(await inbox(member)), ['mention nav'])
  await server.must('POST', path, { as: member, body: { value: 'Menü' } })
  t.equal((await inbox(admin)).unread, 1, 'a new one replaces it')
  await server.must('POST', `${web}/rename-key`, {
    key: acme.key,
    body: { namespace: 'common', from: 'nav', to: 'top' },
  })
  t.match(await inbox(admin), { items: [{ kind: 'suggestion', key: 'top' }], unread: 1 })
  await server.must('POST', `${web}/rename-key`, {
    key: acme.key,
    body: { namespace: 'common', from: 'top', to: 'nav' },
  })
  await server.must('POST', '/api/inbox/read', { as: admin, body: { until: 'all' } })
})

t.test('has the fate of own suggestions, with the reason of a rejection', async t => {
  const { server, acme, admin } = scene
  const lea = await server.join(acme, 'Lea', 'member')
  await server.narrow(acme, lea, [{ languages: ['de'], may: 'translate' }])
  const suggest = async (key: string, value: string): Promise<string> =>
    (await server.must('POST', `${web}/suggestions/de/common/${key}`, { as: lea, body: { value } })).json.suggestion.id
  const [home, nav] = [await suggest('home', 'Start'), await suggest('nav', 'Leiste')]
  const decide = (what: string, id: string, more = {}) =>
    server.must('POST', `${web}/suggestions/${what}`, { as: admin, body: { language: 'de', ids: [id], ...more } })
  await decide('accept', home)
  await decide('reject', nav, { reason: 'Too short: see the glossary' })
  await decide('reject', await suggest('nav', 'Liste'))
  // Lea joined in the second of the commits above: they are hers to read, too.
  const items = (await inbox(lea)).items.filter(({ kind }) => /accepted|rejected/.test(kind))
  const by = { id: null, name: 'Adam' }
  t.match(items, [
    { kind: 'rejected', key: 'nav', language: 'de', by },
    { kind: 'rejected', key: 'nav', language: 'de', by, text: 'Too short: see the glossary' },
    { kind: 'accepted', key: 'home', language: 'de', by },
  ])
  t.strictSame([items.length, 'text' in items[0]!, 'text' in items[2]!], [3, false, false])
  t.strictSame(
    kindsOf(await inbox(acme.owner)).filter(kind => /accepted|rejected/.test(kind)),
    [],
    'of others',
  )
  await decide('reject', await suggest('nav', 'Menü'), { reason: '\nParlance-Reason: forged' })
  t.match((await inbox(lea)).items[0], { text: 'Parlance-Reason: forged' }, 'one line')

  await server.must('POST', '/api/inbox/read', { as: lea, body: { until: 'all' } })
  t.strictSame(kindsOf(await inbox(lea)), [])
  const decided = await inbox(lea, '?decided=true')
  t.strictSame(kindsOf(decided), ['rejected nav', 'rejected nav', 'rejected nav', 'accepted home'], 'also read ones')
  const first = await inbox(lea, '?decided=true&limit=3')
  t.strictSame(kindsOf(await inbox(lea, `?decided=true&cursor=${first.next}`)), ['accepted home'], 'by page')
  t.strictSame(kindsOf(await inbox(admin, '?decided=true')), [], 'of others')
  t.strictSame(kindsOf(await inbox(await server.join(acme, 'Lars', 'member'), '?decided=true')), [])
})

t.test('refuses everything else', async t => {
  const { server, acme, member, stranger, other } = scene
  const [mine] = (await inbox(member)).items
  const rows: Row[] = [
    { name: 'no credential', method: 'GET', path: '/api/inbox', status: 401 },
    { name: 'a token', method: 'GET', path: '/api/inbox', key: acme.key, status: 403 },
    {
      name: 'a token marks',
      method: 'POST',
      path: '/api/inbox/read',
      key: acme.key,
      body: { until: 'all' },
      status: 403,
    },
    { name: 'no organization', method: 'GET', path: '/api/inbox', as: stranger, status: 403 },
    { name: 'a foreign cursor', method: 'GET', path: '/api/inbox?cursor=x', as: member, status: 400 },
    { name: 'a flag', method: 'GET', path: '/api/inbox?decided=1', as: member, status: 400 },
    { name: 'a limit', method: 'GET', path: '/api/inbox?limit=101', as: member, status: 400 },
    ...['x', '', `${'1'.repeat(40)}-0`].map(until => {
      const body = { until }
      return { name: `until ${until}`, method: 'POST', path: '/api/inbox/read', as: member, body, status: 404 }
    }),
    {
      name: 'another organization',
      method: 'POST',
      path: '/api/inbox/read',
      as: other.owner,
      body: { until: mine!.id },
      status: 404,
    },
    { name: 'no until', method: 'POST', path: '/api/inbox/read', as: member, body: {}, status: 400 },
    {
      name: 'a text for a flag',
      method: 'PUT',
      path: '/api/inbox/settings',
      as: member,
      body: { digest: 'on' },
      status: 400,
    },
    { name: 'on', method: 'PUT', path: '/api/inbox/settings', as: member, body: { digest: true }, status: 200 },
    { name: 'off', method: 'PUT', path: '/api/inbox/settings', as: member, body: { digest: false }, status: 200 },
    { name: 'settings by a token', method: 'GET', path: '/api/inbox/settings', key: acme.key, status: 403 },
    { name: 'settings', method: 'GET', path: '/api/inbox/settings', as: member, status: 200 },
    { name: 'the address by a token', method: 'GET', path: '/api/inbox/feed', key: acme.key, status: 403 },
    { name: 'renewed by a token', method: 'POST', path: '/api/inbox/feed', key: acme.key, status: 403 },
    { name: 'a feed without a key', method: 'GET', path: '/api/inbox.atom', status: 404 },
    { name: 'two keys', method: 'GET', path: '/api/inbox.atom?key=a&key=b', status: 400 },
    { name: 'a wrong key', method: 'GET', path: `/api/inbox.atom?key=abc.${'x'.repeat(43)}`, status: 404 },
    { name: 'a post to the feed', method: 'POST', path: '/api/inbox.atom', status: 405 },
  ]
  await runRows(t, server, rows)
  const { json } = await server.must('GET', '/api/inbox/settings', { as: member })
  t.strictSame(json, { digest: false, mail: false })
})

t.test('a feed is valid, conditional and private', async t => {
  const { server, acme, member } = scene
  t.strictSame((await server.must('GET', '/api/inbox/feed', { as: member })).json, { url: null, createdAt: null })
  const odd = 'Ask @Mia: <b>"&\' \u{1f600} a\tb'
  await comment(acme.owner, 'home', odd)
  const search = await address(member)
  const shown = await server.must('GET', '/api/inbox/feed', { as: member })
  t.equal(shown.json.url, `/api/inbox.atom${search}`, 'a path without BASE_URL')
  t.equal(shown.headers['cache-control'], 'no-store')

  const reply = await server.get(`/api/inbox.atom${search}`)
  t.equal(reply.status, 200)
  t.match(reply.headers, {
    'content-type': 'application/atom+xml; charset=utf-8',
    'cache-control': 'private, no-cache',
    'referrer-policy': 'no-referrer',
  })
  t.notMatch(reply.text, /@example\.com/, 'no address')
  const feed = parseFeed(reply.text)
  t.equal(feed.meta.type, 'atom')
  t.equal(feed.meta.version, '1.0')
  t.equal(feed.title, `Parlance: ${acme.slug}`)
  t.match(reply.text, `<link rel="self" type="application/atom+xml" href="../api/inbox.atom${search}"/>`)
  t.match(reply.text, '<link rel="alternate" type="text/html" href="../"/>')
  t.ok(feed.updated!.getTime() > 0)
  t.match(feed.items[0], {
    title: 'Ann mentioned you: home (web/common)',
    content: odd,
    authors: [{ name: 'Ann', email: null }],
  })
  t.match(reply.text, '<link rel="alternate" type="text/html" href="../#/projects/web/en/common?key=home"/>')
  t.equal(feed.items[0]!.updated?.getTime(), feed.updated?.getTime())
  const ids = feed.items.map(({ id }) => id)
  t.equal(new Set(ids).size, feed.items.length)
  for (const id of [...ids, /<id>(.*?)<\/id>/.exec(reply.text)![1]]) {
    t.match(id, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
  t.strictSame(
    feed.items.map(({ title }) => title),
    [
      'Ann mentioned you: home (web/common)',
      'Ann mentioned you: nav (web/common)',
      'Adam changed the source: nav (web/de/common)',
      'Ann replied: home (web/common)',
      'Ann mentioned you: home (web/common)',
    ],
    'what was read is in the feed, too',
  )

  const etag = { 'if-none-match': String(reply.headers.etag) }
  const again = await server.get(`/api/inbox.atom${search}`, undefined, etag)
  t.strictSame([again.status, again.text], [304, ''])
  await comment(acme.owner, 'home', '@Mia again')
  t.equal((await server.get(`/api/inbox.atom${search}`, undefined, etag)).status, 200)
})

t.test('a key ends with its renewal and with the membership, and is never logged', async t => {
  const { server, acme, member } = scene
  const old = await address(member)
  const search = await address(member)
  const status = async (query: string) => (await server.get(`/api/inbox.atom${query}`)).status
  t.strictSame([await status(old), await status(search)], [404, 200])
  const { entries } = (await server.must('GET', '/api/audit?what=feed-renewed', { as: acme.owner })).json
  t.ok(entries.length >= 2)
  t.match(entries[0], {
    by: 'user',
    who: { id: member.user.id },
    about: { type: 'user', id: member.user.id },
    to: null,
  })

  const key = new URLSearchParams(search).get('key')!
  const changed = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')
  for (const path of [`?key=${changed}`, `?key=${key}&key=${key}`, `/?key=${key}`, `x?key=${key}`, `?key=${key}%`]) {
    await server.get(`/api/inbox.atom${path}`)
  }
  await server.call('POST', `/api/inbox.atom${search}`)
  await server.call('BREW', `/api/inbox.atom${search}`).catch(() => {})
  await server.get(`/api/inbox.atom${search}`, undefined, { 'x-api-key': 'x' })
  t.match(lines.join(''), '"route":"/api/inbox.atom"')
  for (const secret of [key, old.slice(5), changed])
    t.notOk(lines.join('').includes(secret.split('.')[1]!), 'in no line')

  const membership = await server.membership(acme, member)
  const body = { memberIdOrEmail: membership, organizationId: acme.id }
  await server.must('POST', '/api/auth/organization/remove-member', { as: acme.owner, body })
  t.equal(await status(search), 404)
  // Times of commits are whole seconds.
  const second = Math.floor(Date.now() / 1000)
  while (Math.floor(Date.now() / 1000) === second) await pause(50)
  const invitation = await server.invite(acme.owner, member.user.email, 'member')
  await server.accept(member, invitation.json.id)
  await server.activate(member, acme.id)
  t.equal(await status(search), 404, 'a new membership is a new inbox')
  t.strictSame((await inbox(member)).items, [], 'from its beginning on')
})

t.test('has whole addresses with BASE_URL', async t => {
  const { server, acme, member } = await openScene(t, { BASE_URL: 'https://parlance.example.com/l10n/' })
  const path = await server.project(acme.key, 'web')
  const body = { text: '@Mia hello' }
  await server.must('POST', `${path}/comments/common/nav.home%20x`, { as: acme.owner, body })
  const { url } = (await server.must('POST', '/api/inbox/feed', { as: member })).json
  t.match(url, /^https:\/\/parlance\.example\.com\/l10n\/api\/inbox\.atom\?key=/)
  const { text } = await server.get(`/api/inbox.atom${new URL(url).search}`)
  const feed = parseFeed(text)
  t.strictSame([feed.self, feed.url], [url, 'https://parlance.example.com/l10n/'])
  t.equal(feed.items[0]!.url, 'https://parlance.example.com/l10n/#/projects/web/en/common?key=nav.home%20x')
})
