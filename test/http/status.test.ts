/** The status of translations over HTTP: numbers, keys, pages, rights and entity tags. */
import t, { type Test } from 'tap'
import { openScene, type Reply, type Row, runRows, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const IMMUTABLE = 'private, max-age=31536000, immutable'
const REVALIDATED = 'private, no-cache'

const must = (method: string, path: string, body?: unknown) =>
  scene.server.must(method, path, { key: scene.acme.key, ...(body !== undefined && { body }) })
const get = (path: string, headers: Record<string, string> = {}) => scene.server.get(path, scene.acme.key, headers)

/** A project in English with German and Polish. */
async function project(slug: string): Promise<string> {
  const web = await scene.server.project(scene.acme.key, slug)
  const put = (place: string, body: object) => must('PUT', `${web}/bundles/${place}`, body)
  await put('en/common', {
    nav: { home: 'Home', hello: 'Hello {{name}}' },
    item_one: '{{count}} item',
    item_other: '{{count}} items',
    list: ['a', 'b'],
  })
  await put('en/home', { title: 'Welcome' })
  await put('de/common', { nav: { home: 'Start', hello: 'Hallo' }, item_one: 'ein Artikel', list: ['', 'b'] })
  await put('de/shop', { buy: 'Kaufen' })
  await put('pl/home', { title: 'Witaj' })
  return web
}

const zero = {
  keys: 0,
  translated: 0,
  empty: 0,
  incomplete: 0,
  missing: 0,
  stale: 0,
  problems: 0,
  extra: 0,
  approved: 0,
  machine: 0,
  suggested: 0,
}

t.test('returns the numbers of a project', async t => {
  const web = await project('numbers')
  const { json } = await get(`${web}/status`)
  const { revision } = (await get(`${web}/history?limit=1`)).json.revisions[0]
  const common = { keys: 5, translated: 3, empty: 1, incomplete: 1, missing: 0, problems: 1 }
  t.strictSame(json, {
    revision,
    sourceLanguage: 'en',
    languages: [
      {
        language: 'de',
        ...{ ...zero, ...common, keys: 6, translated: 3, missing: 1, extra: 1 },
        namespaces: [
          { namespace: 'common', ...zero, ...common },
          { namespace: 'home', ...zero, keys: 1, missing: 1 },
          { namespace: 'shop', ...zero, extra: 1 },
        ],
      },
      {
        language: 'en',
        ...{ ...zero, keys: 6, translated: 6 },
        namespaces: [
          { namespace: 'common', ...zero, keys: 5, translated: 5 },
          { namespace: 'home', ...zero, keys: 1, translated: 1 },
        ],
      },
      {
        language: 'pl',
        ...{ ...zero, keys: 6, translated: 1, missing: 5 },
        namespaces: [
          { namespace: 'common', ...zero, keys: 5, missing: 5 },
          { namespace: 'home', ...zero, keys: 1, translated: 1 },
        ],
      },
    ],
  })
  const rows = (reply: Reply) => reply.json.languages
  t.strictSame(rows(await get(`${web}/status?language=pl`)), [json.languages[2]], 'of one language')
  const home = rows(await get(`${web}/status?namespace=home`))
  t.strictSame(
    home.map(({ language, keys, namespaces }: Record<string, unknown[]>) => [language, keys, namespaces!.length]),
    [
      ['de', 1, 1],
      ['en', 1, 1],
      ['pl', 1, 1],
    ],
    'of one namespace',
  )
  t.strictSame(
    rows(await get(`${web}/status?namespace=shop&language=pl`))[0].namespaces,
    [],
    'a namespace without this language',
  )
})

t.test('returns zeros for an empty project', async t => {
  const web = await scene.server.project(scene.acme.key, 'empty')
  const { json } = await get(`${web}/status`)
  t.strictSame(json.languages, [{ language: 'en', ...zero, namespaces: [] }])
  t.strictSame((await get(`${web}/status/keys?language=en`)).json, { keys: [], next: null })
})

t.test('returns the keys of each number', async t => {
  const web = await project('keys')
  const keys = async (query: string) => (await get(`${web}/status/keys?${query}`)).json.keys
  const all = await keys('language=de')
  t.strictSame(all, [
    {
      ...{ namespace: 'common', key: 'item', is: ['incomplete'] },
      source: { cardinal: { one: '{{count}} item', other: '{{count}} items' } },
      message: { cardinal: { one: 'ein Artikel' } },
      forms: ['other'],
    },
    { namespace: 'common', key: 'list.0', is: ['empty'], source: 'a', message: '' },
    {
      ...{ namespace: 'common', key: 'nav.hello', is: ['translated', 'problems'] },
      ...{ source: 'Hello {{name}}', message: 'Hallo' },
      problems: [{ kind: 'interpolation', missing: ['{{name}}'], extra: [] }],
    },
    { namespace: 'home', key: 'title', is: ['missing'], source: 'Welcome', message: null },
    { namespace: 'shop', key: 'buy', is: ['extra'], source: null, message: 'Kaufen' },
  ])
  const names = async (query: string) => (await keys(query)).map(({ key }: { key: string }) => key)
  t.strictSame(await names('language=de&is=missing,extra'), ['title', 'buy'])
  t.strictSame(await names('language=de&is=translated'), ['list.1', 'nav.hello', 'nav.home'])
  t.strictSame(await names('language=de&is=problems&namespace=common'), ['nav.hello'])
  t.strictSame(await names('language=de&is=stale'), [])
  t.strictSame(await names('language=en'), [])
  t.strictSame(await names('language=pl&namespace=shop'), [])
  // Once the numbers are cached, files without such keys are not read again.
  await get(`${web}/status`)
  t.strictSame(await keys('language=de'), all)
  t.strictSame(await names('language=de&is=extra'), ['buy'])
})

t.test('counts and lists keys with a suggestion that waits', async t => {
  const web = await project('suggested')
  const suggest = (place: string, value: string) => must('POST', `${web}/suggestions/${place}`, { value })
  const counts = async () =>
    (await get(`${web}/status`)).json.languages.map(({ language, suggested, namespaces }: Record<string, unknown>) => [
      language,
      suggested,
      (namespaces as { suggested: number }[]).map(one => one.suggested),
    ])
  const names = async (language: string) =>
    (await get(`${web}/status/keys?language=${language}&is=suggested`)).json.keys.map(({ key }: Row) => key)
  t.strictSame(await names('de'), [])
  const first = (await suggest('de/common/nav.home', 'Startseite')).json.suggestion
  await suggest('de/common/nav.hello', 'Hallo {{name}}')
  await suggest('de/home/title', 'Willkommen')
  await suggest('de/shop/buy', 'Jetzt kaufen')
  await suggest('en/home/title', 'Welcome!')
  const byMember = { as: scene.member, body: { value: 'Anfang' } }
  await scene.server.must('POST', `${web}/suggestions/de/common/nav.home`, byMember)
  t.strictSame(await counts(), [
    ['de', 4, [2, 1, 1]],
    ['en', 1, [0, 1]],
    ['pl', 0, [0, 0]],
  ])
  t.strictSame(await names('de'), ['nav.hello', 'nav.home', 'title', 'buy'], 'also missing and extra keys')
  t.strictSame(await names('en'), ['title'])
  t.strictSame(await names('pl'), [])
  await must('POST', `${web}/suggestions/reject`, { language: 'de', ids: [first.id] })
  t.equal((await counts())[0][1], 4, 'another one waits')
  await must('POST', `${web}/suggestions/accept`, { language: 'de', by: scene.member.user.id })
  t.strictSame(await names('de'), ['nav.hello', 'title', 'buy'])
  t.equal((await counts())[0][1], 3)
})

t.test('returns stale keys with their former source text', async t => {
  const web = await project('stale')
  await must('PUT', `${web}/bundles/en/common/nav.home`, { value: 'Home page' })
  await must('PUT', `${web}/bundles/en/common/list.0`, { value: 'an a' })
  await must('PUT', `${web}/bundles/en/common/item_other`, { value: 'many' })
  const count = async (language: string) => {
    const { languages } = (await get(`${web}/status?language=${language}`)).json
    return languages[0].stale
  }
  t.strictSame(
    [await count('de'), await count('en'), await count('pl')],
    [2, 0, 0],
    'only existing translations that are not empty',
  )
  const { keys } = (await get(`${web}/status/keys?language=de&is=stale`)).json
  t.match(keys, [
    { key: 'item', is: ['incomplete', 'stale'], sourceThen: { cardinal: { other: '{{count}} items' } } },
    { key: 'nav.home', is: ['translated', 'stale'], source: 'Home page', sourceThen: 'Home', message: 'Start' },
  ])
  await must('PUT', `${web}/bundles/de/common/nav.home`, { value: 'Startseite' })
  t.equal(await count('de'), 1, 'a new translation clears the note')
  await must('PUT', `${web}/bundles/en/common/item_other`, { value: '{{count}} items' })
  t.equal(await count('de'), 0, 'the former source text clears the note')
  const { revisions } = (await get(`${web}/history?limit=10`)).json
  const then = (await get(`${web}/status?language=de&at=${revisions[1].revision}`)).json
  t.equal(then.languages[0].stale, 1, 'a read of the past state counts it')
})

t.test('refuses other roles and wrong queries', async t => {
  const { server, acme, admin, member, reader, other, stranger } = scene
  const web = await project('asked')
  await server.project(other.key, 'theirs')
  const theirs = (await server.get('/api/projects/theirs/history', other.key)).json.revisions[0].revision
  const { next } = (await get(`${web}/status/keys?language=pl&limit=1`)).json
  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const path of [`${web}/status`, `${web}/status/keys?language=de`]) {
    const GET = { method: 'GET', path, key: acme.key }
    const more = path.includes('?') ? `${path}&` : `${path}?`
    const asked = (name: string, query: string, status = 400): Row => ({ ...GET, name, path: more + query, status })
    await runRows(t, server, [
      { ...GET, name: 'nobody', key: '', status: 401 },
      { method: 'GET', path, name: 'a member of nothing', as: stranger, status: 403 },
      { ...GET, name: 'another organization', key: other.key, status: 404 },
      { ...GET, name: 'a token that reads', key: reader, status: 200 },
      { method: 'GET', path, name: 'a member', as: member, status: 200 },
      { method: 'GET', path, name: 'an admin', as: admin, status: 200 },
      { ...GET, name: 'HEAD', method: 'HEAD', status: 200 },
      { ...GET, name: 'PUT', method: 'PUT', status: 405 },
      asked('an unknown parameter, as on every read', 'colour=red', 200),
      asked('a namespace', 'namespace=home', 200),
      asked('a time', 'at=2099-01-01', 200),
      asked('before there was anything', 'at=2001-01-01', 404),
      asked('no such namespace', 'namespace=nope', 404),
      asked('a bad namespace', 'namespace=a%2fb'),
      asked('two namespaces', 'namespace=home&namespace=common'),
      asked('no such revision', `at=${'0'.repeat(40)}`, 404),
      asked('a revision of another organization', `at=${theirs}`, 404),
      { ...GET, name: 'no such project', path: path.replace('/asked/', '/nope/'), status: 404 },
      { ...GET, name: "another organization's project", path: path.replace('/asked/', '/theirs/'), status: 404 },
      { ...GET, name: 'a bad slug', path: path.replace('/asked/', '/-/'), status: 400 },
      { ...GET, name: 'no such language', path: `${path.split('?')[0]}?language=fr`, status: 404 },
      { ...GET, name: 'a bad language', path: `${path.split('?')[0]}?language=d_e`, status: 400 },
      { ...GET, name: 'two languages', path: `${path.split('?')[0]}?language=de&language=pl`, status: 400 },
    ])
  }
  const GET = { method: 'GET', path: `${web}/status/keys?language=de`, key: acme.key }
  const refused = (name: string, query: string, said: RegExp): Row => ({
    ...GET,
    name,
    path: `${web}/status/keys?${query}`,
    status: 400,
    check: (reply, t) => t.match(reply.json.error, said, name),
  })
  await runRows(t, server, [
    refused('no language', '', /parameter language is missing/),
    refused('an unknown word', 'language=de&is=missing,lost', /"lost"/),
    refused('no word', 'language=de&is=', /not ""/),
    refused('words twice', 'language=de&is=missing&is=stale', /may be given once/),
    refused('limit 0', 'language=de&limit=0', /1 to 1,000/),
    refused('limit 1001', 'language=de&limit=1001', /1 to 1,000/),
    refused('an empty cursor', 'language=de&cursor=', /cursor/),
    refused('no cursor', 'language=de&cursor=%F0%9F', /cursor/),
    refused('a cursor of names', `language=de&cursor=${cursor(['HEAD', 'a', 'b'])}`, /cursor/),
    refused('a cursor elsewhere', `language=de&cursor=${cursor([theirs, 'a', 'b'])}`, /cursor/),
    { ...GET, name: 'a page', path: `${web}/status/keys?language=pl&cursor=${next}`, status: 200 },
  ])
})

t.test('changes the entity tag with the state of the project only', async t => {
  const web = await project('tags')
  const paths = [`${web}/status`, `${web}/status?language=de`, `${web}/status/keys?language=de`]
  const tags = await Promise.all(paths.map(async path => String((await get(path)).headers.etag)))
  const unchanged = () =>
    Promise.all(paths.map(async (path, at) => (await get(path, { 'if-none-match': tags[at]! })).status))
  t.strictSame(await unchanged(), [304, 304, 304])
  await must('PUT', '/api/projects/keys/bundles/de/common/x', { value: 'y' })
  t.strictSame(await unchanged(), [304, 304, 304], 'another project changes nothing')
  const { json } = await get(paths[0]!)
  const newest = (await get('/api/projects/keys/history?limit=1')).json.revisions[0].revision
  t.equal(json.revision, newest, 'a request without a tag returns the newest state')
  await must('PUT', `${web}/bundles/de/common/nav.hello`, { value: 'Hallo {{name}}' })
  t.strictSame(await unchanged(), [200, 200, 200])
  t.equal((await get(paths[0]!)).json.languages[0].problems, 0)

  const at = (await get(`${web}/history?limit=1`)).json.revisions[0].revision
  const cached = async (query: string, expected: string) => {
    for (const path of [`${web}/status?${query}`, `${web}/status/keys?language=de&${query}`]) {
      const { status, headers } = await get(path)
      t.equal(status, 200, path)
      t.equal(headers['cache-control'], expected, path)
      t.match(headers.etag, /^W\/"[0-9a-f]{40}"$/)
    }
  }
  await cached(`at=${at}`, IMMUTABLE)
  await cached(`at=${at.slice(0, 12)}`, REVALIDATED)
  await cached('limit=3', REVALIDATED)
})

/** All pages of a list. */
async function paged(t: Test, path: string, limit: number): Promise<unknown[]> {
  const keys: unknown[] = []
  for (let cursor = ''; ; ) {
    const { json } = await get(`${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
    keys.push(...json.keys)
    if (json.next === null) return keys
    t.equal(json.keys.length, limit, 'only the last page is shorter')
    cursor = json.next
  }
}

t.test('pages through the keys of one state', async t => {
  const web = await project('pages')
  for (const query of ['language=de', 'language=pl', 'language=de&is=translated', 'language=de&namespace=common']) {
    const path = `${web}/status/keys?${query}`
    const whole = (await get(path)).json
    t.equal(whole.next, null)
    for (const limit of [1, 2, 3, 1000]) t.strictSame(await paged(t, path, limit), whole.keys, `${query} by ${limit}`)
  }
  const path = `${web}/status/keys?language=pl`
  const all = (await get(path)).json.keys
  const first = (await get(`${path}&limit=2`)).json
  await must('PUT', `${web}/bundles/pl/common`, { nav: { home: 'Dom' }, list: ['c', 'd'] })
  const rest = (await get(`${path}&cursor=${first.next}`)).json
  t.strictSame([...first.keys, ...rest.keys], all, 'later pages have the state of the first page')
  t.equal((await get(path)).json.keys.length, all.length - 3)
})

t.test('counts large files in the worker', async t => {
  const web = await scene.server.project(scene.acme.key, 'large')
  const texts = (from: number, to: number, text: string) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`key${from + at}`, `${text} ${at} `.padEnd(150)]))
  let threads = 0
  const count = () => threads++
  process.on('worker', count)
  t.teardown(() => process.off('worker', count))
  await must('PUT', `${web}/bundles/en/big`, texts(0, 2000, 'Text {{n}}'))
  await must('PUT', `${web}/bundles/de/big`, texts(10, 2005, 'Wort'))
  const counts = { keys: 2000, translated: 1990, missing: 10, problems: 1990, extra: 5 }
  const read = async () => (await get(`${web}/status?language=de`)).json.languages[0]
  t.match(await read(), counts)
  t.equal(threads, 1)
  await must('PUT', `${web}/bundles/de/big/key10`, { value: 'Wort {{n}} ' })
  t.match(await read(), { ...counts, problems: 1989 })
  const pages = await paged(t, `${web}/status/keys?language=de&is=missing,extra`, 10)
  t.equal(pages.length, 15)
  const { keys, next } = (await get(`${web}/status/keys?language=de&is=problems&limit=1000`)).json
  t.equal(keys.length, 1000)
  t.not(next, null)
})
