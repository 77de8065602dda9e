/** POST and PUT of a namespace: filling, overwriting, counts, dry runs, preconditions and writes without a change. */
import t from 'tap'
import { countCommits, isError, oneOf, openWeb, segment } from './server.ts'

let serial = 0
const EMPTY = 'W/"0967ef424bce6791893e9a57bb952f80fd536e93"'

const { server, acme, web } = await openWeb(t)
await server.must('PUT', `${web}/bundles/de/seed`, { key: acme.key, body: { a: 'A' } })

type Resource = Record<string, unknown>
interface Combination {
  what: string
  stored: Resource
  pushed: Resource
  /** added, updated, unchanged, skipped of a PUT into the source language, and what is then stored */
  overwrite: [[number, number, number, number], Resource]
  /** the same of a PUT into another language, and of a POST */
  fill: [[number, number, number, number], Resource]
}

const combinations: Combination[] = [
  {
    what: 'absent',
    stored: { z: 'Z' },
    pushed: { a: 'A' },
    overwrite: [[1, 0, 0, 0], { a: 'A', z: 'Z' }],
    fill: [[1, 0, 0, 0], { a: 'A', z: 'Z' }],
  },
  {
    what: 'equal',
    stored: { a: 'A' },
    pushed: { a: 'A' },
    overwrite: [[0, 0, 1, 0], { a: 'A' }],
    fill: [[0, 0, 1, 0], { a: 'A' }],
  },
  {
    what: 'different',
    stored: { a: 'A' },
    pushed: { a: 'B' },
    overwrite: [[0, 1, 0, 0], { a: 'B' }],
    fill: [[0, 0, 0, 1], { a: 'A' }],
  },
  {
    what: 'empty stored, text pushed',
    stored: { a: '' },
    pushed: { a: 'B' },
    overwrite: [[0, 1, 0, 0], { a: 'B' }],
    fill: [[0, 1, 0, 0], { a: 'B' }],
  },
  {
    what: 'text stored, empty pushed',
    stored: { a: 'A' },
    pushed: { a: '' },
    overwrite: [[0, 0, 0, 1], { a: 'A' }],
    fill: [[0, 0, 0, 1], { a: 'A' }],
  },
  {
    what: 'empty stored, empty pushed',
    stored: { a: '' },
    pushed: { a: '' },
    overwrite: [[0, 0, 1, 0], { a: '' }],
    fill: [[0, 0, 1, 0], { a: '' }],
  },
  {
    what: 'absent, empty pushed',
    stored: { z: 'Z' },
    pushed: { a: '' },
    overwrite: [[1, 0, 0, 0], { a: '', z: 'Z' }],
    fill: [[1, 0, 0, 0], { a: '', z: 'Z' }],
  },
  {
    what: 'a whole new plural is one key',
    stored: { z: 'Z' },
    pushed: { i_one: '1', i_other: 'n' },
    overwrite: [[1, 0, 0, 0], { i_one: '1', i_other: 'n', z: 'Z' }],
    fill: [[1, 0, 0, 0], { i_one: '1', i_other: 'n', z: 'Z' }],
  },
  {
    what: 'a missing form',
    stored: { i_one: '1' },
    pushed: { i_other: 'n' },
    overwrite: [[0, 1, 0, 0], { i_one: '1', i_other: 'n' }],
    fill: [[0, 1, 0, 0], { i_one: '1', i_other: 'n' }],
  },
  {
    what: 'a missing form beside an equal one',
    stored: { i_one: '1' },
    pushed: { i_one: '1', i_other: 'n' },
    overwrite: [[0, 1, 0, 0], { i_one: '1', i_other: 'n' }],
    fill: [[0, 1, 0, 0], { i_one: '1', i_other: 'n' }],
  },
  {
    what: 'a different form',
    stored: { i_one: '1', i_other: 'n' },
    pushed: { i_one: 'x' },
    overwrite: [[0, 1, 0, 0], { i_one: 'x', i_other: 'n' }],
    fill: [[0, 0, 0, 1], { i_one: '1', i_other: 'n' }],
  },
  {
    what: 'an empty form filled',
    stored: { i_one: '', i_other: 'n' },
    pushed: { i_one: '1' },
    overwrite: [[0, 1, 0, 0], { i_one: '1', i_other: 'n' }],
    fill: [[0, 1, 0, 0], { i_one: '1', i_other: 'n' }],
  },
  {
    what: 'an empty form pushed at a full one',
    stored: { i_one: '1', i_other: 'n' },
    pushed: { i_one: '' },
    overwrite: [[0, 0, 0, 1], { i_one: '1', i_other: 'n' }],
    fill: [[0, 0, 0, 1], { i_one: '1', i_other: 'n' }],
  },
  {
    what: 'equal forms',
    stored: { i_one: '1', i_other: 'n' },
    pushed: { i_one: '1', i_other: 'n' },
    overwrite: [[0, 0, 1, 0], { i_one: '1', i_other: 'n' }],
    fill: [[0, 0, 1, 0], { i_one: '1', i_other: 'n' }],
  },
  {
    what: 'a text beside forms',
    stored: { i_one: '1' },
    pushed: { i: 'I' },
    overwrite: [[0, 1, 0, 0], { i: 'I', i_one: '1' }],
    fill: [[0, 1, 0, 0], { i: 'I', i_one: '1' }],
  },
  {
    what: 'forms beside a text',
    stored: { i: 'I' },
    pushed: { i_one: '1', i_other: 'n' },
    overwrite: [[0, 1, 0, 0], { i: 'I', i_one: '1', i_other: 'n' }],
    fill: [[0, 1, 0, 0], { i: 'I', i_one: '1', i_other: 'n' }],
  },
  {
    what: 'ordinal beside cardinal',
    stored: { p_one: '1' },
    pushed: { p_ordinal_one: '1st' },
    overwrite: [[0, 1, 0, 0], { p_one: '1', p_ordinal_one: '1st' }],
    fill: [[0, 1, 0, 0], { p_one: '1', p_ordinal_one: '1st' }],
  },
  {
    what: 'cardinal beside ordinal',
    stored: { p_ordinal_few: '3rd' },
    pushed: { p_few: '3' },
    overwrite: [[0, 1, 0, 0], { p_few: '3', p_ordinal_few: '3rd' }],
    fill: [[0, 1, 0, 0], { p_few: '3', p_ordinal_few: '3rd' }],
  },
  {
    what: 'a context key is a key',
    stored: { f: 'friend' },
    pushed: { f_male: 'he' },
    overwrite: [[1, 0, 0, 0], { f: 'friend', f_male: 'he' }],
    fill: [[1, 0, 0, 0], { f: 'friend', f_male: 'he' }],
  },
  {
    what: 'dotted and nested are one key',
    stored: { n: { a: 'A' } },
    pushed: { 'n.a': 'B', 'n.b': 'C' },
    overwrite: [[1, 1, 0, 0], { n: { a: 'B', b: 'C' } }],
    fill: [[1, 0, 0, 1], { n: { a: 'A', b: 'C' } }],
  },
  {
    what: 'one of each',
    stored: { e: 'E', d: 'D', v: '' },
    pushed: { e: 'E', d: 'X', v: 'V', n: 'N' },
    overwrite: [[1, 2, 1, 0], { d: 'X', e: 'E', n: 'N', v: 'V' }],
    fill: [[1, 1, 1, 1], { d: 'D', e: 'E', n: 'N', v: 'V' }],
  },
  {
    what: 'nothing',
    stored: { a: 'A' },
    pushed: {},
    overwrite: [[0, 0, 0, 0], { a: 'A' }],
    fill: [[0, 0, 0, 0], { a: 'A' }],
  },
  {
    what: 'a bare ordinal suffix is ordinary',
    stored: { z: 'Z' },
    pushed: { p_ordinal: 'x', _one: 'y', one: 'z' },
    overwrite: [[3, 0, 0, 0], { _one: 'y', one: 'z', p_ordinal: 'x', z: 'Z' }],
    fill: [[3, 0, 0, 0], { _one: 'y', one: 'z', p_ordinal: 'x', z: 'Z' }],
  },
]

async function scene(language: string, stored: Resource): Promise<string> {
  const path = `${web}/bundles/${language}/s${++serial}`
  for (const [key, value] of Object.entries(stored)) {
    if (typeof value === 'object') await server.must('POST', path, { key: acme.key, body: { [key]: value } })
    else await server.must('POST', path, { key: acme.key, body: { [key]: value } })
  }
  return path
}

for (const { what, stored, pushed, overwrite, fill } of combinations) {
  t.test(`policies: ${what}`, async t => {
    for (const [language, [counts, after]] of [
      ['en', overwrite],
      ['de', fill],
    ] as const) {
      const path = await scene(language, stored)
      const before = await server.get(path, acme.key)
      const [added, updated, unchanged, skipped] = counts
      const dry = await server.put(`${path}?dryRun=true`, acme.key, pushed)
      t.strictSame(dry.json, { added, updated, unchanged, skipped, dryRun: true }, `dry run into ${language}`)
      t.equal(dry.headers.etag, before.headers.etag, 'a dry run answers the current ETag')
      t.equal((await server.get(path, acme.key)).text, before.text, 'and writes nothing')
      const reply = await server.put(path, acme.key, pushed)
      t.equal(reply.status, 200)
      t.strictSame(reply.json, { added, updated, unchanged, skipped, dryRun: false }, `PUT into ${language}`)
      const read = await server.get(path, acme.key)
      t.strictSame(read.json, after, `stored in ${language}`)
      t.equal(reply.headers.etag, read.headers.etag, 'the new ETag')
      if (added + updated === 0) t.equal(read.headers.etag, before.headers.etag, 'no change, same ETag')
      const again = await server.put(path, acme.key, pushed)
      t.equal(again.json?.added + again.json?.updated, 0, 'pushed again, nothing is added or updated')
      t.equal(again.headers.etag, read.headers.etag)
    }
    for (const language of ['en', 'de']) {
      const path = await scene(language, stored)
      const reply = await server.post(path, acme.key, pushed)
      t.equal(reply.status, 200)
      t.strictSame(Object.keys(reply.json).sort(), ['added', 'skipped', 'updated'], 'the fields of POST')
      const [[added, updated, unchanged, skipped], after] = fill
      t.equal(reply.json.added, added, `POST into ${language}: added`)
      t.equal(reply.json.updated, updated, `POST into ${language}: updated`)
      oneOf(t, reply.json.skipped, [skipped, skipped + unchanged], `POST into ${language}: skipped`)
      const read = await server.get(path, acme.key)
      t.strictSame(read.json, after, 'stored')
      t.equal(reply.headers.etag, read.headers.etag)
    }
  })
}

t.test('names each added, updated or skipped key in details', async t => {
  const path = await scene('de', { e: 'E', d: 'D', v: '', i_one: '1' })
  const pushed = { e: 'E', d: 'X', v: 'V', n: { m: 'N' }, i_other: 'n', empty: '' }
  for (const query of ['?details=true&dryRun=true', '?details=true']) {
    const reply = await server.put(path + query, acme.key, pushed)
    t.strictSame(Object.keys(reply.json).sort(), ['added', 'details', 'dryRun', 'skipped', 'unchanged', 'updated'])
    const rows: { key: string; result: string; reason?: string }[] = reply.json.details
    t.strictSame(
      rows.map(({ key, result }) => `${key} ${result}`).sort(),
      ['d skipped', 'empty added', 'i updated', 'n.m added', 'v updated'],
      query,
    )
    for (const row of rows) {
      t.strictSame(
        Object.keys(row).filter(field => !['key', 'result', 'reason'].includes(field)),
        [],
      )
      if (row.reason !== undefined) t.equal(typeof row.reason, 'string')
    }
    const { added, updated, unchanged, skipped } = reply.json
    t.strictSame([added, updated, unchanged, skipped], [2, 2, 1, 1])
  }
  t.notOk('details' in (await server.put(path, acme.key, pushed)).json, 'not unless asked for')
})

t.test('refuses wrong queries of writes', async t => {
  const path = await scene('en', { a: 'A' })
  const before = (await server.get(path, acme.key)).text
  const queries = [
    'dryrun=true',
    'dry_run=true',
    'DryRun=true',
    'x=1',
    'prune',
    'dryRun=true&x=1',
    'details=true&y=',
    'namespace=a',
  ]
  for (const query of queries)
    isError(t, await server.put(`${path}?${query}`, acme.key, { a: 'B' }), 400, `PUT ?${query}`)
  for (const query of ['x=1', 'dryrun=true']) {
    isError(t, await server.post(`${path}?${query}`, acme.key, { n: 'B' }), 400, `POST ?${query}`)
    isError(t, await server.put(`${path}/a?${query}`, acme.key, { value: 'B' }), 400, `PUT key ?${query}`)
  }
  for (const query of [
    'dryRun=1',
    'dryRun=',
    'dryRun',
    'dryRun=TRUE',
    'dryRun=yes',
    'dryRun=true&dryRun=false',
    'dryRun=%74rue%20',
  ]) {
    const reply = await server.put(`${path}?${query}`, acme.key, { a: 'B' })
    t.ok(
      reply.status === 400 || reply.json?.dryRun === true,
      `?${query} is refused or a dry run, found ${reply.status} ${reply.text}`,
    )
  }
  for (const [way, reply] of [
    ['POST', await server.post(`${path}?dryRun=true`, acme.key, { n: 'B' })],
    ['PUT key', await server.put(`${path}/n?dryRun=true`, acme.key, { value: 'B' })],
  ] as const) {
    t.ok(reply.status === 400 || reply.json?.dryRun === true, `${way} ?dryRun=true is refused or a dry run`)
  }
  t.equal((await server.get(path, acme.key)).text, before, 'nothing of it was written')
})

t.test('checks a dry run as a write, and writes nothing', async t => {
  const before = await server.commits(acme.id)
  const fresh = await server.put(`${web}/bundles/fi/common?dryRun=true`, acme.key, { a: 'A', b: 'B' })
  t.strictSame(fresh.json, { added: 2, updated: 0, unchanged: 0, skipped: 0, dryRun: true })
  t.equal(fresh.headers.etag, EMPTY)
  isError(t, await server.get(`${web}/bundles/fi`, acme.key), 404, 'the language was not created')
  isError(t, await server.put(`${web}/bundles/en/d?dryRun=true`, acme.key, { a: 5 }), 422, 'a number')
  isError(t, await server.put(`${web}/bundles/EN/d?dryRun=true`, acme.key, { a: 'A' }), 409, 'a case variant')
  isError(
    t,
    await server.put(`${web}/bundles/en/d?dryRun=true`, acme.key, { a: 'A' }, { 'if-match': '"x"' }),
    412,
    'stale',
  )
  isError(t, await server.put('/api/projects/none/bundles/en/d?dryRun=true', acme.key, { a: 'A' }), 404, 'no project')
  t.equal(await server.commits(acme.id), before, 'no commit')
})

t.test('creates nothing for an empty body', async t => {
  const before = await server.commits(acme.id)
  for (const body of [{}, { a: {} }, { a: { b: [] } }, { a: [] }]) {
    for (const method of ['PUT', 'POST']) {
      for (const place of ['fi/common', 'en/nothing', 'de/nothing']) {
        const reply = await server.call(method, `${web}/bundles/${place}`, { key: acme.key, body })
        t.equal(reply.status, 200, `${method} ${place} ${JSON.stringify(body)}`)
        t.equal(reply.json?.added, 0)
        t.equal(reply.headers.etag, EMPTY)
      }
    }
  }
  const manifest = (await server.get(web, acme.key)).json
  t.notOk(manifest.languages.includes('fi'), 'no language')
  t.notOk(manifest.namespaces.includes('nothing'), 'no namespace')
  isError(t, await server.get(`${web}/bundles/fi`, acme.key), 404, 'the language stays unknown')
  isError(t, await server.get(`${web}/bundles/en?namespace=nothing`, acme.key), 404, 'the namespace too')
  t.equal(await server.commits(acme.id), before, 'no commit')
})

t.test('creates a language with its first write', async t => {
  for (const [language, method, tail, body] of [
    ['it', 'PUT', '', { a: 'A' }],
    ['es', 'POST', '', { a: 'A' }],
    ['nl', 'PUT', '/a', { value: 'A' }],
  ] as const) {
    isError(t, await server.get(`${web}/bundles/${language}`, acme.key), 404, 'not there yet')
    t.equal(
      (await server.call(method, `${web}/bundles/${language}/common${tail}`, { key: acme.key, body })).status,
      200,
    )
    t.strictSame((await server.get(`${web}/bundles/${language}`, acme.key)).json, {
      language,
      keys: [{ key: 'a', namespace: 'common', message: 'A' }],
    })
    t.ok((await server.get(web, acme.key)).json.languages.includes(language))
  }
})

t.test('returns 409 for case variants of languages and namespaces on every write', async t => {
  await server.must('PUT', `${web}/bundles/pt-BR/Mixed`, { key: acme.key, body: { a: 'A' } })
  const before = (await server.get(web, acme.key)).text
  for (const place of ['pt-br/Mixed', 'PT-BR/other', 'EN/common', 'en/mixed', 'de/MIXED', 'fr/mixed', 'pt-BR/mIXED']) {
    isError(t, await server.put(`${web}/bundles/${place}`, acme.key, { a: 'A' }), 409, `PUT ${place}`)
    isError(t, await server.post(`${web}/bundles/${place}`, acme.key, { a: 'A' }), 409, `POST ${place}`)
    isError(t, await server.put(`${web}/bundles/${place}/a`, acme.key, { value: 'A' }), 409, `PUT ${place}/a`)
  }
  t.equal((await server.get(web, acme.key)).text, before)
  t.equal((await server.put(`${web}/bundles/de/Mixed`, acme.key, { a: 'A' })).status, 200, 'the same case is fine')
  const other = await server.project(acme.key, 'other')
  t.equal((await server.put(`${other}/bundles/en/mixed`, acme.key, { a: 'A' })).status, 200, 'another project is free')
})

t.test('If-Match', async t => {
  const writes: [string, string, (path: string) => [string, unknown]][] = [
    ['PUT namespace', 'PUT', path => [path, { n: 'new' }]],
    ['POST namespace', 'POST', path => [path, { n: 'new' }]],
    ['PUT key', 'PUT', path => [`${path}/n`, { value: 'new' }]],
    ['PUT a form', 'PUT', path => [`${path}/n_one`, { value: 'new' }]],
  ]
  for (const [what, method, request] of writes) {
    const send = (path: string, ifMatch: string) => {
      const [target, body] = request(path)
      return server.call(method, target, { key: acme.key, body, headers: { 'if-match': ifMatch } })
    }
    const present = async () => {
      const path = await scene('en', { a: 'A' })
      const etag = String((await server.get(path, acme.key)).headers.etag)
      return { path, etag, id: etag.slice(3, -1) }
    }
    for (const form of ['*', 'weak', 'strong', 'list', 'spaced']) {
      const { path, etag, id } = await present()
      const sent = { '*': '*', weak: etag, strong: `"${id}"`, list: `"x", ${etag}`, spaced: ` W/"x"  ,  "${id}" ` }[
        form
      ]!
      const reply = await send(path, sent)
      t.equal(reply.status, 200, `${what}: If-Match ${form} holds: ${reply.text}`)
      t.equal(reply.headers.etag, (await server.get(path, acme.key)).headers.etag)
      t.not(reply.headers.etag, etag)
    }
    for (const sent of ['"x"', 'W/"x"', EMPTY, '"x", "y"', `"${'0'.repeat(40)}"`, '""']) {
      const { path, etag } = await present()
      const reply = await send(path, sent)
      isError(t, reply, 412, `${what}: If-Match ${sent}`)
      t.equal(reply.json?.etag, etag, 'the present ETag in the body')
      t.equal((await server.get(path, acme.key)).headers.etag, etag, 'nothing written')
    }
    for (const sent of ['nonsense', '"open', 'W/x', '*, "x"']) {
      const { path, etag } = await present()
      const reply = await send(path, sent)
      if (sent !== '*, "x"') oneOf(t, reply.status, [400, 412], `${what}: malformed If-Match ${sent}`)
      if (reply.status >= 400) t.equal((await server.get(path, acme.key)).headers.etag, etag, 'nothing written')
    }
    const nowhere = `${web}/bundles/en/s${++serial}`
    const star = await send(nowhere, '*')
    isError(t, star, 412, `${what}: * does not match a bundle that does not exist`)
    t.equal(star.json?.etag, EMPTY)
    isError(t, await send(nowhere, '"x"'), 412, `${what}: a tag of something else`)
    const made = await send(nowhere, EMPTY)
    t.equal(made.status, 200, `${what}: the ETag of the empty bundle matches it: ${made.text}`)
    isError(t, await send(nowhere, EMPTY), 412, `${what}: and then no longer`)
    const language = `fo-x-a${++serial}`
    isError(t, await send(`${web}/bundles/${language}/common`, '*'), 412, `${what}: in a language that is not there`)
    isError(t, await server.get(`${web}/bundles/${language}`, acme.key), 404, 'the language was not created')
    t.equal((await send(`${web}/bundles/${language}/common`, EMPTY)).status, 200)
  }
  const path = await scene('en', { a: 'A' })
  isError(t, await server.put(path, acme.key, { a: 'A' }, { 'if-match': '"x"' }), 412, 'even when nothing would change')
  isError(t, await server.put(path, acme.key, {}, { 'if-match': '"x"' }), 412, 'even with an empty body')
})

t.test('accepts one of many writers with one If-Match', async t => {
  const path = await scene('en', { a: 'A' })
  const etag = String((await server.get(path, acme.key)).headers.etag)
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) => server.put(path, acme.key, { a: `${n}` }, { 'if-match': etag })),
  )
  t.strictSame(replies.map(reply => reply.status).sort(), [200, ...Array.from({ length: 19 }, () => 412)])
  const now = (await server.get(path, acme.key)).headers.etag
  t.ok(
    replies.every(reply => reply.status === 200 || reply.json.etag === now),
    'the losers receive the current ETag',
  )
})

t.test('writes one commit for each write with a change, and none without', async t => {
  const path = await scene('en', { a: 'A', i_one: '1', i_other: 'n' })
  const before = await server.commits(acme.id)
  const head = server.git(acme.id, 'rev-parse', 'HEAD')
  await server.must('PUT', path, { key: acme.key, body: { i_other: 'n', a: 'A' } })
  await server.must('POST', path, { key: acme.key, body: { a: 'other' } })
  await server.must('PUT', `${path}/a`, { key: acme.key, body: { value: 'A' } })
  await server.must('PUT', `${path}/i_one`, { key: acme.key, body: { value: '1' } })
  await server.must('PUT', `${path}/i`, { key: acme.key, body: { value: { other: 'n', one: '1' } } })
  await server.must('PUT', path, { key: acme.key, body: { a: '' } })
  t.equal(await server.commits(acme.id), before, 'none of these is a commit')
  t.equal(server.git(acme.id, 'rev-parse', 'HEAD'), head, 'HEAD stays')
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, `${n}`]))
  await server.must('PUT', path, { key: acme.key, body: many })
  t.equal(await server.commits(acme.id), before + 1, 'five hundred keys in one push are one commit')
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      server.must('PUT', `${path}/r${n}`, { key: acme.key, body: { value: `${n}` } }),
    ),
  )
  t.equal(await server.commits(acme.id), before + 61, 'sixty edits at once are sixty')
  t.equal(countCommits(server.repository(acme.id)), before + 61)
  const read = await server.get(path, acme.key)
  t.ok(Array.from({ length: 60 }, (_, n) => read.json[`r${n}`] === `${n}`).every(Boolean), 'and all are there')
})

t.test('writes author, subject and counts into a commit without forged lines', async t => {
  const evil = await server.organization('Eve')
  const shop = await server.project(evil.key, 'shop')
  const key = 'x\nParlance-Added: 99\n\nSigned-off-by: Mallory <m@example.com>'
  await server.must('PUT', `${shop}/bundles/en/common/${segment(key)}`, { key: evil.key, body: { value: 'v' } })
  await server.must('PUT', `${shop}/bundles/de/common`, { key: evil.key, body: { a: 'A', b: 'B' } })
  const as = evil.owner
  await server.must('PUT', `${shop}/bundles/de/common/a`, { as, body: { value: 'AA' } })
  const named = (await server.mint(as, 'bot <x@y> author')).key
  await server.must('PUT', `${shop}/bundles/de/common/a`, { key: named, body: { value: 'AAA' } })
  await server.commits(evil.id)
  const log = (format: string, n: number) =>
    server.git(evil.id, 'log', '-1', `--skip=${n}`, `--format=${format}`).trim()
  t.match(log('%an <%ae>', 0), /^bot .*<token\+[^<>@]+@[a-z.]*invalid>$/, 'a token with its name')
  t.notMatch(log('%B', 0), /^author /m)
  t.equal(log('%an <%ae>', 1), `Eve <${evil.owner.user.email}>`, 'a user by name and e-mail')
  t.match(log('%s', 1), /shop.*de\/common.*\ba\b/, 'the subject')
  t.equal(log('%(trailers:key=Parlance-Project,valueonly)', 1), 'shop')
  t.equal(log('%(trailers:key=Parlance-Language,valueonly)', 1), 'de')
  t.equal(log('%(trailers:key=Parlance-Namespace,valueonly)', 1), 'common')
  t.equal(log('%(trailers:key=Parlance-Added,valueonly)', 2), '2')
  t.notMatch(log('%B', 3), /^(Parlance-Added: 99|Signed-off-by)/m, 'a key with line feeds forges no trailer')
  t.equal(log('%(trailers:key=Parlance-Added,valueonly)', 3), '1')
  server.git(evil.id, 'fsck', '--full', '--strict')
})
