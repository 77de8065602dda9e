/** `diff`, `types`, `clone` and `doctor`: the commands that look at the app's files, or write some. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { request } from '../../../src/cli/api/request.ts'
import { eventually } from '../../contract/server.ts'
import { appFolder, compile } from '../../http/typed-apps.ts'
import { startParlance } from '../command.ts'
import { command } from '../in-process.ts'

const { server, acme, tokens, env } = await startParlance(t)
const web = await server.project(acme.key, 'web')
await server.must('POST', `${web}/push`, {
  key: acme.key,
  body: {
    bundles: { en: { shop: { pay: 'Pay now', nav: { home: 'Home' } } }, de: { shop: { pay: 'Zahlen', old: 'Alt' } } },
  },
})

const cwd = join(server.dataDir, '../app')
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true })
  writeFileSync(join(cwd, path), text)
}
write(
  'i18next.config.js',
  "export default { locales: ['en', 'de'], extract: { output: 'locales/{{language}}/{{namespace}}.json', defaultNS: 'shop' }, types: { output: 'src/i18next.d.ts' } }",
)
write('package.json', '{ "type": "module" }')
write('locales/en/shop.json', '{ "nav.home": "Home", "pay": "Pay later", "new": "New" }')
write('locales/de/shop.json', '{ "pay": "Zahlen" }')
const around = { env: { ...env, PARLANCE_PROJECT: 'web' } }
const run = (line: string, more: object = {}) => command(cwd, line.split(' '), { ...around, ...more })

t.test('diff: files against the server, and two states of it', async t => {
  t.equal(
    (await run('diff')).out,
    `de/shop
  - old  Alt
en/shop
  + new  New
  ~ pay  Pay [-now-]{+later+}
3 keys: 1 added, 1 updated, 1 removed in your files, compared with the server.
`,
  )
  t.match((await run('diff --language de --json')).json, {
    from: 'server',
    to: 'files',
    changes: [{ language: 'de', namespace: 'shop', key: 'old', before: 'Alt', after: null }],
    counts: { added: 0, updated: 0, removed: 1 },
  })
  await server.must('POST', `${web}/releases`, { key: acme.key, body: { name: 'v1' } })
  t.match(await run('diff --from v1'), { code: 0, out: 'No key differs.\n' })
  await server.must('PUT', `${web}/bundles/en/shop/pay`, { key: acme.key, body: { value: 'Pay soon' } })
  t.match((await run('diff --from v1')).out, 'en/shop\n  ~ pay  Pay [-now-]{+soon+}\n1 key: 1 updated.\n')
  t.match((await run('diff --from v1 --json')).json, { project: 'web', from: /^[0-9a-f]{40}$/, counts: { updated: 1 } })
  t.match(await run('diff --to v1'), { code: 2, err: /Give --from too/ })
  t.match(await run('diff --from v9'), { code: 1, err: /v9/ })
  write('locales/de/shop.json', '{\n  "pay": 5\n}')
  t.match(await run('diff'), { code: 1, err: /^parlance: locales\/de\/shop\.json:2:\d+: / })
  write('locales/de/shop.json', '{ "pay": "Zahlen" }')
})

t.test('a key needs no namespace where the app has a default one', async t => {
  await server.must('PUT', `${web}/bundles/en/home`, { key: acme.key, body: { title: 'Start' } })
  t.match(await run('history pay --language en --limit 1'), { code: 0, out: /Pay \[-now-\]\{\+soon\+\}/ })
})

t.test('types: prints, writes a file, and refuses that of i18next-cli', async t => {
  t.match(await run('types --project nope'), { code: 1, err: /There is no project "nope"/ })
  const printed = await run('types')
  t.match(printed.out, /defaultNS: "shop"/)
  t.match((await run('types --json')).json, { project: 'web', types: printed.out })
  const kept = await run('types --output src/parlance.d.ts')
  t.match(kept, { code: 0, out: 'src/parlance.d.ts is written.\n' })
  const file = join(cwd, 'src/parlance.d.ts')
  t.equal(readFileSync(file, 'utf8'), printed.out)
  const before = statSync(file, { bigint: true })
  t.match(await run('types -o src/parlance.d.ts --json'), { code: 0, json: { project: 'web', file, changed: false } })
  const after = statSync(file, { bigint: true })
  t.strictSame([after.ino, after.mtimeNs], [before.ino, before.mtimeNs], 'what is so already is not touched')
  t.match(await run('types -o src/parlance.d.ts --check'), { code: 0, out: 'src/parlance.d.ts is up to date.\n' })
  writeFileSync(file, 'old')
  t.match(await run('types -o src/parlance.d.ts --check --json'), {
    code: 1,
    json: { project: 'web', upToDate: false },
  })
  t.equal(readFileSync(file, 'utf8'), 'old', 'a check writes nothing')
  t.match(await run('types -o src/new.d.ts --check'), { code: 1, out: /^src\/new\.d\.ts is out of date: / })
  t.match(await run('types --check'), { code: 2, err: /--check needs a file/ })
  t.match(await run('types --output src/i18next.d.ts'), {
    code: 2,
    err: /src\/i18next\.d\.ts is written by i18next-cli: it is the types\.output of i18next\.config\.js\. Give --output another file/,
  })
  t.match(await run('types --watch'), { code: 2, err: /--watch needs a file/ })
})

t.test('types: a written file compiles, and unknown keys do not', async t => {
  t.testdir()
  const lines = [
    "import { t } from 'i18next'",
    "export const texts: string[] = [t('pay'), t('nav.home')]",
    '// @ts-expect-error no such key',
    "t('nav.hoem')",
  ]
  const folder = appFolder(t, 'typed', { 'app.ts': lines.join('\n') })
  t.match(await run(`types --output ${join(folder, 'i18next.d.ts')}`), { code: 0, out: /is written/ })
  t.equal((await compile(folder, '27', '7')).said, '')
})

t.test('types --watch writes what changes in the source', async t => {
  const stop = new AbortController()
  const watching = run('types --output src/parlance.d.ts --watch', { stop: stop.signal })
  const file = join(cwd, 'src/parlance.d.ts')
  const has = (text: string) => eventually(() => readFileSync(file, 'utf8').includes(text))
  await server.must('PUT', `${web}/bundles/en/shop/first`, { key: acme.key, body: { value: 'x' } })
  t.ok(await has('"first"'))
  await server.must('PUT', `${web}/bundles/en/shop/second`, { key: acme.key, body: { value: 'x' } })
  t.ok(await has('"second"'))
  stop.abort(new Error('Interrupted.'))
  await watching
})

t.test('clone: with the token, which stays in no file', async t => {
  const { code, out } = await run('clone --json translations')
  t.equal(code, 0)
  const { folder } = JSON.parse(out)
  t.equal(folder, join(cwd, 'translations'))
  t.match(readFileSync(join(folder, 'web/locales/de/shop.json'), 'utf8'), /Zahlen/)
  t.notMatch(readFileSync(join(folder, '.git/config'), 'utf8'), /prl_|x-api-key/)
  t.match(await run('clone translations'), { code: 1, err: /git could not clone/ }, 'the folder is there already')
  const printed = (await run('clone --print again')).out.trim()
  t.notMatch(printed, /prl_/)
  const PATH = process.env.PATH
  await promisify(execFile)('sh', ['-c', printed], { cwd, env: { PATH, PARLANCE_TOKEN: acme.key } })
  t.match(readFileSync(join(cwd, 'again/web/locales/de/shop.json'), 'utf8'), /Zahlen/)
  const env = { ...around.env, PARLANCE_TOKEN: 'prl_wrong' }
  t.match(await run('clone elsewhere', { env }), { code: 2, err: /unknown, expired or revoked/ })
})

t.test('doctor: what is well, what is not, and what to do', async t => {
  const well = await run('doctor')
  t.equal(well.code, 0, well.out)
  t.match(well.out, /^ok {4}server /m)
  t.match(well.out, /^ok {4}files {6}2 files in en, de \(languages from i18next\.config\.js\)$/m)
  t.match(well.out, /^ok {4}languages {2}the same here and on the server$/m)
  t.match(well.out, /^warn {2}push {7}1 text to push, 1 conflict$/m)
  const states = (ended: { json: { checks: { name: string; state: string }[] } }) =>
    Object.fromEntries(ended.json.checks.map(({ name, state }) => [name, state]))
  const rows: [why: string, env: object, code: number, found: object][] = [
    ['a token that reads', { PARLANCE_TOKEN: tokens.read }, 0, { token: 'warn', project: 'ok' }],
    ['a wrong token', { PARLANCE_TOKEN: 'prl_wrong' }, 1, { token: 'fail' }],
    ['no token', { PARLANCE_TOKEN: '' }, 1, { settings: 'fail', server: 'fail', files: 'ok' }],
    ['no such project', { PARLANCE_PROJECT: 'none' }, 1, { project: 'fail' }],
    ['nobody there', { PARLANCE_URL: 'http://127.0.0.1:1' }, 1, { server: 'fail', files: 'ok' }],
  ]
  for (const [why, more, code, found] of rows) {
    const ended = await run('doctor --json', { env: { ...around.env, ...more } })
    t.equal(ended.code, code, why)
    t.match(states(ended), found, why)
  }
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'))
  t.match(well.out, `warn  version    0.0.0, and the server is ${version}\n`)
  t.match(well.out, /^ +Install the CLI of the server, from its \/cli\.$/m)
  // The clock here differs from the server's as that one from ours.
  const clocks: [seconds: number, says: RegExp][] = [
    [-3600, /^warn {2}clock {6}(3599|360[01]) s ahead of the server\n +Set the clock: /m],
    [90, /^warn {2}clock {6}(89|9[01]) s behind the server$/m],
    [-30, /^ok {4}clock {6}as the server has it$/m],
  ]
  for (const [seconds, says] of clocks) {
    const send: typeof request = async (...asked) => {
      const reply = await request(...asked)
      return { ...reply, headers: { ...reply.headers, date: new Date(Date.now() + seconds * 1000).toUTCString() } }
    }
    t.match(await run('doctor', { send }), { code: 0, out: says })
  }
  await promisify(execFile)('git', ['init', '-q', cwd]).then(
    async () => {
      const others = await run('doctor', { env: { ...around.env, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' } })
      t.match(
        others.out,
        /^warn {2}git {8}\S+ .*refuses this folder.*\n +`git config --global --add safe\.directory \S+app`: /m,
      )
      t.match((await run('doctor')).out, /^ok {4}git {8}\S+$/m)
    },
    () => t.comment('there is no git'),
  )
  write('parlance.config.json', '{ "languages": ["en", "de", "fr"] }')
  t.match((await run('doctor')).out, /^ok {4}languages {2}nothing is pushed yet of fr$/m)
  write('parlance.config.json', '{ "languages": ["en", "fr"] }')
  t.match(
    (await run('doctor')).out,
    /^warn {2}languages {2}nothing is pushed yet of fr; only on the server: de\n.*A pull does not write languages that your config does not name\.$/m,
  )
  write('parlance.config.json', '{}')
  write('locales/de/shop.json', '{ "pay": "Zahlen", }')
  const broken = await run('doctor')
  t.match(broken, { code: 1, out: /^fail {2}files {6}locales\/de\/shop\.json:1:\d+: /m })
})
