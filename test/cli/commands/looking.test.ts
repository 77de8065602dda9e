/** `status`, `stale`, `history`, `release list` and `open`: output and exit codes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startParlance } from '../command.ts'
import { command } from '../in-process.ts'

const { server, acme, tokens, env } = await startParlance(t)
const web = await server.project(acme.key, 'web')
const push = (bundles: object) => server.must('POST', `${web}/push`, { key: acme.key, body: { bundles } })
const put = (path: string, value: unknown) =>
  server.must('PUT', `${web}/bundles/${path}`, { key: acme.key, body: { value } })
await push({
  en: { shop: { hello: 'Hello {{name}}', pay: 'Pay now', item_one: 'One item', item_other: '{{count}} items' } },
  pl: { shop: { hello: 'Witaj', pay: 'Zapłać', item_one: 'Jeden', item_few: '{{count}} rzeczy' } },
  de: { shop: { hello: 'Hallo {{name}}', pay: 'Jetzt zahlen', item_one: 'Eins', item_other: '{{count}} Stück' } },
  ja: { shop: { hello: '', old: '古い' } },
})
await server.must('POST', `${web}/releases`, { key: acme.key, body: { name: 'v1' } })

const cwd = join(server.dataDir, '../app')
mkdirSync(cwd)
const around = { env: { ...env, PARLANCE_PROJECT: 'web', PARLANCE_TOKEN: tokens.read } }
const run = (line: string, more: object = {}) => command(cwd, line.split(' '), { ...around, ...more })

t.test('status: bars, and 100 % is all of it', async t => {
  const { code, out, err } = await run('status')
  t.strictSame([code, err], [0, ''])
  t.equal(
    out,
    `web, source language en

de  ████████████████████████  100 %  3/3
en  ████████████████████████  100 %  3/3
ja  ░░░░░░░░░░░░░░░░░░░░░░░░    0 %  0/3  2 missing, 1 empty, 1 extra
pl  ████████████████░░░░░░░░   66 %  2/3  1 incomplete, 1 problem
`,
  )
  const { json } = await run('status --language pl --json --fail-under 67 --fail-on problems,stale')
  t.match(json, {
    project: 'web',
    revision: /^[0-9a-f]{40}$/,
    sourceLanguage: 'en',
    languages: [{ language: 'pl', percent: 66, keys: 3, translated: 2, namespaces: [{ namespace: 'shop' }] }],
    failing: [
      { language: 'pl', rule: 'under', keys: 1 },
      { language: 'pl', rule: 'problems', keys: 1 },
    ],
  })
  const failed = await run('status --fail-under 67 --language pl de')
  t.match(failed.out, /\n\nfails: pl is under 67 %, by 1 of its keys\.\n$/)
  t.notMatch(failed.out, /^(en|ja) /m)
})

t.test('status: a language that the server does not have lacks all keys', async t => {
  mkdirSync(join(cwd, 'named'))
  const config = (fields: object) =>
    writeFileSync(join(cwd, 'named/parlance.config.json'), JSON.stringify({ languages: ['en', 'fr'], ...fields }))
  config({})
  const all = await run('status --fail-under 0.1 -C named')
  t.match(all, { code: 1, out: /\nfr {2}░+ {4}0 % {2}0\/3 {2}3 missing\n/ })
  t.match(all.out, /fails: fr is under 0\.1 %, by 3 of its keys\./)
  t.match((await run('status -C named --language fr --json')).json, {
    languages: [{ language: 'fr', percent: 0, keys: 3, missing: 3, namespaces: [{ namespace: 'shop', missing: 3 }] }],
  })
  config({ project: 'another' })
  t.notMatch((await run('status -C named')).out, /^fr /m, 'the app of another project')
})

t.test('the exit codes of status', async t => {
  const rows: [words: string, code: number, told?: RegExp][] = [
    ['--fail-under 100 --language de', 0],
    ['--fail-under 100', 1],
    ['--fail-under 66 --language pl', 0],
    ['--fail-under 66.7 --language pl', 1],
    ['--fail-under 0', 0],
    ['--fail-on stale', 0],
    ['--fail-on stale,extra', 1],
    ['--fail-under 101', 2, /must be a percentage from 0 to 100, not "101"/],
    ['--fail-under 1 --of approved --language en', 0],
    ['--fail-under 1 --of approved --language de', 1],
    ['--of shown', 2, /must be translated or approved, not "shown"/],
    ['--fail-under much', 2, /not "much"/],
    ['--fail-on late', 2, /must be any of missing, empty, incomplete, stale, problems, extra, with commas, not "late"/],
    ['--language fr', 1, /no language "fr"|has no bundles in "fr"|"fr"/],
    ['--language de fr', 1, /has no language "fr"/],
    ['--namespace none', 1, /"none"/],
    ['--project none', 1, /"none"/],
    ['more', 2, /has no operand "more"/],
  ]
  for (const [words, code, told] of rows) {
    const ended = await run(`status ${words}`)
    t.equal(ended.code, code, `status ${words}: ${ended.err}`)
    if (told) t.match(ended.err, told, words)
  }
})

t.test('review: the suggestions that wait, and the share of approved texts', async t => {
  t.match(await run('review'), { code: 0, out: 'No suggestion waits for a review.\n' })
  const send = (path: string, body: object) => server.must('POST', `/api/projects/web/${path}`, { key: acme.key, body })
  await send('suggestions/pl/shop/pay', { value: 'Opłać' })
  const { out } = await run('review --language pl')
  t.match(out, /^pl shop:pay {2}/)
  t.match(out, /Opłać/)
  t.match(out, /\n\npl: 1 suggestion\n$/)
  t.match((await run('review --json')).json, { project: 'web', suggestions: [{ language: 'pl', message: 'Opłać' }] })
  t.match((await run('review --language de --json')).json, { suggestions: [] })
  t.equal((await run('review --language pl pl --json')).json.suggestions.length, 1, 'each language once')
  t.match(await run('review --language fr'), { code: 1, err: /no language "fr"/ })
  t.match(await run('review --namespace none'), { code: 1, err: /"none"/ })
  await send('suggestions/reject', {
    language: 'pl',
    ids: (await run('review --json')).json.suggestions.map((one: { id: string }) => one.id),
  })
  await send('approve', { language: 'de' })
  t.match((await run('status --of approved --fail-under 100 --language de')).code, 0)
  await send('unapprove', { language: 'de' })
  const failed = await run('status --of approved --fail-under 100 --language de')
  t.match(failed.out, /fails: de is under 100 % approved, by 3 of its keys\./)
})

t.test('stale: what changed in the source, form by form', async t => {
  t.match(await run('stale'), { code: 0, out: 'Nothing is stale.\n' })
  await put('en/shop/pay', 'Pay with an obligation')
  await put('en/shop/item_other', '{{count}} articles')
  const { code, out } = await run('stale')
  t.equal(code, 0)
  t.equal(
    out,
    `shop:item
  en  other  {{count}} [-items-]{+articles+}
  de  one    Eins
      other  {{count}} Stück

shop:pay
  en  Pay [-now-]{+with an obligation+}
  de  Jetzt zahlen

shop:item
  en  other  {{count}} [-items-]{+articles+}
  pl  one  Jeden
      few  {{count}} rzeczy

shop:pay
  en  Pay [-now-]{+with an obligation+}
  pl  Zapłać

4 stale translations in de, pl.
`,
  )
  const { json } = await run('stale --language pl --json')
  t.match(json, {
    project: 'web',
    sourceLanguage: 'en',
    keys: [
      { language: 'pl', namespace: 'shop', key: 'item', source: { cardinal: { other: '{{count}} articles' } } },
      { key: 'pay', source: 'Pay with an obligation', sourceThen: 'Pay now', message: 'Zapłać' },
    ],
  })
  t.equal((await run('status --fail-on stale')).code, 1)
})

t.test('history: of all, of a key by its name, and where it is not known which', async t => {
  const all = await run('history --limit 1')
  t.match(
    all.out,
    /^[0-9a-f]{7} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}ci: web en\/shop: update item_other {2}~1\n\nThere may be more: --limit 2\n$/,
  )
  const key = await run('history shop:pay --language en')
  t.match(key.out, /update pay\n {4}~ en {2}Pay \[-now-\]\{\+with an obligation\+\}\n/)
  t.match(key.out, /\n {4}\+ en {2}Pay now\n$/)
  // The only namespace needs no name.
  t.equal((await run('history pay --language en')).out, key.out)
  t.equal((await run('history pay --namespace shop --language en')).out, key.out)
  t.match((await run('history item --json')).json, {
    project: 'web',
    more: false,
    revisions: [{ language: 'en', key: 'item', before: { cardinal: {} }, author: { name: 'ci' } }, {}, {}, {}],
  })
  await push({ en: { home: { 'Note: read': 'Note: read' } } })
  t.match(await run('history pay'), {
    code: 2,
    err: /The namespace of "pay" is missing\. Write <namespace>:pay, or give --namespace\. The project has home, shop\./,
  })
  t.match(await run('history Note:x --namespace home'), { code: 1, err: /never had the key "Note:x"/ })
  t.match(await run('history shop:none'), { code: 1, err: /never had the key "none"/ })
  t.match(await run('history --limit none'), { code: 2, err: /--limit must be a number/ })
  t.match(await run('history --at 1999-01-01 --namespace shop'), { code: 1 })
})

t.test('lines fit the terminal, and what a terminal would obey stays out', async t => {
  await put('en/shop/hello', 'Hello \u001b]0;pwned\u0007 你好')
  const { out } = await run('history shop:hello --language en --limit 1', { typed: [], columns: 60 })
  t.notMatch(out, /\u001b\]|\u0007/)
  t.match(out, /你好/)
  const narrow = await run('history --limit 3', { typed: [], columns: 60 })
  for (const line of narrow.out.split('\n')) t.ok(line.replace(/\u001b\[[\d;]*m/g, '').length <= 60, line)
  const bars = await run('status', { typed: [], columns: 60 })
  t.match(bars.out.replace(/\u001b\[[\d;]*m/g, ''), /^de {2}█{6}░░ {3}75 % {2}3\/4/m)
})

t.test('release list and open', async t => {
  t.match((await run('release list')).out, /^RELEASE {2}REVISION {2}TIME \(UTC\) +BY\nv1 +[0-9a-f]{7} {3}\d{4}-/)
  t.match((await run('release list --json')).json, { project: 'web', releases: [{ name: 'v1', revision: String }] })
  // A clone that was not built has none.
  const page = (await server.get('/')).status === 200
  const opened = await run('open shop:pay --language de')
  const err = page ? /^$/ : /no dashboard/
  t.match(opened, { code: 0, out: `${server.base}/#/projects/web/de/shop?key=pay\n`, err })
  t.match((await run('open --json')).json, { url: `${server.base}/#/projects/web`, page, opened: false })
  t.equal((await run('open --namespace shop')).out, `${server.base}/#/projects/web/en/shop\n`)
})

t.test('clone prints the git command, and never the token', async t => {
  const { out } = await run('clone --print')
  t.equal(
    out,
    [
      'GIT_CONFIG_COUNT=2',
      `GIT_CONFIG_KEY_0=http.${server.base}/api/translations.git.extraHeader`,
      'GIT_CONFIG_VALUE_0="x-api-key: $PARLANCE_TOKEN"',
      `GIT_CONFIG_KEY_1=http.${server.base}/api/translations.git.followRedirects`,
      'GIT_CONFIG_VALUE_1=false',
      `git clone ${server.base}/api/translations.git translations\n`,
    ].join(' '),
  )
})
