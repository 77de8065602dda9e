/** Many namespaces of many languages in one read, as tables and with i18next-multiload-backend-adapter. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import i18next27 from 'i18next'
import HttpBackend from 'i18next-http-backend'
import MultiloadAdapter from 'i18next-multiload-backend-adapter'
import i18next25 from 'i18next25'
import t, { type Test } from 'tap'
import { must, noGit } from './git-client.ts'
import { openScene, type Reply, runRows, type Scene, startServer } from './server.ts'

let scene: Scene
const web = '/api/projects/web/bundles'
const en = { common: { title: 'Hello', nav: { home: 'Home' } }, home: { welcome: 'Welcome {{name}}' } }
const de = { common: { title: 'Hallo', waiting: '' }, home: {} }

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  await server.project(acme.key, 'web')
  const push = (at: string, body: unknown) => server.must('PUT', `${web}/${at}`, { key: acme.key, body })
  await push('en/common', en.common)
  await push('en/home', en.home)
  await push('de/common', de.common)
})

t.test('returns several namespaces of several languages', async t => {
  const { server, acme, member, reader, other, stranger } = scene
  const GET = { method: 'GET', path: `${web}/en+de/common+home`, key: acme.key }
  const gives = (expected: object) => (reply: Reply, t: Test) => t.strictSame(reply.json, expected)
  const all = gives({ en, de })
  await runRows(t, server, [
    { ...GET, name: 'nobody', key: '', status: 401 },
    { ...GET, name: 'another organization', key: other.key, status: 404 },
    { name: 'a stranger', method: 'GET', path: GET.path, as: stranger, status: 403 },
    { ...GET, name: 'a token', status: 200, check: all },
    { ...GET, name: 'a token, a second time', status: 200, check: all },
    { ...GET, name: 'a token that reads', key: reader, status: 200, check: all },
    { name: 'a member', method: 'GET', path: GET.path, as: member, status: 200, check: all },
    { ...GET, name: 'HEAD', method: 'HEAD', status: 200 },
    {
      ...GET,
      name: 'the stored bytes',
      status: 200,
      check: r =>
        t.match(r.text, '{"en":{"common":{\n  "nav": {\n    "home": "Home"\n  },\n  "title": "Hello"\n},"home":{'),
    },
    { ...GET, name: 'a plus in percents', path: `${web}/en%2Bde/common%2Bhome`, status: 200, check: all },
    { ...GET, name: 'one language', path: `${web}/en/common+home`, status: 200, check: gives({ en }) },
    {
      ...GET,
      name: 'one namespace',
      path: `${web}/en+de/common`,
      status: 200,
      check: gives({ en: { common: en.common }, de: { common: de.common } }),
    },
    {
      ...GET,
      name: 'one of each, said so',
      path: `${web}/en/common?multi=true`,
      status: 200,
      check: gives({ en: { common: en.common } }),
    },
    {
      ...GET,
      name: 'one of each, not said',
      path: `${web}/en/common?multi=false`,
      status: 200,
      check: gives(en.common),
    },
    {
      ...GET,
      name: 'named twice',
      path: `${web}/en+en/common+common`,
      status: 200,
      check: gives({ en: { common: en.common } }),
    },
    {
      ...GET,
      name: 'what the project lacks is empty',
      path: `${web}/en+fr/none+common`,
      status: 200,
      check: gives({ en: { none: {}, common: en.common }, fr: { none: {}, common: {} } }),
    },
    {
      ...GET,
      name: 'without what is empty',
      path: `${GET.path}?empty=omit`,
      status: 200,
      check: gives({ en, de: { common: { title: 'Hallo' }, home: {} } }),
    },
    { ...GET, name: 'an unknown project', path: '/api/projects/none/bundles/en+de/common', status: 404 },
    { ...GET, name: 'no language', path: `${web}/en+e_n/common`, status: 400 },
    { ...GET, name: 'a space in a namespace', path: `${web}/en/common%20home`, status: 400 },
    { ...GET, name: 'a space in a language', path: `${web}/en%20de/common`, status: 400 },
    { ...GET, name: 'an empty name', path: `${web}/en+/common`, status: 400 },
    { ...GET, name: 'a reserved namespace', path: `${web}/en/common+__proto__`, status: 400 },
    { ...GET, name: 'out of the project', path: `${web}/en+de/..%2F..%2Fproject`, status: 400 },
    { ...GET, name: 'another word', path: `${web}/en/common?multi=yes`, status: 400 },
    { ...GET, name: 'two words', path: `${web}/en/common?multi=true&multi=true`, status: 400 },
    { ...GET, name: 'another word for empty', path: `${GET.path}?empty=keep`, status: 400 },
    { ...GET, name: 'an unknown state', path: `${GET.path}?at=${'0'.repeat(40)}`, status: 404 },
    {
      ...GET,
      name: 'too many',
      path: `${web}/en+de/${Array.from({ length: 501 }, (_, n) => `n${n}`).join('+')}`,
      status: 400,
      check: r => t.match(r.json.error, /2 languages and 501 namespaces.*1,000/),
    },
    {
      ...GET,
      name: 'just not too many',
      path: `${web}/en+de/${Array.from({ length: 500 }, (_, n) => `n${n}`).join('+')}`,
      status: 200,
      check: r => t.equal(Object.keys(r.json.de).length, 500),
    },
    { ...GET, name: 'a push to many', method: 'PUT', body: { a: 'x' }, status: 400 },
    { ...GET, name: 'saveMissing to many', method: 'POST', body: { a: 'x' }, status: 400 },
    { ...GET, name: 'a deletion of many', method: 'DELETE', status: 400 },
  ])
})

t.test('changes the entity tag exactly when one of the bundles changes', async t => {
  const { server, acme } = scene
  const { key } = acme
  const path = `${web}/en+de/common+home`
  const ask = (path: string, etag?: string) =>
    server.call('GET', path, { key, headers: etag === undefined ? {} : { 'if-none-match': etag } })
  const { etag = '' } = (await ask(path)).headers
  const { revision } = (await server.get('/api/projects/web/history?limit=1', key)).json.revisions[0]
  t.equal((await ask(path, etag)).status, 304)
  t.equal((await ask(`${path}?empty=omit`, etag)).status, 200, 'another presentation')
  t.equal((await ask(`${web}/de+en/common+home`, etag)).status, 200, 'another order')
  await server.must('PUT', `${web}/en/other`, { key, body: { a: 'x' } })
  t.equal((await ask(path, etag)).status, 304, 'another bundle changed')
  await server.must('PUT', `${web}/de/home`, { key, body: { welcome: 'Willkommen' } })
  const after = await ask(path, etag)
  t.equal(after.status, 200)
  t.strictSame(after.json.de.home, { welcome: 'Willkommen' })
  const then = await ask(`${path}&at=${revision}`.replace('&', '?'))
  t.equal(then.headers.etag, etag, 'the past state has the former tag')
  t.strictSame(then.json, { en, de })
  t.match(then.headers['cache-control'], 'immutable')
  await server.must('DELETE', `${web}/de/home`, { key })
})

t.test('serves i18next-multiload-backend-adapter', async t => {
  const { server, acme } = scene
  for (const [version, library] of [
    ['27', i18next27],
    ['25', i18next25 as unknown as typeof i18next27],
  ] as const) {
    const urls: string[] = []
    const statuses: number[] = []
    const kept = new Map<string, { etag: string; text: string }>()
    /** Caches answers as a browser does. */
    const caching = async (url: string, options: RequestInit) => {
      const had = kept.get(url)
      const headers = { ...(options.headers as Record<string, string>), ...(had && { 'if-none-match': had.etag }) }
      const response = await fetch(url, { ...options, headers })
      statuses.push(response.status)
      if (response.status === 304) return new Response(had!.text)
      const text = await response.text()
      kept.set(url, { etag: response.headers.get('etag')!, text })
      return new Response(text)
    }
    const app = async (lng: string, fallbackLng: string | false, ns: string[], query = '') => {
      const i18next = library.createInstance()
      await i18next.use(MultiloadAdapter as never).init({
        lng,
        fallbackLng,
        ns,
        defaultNS: 'common',
        backend: {
          backend: HttpBackend,
          backendOption: {
            loadPath: `${server.base}${web}/{{lng}}/{{ns}}${query}`,
            customHeaders: { 'x-api-key': acme.key },
            alternateFetch: (url: string, options: RequestInit) => {
              urls.push(url.slice(server.base.length + web.length))
              return caching(url, options)
            },
          },
        },
      } as never)
      return i18next
    }
    const several = await app('de', 'en', ['common', 'home'])
    t.strictSame(urls.splice(0), ['/de+en/common+home'], `${version}: one request`)
    t.equal(several.t('title'), 'Hallo')
    t.equal(several.t('nav.home'), 'Home')
    t.equal(several.t('home:welcome', { name: 'Ann' }), 'Welcome Ann')
    const lacking = await app('fr', 'en', ['common', 'none'])
    t.equal(lacking.t('title'), 'Hello', `${version}: a missing language`)
    t.ok(lacking.hasResourceBundle('fr', 'none'), 'it counts as loaded, so i18next does not ask again')
    urls.length = 0
    const one = await app('de', false, ['common'], '?multi=true')
    t.strictSame(urls.splice(0), ['/de/common?multi=true'], `${version}: one of each is asked for by its own path`)
    t.equal(one.t('title'), 'Hallo')
    statuses.length = 0
    const again = await app('de', 'en', ['common', 'home'])
    t.strictSame(statuses, [304], `${version}: what did not change is not sent again`)
    t.equal(again.t('title'), 'Hallo')
    t.equal(again.t('home:welcome', { name: 'Ann' }), 'Welcome Ann')
    const omitting = await app('de', 'en', ['common', 'home'], '?multi=true&empty=omit')
    t.equal(omitting.t('title'), 'Hallo')
    t.notOk(omitting.exists('waiting', { lng: 'de', fallbackLng: false }), `${version}: empty texts are left out`)
  }
})

t.test('returns large bundles, and refuses more than one answer can hold', async t => {
  const { server, acme } = scene
  const { key } = acme
  await server.project(key, 'large')
  const body = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`key${n}`, n === 0 ? '' : 'x'.repeat(99_000)]))
  for (const n of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    await server.must('PUT', `/api/projects/large/bundles/en/n${n}`, { key, body })
  }
  const two = await server.get('/api/projects/large/bundles/en/n0+n1?empty=omit', key)
  t.strictSame(Object.keys(two.json.en), ['n0', 'n1'])
  t.equal(Object.keys(two.json.en.n1).length, 69)
  const all = await server.get('/api/projects/large/bundles/en/n0+n1+n2+n3+n4+n5+n6+n7+n8+n9', key)
  t.equal(all.status, 422)
  t.match(all.json.error, /more than 64 MiB.*export/)
})

t.test('returns the readable bundles when a commit of a person broke others', { skip: noGit }, async t => {
  const dataDir = join(t.testdir(), 'data')
  const first = await startServer(t, { dataDir })
  const acme = await first.organization('Ann')
  await first.project(acme.key, 'web')
  await first.must('PUT', `${web}/en/common`, { key: acme.key, body: { a: 'x' } })
  await first.close()
  const folder = first.repository(acme.id)
  const commit = async (text: string) => {
    const blob = execFileSync('git', ['-C', folder, 'hash-object', '-w', '--stdin'], { input: text, encoding: 'utf8' })
    await must([
      '-C',
      folder,
      'update-index',
      '--add',
      '--cacheinfo',
      `100644,${blob.trim()},web/locales/en/common.json`,
    ])
    await must(['-C', folder, '-c', 'user.name=Bob', '-c', 'user.email=b@example.com', 'commit', '-q', '-m', 'by hand'])
    return (await must(['-C', folder, 'rev-parse', 'HEAD'])).trim()
  }
  const marked = await commit('\ufeff{"a":"y"}')
  const broken = await commit('{"a":"y"},"injected":{"a":"z"}')
  const server = await startServer(t, { dataDir })
  const at = (revision: string) => server.get(`${web}/en+de/common?at=${revision}`, acme.key)
  t.strictSame((await at(marked)).json, { en: { common: { a: 'y' } }, de: { common: {} } }, 'a byte order mark')
  const { status, json } = await at(broken)
  t.equal(status, 422)
  t.match(json.error, /committed by hand/)
  t.equal((await server.get(`${web}/en+de/common`, acme.key)).status, 200, 'the file is repaired now')
})
