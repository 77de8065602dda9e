import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { parseBundle } from '../../src/bundle/canonical.ts'
import { countChanges, diffBundles, type KeyChange } from '../../src/bundle/diff.ts'
import { Bundle } from '../../src/bundle/resource.ts'
import { ownFile, parseProject } from '../../src/project/project.ts'
import { eventually } from '../contract/server.ts'
import { noGit } from './git-client.ts'
import { isError, openScene, type Reply, type Row, runRows, type Scene, segment } from './server.ts'

if (noGit) {
  t.plan(0, noGit)
  process.exit(0)
}

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

interface Asked {
  slug: string
  author?: string
  language?: string
  namespace?: string
  key?: string
}

/** The rows of all pages of a history. */
async function history({ slug, ...asked }: Asked, limit = 100): Promise<Reply['json'][]> {
  const rows: Reply['json'][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ ...asked, limit: String(limit), ...(cursor && { cursor }) })
    const reply = await scene.server.get(`/api/projects/${slug}/history?${query}`, scene.acme.key)
    if (reply.status !== 200) throw new Error(`${slug} ${query}: ${reply.status} ${reply.text}`)
    rows.push(...reply.json.revisions)
    cursor = reply.json.next
  }
  return rows
}

const git = (...argv: string[]) => scene.server.git(scene.acme.id, ...argv)

/** The commits of the main line that changed a path, newest first. */
const logged = (...paths: string[]) =>
  git('log', '--first-parent', '--format=%H', '--', ...paths)
    .split('\n')
    .filter(Boolean)

/** A file at a commit, undefined when it is missing. */
function show(commit: string, path: string): Buffer | undefined {
  const { status, stdout } = spawnSync('git', [
    '-C',
    scene.server.repository(scene.acme.id),
    'show',
    `${commit}:${path}`,
  ])
  return status === 0 ? stdout : undefined
}

/** A bundle at a commit in the format that its project had then. An unreadable bundle is empty. */
function bundle(commit: string, slug: string, path: string): Bundle {
  const bytes = show(commit, path)
  const project = show(commit, `${slug}/project.json`)
  const format = project ? parseProject(slug, project).defaultFormat : 'i18next-json'
  try {
    return bytes ? parseBundle(bytes, format) : Bundle.empty(format)
  } catch {
    return Bundle.empty(format)
  }
}

/** The changes of a commit by key, from git and from both versions of every file. */
function changesIn(commit: string, { slug, language, namespace }: Asked): (KeyChange & { language: string })[] {
  const paths = git('diff-tree', '-r', '--root', '--no-commit-id', '--name-only', '-m', '--first-parent', commit)
    .trim()
    .split('\n')
  return paths.sort().flatMap(path => {
    const place = ownFile(path)
    if (place?.kind !== 'bundle' || place.slug !== slug) return []
    if ((language ?? place.language) !== place.language || (namespace ?? place.namespace) !== place.namespace) return []
    const changes = diffBundles(bundle(`${commit}^`, slug, path), bundle(commit, slug, path))
    return changes.map(change => ({ ...change, language: place.language }))
  })
}

/** Compares a history of commits with the log of git and with the files. */
async function agrees(t: Test, asked: Asked, path: string): Promise<void> {
  const rows = await history(asked)
  t.strictSame(
    rows.map(row => row.revision),
    logged(path),
    `${JSON.stringify(asked)}: the commits of git log`,
  )
  for (const { revision, changes, author, date, subject } of rows) {
    t.strictSame(changes, countChanges(changesIn(revision, asked)), `${subject}: its counts`)
    const told = git('show', '-s', '--format=%an%n%ae%n%cI%n%s', revision).trim().split('\n')
    const time = new Date(told[2]!).toISOString()
    t.strictSame([author.name, author.email, date, subject], [told[0], told[1], time, told[3]])
  }
  t.strictSame(await history(asked, 3), rows, 'in pages of three')
}

/** Compares the histories of keys with every version of the files. */
async function agreesOnKeys(t: Test, asked: Asked & { namespace: string }, keys: string[]): Promise<void> {
  const commits = logged(asked.slug).map(commit => ({ commit, changes: changesIn(commit, asked) }))
  for (const key of keys) {
    const rows = await history({ ...asked, key })
    const expected = commits.flatMap(({ commit, changes }) =>
      changes
        .filter(change => change.key === key)
        .map(({ language, before, after }) => ({ revision: commit, key, language, before, after })),
    )
    t.strictSame(
      rows.map(({ revision, key, language, before, after }) => ({ revision, key, language, before, after })),
      expected,
      `the history of ${JSON.stringify(key)} in ${asked.language ?? 'all languages'}`,
    )
    t.strictSame(await history({ ...asked, key }, 2), rows, 'in pages of two')
  }
}

/** Requests as the owner's token. */
const send = (method: string, path: string, body?: unknown) =>
  scene.server.must(method, path, { key: scene.acme.key, ...(body !== undefined && { body }) })

t.test('returns the history that git has for every kind of change', async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'life')
  const at = (place: string, key = '') => `${web}/bundles/${place}${key && `/${segment(key)}`}`
  await send('PUT', at('en/common'), {
    nav: { home: 'Home', back: 'Back' },
    item_one: 'one',
    item_other: 'many',
    list: ['a', 'b'],
  })
  await send('PUT', at('de/common'), { nav: { home: 'Start' } })
  await send('POST', at('de/common'), { nav: { home: 'x', back: 'Zurück' }, extra: '' })
  await send('PUT', at('en/common', 'item_one'), { value: 'ONE' })
  await send('PUT', at('en/common', 'Hello. World'), { value: 'Hi' })
  await send('PUT', at('en/home'), { title: 'x', 'a.b': 'y' })
  await send('PUT', at('pl/common'), { item_one: '1', item_few: '2', nav: { home: '"}, {"' } })
  await send('POST', `${web}/rename-key`, { namespace: 'common', from: 'nav.home', to: 'nav.start' })
  await send('PUT', `${at('en/common')}?prune=true`, { nav: { start: 'Home' }, item_one: 'ONE', list: ['a'] })
  await send('PATCH', web, { defaultFormat: 'i18next-json-flat' })
  await send('PUT', at('de/common', 'nav.start'), { value: 'Los' })
  await send('PATCH', web, { defaultFormat: 'i18next-json', name: 'Life' })
  await send('DELETE', at('pl/common', 'item_few'))
  await send('DELETE', at('de/common', 'extra'))
  await send('PUT', at('en/common', 'nav.start'), { value: 'Home page' })
  const { json } = await send('POST', `${web}/confirm`, { language: 'de', namespace: 'common', keys: ['nav.start'] })
  await send('POST', `${web}/revert`, { revision: json.revision })
  await send('DELETE', at('pl/common'))
  await server.must('PUT', at('en/common', 'late'), { as: scene.member, body: { value: 'by Mia' } })
  const folder = server.repository(acme.id)
  const count = await server.commits(acme.id)
  writeFileSync(join(folder, 'life/locales/de/common.json'), '{"nav": {"start": "Anders"},\n  "list": ["c"]}')
  t.ok(await eventually(() => Number(git('rev-list', '--count', 'HEAD')) > count), 'the external edit was committed')
  await send('DELETE', web)
  await server.project(acme.key, 'life', 'de')
  await send('PUT', at('de/common'), { nav: { start: 'Neu' } })
  await send('PUT', at('de/common', 'nav'), { value: 'x' })

  await agrees(t, { slug: 'life' }, 'life')
  await agrees(t, { slug: 'life', language: 'de' }, 'life/locales/de')
  await agrees(t, { slug: 'life', language: 'pl', namespace: 'common' }, 'life/locales/pl/common.json')
  await agrees(t, { slug: 'life', language: 'en', namespace: 'common' }, 'life/locales/en/common.json')
  await agrees(t, { slug: 'life', namespace: 'common' }, ':(glob)life/locales/*/common.json')
  const keys = ['nav.home', 'nav.start', 'nav.back', 'item', 'list.0', 'list.1', 'Hello. World', 'late', 'extra', 'nav']
  await agreesOnKeys(t, { slug: 'life', namespace: 'common' }, keys)
  await agreesOnKeys(t, { slug: 'life', namespace: 'common', language: 'de' }, [
    'nav.home',
    'nav.start',
    'nav',
    'extra',
  ])
})

t.test('refuses other roles and wrong queries', async t => {
  const { server, acme, admin, member, reader, other, stranger } = scene
  const web = await server.project(acme.key, 'asked')
  await server.project(other.key, 'theirs')
  await send('PUT', `${web}/bundles/de/common`, { a: 'x', item_one: 'y' })
  const theirs = (await server.get('/api/projects/theirs/history', other.key)).json.revisions[0].revision
  const GET = { method: 'GET', path: `${web}/history`, key: acme.key }
  const bundle = `${GET.path}?language=de&namespace=common`
  const bad = (name: string, query: string): Row => ({ ...GET, name, path: `${GET.path}?${query}`, status: 400 })
  const unknown = (name: string, query: string): Row => ({ ...GET, name, path: `${GET.path}?${query}`, status: 404 })
  const rows = (count: number) => (reply: Reply, t: Test) => t.equal(reply.json.revisions.length, count, reply.text)
  const head = (await server.get(GET.path, acme.key)).json.revisions[0].revision
  await runRows(t, server, [
    { ...GET, name: 'nobody', key: '', status: 401 },
    { method: 'GET', path: GET.path, name: 'a member of nothing', as: stranger, status: 403 },
    { ...GET, name: 'another organization', key: other.key, status: 404 },
    { ...GET, name: 'a token that reads', key: reader, status: 200, check: rows(2) },
    { method: 'GET', path: GET.path, name: 'a member', as: member, status: 200, check: rows(2) },
    { method: 'GET', path: GET.path, name: 'an admin', as: admin, status: 200, check: rows(2) },
    { ...GET, name: 'HEAD', method: 'HEAD', status: 200 },
    { ...GET, name: 'POST', method: 'POST', status: 405 },
    {
      ...GET,
      name: 'an unknown parameter, as on every read',
      path: `${GET.path}?colour=red`,
      status: 200,
      check: rows(2),
    },
    { ...GET, name: 'a bundle', path: bundle, status: 200, check: rows(1) },
    { ...GET, name: 'a key', path: `${bundle}&key=a`, status: 200, check: rows(1) },
    {
      ...GET,
      name: 'a form is asked for by its name, and its key answers',
      path: `${bundle}&key=item_one`,
      status: 200,
      check: (reply, t) =>
        t.match(reply.json.revisions, [{ key: 'item', after: { cardinal: { one: 'y' } }, before: null }]),
    },
    {
      ...GET,
      name: 'the source language, which is always there',
      path: `${GET.path}?language=en`,
      status: 200,
      check: rows(0),
    },
    { ...GET, name: 'a project that is not there', path: '/api/projects/nope/history', status: 404 },
    { ...GET, name: 'a project of another organization', path: '/api/projects/theirs/history', status: 404 },
    { ...GET, name: 'a slug in other case', path: '/api/projects/Asked/history', status: 404 },
    unknown('a language', 'language=fr'),
    unknown('a namespace', 'namespace=nope'),
    unknown('a bundle', 'language=en&namespace=common'),
    unknown('a key', 'language=de&namespace=common&key=nope'),
    unknown('a key of a bundle that is not there', 'language=en&namespace=common&key=a'),
    { ...GET, name: 'a bad slug', path: '/api/projects/-/history', status: 400 },
    bad('a bad language', 'language=d_e'),
    bad('an empty language', 'language='),
    bad('two languages', 'language=de&language=en'),
    bad('a wildcard', 'language=*'),
    bad('a reserved namespace', 'namespace=__proto__'),
    bad('a way out', 'namespace=..%2f..%2fx'),
    bad('an option', 'namespace=--all'),
    bad('pathspec magic', 'namespace=:(top)x'),
    bad('a key without its namespace', 'language=de&key=a'),
    bad('an empty key', 'namespace=common&key='),
    bad('two keys', 'namespace=common&key=a&key=b'),
    bad('a key with U+0000', 'namespace=common&key=a%00'),
    ...['0', '101', '-1', '1.5', 'x', '', '1e1', '9999999999'].map(limit => bad(`limit ${limit}`, `limit=${limit}`)),
    bad('two limits', 'limit=1&limit=2'),
    ...['x', '', 'HEAD', head.slice(0, 10), '0'.repeat(40), `${head}.de`, `${head}~1`, theirs].map(cursor =>
      bad(`cursor ${cursor}`, `cursor=${cursor}`),
    ),
    bad('a cursor of another history', `cursor=${head}&language=en`),
    { ...GET, name: 'the cursor of a page', path: `${GET.path}?cursor=${head}`, status: 200, check: rows(2) },
  ])
  const bodies = await Promise.all(
    ['nope', 'theirs'].map(slug => server.get(`/api/projects/${slug}/history`, acme.key)),
  )
  const [nope, foreign] = bodies.map(({ text, headers }) => [
    text.replace(/nope|theirs/, ''),
    Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'content-length'),
  ])
  t.strictSame(foreign, nope, 'word for word as unknown')
})

t.test('returns the history of deleted keys, bundles, languages and projects', async t => {
  const { server, acme } = scene
  const gone = await server.project(acme.key, 'gone')
  await send('PUT', `${gone}/bundles/de/common`, { a: 'x' })
  await send('PUT', `${gone}/bundles/en/common`, { a: 'x' })
  await send('DELETE', `${gone}/bundles/de/common/a`)
  await send('DELETE', gone)
  const counts = async (asked: Asked) => (await history(asked)).map(row => Object.values(row.changes).join(' '))
  t.strictSame(await counts({ slug: 'gone' }), ['0 0 1', '0 0 1', '1 0 0', '1 0 0', '0 0 0'])
  t.strictSame(await counts({ slug: 'gone', language: 'de' }), ['0 0 1', '1 0 0'])
  t.strictSame(await counts({ slug: 'gone', namespace: 'common' }), ['0 0 1', '0 0 1', '1 0 0', '1 0 0'])
  const rows = await history({ slug: 'gone', language: 'en', namespace: 'common', key: 'a' })
  t.match(rows, [
    { before: 'x', after: null, changes: { removed: 1 } },
    { before: null, after: 'x', changes: { added: 1 } },
  ])
  isError(t, await server.get(`${gone}/history?language=fr`, acme.key), 404, 'a language that it never had')
})

t.test('filters a history by author', async t => {
  const { server, acme, admin, member } = scene
  const path = await server.project(acme.key, 'authors')
  for (const [n, as] of [admin, member, undefined, member, admin, undefined, member].entries()) {
    const who = as ? { as } : { key: acme.key }
    await server.must('PUT', `${path}/bundles/de/common`, { ...who, body: { [`key${n}`]: 'x', shared: '' } })
    await server.must('PUT', `${path}/bundles/de/common/shared`, { ...who, body: { value: String(n) } })
  }
  const emails = new Set((await history({ slug: 'authors' })).map(({ author }) => author.email as string))
  t.equal(emails.size, 3)
  for (const asked of [
    { slug: 'authors' },
    { slug: 'authors', language: 'de' },
    { slug: 'authors', namespace: 'common', key: 'shared' },
  ]) {
    const all = await history(asked)
    for (const author of emails) {
      const theirs = all.filter(row => row.author.email === author)
      t.strictSame(await history({ ...asked, author }), theirs, `${JSON.stringify(asked)} by ${author}`)
      t.strictSame(await history({ ...asked, author }, 1), theirs, 'page by page')
      t.strictSame(await history({ ...asked, author: author.slice(1) }), [], 'a part of the address matches no commit')
      t.strictSame(
        await history({ ...asked, author: author.toUpperCase() }),
        [],
        'the address in another case matches no commit',
      )
    }
    t.strictSame(await history({ ...asked, author: '.*' }), [], 'it is no pattern')
  }
  await send('DELETE', path)
  const [email = ''] = emails
  t.ok((await history({ slug: 'authors', author: email })).length > 0, 'commits of a deleted project match')
  t.strictSame(await history({ slug: 'authors', author: 'nobody@example.com' }), [], 'an unknown author is no 404')
  const get = (query: string) => server.get(`${path}/history?${query}`, acme.key)
  const token = [...emails].find(email => email.startsWith('token+'))
  t.ok((await get(`author=${token}`)).json.revisions.length > 0, 'an address pasted into the query as it is')
  isError(t, await get('author=ann@example.com&language=fr'), 404, 'a language that it never had')
  for (const bad of ['', '%3Cann@example.com%3E', 'ann%0A', 'a'.repeat(321)])
    isError(t, await get(`author=${bad}`), 400, `"${bad.slice(0, 20)}"`)
  isError(t, await get('author=a&author=b'), 400, 'two of them')
})

t.test('returns entity tags, and histories as of a state', async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'tagged')
  const path = `${web}/history?namespace=common`
  await send('PUT', `${web}/bundles/de/common`, { a: 'x' })
  const first = await server.get(path, acme.key)
  const etag = first.headers.etag!
  t.match(etag, /^W\/"[0-9a-f]{40}"$/)
  t.equal(first.headers['cache-control'], 'private, no-cache')
  t.match(first.headers.vary, /Cookie, X-API-Key/)
  const again = await server.get(path, acme.key, { 'if-none-match': etag })
  t.equal(again.status, 304)
  t.equal(again.text, '')
  t.not((await server.get(`${path}&limit=1`, acme.key)).headers.etag, etag, 'another question')
  isError(t, await server.get(`${web}/history?language=fr`, acme.key, { 'if-none-match': '*' }), 404, '* is no tag')
  await send('PUT', `${web}/bundles/de/common/a`, { value: 'y' })
  const changed = await server.get(path, acme.key, { 'if-none-match': etag })
  t.equal(changed.status, 200)
  t.equal(changed.json.revisions.length, 2)

  const revision = first.json.revisions[0].revision
  const then = await server.get(`${path}&at=${revision}`, acme.key)
  t.strictSame(then.json, first.json, 'as of then')
  t.equal(then.headers['cache-control'], 'private, max-age=31536000, immutable')
  const short = await server.get(`${path}&at=${revision.slice(0, 12)}`, acme.key)
  t.strictSame(short.json, first.json)
  t.equal(short.headers['cache-control'], 'private, no-cache')
  const unknown = await server.get(`${web}/history?language=fr&at=${revision}`, acme.key)
  isError(t, unknown, 404, 'a bundle that did not exist then')
  t.equal(unknown.headers['cache-control'], 'private, no-cache')
  isError(t, await server.get(`${path}&at=1970-01-02`, acme.key), 404, 'before everything')
  isError(t, await server.get(`${path}&at=${'0'.repeat(40)}`, acme.key), 404, 'no revision')
  isError(t, await server.get(`${path}&at=..`, acme.key), 400, 'nonsense')
})

t.test('pages through a history in order while others write', async t => {
  const { server, acme } = scene
  const web = await server.project(acme.key, 'busy')
  const put = (value: number) => send('PUT', `${web}/bundles/de/common/k${value % 3}`, { value: `${value}` })
  for (let value = 0; value < 30; value++) await put(value)
  let value = 30
  const writers = Array.from({ length: 3 }, async () => {
    while (value < 400) {
      await put(value++)
      await pause(5)
    }
  })
  for (const asked of [{}, { namespace: 'common' }, { namespace: 'common', key: 'k1' }]) {
    const began = value
    const rows = await history({ slug: 'busy', language: 'de', ...asked }, 7)
    const numbers = 'key' in asked ? rows.map(row => Number(row.after)) : undefined
    const revisions = rows.map(row => row.revision)
    t.equal(new Set(revisions).size, revisions.length, 'none twice')
    t.ok(revisions.length >= began / ('key' in asked ? 3 : 1) - 5, `none missing: ${revisions.length} of ${began}`)
    if (numbers)
      t.strictSame(
        numbers,
        [...numbers].sort((a, b) => b - a),
        'newest first',
      )
  }
  await Promise.all(writers)
  const last = await put(value)
  const [newest] = (await history({ slug: 'busy' }, 1)) as [Reply['json']]
  t.equal(newest.changes.updated, 1, 'the acknowledged write is there')
  t.equal(last.status, 200)
})
