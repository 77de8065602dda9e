import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, request as forward, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { request } from '../../../src/cli/api/request.ts'
import { random } from '../../random.ts'
import { Checkout, newProject, pulledTo } from '../checkout.ts'
import { type Parlance, startParlance } from '../command.ts'

let parlance: Parlance
t.before(async () => {
  parlance = await startParlance(t)
})

const CONFIG = {
  'i18next.config.js': "module.exports = { locales: ['en', 'de', 'pl', 'ar'], extract: { input: [] } }\n",
}
const en = { nav: { home: 'Home', help: 'Help' }, item_one: '{{count}} item', item_other: '{{count}} items' }
const common = 'locales/en/common.json'

const project = (bundles: Record<string, object> = {}) => newProject(parlance, bundles)

const checkout = (t: Test, env: Record<string, string>, files: Record<string, unknown> = {}) =>
  pulledTo(t, env, { ...CONFIG, ...files })

t.test('a first push, a second one that has nothing, and one commit for all', async t => {
  const web = await project()
  const files = {
    [common]: { ...en, 'Hello. World': 'Hi', list: ['a', { b: 'b' }], friend_male: 'He', waiting: '' },
    'locales/pl/common.json': {
      item_one: '{{count}} element',
      item_few: '{{count}} elementy',
      item_many: '{{count}} elementów',
    },
    'locales/ar/common.json': { item_zero: 'لا عناصر', item_two: 'عنصران', item_other: '{{count}} عنصر' },
    'locales/de/home.json': { h: '' },
  }
  const app = new Checkout(t, web.env, { ...CONFIG, ...files })
  const trial = await app.run('push --dry-run')
  t.match(trial, { code: 0, out: /\+ nav\.home {2}"Home"[\s\S]*Dry run: .*nothing was pushed/ })
  t.equal((await web.commits()).length, 1, 'the project alone')
  const before = app.look()
  const first = await app.run('push --message "First texts"')
  t.equal(first.code, 0, first.err)
  const [{ revision, subject }] = await web.commits()
  t.equal(subject, 'First texts')
  t.match(first.out, `parlance undo ${revision}`)
  t.equal((await web.commits()).length, 2, 'one commit')
  for (const [path, content] of Object.entries(files)) {
    if (!path.includes('/de/')) t.strictSame(await web.get(path.replace(/^locales\/|\.json$/g, '')), content, path)
  }
  t.strictSame((await web.languages()).sort(), ['ar', 'en', 'pl'], 'empty texts create no language')
  t.strictSame(app.look(), before, 'a push writes no file')
  const second = await app.run('push --json')
  t.match(second, { code: 0, json: { revision: null, changes: [] } })
  t.equal((await web.commits()).length, 2, 'no commit')
  t.match(await app.run('diff'), { code: 0, out: 'No key differs.\n' }, 'what waits says nothing')
  t.match(await app.run('pull'), { code: 0, out: /Up to date/ })
  t.strictSame(app.look(), before, 'nor does the pull after it')
  await web.set('ar/common/item_few', 'عناصر')
  t.equal((await app.run('pull')).code, 0)
  app.write('locales/ar/common.json', { ...app.read('locales/ar/common.json'), item_one: '' })
  t.match(await app.run('diff'), { code: 0, out: 'No key differs.\n' }, 'nor does a form that waits')
  app.write(common, { ...files[common], nav: { home: 'Start', help: 'Help' } })
  const third = await app.run('push --json')
  t.match(third.json, {
    revision: String,
    changes: [
      { language: 'en', namespace: 'common', key: 'nav.home', result: 'updated', before: { 'nav.home': 'Home' } },
    ],
  })
  t.equal((await web.get('en/common')).nav.home, 'Start')
})

t.test('two developers and a translator', async t => {
  const web = await project({ 'en/common': { ...en, old: 'Old' }, 'de/common': { nav: { home: 'Start', help: '' } } })
  const [ann, ben] = [await checkout(t, web.env), await checkout(t, web.env)]
  ann.write(common, { ...en, old: 'Old', nav: { home: 'Home page', help: 'Help' } })
  ben.write(common, { ...en, nav: { home: 'Home', help: 'Support' }, about: 'About' })
  ben.write('locales/de/common.json', { nav: { home: 'Anfang', help: 'Hilfe' }, about: 'Über' })
  await web.set('de/common/nav.help', 'Beistand')
  t.equal((await ann.run('push')).code, 0)
  const bens = await ben.run('push')
  t.equal(bens.code, 0, bens.err)
  t.strictSame(
    await web.get('en/common'),
    { ...en, nav: { home: 'Home page', help: 'Support' }, about: 'About', old: 'Old' },
    'neither reverts the other one',
  )
  t.strictSame(
    await web.get('de/common'),
    { nav: { home: 'Anfang', help: 'Beistand' }, about: 'Über' },
    'an edit of an unchanged text is pushed; where both changed it, the translator wins',
  )
  t.match(bens.out, /~ nav\.home {2}"Start" → "Anfang"/)
  t.match(bens.out, /= nav\.help .*a text is stored already/)
  t.match(bens.out, '--overwrite replaces it')
  t.match(bens.out, 'still on the server: 1 key.')
  const over = await ben.run('push --overwrite --dry-run --json')
  t.match(over, { code: 1, json: { conflicts: [{ key: 'nav.help', theirs: { 'nav.help': 'Beistand' } }] } })
  t.equal((await ben.run('push --overwrite --prefer theirs')).code, 0)
  t.strictSame(
    await web.get('de/common'),
    { nav: { home: 'Anfang', help: 'Beistand' }, about: 'Über' },
    'by name alone',
  )
  t.match(await ben.run('pull --prefer theirs'), { code: 0 })
  t.strictSame(ben.read(common), {
    nav: { home: 'Home page', help: 'Support' },
    item_one: '{{count}} item',
    item_other: '{{count}} items',
    about: 'About',
  })
  await web.set('en/common/about', 'About us')
  ben.write(common, { ...ben.read(common), about: 'Us' })
  const refused = await ben.run('push')
  t.match(refused, { code: 1, err: /about\n {2}base {4}"About"\n {2}yours {3}"Us"\n {2}theirs {2}"About us"/ })
  t.equal((await web.get('en/common')).about, 'About us', 'nothing was sent')
  t.equal((await ben.run('push --prefer yours')).code, 0)
  t.equal((await web.get('en/common')).about, 'Us')
  await web.set('en/common/about', 'Ours')
  t.match(await ben.run('pull'), { code: 0 }, 'what was pushed is what both had last')
  t.equal(ben.read(common).about, 'Ours')
})

t.test('an edit of a translation, by what is known of it', async t => {
  const german = 'locales/de/common.json'
  const stored = { a: 'A', b: 'B', item_one: 'ein', item_other: 'viele', list: ['x', 'y'] }
  const web = await project({ 'en/common': stored, 'de/common': stored })
  const app = await checkout(t, web.env)
  const edited = { a: 'A2', b: 'B2', item_one: 'ein', item_other: 'mehr', list: ['x', 'y2'] }
  app.write(german, edited)
  await web.set('de/common/b', 'B3')
  let left = 1
  const done = await app.run('push --yes', {
    async before({ method, path }) {
      if (method === 'POST' && !path.includes('dryRun=true') && left-- > 0) await web.set('de/common/a', 'A3')
    },
  })
  t.equal(done.code, 0, done.err)
  t.strictSame(await web.get('de/common'), { ...edited, a: 'A3', b: 'B3' }, 'a change in between is merged again')
  t.match(done.out, /= a .*\n {2}= b /)
  const again = await app.run('push')
  t.match(again.out, /^Nothing to push\.\n2 keys left alone/, 'skipped keys are not listed again')
  t.match(again.out, 'Not listed again: 2 keys.')
  t.match((await app.run('push --json')).json.changes, [{ key: 'a', result: 'skipped' }, { key: 'b' }])
  await web.set('de/common/b', 'B4')
  t.match((await app.run('push')).out, /^locales.*: 1 skipped\n {2}= b {2}"B4"/, 'but for one that changed')
  const unknown = new Checkout(t, web.env, { ...CONFIG, [common]: stored, [german]: edited })
  t.match(
    await unknown.run('push'),
    { code: 0, out: /= a [\s\S]*Nothing to push/ },
    'without a base nothing is replaced',
  )
  t.match(await unknown.run('push'), { code: 0, out: /^Nothing to push/ })
})

t.test('pushed over old news, a text is known to both from then on', async t => {
  const web = await project({ 'en/common': { ...en, x: 'x' } })
  const app = await checkout(t, web.env)
  await web.set('en/common/x', 'X')
  app.write(common, { ...en, x: 'x', y: 'y' })
  t.equal((await app.run('push')).code, 0)
  t.equal((await web.get('en/common')).x, 'X', 'what was not changed here is not sent')
  await web.set('en/common/y', 'Y')
  t.match(await app.run('pull'), { code: 0 }, 'no conflict')
  t.strictSame(app.read(common), { ...en, x: 'X', y: 'Y' })
})

t.test('an empty text says nothing, and stays until there is one', async t => {
  const web = await project({ 'en/common': { ...en, list: ['a', 'b'] }, 'de/common': { nav: { home: 'Start' } } })
  const german = 'locales/de/common.json'
  const waiting = { nav: { home: 'Start', help: '' }, item_one: '', item_other: '', list: ['', ''] }
  const app = await checkout(t, web.env)
  app.write(german, waiting)
  const before = app.look()
  t.match(await app.run('push'), { code: 0, out: 'Nothing to push.\n' })
  t.match(await app.run('pull'), { code: 0, out: 'Up to date.\n' })
  t.strictSame(app.look(), before)
  await web.set('de/common/item', { one: '', other: '{{count}} Teile' })
  await web.set('en/common/nav.help', 'Support')
  t.match(await app.run('pull'), { code: 0, out: /item_other {2}"" → / })
  t.strictSame(app.read(german), { ...waiting, item_other: '{{count}} Teile' }, 'what still waits is not dropped')
  app.write(german, { ...app.read(german), list: ['', 'B', ''] })
  t.equal((await app.run('push')).code, 0)
  t.strictSame((await web.get('de/common')).list, ['', 'B', ''], 'but for items, which hold places')
  await web.drop('de/common/item')
  t.equal((await app.run('pull')).code, 0)
  t.strictSame(app.read(german), { nav: waiting.nav, list: ['', 'B', ''] }, 'a key that was deleted there goes')
})

t.test('what was deleted here', async t => {
  const keys = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`k${at}`, `Text ${at}`]))
  const web = await project({ 'en/common': { ...keys, list: ['a', 'b'], item_one: 'one', item_other: 'other' } })
  const app = await checkout(t, web.env)
  await web.set('en/common/k1', 'Edited')
  await web.set('en/common/fresh', 'Fresh')
  const { k0: _, k1: __, ...left } = keys
  app.write(common, { ...left, list: ['a'], item_other: 'other' })
  t.match(await app.run('push'), { code: 0, out: /Nothing to push[\s\S]*still on the server: 3 keys/ })
  t.match(
    await app.run('push --prune'),
    { code: 2, err: /Delete .* keys on the server\?.*--yes/ },
    'there is no terminal',
  )
  t.equal((await web.get('en/common')).k0, 'Text 0')
  const done = await app.run('push --prune --yes --json')
  t.equal(done.code, 0, done.err)
  const { k0: ___, ...kept } = keys
  t.strictSame(await web.get('en/common'), { ...kept, k1: 'Edited', fresh: 'Fresh', list: ['a'], item_other: 'other' })
  t.match(done.json.undo, [`parlance undo ${done.json.revision}`])
  await web.undo(done.json.revision)
  t.equal((await web.get('en/common')).k0, 'Text 0')

  const many = await checkout(t, web.env)
  many.write(common, { k5: keys.k5 })
  t.match(await many.run('push --prune'), { code: 1, err: /more than 20 %.*--yes/ })
  const lost = new Checkout(t, web.env, { ...CONFIG, [common]: { k5: keys.k5 } })
  t.match(await lost.run('push --prune --yes'), {
    code: 1,
    err: /Without an earlier pull it is unknown whether you deleted that/,
  })
  t.match(await lost.run('push --prune --yes --prefer yours'), { code: 0 })
  t.strictSame(await web.get('en/common'), { k5: keys.k5 })
})

t.test('a key that was renamed there, and one that moved here', async t => {
  const web = await project({ 'en/common': { ...en, v: { '1.0': 'First' } }, 'de/common': { nav: { home: 'Start' } } })
  const app = await checkout(t, web.env)
  await web.rename('nav.home', 'nav.start')
  app.write('locales/de/common.json', { nav: { home: 'Anfang' } })
  app.write(common, { ...en, 'v.1.0': 'First', menu: { help: 'Help' }, nav: { home: 'Home' } })
  const refused = await app.run('sync')
  t.match(refused, { code: 1, err: /nav\.home\n {2}base {4}"Start"\n {2}yours {3}"Anfang"\n {2}theirs {2}\(deleted\)/ })
  const done = await app.run('sync --prefer theirs --prune --yes')
  t.equal(done.code, 0, done.err)
  t.strictSame(await web.get('en/common'), {
    item_one: '{{count}} item',
    item_other: '{{count}} items',
    menu: { help: 'Help' },
    nav: { start: 'Home' },
    v: { '1.0': 'First' },
  })
  t.strictSame(app.read('locales/de/common.json'), { nav: { start: 'Start' } })
  t.match(app.read(common), { nav: { start: 'Home' }, 'v.1.0': 'First' })
  t.match(await app.run('sync --json'), { code: 0, json: { push: { revision: null }, pull: { files: [] } } })
})

t.test('a server that moves on while it is pushed to', async t => {
  const web = await project({ 'en/common': en })
  const app = await checkout(t, web.env)
  const change = () => app.write(common, { ...app.read(common), mine: `${random()}` })
  const racing = (times: number, words: string) => {
    let left = times
    return app.run(words, {
      async before({ method, path }) {
        if (method !== 'POST' || path.includes('dryRun=true') || left-- <= 0) return
        await web.set('en/common/theirs', `${left}`)
      },
    })
  }
  change()
  t.match(await racing(1, 'push'), { code: 2, err: /Push this instead\?.*--yes/, out: /has changed meanwhile/ })
  t.equal((await web.get('en/common')).mine, undefined)
  const done = await racing(2, 'push --yes')
  t.equal(done.code, 0, done.err)
  t.match(await web.get('en/common'), { mine: app.read(common).mine, theirs: '0' })
  change()
  t.match(await racing(9, 'push --yes'), { code: 1, err: /changed again and again/ })
})

t.test('a push without an answer', async t => {
  const web = await project({ 'en/common': { ...en, old: 'Old', gone: 'Gone' } })
  let cuts = false
  const proxy = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = Buffer.concat(await request.toArray())
    const answer = await new Promise<IncomingMessage>(resolve =>
      forward(new URL(url, parlance.server.base), { method, headers }, resolve).end(body),
    )
    const answered = Buffer.concat(await answer.toArray())
    // The server has committed by now.
    if (cuts && method === 'POST' && !url.includes('dryRun=true')) request.socket.destroy()
    else response.writeHead(answer.statusCode!, answer.headers).end(answered)
  })
  t.teardown(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const { port } = proxy.address() as AddressInfo
  const app = await checkout(t, { ...web.env, PARLANCE_URL: `http://127.0.0.1:${port}` })
  const lost = async (content: object) => {
    app.write(common, content)
    cuts = true
    t.match(await app.run('push --prune --yes'), {
      code: 1,
      err: /cannot be reached .*may have been done all the same/s,
    })
    cuts = false
    t.strictSame(await web.get('en/common'), content, 'and it was')
  }
  await lost({ ...en, old: 'Older', mine: 'Mine' })
  await lost({ ...en, old: 'Oldest', mine: 'Mine 2', gone: 'Back' })
  app.write(common, { ...en, old: 'Last', gone: 'Back' })
  const next = await app.run('sync --prune --yes')
  t.match(next, { code: 0, out: /1 updated, 1 removed/ }, next.err)
  t.strictSame(await web.get('en/common'), app.read(common), 'no conflict: it stood there as it was pushed')
  await lost({ ...en, old: 'Equal' })
  t.match(await app.run('push'), { code: 0, out: 'Nothing to push.\n' })
  app.write(common, { ...en, old: 'Mine' })
  await web.set('en/common/old', 'Theirs')
  t.match(await app.run('pull'), { code: 1, err: /1 key changed here and on the server/ }, 'and one where it did not')
})

t.test('limits a push to languages and namespaces, and reports unnamed ones', async t => {
  const web = await project()
  const app = new Checkout(t, web.env, { ...CONFIG, [common]: { a: 'A' }, 'locales/fr/common.json': { a: 'Un' } })
  const [{ code, out }, { json }] = [await app.run('push'), await app.run('push --json')]
  t.match(
    { code, out },
    {
      code: 0,
      out: /Pushed: 1 added[\s\S]*Not sent \(1 file\):\n {2}locales\/fr\/common\.json: i18next\.config\.js does not name the language; "languages" in parlance\.config\.json can\.\n$/,
    },
  )
  t.strictSame(json.unnamedLanguages, ['fr'])
  t.match(await app.run('push --language fr'), { code: 2, err: /has no language "fr"\. It has en, de, pl, ar\./ })
  t.match(await app.run('push --namespace comon'), { code: 2, err: /has no namespace "comon"\. It has common\./ })
  t.match(await app.run('import locales --language de'), { code: 2, err: /has no language "de"\. It has en, fr\./ })
  t.match(await app.run('push --language en --namespace common'), { code: 0, out: 'Nothing to push.\n' })
})

t.test('a key cannot pass for other rows', async t => {
  const web = await project()
  const app = new Checkout(t, web.env, { ...CONFIG, [common]: { 'a\n  - home': 'A' } })
  t.match(await app.run('push --dry-run'), { code: 0, out: /\n {2}\+ a⏎ {2}- home {2}"A"\n/ })
})

t.test('a dry run leaves nothing behind', async t => {
  const web = await project()
  const app = new Checkout(t, web.env, { ...CONFIG, [common]: en })
  for (const words of ['push --dry-run', 'sync --dry-run']) {
    t.match(await app.run(words), { code: 0, out: /Dry run/ })
    t.notOk(existsSync(join(app.folder, '.parlance')), words)
  }
})

t.test('refusals', async t => {
  const web = await project({ 'en/common': en })
  const app = await checkout(t, web.env)
  const commits = (await web.commits()).length
  app.write(common, { ...en, bad: '{count, plural, one {x} other {y}}' })
  t.match(await app.run('push'), { code: 1, err: /locales\/en\/common\.json:\d+:3: .*ICU.*"bad"/ })
  app.write(common, { ...en, more: 'More' })
  t.match(await app.run('push', { env: { PARLANCE_TOKEN: parlance.tokens.read } }), { code: 1, err: /read/ })
  t.match(await app.run('push --prefer ours'), { code: 2 })
  t.equal((await web.commits()).length, commits)
  t.match(await app.run('push --language de'), { code: 0, out: /Nothing to push/ })
  t.match(await app.run('push --namespace common'), { code: 0, out: /1 added/ })
})

t.test('a sync that pushed, and then finds a conflict', async t => {
  const web = await project({ 'en/common': en, 'de/common': { nav: { home: 'Start' } } })
  const app = await checkout(t, web.env)
  app.write(common, { ...en, more: 'More' })
  app.write('locales/de/common.json', { nav: { home: 'Anfang' } })
  await web.set('de/common/nav.home', 'Beginn')
  const refused = await app.run('sync')
  const [{ revision }] = await web.commits()
  t.equal(refused.code, 1)
  t.notMatch(refused.err, 'Nothing was written')
  t.match(refused.err, '1 key changed here and on the server. No file was written. Give --prefer')
  t.match(refused.err, `Pushed before that.\nTo undo it: \`parlance undo ${revision}\``)
  t.equal((await web.get('en/common')).more, 'More')
  t.match(await app.run('sync'), { code: 1, err: /on the server\. Nothing was written\./ }, 'and nothing was')
})

t.test('too much for one request', async t => {
  const web = await project()
  const app = new Checkout(t, web.env, { ...CONFIG, [common]: { a: 'a' }, 'locales/de/common.json': { a: 'A' } })
  const send: typeof request = async (url, what) => {
    const bundles = what.method === 'POST' ? Object.keys(JSON.parse(what.body!).bundles) : []
    if (bundles.length <= 1) return request(url, what)
    return { status: 413, headers: {}, body: Readable.from([Buffer.from('{"error":"The body is too large."}')]) }
  }
  const done = await app.run('push --json', { send })
  t.equal(done.code, 0, done.err)
  t.match(done.err, 'language by language')
  t.equal(done.json.undo.length, 2)
  t.strictSame([await web.get('en/common'), await web.get('de/common')], [{ a: 'a' }, { a: 'A' }])
})

t.test('export and import of any folder', async t => {
  const web = await project({ 'en/common': en, 'de/home': { h: 'H' } })
  const app = new Checkout(t, web.env)
  t.match(await app.run('export -'), { code: 2, err: /a folder or a \.zip file, not to standard output/ })
  t.notOk(existsSync(join(app.folder, '-')))
  t.match(await app.run('export out'), { code: 0, out: '2 files written to out.\n' })
  t.equal(
    app.text('out/en/common.json'),
    `${JSON.stringify({ item_one: en.item_one, item_other: en.item_other, nav: { help: 'Help', home: 'Home' } }, null, 2)}\n`,
  )
  t.match(await app.run('export out'), { code: 0, out: '0 files written to out.\n' })
  app.write('out/de/home.json', { h: 'Other', i: 'I' })
  t.match(await app.run('export out'), { code: 2, err: /Overwrite 1 file .*--yes/ })
  t.match(await app.run('export flat --template {{namespace}}_{{language}}.json --language de'), { code: 0 })
  t.strictSame(app.read('flat/home_de.json'), { h: 'H' })
  t.match(await app.run('export flat --template {{language}}.json'), { code: 0 })
  t.match(await app.run('export all.zip --json'), { code: 0, json: { revision: String } })
  t.equal(app.text('all.zip').slice(0, 2), 'PK')
  t.match(await app.run('import out --dry-run'), { code: 0, out: /= h {2}"H" \(a text[\s\S]*\+ i {2}"I"/ })
  const done = await app.run('import out --overwrite --prefer yours')
  t.equal(done.code, 0, done.err)
  t.strictSame(await web.get('de/home'), { h: 'Other', i: 'I' })
  t.notOk(Object.keys(app.look()).some(path => path.includes('.parlance')))
})

t.test('a key that is named as what objects inherit', async t => {
  const web = await project()
  const app = new Checkout(t, web.env, { ...CONFIG, [common]: '{ "__proto__": "P", "a": { "__proto__": "Q" } }' })
  t.match(await app.run('push'), { code: 0, out: /\+ __proto__ {2}"P"\n {2}\+ a\.__proto__ {2}"Q"\n/ })
  t.equal(app.text(common), '{ "__proto__": "P", "a": { "__proto__": "Q" } }')
  t.match(await app.run('pull'), { code: 0, out: /Up to date/ })
  await web.set('en/common/__proto__', 'P2')
  t.match(await app.run('pull'), { code: 0, out: /~ __proto__ {2}"P" → "P2"/ })
})
