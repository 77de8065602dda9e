import fc from 'fast-check'
import t from 'tap'
import { EMPTY_BUNDLE_ID } from '../../src/bundle/canonical.ts'
import { LARGE } from '../../src/http/writing/change-runner.ts'
import { resource } from '../bundle/resources.ts'
import { openScene, type Reply, type Row, runRows, type Scene } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const EMPTY = `W/"${EMPTY_BUNDLE_ID}"`

/** A project of Acme with bundles, `{ 'de/common': { … } }`. */
async function project(slug: string, bundles: Record<string, object> = {}, format?: string): Promise<string> {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug, 'en', format)
  for (const [at, body] of Object.entries(bundles)) {
    await server.must('PUT', `${path}/bundles/${at}`, { key: acme.key, body })
  }
  return path
}

const post = (web: string, body: unknown, query = ''): Promise<Reply> =>
  scene.server.post(`${web}/push${query}`, scene.acme.key, body)
const read = (path: string): Promise<Reply> => scene.server.get(path, scene.acme.key)
const tagOf = async (web: string, at: string) => (await read(`${web}/bundles/${at}`)).headers.etag!
/** The newest revision, known at once. */
const newest = async (web: string): Promise<string> => (await post(web, { bundles: {} }, '?dryRun=true')).json.revision

t.test('pushes many bundles in one commit', async t => {
  const { server, acme, member, reader, other, stranger } = scene
  const web = await project('web', { 'en/common': { a: 'x', b: 'y' }, 'de/common': { a: 'X' }, 'fr/home': { h: 'H' } })
  const before = await server.commits(acme.id)
  const tag = await tagOf(web, 'de/common')
  const body = {
    bundles: { en: { common: { a: 'z', c: 'new' } }, de: { common: { a: 'Z', c: 'neu' }, home: { h: 'H' } } },
    expected: { 'de/common': tag, 'de/home': EMPTY, 'fr/home': '*' },
    message: '  New texts  ',
  }
  const request = { method: 'POST', path: `${web}/push`, body }
  const POST = { ...request, key: acme.key }
  const without = (field: string) => Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))
  const bad = (name: string, body: unknown, culprit: RegExp): Row => ({
    ...POST,
    name,
    body,
    status: 400,
    check: ({ json }, t) => t.match(json.error, culprit, name),
  })
  const stale = (name: string, expected: object, bundles: object[]): Row => ({
    ...POST,
    name,
    body: { ...body, expected },
    status: 412,
    check: ({ json, headers }, t) => {
      t.strictSame(json.bundles, bundles, name)
      for (const at of Object.keys(expected)) if (at !== 'fr/home') t.match(json.error, at)
      t.equal(headers.etag, undefined)
    },
  })
  const rows = [
    { language: 'en', namespace: 'common', added: 1, updated: 1, unchanged: 0, skipped: 0 },
    { language: 'de', namespace: 'common', added: 1, updated: 0, unchanged: 0, skipped: 1 },
    { language: 'de', namespace: 'home', added: 1, updated: 0, unchanged: 0, skipped: 0 },
  ]
  const sum = { added: 3, updated: 1, unchanged: 0, skipped: 1 }
  const revision = await newest(web)
  let dry: Reply['json']
  await runRows(t, server, [
    { ...request, name: 'nobody', status: 401 },
    { ...request, name: 'a token that reads', key: reader, status: 403 },
    { ...request, name: 'another organization', key: other.key, status: 404 },
    { ...request, name: 'a member of nothing', as: stranger, status: 403 },
    { ...POST, name: 'an unknown parameter', path: `${web}/push?dryrun=true`, status: 400 },
    { ...POST, name: 'neither true nor false', path: `${web}/push?overwrite=1`, status: 400 },
    { ...POST, name: 'no such project', path: '/api/projects/none/push', status: 404 },
    { ...POST, name: 'a bad slug', path: '/api/projects/a..b/push', status: 400 },
    { ...POST, name: 'If-Match', headers: { 'if-match': tag }, status: 400 },
    { ...POST, name: 'not JSON', headers: { 'content-type': 'text/plain' }, status: 415 },
    bad('a list', [], /JSON object/),
    bad('no bundles', without('bundles'), /"bundles" is missing/),
    bad('bundles that are a list', { bundles: [] }, /"bundles" must be an object/),
    bad('a language that is a text', { bundles: { de: 'x' } }, /"bundles.de" must be an object/),
    bad('a bad language', { bundles: { d_e: {} } }, /"d_e"/),
    bad('a bad namespace', { bundles: { de: { 'a/b': {} } } }, /"a\/b"/),
    bad('a reserved one', '{"bundles":{"de":{"__proto__":{"a":"b"}}}}', /"__proto__"/),
    bad('an unknown field', { ...body, dryRun: true }, /"dryRun"/),
    bad('the prototype', '{"bundles":{},"__proto__":{}}', /"__proto__"/),
    bad('no message', { ...body, message: ' ' }, /"message".* 1 to 200/),
    bad('a message too long', { ...body, message: 'é'.repeat(201) }, /"message".* 1 to 200/),
    bad('a much longer one', { ...body, message: 'x'.repeat(5000) }, /"message".* 1 to 200/),
    bad('a message of two lines', { ...body, message: 'a\nParlance-Project: x' }, /"message" .* holds control/),
    bad('a message that is none', { ...body, message: null }, /"message" must be a string/),
    bad('expected of no bundle', { ...body, expected: { de: tag } }, /"de".*<language>\/<namespace>/),
    bad('expected of a bad one', { ...body, expected: { 'de/con': tag } }, /"con"/),
    bad(
      'expected that is no tag',
      { ...body, expected: { 'de/common': tag.slice(3, -1) } },
      /"de\/common".*entity tag/,
    ),
    bad('expected of null', { ...body, expected: { 'de/common': null } }, /"de\/common".*entity tag/),
    bad('JSON that ends early', '{"bundles":{"de":{"common":{"a":"b"}}', /ends before it is complete/),
    bad('a comma too many', '{"bundles":{"de":{"common":{"a":"b"},}}}', /from character 37/),
    bad('no JSON in a resource', '{"bundles":{"de":{"common":{"a" "b"}}}}', /from character 32/),
    bad('brackets that do not fit', '{"bundles":{"de":{"common":{"a":["b"}]}}}', /from character 36/),
    bad('no UTF-8', Buffer.from('{"bundles":{"de":{"common":{"a":"\xff"}}}}', 'latin1'), /UTF-8/),
    stale('one that changed', { 'de/common': EMPTY, 'fr/home': '*' }, [
      { language: 'de', namespace: 'common', etag: tag },
    ]),
    stale('two of them, one outside the push', { 'de/common': '"x"', 'it/x': '*' }, [
      { language: 'de', namespace: 'common', etag: tag },
      { language: 'it', namespace: 'x', etag: EMPTY },
    ]),
    {
      ...POST,
      name: 'dry',
      path: `${web}/push?dryRun=true&details=true`,
      status: 200,
      check: ({ json }, t) => {
        t.match(json, { ...sum, dryRun: true, revision, bundles: rows })
        t.equal(json.bundles[0].etag === tag, false)
        t.equal(json.bundles[1].etag, tag)
        dry = json
      },
    },
    {
      ...request,
      name: 'right, by a member',
      as: member,
      path: `${web}/push?details=true`,
      status: 200,
      check: ({ json }, t) => {
        t.match(json, { ...sum, dryRun: false, bundles: rows })
        t.not(json.revision, revision)
        t.strictSame(
          json.bundles.map(({ etag: _, ...row }: { etag: string }) => row),
          dry.bundles.map(({ etag: _, ...row }: { etag: string }) => row),
          'as the dry run said',
        )
        t.strictSame(json.bundles[1].details, [
          { key: 'a', result: 'skipped', reason: 'a text is stored already' },
          { key: 'c', result: 'added' },
        ])
      },
    },
    { ...POST, name: 'again, now stale', status: 412 },
  ])
  const unchanged = await post(web, without('expected'))
  t.match(unchanged.json, { added: 0, updated: 0, unchanged: 4, skipped: 1, revision: await newest(web) })
  t.equal(unchanged.json.removed, undefined, 'returned only with details')
  for (const { language, namespace, etag } of unchanged.json.bundles) {
    t.equal(etag, await tagOf(web, `${language}/${namespace}`))
  }
  t.strictSame((await read(`${web}/bundles/en/common`)).json, { a: 'z', b: 'y', c: 'new' })
  t.strictSame((await read(`${web}/bundles/de/common`)).json, { a: 'X', c: 'neu' })
  t.equal(await server.commits(acme.id), before + 1)
  const said = server.git(acme.id, 'log', '-1', '--format=%s|%(trailers:unfold,separator=%x7c)')
  t.equal(
    said.trim(),
    'New texts|Parlance-Project: web|Parlance-Language: de|Parlance-Language: en|' +
      'Parlance-Namespace: common|Parlance-Namespace: home|Parlance-Added: 3|Parlance-Updated: 1',
  )
  t.equal(server.git(acme.id, 'status', '--porcelain'), '')
  t.match((await read(`${web}/history?limit=1`)).json.revisions[0], {
    revision: unchanged.json.revision,
    subject: 'New texts',
    changes: { added: 3, updated: 1, removed: 0 },
  })
  t.match((await read(`${web}/history?limit=1&language=de`)).json.revisions[0].changes, { added: 2, updated: 0 })
})

t.test('uses the last of two members with one name, as JSON.parse does', async t => {
  const web = await project('twice', { 'en/common': { a: 'x' } })
  const text =
    '{"message":"A","bundles":{"it":{"x":{"a":"b"}}},"expected":{"en/common":"\\"no\\""},"message":"B",' +
    '"expected":{"en/common":"\\"no\\"","en/\\u0063ommon":"*"},' +
    '"bundles":{"de":{"home":{"a":"b"}},"fr":{"x":{"a":"b"},"y":{"a":"b"},"x":{"c":"d"}},"\\u0064e":{"common":{"a":"c"}}}}'
  const asked = JSON.parse(text)
  const reply = await post(web, text)
  t.equal(reply.status, 200, reply.text)
  t.strictSame(
    reply.json.bundles.map(({ language, namespace }: Record<string, string>) => `${language}/${namespace}`),
    Object.entries<object>(asked.bundles).flatMap(([language, of]) =>
      Object.keys(of).map(name => `${language}/${name}`),
    ),
  )
  for (const at of ['de/common', 'fr/x', 'fr/y']) {
    const [language = '', namespace = ''] = at.split('/')
    t.strictSame((await read(`${web}/bundles/${at}`)).json, asked.bundles[language][namespace], at)
  }
  t.equal((await read(`${web}/history?limit=1`)).json.revisions[0].subject, 'B')
})

t.test('writes a commit subject from the changes when the push has no message', async t => {
  const { server, acme } = scene
  const web = await project('names')
  await post(web, { bundles: { en: { common: { a: 'x', b: 'y' } }, de: { common: { a: 'X' } } } })
  await post(web, { bundles: { en: { common: { a: 'z' } }, de: { common: { a: 'no' } } } })
  await post(web, { bundles: { en: { common: { a: 'w' } }, fr: { common: { a: 'F' } } } }, '?prune=true')
  await server.commits(acme.id)
  t.strictSame(server.git(acme.id, 'log', '-3', '--reverse', '--format=%s').trim().split('\n'), [
    'names: add 3 keys in 2 bundles',
    'names en/common: update a',
    'names: add 1, update 1, remove 1 key in 2 bundles',
  ])
})

t.test('overwrites in any language with overwrite=true, and never with an empty text', async t => {
  const { server, acme } = scene
  const stored = { a: 'x', gone: 'g', item_one: '1', item_other: 'n' }
  const web = await project('over', { 'en/common': stored, 'de/common': stored, 'fr/common': stored })
  const body = { a: 'y', item_one: '', item_other: 'm', fresh: '' }
  const after = { a: 'y', fresh: '', gone: 'g', item_one: '1', item_other: 'm' }
  const counts = { added: 1, updated: 2, unchanged: 0, skipped: 0 }
  const put = await server.put(`${web}/bundles/fr/common?overwrite=true`, acme.key, body)
  t.match(put.json, counts)
  const many = await post(web, { bundles: { en: { common: body }, de: { common: body } } }, '?overwrite=true')
  t.match(many.json, { added: 2, updated: 4, bundles: [counts, counts] })
  for (const language of ['en', 'de', 'fr']) {
    t.strictSame((await read(`${web}/bundles/${language}/common`)).json, after, language)
  }
  const empty = await post(
    web,
    { bundles: { de: { common: { a: '', item_other: '' } } } },
    '?overwrite=true&details=true',
  )
  const reason = 'an empty value never clears a stored text'
  t.strictSame(empty.json.bundles[0].details, [
    { key: 'a', result: 'skipped', reason },
    { key: 'item', result: 'skipped', reason },
  ])
  t.match((await server.put(`${web}/bundles/de/common`, acme.key, { a: 'z' })).json, { skipped: 1 }, 'only where asked')
  const pruned = await post(web, { bundles: { de: { common: { a: 'z' } } } }, '?overwrite=true&prune=true')
  t.match(pruned.json, { updated: 1, removed: 3, bundles: [{ removed: 3 }] })
  t.strictSame((await read(`${web}/bundles/de/common`)).json, { a: 'z' })
  t.strictSame((await read(`${web}/bundles/fr/common`)).json, after, 'other bundles stay')
})

t.test('writes no bundle when one of them is refused', async t => {
  const web = await project('all', { 'en/common': { a: 'x' } })
  const revision = await newest(web)
  const refused = await post(web, {
    bundles: {
      en: { common: { a: 'y' }, good: { a: 'y' } },
      de: { common: { a: 5, '': 'x' }, home: [] },
      fr: { common: { k_plural: 'x', k: 'y' }, good: { a: 'y' } },
    },
  })
  t.equal(refused.status, 422)
  t.match(refused.json.error, /de\/common: .*"a".* de\/home: .* fr\/common: .*"k_plural"/)
  t.notMatch(refused.json.error, 'good')
  const many = Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`n${at}`, { a: at }]))
  t.match((await post(web, { bundles: { de: many } })).json.error, /de\/n9: .* and 3 more$/)
  for (const [bundles, twin] of [
    [{ it: { a: { k: 'x' } }, IT: { b: { k: 'x' } } }, /"IT".*"it"/],
    [{ it: { a: { k: 'x' } }, fr: { A: { k: 'x' } } }, /"A".*"a"/],
    [{ en: { Common: { k: 'x' } } }, /"Common".*"common"/],
  ] as const) {
    const reply = await post(web, { bundles })
    t.equal(reply.status, 409, reply.text)
    t.match(reply.json.error, twin)
  }
  t.equal(await newest(web), revision, 'nothing was written')
  const moved = { en: { common: {}, Common: { a: 'x' } } }
  t.equal(
    (await post(web, { bundles: moved }, '?prune=true')).status,
    200,
    'a deleted bundle causes no conflict of names',
  )
  t.strictSame((await read(web)).json.namespaces, ['Common'])
  t.equal((await post(web, { bundles: { EN: { x: {} } } })).json.added, 0, 'an empty bundle creates no file')
})

t.test('refuses a resource that is too large, and too many resources', async t => {
  const web = await project('sizes')
  const large = `{"bundles":{"de":{"small":{"a":"x"},"large":{"a":"${' '.repeat(8 * 2 ** 20)}"}}}}`
  const reply = await post(web, large)
  t.equal(reply.status, 413)
  t.match(reply.json.error, /"large" of "de" is larger than 8,388,608 bytes/)
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`n${at}`, {}]))
  t.match((await post(web, { bundles: { de: many } })).json.error, /at most 10,000 bundles/)
  const tags = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`de/n${at}`, EMPTY]))
  t.match((await post(web, { bundles: {}, expected: tags })).json.error, /at most 10,000 bundles/)
})

interface Told {
  etag?: string
  details?: { key: string }[]
}

/** The row of a bundle with sorted details: the order of removed keys depends on the cache of parsed bundles. */
const sorted = ({ details, ...row }: Told): Told => ({
  ...row,
  ...(details && { details: [...details].sort((a, b) => (a.key < b.key ? -1 : 1)) }),
})

/** White space enlarges the body, so that the worker computes it. */
const SPACE = ' '.repeat(LARGE)

t.test('stores the same content in one commit as single pushes one after the other', async t => {
  const { server, acme } = scene
  const language = fc.constantFrom('en', 'de', 'fr')
  const bundles = fc.dictionary(
    language,
    fc.dictionary(fc.constantFrom('common', 'home', '7'), resource, { maxKeys: 3 }),
  )
  const flags = fc.record({ prune: fc.boolean(), overwrite: fc.boolean(), details: fc.boolean() })
  const step = fc.record({ bundles, flags, large: fc.boolean() })
  let number = 0
  let written = 0
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 2, maxLength: 4 }),
    fc.boolean(),
    async (steps, flat) => {
      const format = flat ? 'i18next-json-flat' : undefined
      const [one, all] = [await project(`one${number}`, {}, format), await project(`all${number++}`, {}, format)]
      for (const { bundles, flags, large } of steps) {
        const query = `?${new URLSearchParams(Object.entries(flags).map(([name, on]): [string, string] => [name, String(on)]))}`
        const text = JSON.stringify({ bundles }) + (large ? SPACE : '')
        const dry = await post(all, text, `${query}&dryRun=true`)
        const many = await post(all, text, query)
        t.equal(dry.status, many.status)
        if (many.status !== 200) {
          t.equal(many.status, 422, many.text)
          t.strictSame(dry.json, many.json)
          continue
        }
        const rows = Object.entries(bundles).flatMap(([language, namespaces]) =>
          Object.entries(namespaces).map(([namespace, body]) => ({ language, namespace, body })),
        )
        const told = new Map<(typeof rows)[number], Told>()
        // New keys of a translation stand where the source has them, also where one push brings both.
        for (const row of rows.toSorted((a, b) => Number(b.language === 'en') - Number(a.language === 'en'))) {
          const { language, namespace, body } = row
          const { json, headers } = await server.put(`${one}/bundles/${language}/${namespace}${query}`, acme.key, body)
          const { dryRun: _, ...counts } = json
          told.set(row, { language, namespace, etag: headers.etag, ...counts })
        }
        t.strictSame(
          many.json.bundles.map(sorted),
          rows.map(row => sorted(told.get(row)!)),
        )
        const bare = (rows: Told[]) => rows.map(row => ({ ...sorted(row), etag: '' }))
        t.strictSame(bare(dry.json.bundles), bare(many.json.bundles), 'as the dry run said')
        if (many.json.revision !== dry.json.revision) written++
      }
      for (const language of ['en', 'de', 'fr']) {
        const [a, b] = [await read(`${one}/bundles/${language}`), await read(`${all}/bundles/${language}`)]
        t.equal(b.status, a.status)
        t.equal(b.headers.etag, a.headers.etag, 'byte for byte the same')
      }
    },
  )
  await fc.assert(property, { numRuns: 8 })
  t.ok(written > 3, `${written} pushes changed something`)
  await server.commits(acme.id)
  const count = (slug: string) => server.git(acme.id, 'log', '--format=%H', '--', `${slug}/locales`).trim().split('\n')
  let commits = 0
  for (let at = 0; at < number; at++) commits += count(`all${at}`).filter(Boolean).length
  t.equal(commits, written, 'each is one commit')
})
