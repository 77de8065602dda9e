/** `parlance init` in apps as they are found. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Checkout } from '../checkout.ts'
import { startParlance } from '../command.ts'

const { server, tokens, env } = await startParlance(t)
const CONFIG = `export default { locales: ['en', 'de'], extract: { input: 'src', output: 'locales/{{language}}/{{namespace}}.json' } }`
const FILES = {
  'locales/en/common.json': { home: { title: 'Hello' }, item_one: '1', item_other: 'n' },
  'locales/de/common.json': { home: { title: 'Hallo' } },
}
const manifest = async (slug: string) => (await server.call('GET', `/api/projects/${slug}`, { key: tokens.write })).json

t.test('an app with an i18next config: the config of ours says the project alone', async t => {
  const app = new Checkout(t, env, { ...FILES, 'i18next.config.mjs': CONFIG })
  const done = await app.run('init --project web --yes')
  t.match(done, { code: 0, err: '' })
  t.match(
    done.out,
    /Found i18next\.config\.mjs: 2 bundles of en \(the source\), de\.\nNamespaces: common\.\nSeparators: "\." in keys, ":" behind a namespace\.\nThis creates the project web \(i18next-json, source en\) and writes parlance\.config\.json\./,
  )
  t.match(done.out, /Created web\.\nPushed: /)
  t.same(app.read('parlance.config.json'), {
    $schema: `${server.base}/cli/parlance.config.schema.json`,
    url: server.base,
    project: 'web',
  })
  t.match(await manifest('web'), {
    sourceLanguage: 'en',
    defaultFormat: 'i18next-json',
    languages: ['de', 'en'],
    namespaces: ['common'],
  })
  t.equal(app.text('.parlance/.gitignore'), '*\n')
  const before = app.look()
  const again = await app.run('init --yes --json')
  t.match(again, { code: 0, json: { project: 'web', created: false, written: [], push: { revision: null } } })
  t.same(app.look(), before)
})

t.test(
  'without an i18next config: reports what it found, creates a flat project for flat keys, pushes nothing with --no-push',
  async t => {
    const app = new Checkout(t, env, {
      'public/locales/pl/a.json': { 'home.title': 'x' },
      'parlance.config.json': { indentation: 4 },
    })
    const done = await app.run('init --project flat --name "Acme shop" --no-push --yes --json')
    const config = {
      output: 'public/locales/{{language}}/{{namespace}}.json',
      sourceLanguage: 'pl',
      languages: ['pl'],
      indentation: 4,
    }
    t.match(done, {
      code: 0,
      json: { project: 'flat', created: true, config, written: ['parlance.config.json'], push: null },
    })
    t.match(app.read('parlance.config.json'), config)
    t.match(await manifest('flat'), { sourceLanguage: 'pl', defaultFormat: 'i18next-json-flat', namespaces: [] })
    t.match((await app.run('push')).out, /Pushed: 1 added/)
  },
)

t.test('uses a present project that fits', async t => {
  await server.project(tokens.write, 'nested')
  const taken = new Checkout(t, env, FILES)
  t.match(await taken.run('init --project nested --yes'), {
    code: 0,
    out: /nested is the project of this folder\./,
  })
  const flat = new Checkout(t, env, { 'locales/en/a.json': { 'home.title': 'x' } })
  const refused = await flat.run('init --project nested --yes')
  t.match(refused, {
    code: 1,
    err: /nested is i18next-json, and the files of this folder are i18next-json-flat\. An admin/,
  })
  const french = new Checkout(t, env, { 'locales/fr/a.json': { a: 'x' } })
  t.match(await french.run('init --project nested --yes'), {
    code: 1,
    err: /nested is written in en, this app in fr.*--source-language en/s,
  })
  for (const app of [flat, french]) t.notOk(existsSync(join(app.folder, 'parlance.config.json')), 'nothing was written')
})

t.test('nothing is done without a yes, a slug, files or the right', async t => {
  const app = new Checkout(t, env, FILES)
  t.match(await app.run('init --project asked'), { code: 2, err: /Go on\? Give --yes\./ })
  t.match(await app.run('init'), { code: 2, err: /Which project of the server is this\? Give --project\./ })
  t.match(await app.run('init --project a/b --yes'), { code: 2, err: /The slug "a\/b" is not valid/ })
  const limited = new Checkout(t, { ...env, PARLANCE_TOKEN: tokens.read }, FILES)
  t.match(await limited.run('init --project asked --yes'), {
    code: 1,
    err: /this token may not create it: .*Ask an owner or admin/s,
  })
  const empty = new Checkout(t, env)
  t.match(await empty.run('init --project asked --yes'), {
    code: 2,
    err: /No locale files are found in this folder\. Say where they are: --output 'locales/,
  })
  t.match(await app.run('init --project asked --output locales --yes'), {
    code: 2,
    err: /"output" must be where the files are, .*not "locales"/,
  })
  t.match((await manifest('asked')).error, /asked/, 'it was not created')
  for (const one of [app, limited, empty]) t.notOk(existsSync(join(one.folder, 'parlance.config.json')))
  t.match(await empty.run('init --project later --output i18n/{{language}}.json --yes'), {
    code: 2,
    err: /No locale file is at i18n\/\{\{language\}\}\.json/,
  })
  t.match((await manifest('later')).error, /later/, 'it was not created')
})

t.test('a folder without texts gets languages, source and separator of the project', async t => {
  const put = (slug: string, language: string, texts: object) =>
    server.must('PUT', `/api/projects/${slug}/bundles/${language}/common`, { key: tokens.write, body: texts })
  for (const [slug, format] of [
    ['german', 'i18next-json'],
    ['level', 'i18next-json-flat'],
  ]) {
    const body = { slug, name: slug, sourceLanguage: 'de', defaultFormat: format }
    await server.must('POST', '/api/projects', { key: tokens.write, body })
    await put(slug!, 'de', { 'nav.home': 'Start' })
    await put(slug!, 'pl', { 'nav.home': 'Strona' })
  }
  const output = '--output locales/{{language}}/{{namespace}}.json'
  for (const [slug, texts] of [
    ['german', { nav: { home: 'Strona' } }],
    ['level', { 'nav.home': 'Strona' }],
  ] as const) {
    const app = new Checkout(t, env)
    const said = await app.run(`init --project ${slug} ${output} --yes`)
    t.match(said, { code: 0, out: /0 bundles of de \(the source\), pl\./ }, said.err)
    t.match(app.read('parlance.config.json'), { sourceLanguage: 'de', languages: ['de', 'pl'] })
    t.match(await app.run('pull'), { code: 0 })
    t.same(app.read('locales/pl/common.json'), texts, 'the first pull brings every language')
    t.match(await app.run('push --dry-run'), { code: 0 }, 'and nothing is left to push')
  }
})

t.test('a folder below another app is an app of its own', async t => {
  const outer = new Checkout(t, env, {
    'parlance.config.json': { project: 'web' },
    'packages/shop/locales/en/a.json': { a: 'x' },
  })
  const cwd = `--cwd ${join(outer.folder, 'packages/shop')}`
  t.match(await outer.run(`init ${cwd} --yes`), { code: 0, out: /Created shop/ }, 'by the name of the folder')
  t.match(outer.read('packages/shop/parlance.config.json'), { project: 'shop' })
  t.same(outer.read('parlance.config.json'), { project: 'web' })
})

t.test('creates a flat project for a keySeparator other than a dot, or says why not', async t => {
  const output = 'locales/{{language}}/{{namespace}}.json'
  const config = (separator: string) =>
    `export default { locales: ['en', 'de'], extract: { input: 'src', output: '${output}', keySeparator: '${separator}' } }`
  const app = new Checkout(t, env, {
    'locales/en/common.json': { 'index.html': 'Start', Home: 'Home' },
    'i18next.config.mjs': config('::'),
  })
  const done = await app.run('init --project dots --yes')
  t.match(done, { code: 0, err: '' })
  t.equal((await manifest('dots')).defaultFormat, 'i18next-json-flat')
  const put = (key: string) =>
    server.call('PUT', `/api/projects/dots/bundles/de/common/${key}`, { key: tokens.write, body: { value: 'x' } })
  await put('index.html')
  t.match(await app.run('pull'), { code: 0 })
  t.same(app.read('locales/de/common.json'), { 'index.html': 'x' })

  const plural = new Checkout(t, env, {
    'locales/en/common.json': { 'item#one': 'one', 'item#other': 'some' },
    'i18next.config.mjs': config('.').replace('keySeparator:', "pluralSeparator: '#', keySeparator:"),
  })
  const reason = /pluralSeparator is "#", and Parlance knows "_" only: each form counts as a key of its own/
  t.match(await plural.run('init --project other-plurals --yes'), { code: 0, out: reason })
  t.match((await plural.run('doctor')).out, reason)

  const nested = new Checkout(t, env, {
    'locales/en/common.json': { home: { title: 'Start' }, list: ['a', 'b'], 'v1.0': 'one' },
    'i18next.config.mjs': config('::'),
  })
  const said = await nested.run('init --project separated --yes')
  t.match(said.out, /keySeparator is "::" and the files nest, so that the project is not flat/)
  t.equal((await manifest('separated')).defaultFormat, 'i18next-json')
  for (const key of ['list.1', 'v1.0', 'home.title']) {
    const path = `/api/projects/separated/bundles/de/common/${key}`
    await server.call('PUT', path, { key: tokens.write, body: { value: 'x' } })
  }
  t.match(await nested.run('pull'), { code: 0 })
  t.same(nested.read('locales/de/common.json'), { home: { title: 'x' }, list: ['', 'x'], 'v1.0': 'x' })
})

t.test('names a config of i18next-parser, which it does not read', async t => {
  const app = new Checkout(t, env, {
    'locales/en/common.json': { Home: 'Home' },
    'i18next-parser.config.mjs': "export default { keySeparator: false, namespaceSeparator: '~' }",
  })
  const sentence = /i18next-parser\.config\.mjs is not read: if it names separators, write "keySeparator" and "nsSep/
  t.match(await app.run('init --project parsed --yes --no-push'), { code: 0, out: sentence })
  app.write('parlance.config.json', { ...app.read('parlance.config.json'), keySeparator: false, nsSeparator: '~' })
  t.notMatch((await app.run('init --yes --no-push')).out, sentence, 'nor again')
})

t.test('creates the project with the app’s placeholders, and reports a difference', async t => {
  const config = (prefix: string) =>
    CONFIG.replace(/}$/, `, interpolation: { prefix: ${JSON.stringify(prefix)}, suffix: '__' } }`)
  const files = {
    'locales/en/common.json': { hi: 'Hi __name__', all: '__a__ {{b}}' },
    'locales/de/common.json': { hi: 'Hallo', all: '__a__' },
  }
  const app = new Checkout(t, env, { ...files, 'i18next.config.mjs': config('__') })
  const done = await app.run('init --project old --yes')
  t.match(done, { code: 0, err: '', out: /^Placeholders: __name__\.$/m })
  t.same((await manifest('old')).interpolation, { prefix: '__', suffix: '__' })
  const status = await server.call('GET', '/api/projects/old/status/keys?language=de&is=problems', {
    key: tokens.write,
  })
  t.same(
    status.json.keys.map(({ key }: { key: string }) => key),
    ['hi'],
  )
  t.match(await app.run('doctor'), { code: 0, out: /^ok {4}syntax {5}placeholders are __name__$/m })

  const web = { key: tokens.write, body: { interpolation: { prefix: '%', suffix: '%' } } }
  t.equal((await server.call('PATCH', '/api/projects/old', web)).status, 200)
  const differs = /placeholders are __name__ here and %name% on the server/
  t.match(await app.run('doctor'), { code: 0, out: differs })
  t.match(await app.run('init --yes'), { code: 0, out: differs })
  t.same((await manifest('old')).interpolation, web.body.interpolation, 'an init changes no project')

  const usual = new Checkout(t, env, { ...files, 'i18next.config.mjs': CONFIG })
  t.notMatch((await usual.run('init --project plain --yes')).out, /Placeholders/)
  t.notOk('interpolation' in (await manifest('plain')))
  t.notMatch((await usual.run('doctor')).out, /syntax/)

  const wrong = new Checkout(t, env, { ...files, 'i18next.config.mjs': config('_\n') })
  t.match(await wrong.run('init --project wrong --yes'), {
    code: 2,
    err: /i18next\.config\.mjs: "interpolation\.prefix" .*control characters/,
  })
  t.equal((await server.call('GET', '/api/projects/wrong', { key: tokens.write })).status, 404)
  const uncompared = /Placeholders of the app are not compared: "interpolation\.prefix"/
  t.match(await wrong.run('init --project old --yes'), { code: 0, out: uncompared }, 'a project that is there is used')
  t.match(await wrong.run('pull'), { code: 0 })
  t.match(await wrong.run('doctor'), { out: /placeholders are not compared/ })
})

t.test('leaves faulty keys out by name, now and at the next push', async t => {
  const long = `Read ${'all '.repeat(300)}of it`
  const rule = `${long.slice(0, 40)}*`
  const app = new Checkout(t, env, {
    'locales/en/common.json': { port: { placeholder: 5000 }, [long]: 'x', home: 'Hello' },
    'locales/de/common.json': { port: { placeholder: 5000 }, home: 'Hallo' },
    'parlance.config.json': { ignore: ['debug.*'] },
  })
  const files = app.look()
  const refused = await app.run('init --project faulty --yes')
  t.equal(refused.code, 1)
  t.match(refused.err, /^parlance: 3 faults in 2 files:\n.*:3:5: .*\(key "port\.placeholder"\)\n/)
  t.match(refused.err, /\n`ignore` in parlance\.config\.json leaves keys out by name; so does --leave-out of init,/)
  t.same(app.look(), files)
  t.match(await manifest('faulty'), { error: String })

  const done = await app.run(`init --project faulty --yes --leave-out port.placeholder "${rule}"`)
  t.match(done, { code: 0, err: '' })
  t.match(app.read('parlance.config.json'), {
    ignore: ['debug.*', 'port.placeholder', rule],
    project: 'faulty',
  })
  t.match(await app.run('push --json'), { code: 0, json: { revision: null } })
})

t.test('says of a single faulty key how to leave it out', async t => {
  const app = new Checkout(t, env, { 'locales/en/common.json': { home: 'Hello', port: 5000 } })
  const { code, err } = await app.run('init --project one --yes')
  t.equal(code, 1)
  t.match(err, /^parlance: locales\/en\/common\.json:3:3: .*\(key "port"\) `ignore` in parlance\.config\.json leaves/)
})
