/** Keys that `ignore` or `--leave-out` names: no command sends, writes, checks or deletes them. */
import t, { type Test } from 'tap'
import { Checkout, newProject } from '../checkout.ts'
import { type Parlance, startParlance } from '../command.ts'

let parlance: Parlance
t.before(async () => {
  parlance = await startParlance(t)
})

const common = 'locales/en/common.json'
const german = 'locales/de/common.json'
const CONFIG = {
  'i18next.config.js': "module.exports = { locales: ['en', 'de'], extract: { input: [], sort: false } }\n",
}
const ignoring = (...ignore: string[]) => ({ 'parlance.config.json': { ignore } })
const project = (bundles: Record<string, object> = {}) => newProject(parlance, bundles)
const checkout = (t: Test, env: Record<string, string>, files: Record<string, unknown>) =>
  new Checkout(t, env, { ...CONFIG, ...files })

t.test('--leave-out does it for one run of push, sync and import', async t => {
  for (const command of ['push', 'sync --yes', 'import locales']) {
    const web = await project()
    const app = checkout(t, web.env, { [common]: { home: 'Home', bad: 1, worse: 2 }, ...ignoring('worse') })
    t.equal((await app.run(command)).code, 1, command)
    const names = command.startsWith('import') ? 'bad worse' : 'bad'
    const { code, err } = await app.run(`${command} --leave-out ${names}`)
    t.equal(code, 0, `${command}: ${err}`)
    t.strictSame(await web.get('en/common'), { home: 'Home' })
  }
})

t.test('a rule holds in every language, for a key, its forms and its items', async t => {
  const texts = { nav: { home: 'H', help: 'P' }, item_one: 'I', item_other: 'Is', list: ['a', 'b'], itemize: 'Z' }
  const web = await project()
  const files = { [common]: texts, [german]: texts, 'locales/en/shop.json': texts }
  const app = checkout(t, web.env, { ...files, ...ignoring('common:nav.*', 'item', 'common:list') })
  const { code, out, err } = await app.run('push')
  t.equal(code, 0, err)
  t.match(out, 'Left out by rules: 5 keys, common:nav.* (2), item (2), common:list (1).')
  t.strictSame(await web.get('en/common'), { itemize: 'Z' })
  t.strictSame(await web.get('de/common'), { itemize: 'Z' })
  t.strictSame(await web.get('en/shop'), { nav: texts.nav, list: texts.list, itemize: 'Z' })
})

t.test('what the server has of a left-out key stays there, and stays out of the files', async t => {
  const stored = { home: 'Home', old: { a: 'A', b: 'B' }, list: ['x', 'y'] }
  const web = await project({ 'en/common': stored, 'de/common': stored, 'en/shop': { old: { a: 'A' }, s: 'S' } })
  const app = checkout(t, web.env, { [common]: { home: 'Home', old: { a: 'mine' } }, ...ignoring('old.*', 'list') })
  const pulled = await app.run('pull')
  t.equal(pulled.code, 0, pulled.err)
  t.strictSame(app.read(common), { home: 'Home', old: { a: 'mine' } }, 'neither added nor overwritten')
  t.strictSame(app.read(german), { home: 'Home' }, 'nor in a new file')
  t.strictSame(app.read('locales/en/shop.json'), { s: 'S' })
  app.write(common, { home: 'Start' })
  const pushed = await app.run('push --prune --yes --json')
  t.match(pushed, { code: 0, json: { changes: [{ key: 'home', result: 'updated' }], deletedHere: 0 } }, pushed.err)
  t.equal(pushed.json.changes.length, 1)
  t.strictSame(await web.get('en/common'), { ...stored, home: 'Start' }, '--prune deletes nothing of it')
  await web.set('en/common/old.a', 'theirs')
  t.match(await app.run('pull --check'), { code: 0 })
  t.match(await app.run('pull'), { code: 0 })
  t.strictSame(app.read(common), { home: 'Start' })
  t.match(await app.run('diff'), { out: 'No key differs.\n' })
})

t.test('deletes nothing on the server for a deleted file with left-out keys only', async t => {
  const web = await project({ 'en/common': { old: 'Old' }, 'en/home': { h: 'H' } })
  const app = checkout(t, web.env, ignoring('old'))
  app.write(common, { old: 'Old' })
  t.equal((await app.run('pull')).code, 0)
  const { rmSync } = await import('node:fs')
  rmSync(`${app.folder}/${common}`)
  t.match(await app.run('push --prune --yes'), { code: 0, out: /Nothing to push/ })
  t.strictSame(await web.get('en/common'), { old: 'Old' })
})

t.test('without its rule a key is what it was: no deletion, no lost edit', async t => {
  const web = await project({ 'en/common': { home: 'Home', old: 'Old', both: 'B' } })
  const app = checkout(t, web.env, { [common]: { home: 'Home', both: 'mine' }, ...ignoring('old', 'both') })
  t.equal((await app.run('pull')).code, 0)
  await web.set('en/common/home', 'Start')
  t.equal((await app.run('pull')).code, 0)
  app.write('parlance.config.json', {})
  t.match(await app.run('push --prune --yes'), { code: 1, err: /both/ }, 'a conflict, as at the first pull')
  t.match(await app.run('pull --prefer yours'), { code: 0 })
  t.strictSame(app.read(common), { home: 'Start', both: 'mine', old: 'Old' })
  t.match(await app.run('push --prune --yes'), { code: 0 })
  t.strictSame(await web.get('en/common'), { home: 'Start', both: 'mine', old: 'Old' })
})

t.test('a pull that rewrites a file leaves left-out keys in it', async t => {
  const web = await project({ 'en/common': { list: ['a', 'b', 'c'], n: { x: 'X' } } })
  const app = checkout(t, web.env, ignoring('n.bad', 'worse'))
  const bad = { list: ['a', 'b', 'c'], n: { bad: 1, x: 'X' }, worse: [null] }
  app.write(common, bad)
  t.equal((await app.run('pull')).code, 0)
  for (const item of ['list.2', 'list.1', 'list.0']) await web.drop(`en/common/${item}`)
  await web.put('en/common', { list: { 0: 'a', 2: 'c' }, n: { x: 'Y' } })
  const { code, err } = await app.run('pull')
  t.equal(code, 0, err)
  t.strictSame(app.read(common), { ...bad, list: { 0: 'a', 2: 'c' }, n: { bad: 1, x: 'Y' } })
  await web.drop('en/common/n.x')
  await web.put('en/common', { n: 'a text where the file has an object' })
  const refused = await app.run('pull')
  t.match(refused, { code: 1, err: /no place beside keys that are left out/ })
  t.equal(app.read(common).n.bad, 1)
})

t.test('namespaces of one file', async t => {
  const web = await project()
  const file = 'locales/en.json'
  const app = new Checkout(t, web.env, {
    'i18next.config.js':
      "module.exports = { locales: ['en'], extract: { input: [], output: 'locales/{{language}}.json', mergeNamespaces: true } }\n",
    [file]: { shop: { a: 'A', bad: 1 }, home: { a: 'A', bad: 'fine' }, none: 'text' },
    'parlance.config.json': { ignore: ['shop:bad'], ignoreNamespaces: ['none'] },
  })
  const { code, err } = await app.run('push')
  t.equal(code, 0, err)
  t.strictSame(await web.get('en/shop'), { a: 'A' })
  t.strictSame(await web.get('en/home'), { a: 'A', bad: 'fine' })
  await web.set('en/shop/a', 'B')
  t.equal((await app.run('pull')).code, 0)
  t.strictSame(app.read(file), { shop: { a: 'B', bad: 1 }, home: { a: 'A', bad: 'fine' }, none: 'text' })
})

t.test('push and status name a rule that fits nothing', async t => {
  const web = await project({ 'en/only': { there: 'T' } })
  const files = { [common]: { nav: { home: 'H' }, ok: 'O' } }
  const app = checkout(t, web.env, { ...files, ...ignoring('nva.*', 'nav', 'nav.*', 'only:there', 'list.0') })
  const pushed = await app.run('push')
  t.match(pushed.out, 'Left out by rules: 2 keys, nav.* (1), only:there (1).')
  t.match(pushed.out, 'The rule "nva.*" fits no key of the files and the server.')
  t.match(pushed.out, /The rule "nav" fits no key .*"nav\.\*" is all keys below it/)
  t.match(pushed.out, 'The rule "list.0" fits no key')
  const { json } = await app.run('push --json')
  t.strictSame(
    json.ignoredKeys.map(({ keys }: { keys: number }) => keys),
    [0, 0, 1, 1, 0],
  )
  t.notMatch((await app.run('push --namespace common')).out, /fits no key/, 'a partial run reports nothing')
  const status = await app.run('status')
  t.match(status.out, 'Left out by rules: 1 key, nav.* (1).')
  t.match(status.out, 'The rule "nva.*" fits no key of the files.')
  t.match((await app.run('status --json')).json.ignoredKeys, [{ rule: 'nva.*', keys: 0 }])
})

t.test('what is broken outside of the key still blocks', async t => {
  const web = await project()
  const app = checkout(t, web.env, { [common]: '{\n  "bad": 1\n  "home": "Home",\n}\n', ...ignoring('bad') })
  const { json } = await app.run('push --json')
  t.match(json, {
    count: 2,
    faults: [
      { line: 2, column: 11 },
      { line: 4, column: 1 },
    ],
  })
})

t.test('leaves out a whole array, also when the server has keys in its place', async t => {
  const sides = [{ steps: ['a', 'b'] }, { steps: { 0: 'a', 1: 'b' } }, { 'steps.0': 'a', 'steps.1': 'b' }]
  const rules = ['steps', 'steps.*', 'common:steps']
  for (const [at, here] of sides.entries()) {
    for (const [by, there] of sides.entries()) {
      // Each rule with each shape of either side.
      const rule = rules[(at + by) % 3]!
      const web = await project({ 'en/common': { home: 'Home', ...there } })
      const before = await web.get('en/common')
      const app = checkout(t, web.env, { [common]: { home: 'Home 2', ...here }, ...ignoring(rule) })
      const what = `${JSON.stringify(here)} here, ${JSON.stringify(there)} there, ${rule}`
      const pushed = await app.run('push --prune --yes --prefer yours')
      t.equal(pushed.code, 0, `${what}: ${pushed.err}`)
      t.strictSame(await web.get('en/common'), { ...before, home: 'Home 2' }, what)
      const text = app.text(common)
      t.equal((await app.run('pull')).code, 0, what)
      t.equal(app.text(common), text, what)
    }
  }
})

t.test('a pull leaves the bytes of a left-out array alone, comments and all', async t => {
  const text = '{\n  "home": "Home",\n  "steps": [\n    "1", // note\n    "2", /* keep */\n  ]\n}\n'
  const web = await project({ 'en/common': { home: 'Start' } })
  const app = checkout(t, web.env, { [common]: text, ...ignoring('steps') })
  const pulled = await app.run('pull --prefer theirs')
  t.equal(pulled.code, 0, pulled.err)
  t.equal(app.text(common), text.replace('"Home"', '"Start"'))
})
