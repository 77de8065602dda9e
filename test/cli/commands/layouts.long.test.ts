/** `parlance init` and what follows it, over the layouts that apps have and the names that files have. */
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Checkout } from '../checkout.ts'
import { startParlance } from '../command.ts'

const { server, tokens, env } = await startParlance(t)
const key = tokens.write
const manifest = async (slug: string) => (await server.call('GET', `/api/projects/${slug}`, { key })).json
const bundle = async (slug: string, at: string) => (await server.get(`/api/projects/${slug}/bundles/${at}`, key)).json
const text = { hello: 'x' }
const nested = { home: { title: 'x' }, nav: { back: 'y' } }

/** The files of an app, and the result of `init`. */
interface Layout {
  files: Record<string, unknown>
  output: string
  /** As `init` writes them. */
  languages: string[]
  /** On the server. */
  bundles: string[]
  /** Each left-out file with a part of the reason. */
  leftOut?: Record<string, RegExp>
  /** The other folders in the report. */
  others?: string[]
  own?: object
}

const layouts: Record<string, Layout> = {
  'a folder for each language': {
    files: { 'locales/en/a.json': text, 'locales/en/b.json': text, 'locales/de/a.json': text },
    output: 'locales/{{language}}/{{namespace}}.json',
    languages: ['en', 'de'],
    bundles: ['de/a', 'en/a', 'en/b'],
  },
  'a folder for each namespace': {
    files: Object.fromEntries(
      ['app', 'ai', 'settings'].flatMap(name => ['en', 'ja', 'zh-CN'].map(at => [`locales/${name}/${at}.json`, text])),
    ),
    output: 'locales/{{namespace}}/{{language}}.json',
    languages: ['en', 'ja', 'zh-CN'],
    bundles: ['app', 'ai', 'settings'].flatMap(name => [`en/${name}`, `ja/${name}`, `zh-CN/${name}`]),
  },
  'namespaces named like languages': {
    files: Object.fromEntries(
      ['en', 'de', 'fr'].flatMap(at => ['is', 'no'].map(name => [`i18n/${at}/${name}.json`, text])),
    ),
    output: 'i18n/{{language}}/{{namespace}}.json',
    languages: ['en', 'de', 'fr'],
    bundles: ['de/is', 'de/no', 'en/is', 'en/no', 'fr/is', 'fr/no'],
  },
  'a file for each language': {
    files: { 'src/i18n/en.json': text, 'src/i18n/pl.json': text, 'src/i18n/index.ts': '' },
    output: 'src/i18n/{{language}}.json',
    languages: ['en', 'pl'],
    bundles: ['en/translation', 'pl/translation'],
    own: { mergeNamespaces: false, defaultNamespace: 'translation' },
  },
  'a file of objects for each language': {
    files: { 'messages/en.json': nested, 'messages/pl.json': nested },
    output: 'messages/{{language}}.json',
    languages: ['en', 'pl'],
    bundles: ['en/translation', 'pl/translation'],
    own: { mergeNamespaces: false },
  },
  'language and namespace in one name': {
    files: { 'texts/shop.en.json': text, 'texts/shop.de.json': text },
    output: 'texts/{{namespace}}.{{language}}.json',
    languages: ['en', 'de'],
    bundles: ['de/shop', 'en/shop'],
  },
  'a language, then the namespace, in one name': {
    files: { 'texts/en.shop.json': text, 'texts/pt_BR.shop.json': text, 'texts/en.my.cart.json': text },
    output: 'texts/{{language}}.{{namespace}}.json',
    languages: ['en', 'pt_BR'],
    bundles: ['en/my.cart', 'en/shop', 'pt-BR/shop'],
  },
  'a namespace and a language with a hyphen between them': {
    files: { 'lang/main-en.json': text, 'lang/main-zh-CN.json': text, 'lang/sign-up-pt-br.json': text },
    output: 'lang/{{namespace}}-{{language}}.json',
    languages: ['en', 'pt-br', 'zh-CN'],
    bundles: ['en/main', 'pt-br/sign-up', 'zh-CN/main'],
  },
  'a namespace and a language with an underscore between them': {
    files: { 'lang/shop_en.json': text, 'lang/shop_pt_BR.json': text, 'lang/sign_up_en.json': text },
    output: 'lang/{{namespace}}_{{language}}.json',
    languages: ['en', 'pt_BR'],
    bundles: ['en/shop', 'en/sign_up', 'pt-BR/shop'],
  },
  'a language with a word that is no variant of it': {
    files: { 'lang/en-common.json': text, 'lang/de-common.json': text, 'lang/sr-Latn-common.json': text },
    output: 'lang/{{language}}-{{namespace}}.json',
    languages: ['en', 'de', 'sr-Latn'],
    bundles: ['de/common', 'en/common', 'sr-Latn/common'],
  },
  'a word for texts beside the language': {
    files: {
      'data/i18n/en.i18n.json': text,
      'data/i18n/zh_CN.i18n.json': text,
      'data/i18n/sr@latin.i18n.json': text,
      'data/i18n/uz_UZ@Latn.i18n.json': text,
    },
    output: 'data/i18n/{{language}}.i18n.json',
    languages: ['en', 'zh_CN'],
    bundles: ['en/translation', 'zh-CN/translation'],
    leftOut: {
      'data/i18n/sr@latin.i18n.json': /"languageNames": \{ "sr@latin": "sr-Latn" \}/,
      'data/i18n/uz_UZ@Latn.i18n.json': /"languageNames": \{ "uz_UZ@Latn": "uz-Latn-UZ" \}/,
    },
  },
  'two folders of locale files beside each other': {
    files: Object.fromEntries(
      ['en', 'de', 'fr'].flatMap(at => [
        [`src/locales/${at}.json`, text],
        [`src/locales-services/${at}.json`, text],
      ]),
    ),
    output: 'src/locales/{{language}}.json',
    languages: ['en', 'de', 'fr'],
    bundles: ['de/translation', 'en/translation', 'fr/translation'],
    others: ['src/locales-services/{{language}}.json'],
  },
  'beside files with names that end like a language': {
    files: { 'locales/en/a.json': text, 'src/user-id.json': text, 'src/user-to.json': text },
    output: 'locales/{{language}}/{{namespace}}.json',
    languages: ['en'],
    bundles: ['en/a'],
  },
  'a constant folder below the language': {
    files: { 'lang/en/texts/a.json': text, 'lang/fr/texts/a.json': text },
    output: 'lang/{{language}}/texts/{{namespace}}.json',
    languages: ['en', 'fr'],
    bundles: ['en/a', 'fr/a'],
  },
  'deep below the root, where no list has it': {
    files: { 'client/app/resources/strings/en.json': text, 'client/app/resources/strings/sv.json': text },
    output: 'client/app/resources/strings/{{language}}.json',
    languages: ['en', 'sv'],
    bundles: ['en/translation', 'sv/translation'],
  },
  'folders of no known name': {
    files: { 'data/words/en/a.json': text, 'data/words/it/a.json': text },
    output: 'data/words/{{language}}/{{namespace}}.json',
    languages: ['en', 'it'],
    bundles: ['en/a', 'it/a'],
  },
  'beside packages, built files, tests and what git ignores': {
    files: {
      'src/locales/en/a.json': text,
      ...Object.fromEntries(
        ['node_modules/x', 'dist', 'build', 'coverage', 'ignored', 'test', 'examples/small'].flatMap(at => [
          [`${at}/locales/en/a.json`, text],
          [`${at}/locales/de/a.json`, text],
        ]),
      ),
      '.gitignore': 'ignored\n',
    },
    output: 'src/locales/{{language}}/{{namespace}}.json',
    languages: ['en'],
    bundles: ['en/a'],
  },
  'beside a package of its own': {
    files: {
      'locales/app/en.json': text,
      'locales/app/ja.json': text,
      'locales/ai/en.json': text,
      'apps/landing/package.json': {},
      'apps/landing/messages/en.json': text,
      'apps/landing/messages/ja.json': text,
    },
    output: 'locales/{{namespace}}/{{language}}.json',
    languages: ['en', 'ja'],
    bundles: ['en/ai', 'en/app', 'ja/app'],
    others: ['apps/landing/messages/{{language}}.json'],
  },
  'regions with an underscore': {
    files: { 'locales/en_US/a.json': text, 'locales/pt_BR/a.json': text, 'locales/zh_Hant_TW/a.json': text },
    output: 'locales/{{language}}/{{namespace}}.json',
    languages: ['en_US', 'pt_BR', 'zh_Hant_TW'],
    bundles: ['en-US/a', 'pt-BR/a', 'zh-Hant-TW/a'],
  },
  'files with an underscore': {
    files: { 'locales/en.json': text, 'locales/zh_CN.json': text },
    output: 'locales/{{language}}.json',
    languages: ['en', 'zh_CN'],
    bundles: ['en/translation', 'zh-CN/translation'],
  },
  'names that are no tags': {
    files: {
      'locales/en/a.json': text,
      'locales/de/a.json': text,
      'locales/zhtw/a.json': text,
      'locales/german/a.json': text,
      'locales/en/area/b.json': text,
      'locales/en/c.yaml': 'a: x',
      'locales/meta.json': text,
    },
    output: 'locales/{{language}}/{{namespace}}.json',
    languages: ['en', 'de'],
    bundles: ['de/a', 'en/a'],
    leftOut: {
      'locales/zhtw/a.json':
        /"languageNames": \{ "zhtw": "zh-TW" \} in parlance\.config\.json\. Add the tag to its "languages" too/,
      'locales/german/a.json': /"languageNames": \{ "german": "de" \}/,
      'locales/en/area/b.json': /deeper/,
      'locales/en/c.yaml': /not JSON/,
      'locales/meta.json': /It does not fit/,
    },
  },
  'a name that the config maps to a language that it does not list': {
    files: {
      'parlance.config.json': { languages: ['en'], languageNames: { german: 'de' } },
      'locales/en.json': text,
      'locales/german.json': text,
      'locales/fr.json': text,
    },
    output: 'locales/{{language}}.json',
    languages: ['en'],
    bundles: ['en/translation'],
    leftOut: { 'locales/german.json': /does not name the language/, 'locales/fr.json': /does not name the language/ },
  },
  'names that the config maps': {
    files: {
      'parlance.config.json': { languageNames: { zhtw: 'zh-TW', english: 'en' } },
      'locales/english.json': text,
      'locales/de.json': text,
      'locales/zhtw.json': text,
      'locales/tok-.json': text,
    },
    output: 'locales/{{language}}.json',
    languages: ['en', 'de', 'zh-TW'],
    bundles: ['de/translation', 'en/translation', 'zh-TW/translation'],
    leftOut: { 'locales/tok-.json': /"tok-" is not a language tag/ },
  },
}

let serial = 0
for (const [name, { files, output, languages, bundles, leftOut = {}, others, own = {} }] of Object.entries(layouts)) {
  t.test(name, async t => {
    const app = new Checkout(t, env, files)
    if ('.gitignore' in files) (await import('node:child_process')).execFileSync('git', ['init', '-q', app.folder])
    const slug = `layout-${++serial}`
    const said = await app.run(`init --project ${slug} --yes --json`)
    t.equal(said.code, 0, said.err)
    t.match(app.read('parlance.config.json'), { output, ...own })
    t.same(app.read('parlance.config.json').languages.toSorted(), languages.toSorted())
    const { languages: there } = await manifest(slug)
    const found: string[] = []
    for (const language of there) {
      for (const namespace of said.json.found.namespaces) {
        if (
          Object.keys(await bundle(slug, `${language}/${namespace}`).catch(() => ({}))).some(one => one !== 'error')
        ) {
          found.push(`${language}/${namespace}`)
        }
      }
    }
    t.same(found.sort(), bundles.toSorted())
    const told = (rows: { path: string; reason: string }[]) => {
      t.same(rows.map(({ path }) => path).sort(), Object.keys(leftOut).sort())
      for (const { path, reason } of rows) t.match(reason, leftOut[path]!)
    }
    told(said.json.leftOut)
    if (others)
      t.same(
        said.json.others.map((one: { output: string }) => one.output),
        others,
      )
    const before = app.look()
    for (const words of ['push', 'pull', 'status']) {
      const done = await app.run(`${words} --json`)
      t.equal(done.code, 0, `${words}: ${done.err}`)
      if (words !== 'pull') told(done.json.leftOut)
      if (words === 'push') t.same(done.json.changes, [], 'nothing is left to push')
    }
    const checks = (await app.run('doctor --json')).json.checks
    for (const path of Object.keys(leftOut)) {
      t.match(checks.find((one: { name: string }) => one.name === 'files').hint, path)
    }
    t.same(app.look(), before, 'files stay as they are')
  })
}

t.test('a new text comes into the file that is there, by its own name', async t => {
  const app = new Checkout(t, env, { 'locales/en_US.json': text, 'locales/pt_BR.json': text })
  t.match(await app.run('init --project spelled --yes'), { code: 0 })
  await server.must('PUT', '/api/projects/spelled/bundles/pt-BR/translation/new', { key, body: { value: 'n' } })
  await server.must('PUT', '/api/projects/spelled/bundles/zh-CN/translation', { key, body: { hello: 'z' } })
  t.match(await app.run('pull --language pt-BR zh-CN'), { code: 0 })
  t.same(app.read('locales/pt_BR.json'), { hello: 'x', new: 'n' })
  t.same(app.read('locales/zh_CN.json'), { hello: 'z' }, 'a new language is written as the others are')
})

t.test('two names of one language are refused, all at once, until the config chooses', async t => {
  const names = ['en', 'pt_BR', 'pt-BR', 'zh_CN', 'zh-CN']
  const app = new Checkout(t, env, Object.fromEntries(names.map(name => [`locales/${name}.json`, text])))
  const said = await app.run('init --project twice --yes')
  t.match(said, {
    code: 2,
    err: /^parlance: pt-BR and pt_BR are both the language pt-BR, zh-CN and zh_CN .*"languages"/,
  })
  app.write('parlance.config.json', { languages: ['en', 'pt_BR', 'zh-CN'] })
  const chosen = await app.run('init --project twice --yes --json')
  t.match(chosen, { code: 0, json: { found: { languages: ['en', 'pt-BR', 'zh-CN'] } } }, chosen.err)
  t.same(chosen.json.leftOut.map((one: { path: string }) => one.path).sort(), [
    'locales/pt-BR.json',
    'locales/zh_CN.json',
  ])
})

t.test('words in place of languages are shown with their tags', async t => {
  const cases = {
    'locales/{{language}}.json': { english: 'en', german: 'de', French: 'fr' },
    'locales/{{language}}/common.json': { EN: 'en', DE: 'de' },
    'src/{{language}}.json': { enUS: 'en-US', deDE: 'de-DE' },
  }
  for (const [output, words] of Object.entries(cases)) {
    const paths = Object.keys(words).map(word => output.replace('{{language}}', word))
    const app = new Checkout(t, env, Object.fromEntries([...paths, 'src/state.json'].map(path => [path, text])))
    const said = await app.run(`init --project words --yes`)
    t.match(said, { code: 2, err: /^parlance: No locale files are found in this folder, but these names may be/ })
    const [config] = /\{"languageNames":\{.*?\}\}/.exec(said.err) ?? ['{}']
    t.same(JSON.parse(config), { languageNames: words })
    app.write('parlance.config.json', config)
    const done = await app.run(`init --project words-${++serial} --yes --json`)
    t.match(done, { code: 0, json: { leftOut: [] } }, done.err)
    t.same(done.json.found.languages.toSorted(), Object.values(words).sort())
  }
})

t.test('reads the layout of the config, after any change of the files', async t => {
  const app = new Checkout(t, env, { 'locales/en.json': nested, 'locales/pl.json': nested })
  t.match(await app.run('init --project steady --yes'), { code: 0 })
  app.write('locales/en.json', { ...nested, top: 'z' })
  t.match(await app.run('push --json'), { code: 0, json: { changes: [{ key: 'top', result: 'added' }] } })
  t.match(await app.run('pull --check'), { code: 0 })
  t.same((await manifest('steady')).namespaces, ['translation'])

  const merged = new Checkout(t, env, {
    'parlance.config.json': { mergeNamespaces: true },
    'locales/en.json': { home: { a: 'x' }, shop: { b: 'y' } },
  })
  t.match(await merged.run('init --project merged --output locales/{{language}}.json --yes'), { code: 0 })
  t.same((await manifest('merged')).namespaces, ['home', 'shop'])
  merged.write('locales/en.json', { home: { a: 'x' }, top: 'z' })
  for (const words of ['push', 'pull']) {
    t.match(await merged.run(words), { code: 1, err: /locales\/en\.json:\d+:\d+: .*must be a namespace/ }, words)
  }
  const { mergeNamespaces: _, ...others } = merged.read('parlance.config.json')
  merged.write('parlance.config.json', { ...others, mergeNamespaces: false })
  merged.write('locales/en.json', { home: { a: 'x' }, shop: { b: 'y' } })
  for (const words of ['push', 'pull']) {
    const done = await merged.run(words)
    t.match(done, { code: 1, err: /"home" has no place in it\. .*"mergeNamespaces": true/ }, `${words} refuses`)
  }
  t.same((await manifest('merged')).namespaces, ['home', 'shop'], 'nothing doubled')
})

/** Nothing is left by a refusal: neither a project nor a file. */
async function refused(t: import('tap').Test, app: Checkout, slug: string, words: string, expected: object) {
  t.match(await app.run(`init --project ${slug} --yes ${words}`), expected, words)
  t.match((await manifest(slug)).error, slug, 'there is no project')
  t.notOk(existsSync(join(app.folder, '.parlance')))
}

t.test('asks for an unknown source language', async t => {
  const files = { 'locales/de/a.json': text, 'locales/fr/a.json': text, 'locales/pl/a.json': text }
  const app = new Checkout(t, env, files)
  for (const words of ['', '--output locales/{{language}}/{{namespace}}.json']) {
    await refused(t, app, 'sourceless', words, {
      code: 2,
      err: /source of the others: de, fr, pl\? Give --source-language/,
    })
  }
  t.match(await app.run('init --project sourced --source-language fr --yes'), { code: 0 })
  t.equal((await manifest('sourced')).sourceLanguage, 'fr')
  const english = new Checkout(t, env, { ...files, 'locales/en/a.json': text })
  t.match(await english.run('init --project english --output locales/{{lng}}/{{ns}}.json --yes'), { code: 0 })
  t.equal((await manifest('english')).sourceLanguage, 'en', 'not the first by alphabet')
  english.write('parlance.config.json', { languages: ['de', 'en', 'fr'] })
  t.match(await english.run('init --project english-2 --yes'), { code: 0 })
  t.equal((await manifest('english-2')).sourceLanguage, 'en', 'not the first in the config')
  const listed = new Checkout(t, env, { ...files, 'parlance.config.json': { languages: ['de', 'fr'] } })
  await refused(t, listed, 'nothing', '', { code: 2, err: /source of the others: de, fr\?/ })
  const taken = new Checkout(t, env, files)
  t.match(await taken.run('init --project sourced --output locales/{{lng}}/{{ns}}.json --yes'), { code: 0 })
  t.equal(taken.read('parlance.config.json').sourceLanguage, 'fr', 'the project says it')
})

t.test('what is refused leaves neither a project nor a file', async t => {
  const files = { 'web/lang/en/a.json': text, 'web/lang/de/a.json': text }
  const app = new Checkout(t, env, files)
  const wrong = '--output web/{{language}}/{{namespace}}.json'
  await refused(t, app, 'nothing', wrong, {
    code: 2,
    err: /Seen instead:\n.*web\/lang\/\{\{language\}\}\/\{\{namespace\}\}\.json: 2 files/,
  })
  const several = new Checkout(t, env, {
    'apps/web/locales/en.json': text,
    'apps/web/locales/de.json': text,
    'apps/admin/locales/en.json': text,
    'apps/admin/locales/de.json': text,
  })
  await refused(t, several, 'nothing', '', {
    code: 2,
    err: /Several folders.*apps\/admin\/locales.*apps\/web\/locales/s,
  })
  for (const code of ['locales/en.ts', 'locales/en/index.ts', 'locales/en/a.yaml']) {
    const other = code.replace('en', 'de')
    const modules = new Checkout(t, env, { [code]: 'export default {}', [other]: 'export default {}' })
    await refused(t, modules, 'nothing', '', { code: 2, err: /is not JSON, and Parlance reads and writes JSON only/ })
  }
  for (const broken of [
    '{"a": 1}',
    '{"a": "x", "a": "y"}',
    { 'a.b': 'x', a: { b: 'y' } },
    { ['k'.repeat(2000)]: 'x' },
  ]) {
    const one = new Checkout(t, env, { 'locales/en/a.json': broken })
    await refused(t, one, 'nothing', '', { code: 1, err: /locales\/en\/a\.json/ })
  }
  for (const [one, other] of [
    ['locales/en/shop.json', 'locales/de/Shop.json'],
    ['locales/en/a.json', 'locales/En/a.json'],
    ['locales/zh-CN/a.json', 'locales/zh-cn/a.json'],
  ]) {
    const twins = new Checkout(t, env, {
      'parlance.config.json': { languages: ['en', 'de', ...(other!.includes('En') ? ['En'] : ['zh-CN', 'zh-cn'])] },
      'locales/en/a.json': text,
      [one!]: text,
      [other!]: text,
    })
    const words = '--output locales/{{language}}/{{namespace}}.json'
    await refused(t, twins, 'nothing', words, { code: 1, err: /differs only in case from .* of locales/ })
  }
})

t.test('a folder that cannot be written is refused first', async t => {
  const blocked: Record<string, (folder: string) => void> = {
    'a folder in place of the config': folder => mkdirSync(join(folder, 'parlance.config.json')),
    'a folder in place of the state': folder => mkdirSync(join(folder, '.parlance/state.json'), { recursive: true }),
    ...(process.getuid?.() === 0 ? {} : { 'no right to it': folder => chmodSync(folder, 0o555) }),
  }
  for (const [name, block] of Object.entries(blocked)) {
    const app = new Checkout(t, env, { 'locales/en/a.json': text })
    block(app.folder)
    const done = await app.run('init --project blocked --yes')
    t.match(done, { err: /cannot be (?:written|read)/ }, name)
    t.not(done.code, 0)
    t.match((await manifest('blocked')).error, /blocked/, 'there is no project')
  }
})

t.test('"Which project?" has a default', async t => {
  const app = new Checkout(t, env, { 'package.json': '{"name": "@acme/My Shop!"}', 'locales/en/a.json': text })
  t.match(await app.run('init --yes'), { code: 0, out: /Created My-Shop\./ })
  const other = new Checkout(t, env, { 'package.json': '{"name": "My-Shop"}', 'locales/en/a.json': text })
  t.match(await other.run('init --yes'), { code: 2, err: /a project My-Shop already.*--project My-Shop if it is/s })
})

t.test('import names what it does not send', async t => {
  await server.project(key, 'imported')
  const app = new Checkout(
    t,
    { ...env, PARLANCE_PROJECT: 'imported' },
    {
      'old/en/a.json': text,
      'old/pt_BR/a.json': text,
      'old/zhtw/a.json': text,
      'old/en/deep/b.json': text,
    },
  )
  const done = await app.run('import old --json')
  t.match(done, { code: 0 }, done.err)
  t.same((await manifest('imported')).languages, ['en', 'pt-BR'])
  t.same(done.json.leftOut.map(({ path }: { path: string }) => path).sort(), ['en/deep/b.json', 'zhtw/a.json'])

  app.write('parlance.config.json', { languageNames: { zhtw: 'zh-TW' }, ignore: ['secret'] })
  app.write('old/zhtw/a.json', { hello: 'x', secret: 's' })
  t.match(await app.run('import old'), { code: 0, out: /Left out by rules: 1 key, secret \(1\)/ })
  t.same((await manifest('imported')).languages, ['en', 'pt-BR', 'zh-TW'], 'the config says which one')
})
