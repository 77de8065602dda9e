import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { request as send } from '../../../src/cli/api/request.ts'
import { Checkout, newProject, pulledTo } from '../checkout.ts'
import { type Parlance, startParlance } from '../command.ts'

let parlance: Parlance
t.before(async () => {
  parlance = await startParlance(t)
})

const en = { nav: { home: 'Home', help: 'Help' }, item_one: '{{count}} item', item_other: '{{count}} items' }
const de = { nav: { home: 'Start', help: '' } }
const CONFIG = { 'i18next.config.js': "module.exports = { locales: ['en', 'de'], extract: { input: [] } }\n" }

const project = (bundles: Record<string, object>) => newProject(parlance, bundles)

const pulled = (t: Test, env: Record<string, string>, files: Record<string, unknown> = {}) =>
  pulledTo(t, env, { ...CONFIG, ...files })

t.test('a first pull, one that finds nothing new, and one text', async t => {
  const web = await project({ 'en/common': en, 'de/common': de, 'fr/common': { a: 'a' } })
  const app = new Checkout(t, web.env, CONFIG)
  const first = await app.run('pull')
  t.equal(first.code, 0, first.err)
  t.strictSame(app.read('locales/en/common.json'), en)
  t.strictSame(app.read('locales/de/common.json'), de)
  t.notOk(existsSync(join(app.folder, 'locales/fr')), 'a language that the app does not have')
  t.match(first.out, 'Not written: fr')
  t.match(first.out, '2 files written')
  t.equal(first.requests.length, 1, 'one request')
  t.equal(app.text('.parlance/.gitignore'), '*\n')

  const before = app.look()
  const again = await app.run('pull')
  t.match(again, { code: 0, out: 'Up to date.\n', requests: { length: 1 } })
  t.strictSame(app.look(), before, 'no byte and no time changes')
  const nothing = { revision: null, files: [], changes: [], deletedHere: 0, deletedFiles: [], unnamedLanguages: [] }
  const statuses: number[] = []
  const noting: typeof send = async (...asked) => {
    const reply = await send(...asked)
    statuses.push(reply.status)
    return reply
  }
  t.strictSame((await app.run('pull --json', { send: noting })).json, nothing)
  t.strictSame(statuses, [304])
  const upToDate = { revision: null, upToDate: true, changes: [], conflicts: [], deletedFiles: [] }
  t.strictSame((await app.run('pull --check --json')).json, upToDate, 'and looked for alone')

  await web.set('de/common/nav.help', 'Hilfe')
  const next = await app.run('pull --json')
  t.match(next, {
    code: 0,
    json: {
      files: ['locales/de/common.json'],
      changes: [{ key: 'nav.help', result: 'updated', before: { 'nav.help': '' }, after: { 'nav.help': 'Hilfe' } }],
    },
  })
  t.equal(next.requests.length, 2, 'and the state of the last pull')
  t.match(next.requests[1], /&language=de&namespace=common$/, 'of what differs')
  t.equal(app.read('locales/de/common.json').nav.help, 'Hilfe')
  t.match(await app.run('pull', { send: noting }), { code: 0, out: 'Up to date.\n' })
  t.strictSame(statuses, [304, 304], 'also after what differed was had alone')
  t.equal(app.look()['locales/en/common.json'], before['locales/en/common.json'])
})

t.test('what was changed here stays, what was changed there comes', async t => {
  const web = await project({ 'en/common': { ...en, old: 'Old', gone: 'Gone' }, 'de/common': de })
  const app = await pulled(t, web.env)
  app.write('locales/en/common.json', { zebra: 'Zebra', ...en, nav: { home: 'Home page', help: 'Help' }, gone: 'Gone' })
  await web.set('en/common/nav.help', 'Support')
  await web.set('en/common/item_other', '{{count}} things')
  await web.drop('en/common/gone')
  const { code, err, out } = await app.run('pull')
  t.equal(code, 0, err)
  t.strictSame(app.read('locales/en/common.json'), {
    zebra: 'Zebra',
    nav: { home: 'Home page', help: 'Support' },
    item_one: '{{count}} item',
    item_other: '{{count}} things',
  })
  t.equal(Object.keys(app.read('locales/en/common.json'))[0], 'zebra', 'in its own order')
  t.match(out, /Deleted here, and still on the server: 1 key/)
  t.match(await app.run('pull'), { code: 0, out: /Up to date/ })
})

t.test('what was pushed and undone on the server since, though that is what the last pull found', async t => {
  const web = await project({ 'en/common': en, 'de/common': de })
  const app = await pulled(t, web.env)
  app.write('locales/en/common.json', { ...en, nav: { home: 'Home page', help: 'Help' } })
  t.match(await app.run('push'), { code: 0 })
  await web.set('en/common/nav.home', 'Home')
  t.match(await app.run('pull'), { code: 0, out: /1 file written/ })
  t.strictSame(app.read('locales/en/common.json'), en)
  t.match(await app.run('pull'), { code: 0, out: 'Up to date.\n' })
})

t.test('a conflict', async t => {
  const web = await project({ 'en/common': en, 'de/common': de })
  const edit = async () => {
    const app = await pulled(t, web.env)
    app.write('locales/en/common.json', { ...en, nav: { home: 'Mine', help: 'Help' } })
    return app
  }
  const apps = [await edit(), await edit(), await edit()] as const
  await web.set('en/common/nav.home', 'Theirs')
  await web.set('de/common/nav.help', 'Hilfe')
  const before = apps[0].look()
  const refused = await apps[0].run('pull')
  t.equal(refused.code, 1)
  t.match(
    refused.err,
    /locales\/en\/common\.json:3:\d+: nav\.home\n {2}base {4}"Home"\n {2}yours {3}"Mine"\n {2}theirs {2}"Theirs"/,
  )
  t.match(refused.err, '--prefer theirs')
  t.strictSame(apps[0].look(), before, 'nothing is written, of no file')
  t.match(await apps[0].run('pull --json'), {
    code: 1,
    json: {
      error: String,
      conflicts: [
        {
          key: 'nav.home',
          base: { 'nav.home': 'Home' },
          yours: { 'nav.home': 'Mine' },
          theirs: { 'nav.home': 'Theirs' },
        },
      ],
    },
  })
  t.match(await apps[0].run('pull --check'), { code: 1, out: /nav\.home/ })
  t.equal((await apps[1].run('pull --prefer theirs')).code, 0)
  t.equal(apps[1].read('locales/en/common.json').nav.home, 'Theirs')
  t.equal((await apps[2].run('pull --prefer yours')).code, 0)
  t.equal(apps[2].read('locales/en/common.json').nav.home, 'Mine')
  t.equal(apps[2].read('locales/de/common.json').nav.help, 'Hilfe')
  t.match(await apps[2].run('pull'), { code: 0 }, 'decided once')
  t.match(await apps[2].run('pull --prefer mine'), { code: 2 })
})

t.test('an empty text says nothing', async t => {
  const web = await project({ 'en/common': en, 'de/common': { nav: { home: 'Start', help: 'Hilfe' } } })
  const app = new Checkout(t, web.env, {
    ...CONFIG,
    'locales/de/common.json': { nav: { home: '', help: 'Hilfe', more: '' } },
  })
  t.equal((await app.run('pull')).code, 0, 'without a state too')
  t.strictSame(app.read('locales/de/common.json'), { nav: { home: 'Start', help: 'Hilfe', more: '' } })
})

t.test('without a state it is not guessed who is right', async t => {
  const web = await project({ 'en/common': en })
  const files = { ...CONFIG, 'locales/en/common.json': { ...en, nav: { home: 'Other', help: 'Help' }, mine: 'Mine' } }
  const lost = new Checkout(t, web.env, files)
  t.match(await lost.run('pull'), { code: 1, err: /Without an earlier pull it is unknown which side changed/ })
  const damaged = await pulled(t, web.env)
  damaged.write('.parlance/state.json', '{')
  damaged.write('locales/en/common.json', files['locales/en/common.json'])
  t.match(await damaged.run('pull'), { code: 1, err: /Without an earlier pull it is unknown which side changed/ })
  const unknown = await pulled(t, web.env)
  const state = unknown.read('.parlance/state.json')
  unknown.write('.parlance/state.json', { ...state, pulled: undefined, taken: { ['0'.repeat(40)]: ['en/common'] } })
  unknown.write('locales/en/common.json', files['locales/en/common.json'])
  t.match(
    await unknown.run('pull'),
    { code: 1, err: /Without an earlier pull it is unknown which side changed/ },
    'a revision that the server lost',
  )
  const other = await project({ 'en/common': en })
  unknown.write('locales/en/common.json', { ...en, nav: { home: 'Other', help: 'Help' } })
  t.match(
    await unknown.run('pull', { env: other.env }),
    { code: 1, err: /Without an earlier pull it is unknown/ },
    'of another project',
  )
  t.match(await lost.run('pull --prefer theirs'), { code: 0 })
  t.strictSame(lost.read('locales/en/common.json'), { ...en, mine: 'Mine' }, 'what is here alone stays')
})

t.test('--check, --missing-only, --at, and parts', async t => {
  const web = await project({ 'en/common': en, 'en/home': { h: 'H' }, 'de/common': de, 'fr/common': { a: 'A' } })
  await web.release('v1')
  const app = await pulled(t, web.env)
  t.match(await app.run('pull --check'), { code: 0, out: 'Up to date.\n' })
  app.write('locales/en/common.json', JSON.stringify({ item_other: en.item_other, nav: en.nav, item_one: en.item_one }))
  t.match(await app.run('pull --check'), { code: 0 }, 'texts count, not bytes')
  await web.set('en/common/nav.home', 'Home 2')
  await web.set('en/common/fresh', 'Fresh')
  const before = app.look()
  t.match(await app.run('pull --check'), { code: 1, out: /nav\.home {2}"Home" → "Home 2"[\s\S]*1 file behind/ })
  t.match(await app.run('pull --check --json'), { code: 1, json: { upToDate: false, changes: [{}, {}] } })
  t.strictSame(app.look(), before)

  t.equal((await app.run('pull --missing-only')).code, 0)
  t.match(app.read('locales/en/common.json'), { nav: { home: 'Home' }, fresh: 'Fresh' })
  app.write('locales/en/common.json', { ...app.read('locales/en/common.json'), fresh: 'Mine' })
  t.match(await app.run('pull'), { code: 0 }, 'the merge base is stored: only this side changed fresh')
  t.match(app.read('locales/en/common.json'), { nav: { home: 'Home 2' }, fresh: 'Mine' })

  t.match(await app.run('pull --at v1 --prefer theirs'), { code: 0 })
  t.equal(app.read('locales/en/common.json').nav.home, 'Home')
  t.match(await app.run('pull --at v1'), { code: 0, out: /Up to date/ })
  t.equal((await app.run('pull')).code, 0)
  t.equal(app.read('locales/en/common.json').nav.home, 'Home 2', 'and back')
  t.match(await app.run('pull --at nothing'), { code: 1, err: /nothing/ })
  t.match(await app.run('pull --at 2020-01-01'), { code: 1, err: /no project .* at 2020-01-01/ })
  const [time] = /\d+-\d+-\d+T[^\s,]+/.exec((await app.run('pull --help')).out)!
  t.match(
    await app.run(`pull --at ${time}`),
    { code: 1, err: /no project/ },
    `${time} is a time, before the project was`,
  )

  t.match(await app.run('pull --language fr'), { code: 0 })
  t.strictSame(app.read('locales/fr/common.json'), { a: 'A' })
  t.match(await app.run('pull --language es'), { code: 1, err: /"?es"?/ })
  t.match(await app.run('pull --language de,fr'), { code: 2, err: /"de,fr" is not a language tag/ }, 'a wrong word')
  rmSync(join(app.folder, 'locales/en'), { recursive: true })
  t.match(await app.run('pull --namespace home --missing-only'), { code: 0 })
  t.ok(existsSync(join(app.folder, 'locales/en/home.json')))
  t.notOk(existsSync(join(app.folder, 'locales/en/common.json')))
  t.match(await app.run('pull'), {
    code: 0,
    out: /still on the server: 1 file, locales\/en\/common\.json \(en\/common\)/,
  })
  t.notOk(existsSync(join(app.folder, 'locales/en/common.json')), 'a file that was deleted stays so')
  t.match(await app.run('pull --watch --check'), { code: 2 })
  t.match(await app.run('pull --watch --json'), { code: 2 })
})

t.test('a file that is no i18next JSON, and one that may not be written', async t => {
  const web = await project({ 'en/common': en })
  const app = await pulled(t, web.env)
  await web.set('en/common/nav.home', 'Home 2')
  app.write('locales/en/common.json', '{\n  "a": "x",\n  "b": 1\n}\n')
  t.match(await app.run('pull'), { code: 1, err: /locales\/en\/common\.json:3:\d+: / })
  app.write('locales/en/common.json', '{\n  "a": "x",\n}\n')
  t.match(await app.run('pull'), { code: 1, err: /locales\/en\/common\.json:3:\d+: / })
})

t.test('who may not, and no server', async t => {
  const web = await project({ 'en/common': en })
  const app = new Checkout(t, web.env, CONFIG)
  t.match(await app.run('pull', { env: { PARLANCE_TOKEN: parlance.tokens.read } }), { code: 0 }, 'reading is enough')
  t.match(await app.run('pull', { env: { PARLANCE_TOKEN: 'prl_no' } }), { code: 2, err: /parlance login/ })
  t.match(await app.run('pull', { env: { PARLANCE_PROJECT: 'nobodys' } }), { code: 1, err: /nobodys/ })
  t.match(await app.run('pull', { env: { PARLANCE_PROJECT: '' } }), { code: 2, err: /Which project/ })
})

t.test('two at once, and an end in the middle', async t => {
  const bundles = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`en/n${at}`, { a: 'a' }]))
  const web = await project(bundles)
  const app = new Checkout(t, web.env, CONFIG)
  const main = join(import.meta.dirname, '../../../src/cli/main.ts')
  t.equal((await app.run('pull')).code, 0)
  for (const name of Object.keys(bundles)) await web.set(`${name}/a`, 'b')
  const stop = new AbortController()
  const cut = await app.run('pull', {
    stop: stop.signal,
    before: ({ path }) => void (path.includes('at=') && setImmediate(() => stop.abort())),
  })
  t.equal(cut.code, 1)
  for (const name of Object.keys(bundles)) t.match(app.read(`locales/${name}.json`).a, /^[ab]$/, 'whole files')
  for (const name of Object.keys(bundles)) await web.set(`${name}/a`, 'c')
  const next = await app.run('pull')
  t.equal(next.code, 0, `the next one brings the rest: what came before is no change of this side, ${next.err}`)
  for (const name of Object.keys(bundles)) t.equal(app.read(`locales/${name}.json`).a, 'c')
  const help = execFileSync(process.execPath, [main, 'pull', '--help'], { encoding: 'utf8' })
  t.match(help, '--missing-only')
})

t.test('--watch follows the server', async t => {
  const web = await project({ 'en/common': en })
  const app = await pulled(t, web.env)
  const stop = new AbortController()
  const [refused, broken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let listening = Promise.withResolvers<void>()
  const running = app.run('pull --watch', {
    stop: stop.signal,
    said(text) {
      if (/changed here and on the server/.test(text)) refused.resolve()
      if (/files? written/.test(text)) listening.resolve()
      if (/ends before it is complete/.test(text)) broken.resolve()
      if (/Waiting/.test(text)) void web.set('en/common/nav.home', 'Live')
    },
  })
  const ended = running.then(({ err }) => Promise.reject(new Error(`it ended: ${err}`)))
  ended.catch(() => {})
  await Promise.race([listening.promise, ended])
  t.equal(app.read('locales/en/common.json').nav.home, 'Live')
  app.write('locales/en/common.json', { ...en, nav: { home: 'Mine', help: 'Help' } })
  listening = Promise.withResolvers()
  await web.set('en/common/nav.home', 'Yours')
  await Promise.race([refused.promise, ended])
  await web.set('en/common/nav.home', 'Mine')
  await web.set('en/common/nav.help', 'Help 2')
  await Promise.race([listening.promise, ended])
  t.equal(app.read('locales/en/common.json').nav.help, 'Help 2', 'a conflict does not end it')
  const whole = app.text('locales/en/common.json')
  app.write('locales/en/common.json', '{ "a": "\\q", "nav": ')
  await web.set('en/common/nav.home', 'Mine 2')
  await Promise.race([broken.promise, ended])
  app.write('locales/en/common.json', whole)
  listening = Promise.withResolvers()
  await web.set('en/common/nav.help', 'Help 3')
  await Promise.race([listening.promise, ended])
  t.equal(app.read('locales/en/common.json').nav.home, 'Mine 2', 'nor does a file with several faults, half written')
  stop.abort()
  t.equal((await running).code, 0)
})

t.test('files in an order of their own are read once, and then known', async t => {
  const web = await project({ 'de/common': { B: 'B', a: 'A', item_one: '1', item_other: 'n' } })
  const app = await pulledTo(t, web.env, {
    'parlance.config.json': {
      languages: ['en', 'de'],
      output: 'l/{{language}}/{{namespace}}.json',
      sort: true,
      indentation: 4,
    },
  })
  const path = 'l/de/common.json'
  t.strictSame(Object.keys(app.read(path)), ['a', 'B', 'item_one', 'item_other'])
  const state = () => app.read('.parlance/state.json')
  app.write('l/en/more.json', { m: 'M' })
  t.match(await app.run('push'), { code: 0 }, 'after which all is compared')
  await web.set('en/other/x', 'X')
  t.match(await app.run('pull'), { code: 0, out: /l\/en\/other\.json \(en\/other\): new, 1 added/ })
  t.strictSame(Object.keys(state().same), ['de/common'])
  // The file has another text now, which the stored equality must not hide.
  app.write(path, { ...app.read(path), a: 'Here' })
  await web.set('de/common/B', 'There')
  t.match(await app.run('pull'), { code: 0 })
  t.match(app.read(path), { a: 'Here', B: 'There' })
  t.match(await app.run('push --dry-run --overwrite'), { code: 0, out: /~ a {2}"A" → "Here"/ })
})

t.test('what did not change is not asked for again', async t => {
  const text = 'A long text. '.repeat(400)
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`de/n${at}`, { a: text }]))
  const web = await project({ 'en/common': { 'a.b': 'Dotted' }, 'de/common': { x: 'X' }, ...many })
  const app = await pulled(t, web.env)
  const { revision } = app.read('.parlance/state.json').pulled
  let bytes = 0
  const counting: typeof send = async (url, what) => {
    const reply = await send(url, what)
    return { ...reply, body: reply.body.on('data', part => (bytes += part.length)) }
  }
  const pull = async (words = '') => {
    bytes = 0
    return app.run(`pull${words}`, { send: counting })
  }
  t.match(await pull(), { code: 0, out: 'Up to date.\n' })
  await web.set('de/n3/a', 'Kurz')
  await web.set('de/fresh/new', 'Neu')
  await web.drop('de/n4')
  app.write('locales/de/n5.json', { a: text, mine: 'Mine' })
  app.write('locales/de/n6.json', { a: text, mine: 'Mine' })
  t.match(await pull(' --check'), { code: 1, out: /3 files behind/ })
  t.ok(bytes < 20_000, `${bytes} bytes`)
  const next = await pull()
  t.match(next, { code: 0, out: /3 files written: 1 added, 1 updated, 1 removed/ })
  t.match(next.requests[0], new RegExp(`/export\\?format=json&since=${revision}$`))
  t.ok(bytes < 20_000, `${bytes} bytes`)
  t.strictSame(
    ['n3', 'n4', 'n5', 'fresh'].map(name => app.read(`locales/de/${name}.json`)),
    [{ a: 'Kurz' }, {}, { a: text, mine: 'Mine' }, { new: 'Neu' }],
  )
  t.match(await pull(), { code: 0, out: 'Up to date.\n' })
  await web.set('de/n6/a', 'Lang')
  t.match(await pull(), { code: 0, out: /~ a {2}"A long/ }, 'over the merge base: the text beside it stays')
  t.strictSame(app.read('locales/de/n6.json'), { a: 'Lang', mine: 'Mine' })
  const push = await app.run('push')
  t.match(push, { code: 0, out: /2 added/ }, push.err)
  t.match((await pull()).requests, [/\?format=json$/], 'after a push all is compared')
  const state = app.read('.parlance/state.json')
  app.write('.parlance/state.json', { ...state, pulled: { ...state.pulled, revision: '0'.repeat(40) } })
  await web.set('de/n6/a', 'Later')
  t.match(await pull(), { code: 0, out: /"Lang" → "Later"/, requests: { length: 3 } }, 'nor of a state that is lost')
})

t.test('of many new files some are named', async t => {
  const web = await project(Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`en/n${at + 10}`, { a: 'A' }])))
  const { out } = await new Checkout(t, web.env, CONFIG).run('pull')
  t.match(out, /n29\.json \(en\/n29\): new, 1 added\n… and 3 more new files\n23 files written: 23 added\.\n$/)
})
