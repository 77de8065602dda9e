/** `login`, `logout` and `whoami`, and where settings come from. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { newFolder } from '../../new-folder.ts'
import { parlance, startParlance } from '../command.ts'

const { server, tokens, env } = await startParlance(t)
await server.project(tokens.write, 'web')

t.test('tests a token, stores it for its owner alone, uses and removes it', async t => {
  const cwd = t.testdir()
  const home = { XDG_CONFIG_HOME: join(cwd, 'config') }
  const url = ['--url', `${server.base}/`]
  const wrong = await parlance(t, cwd, ['login', ...url, '--token-stdin'], home, 'prl_wrong\n')
  t.match(wrong, { code: 2, out: '', err: /^parlance: .*token/ })
  const kept = await parlance(t, cwd, ['login', ...url, '--token-stdin'], home, `${tokens.read}\n`)
  t.match(kept, { code: 0, err: '' })
  t.match(kept.out, join(cwd, 'config/parlance/credentials.json'))
  t.equal(statSync(join(cwd, 'config/parlance/credentials.json')).mode & 0o777, 0o600)
  const who = await parlance(t, cwd, ['whoami', ...url, '--json'], home)
  t.match(who, { code: 0, json: { url: server.base, projects: ['web'] } })
  t.match(await parlance(t, cwd, ['logout', ...url, '--json'], home), { code: 0, json: { forgotten: true } })
  const after = await parlance(t, cwd, ['whoami', ...url], home)
  t.match(after, { code: 2, out: '', err: /There is no token for .* Run `parlance login`/ })
})

t.test('two servers: one file has a token for each', async t => {
  const other = await startParlance(t)
  const cwd = newFolder(t)
  const home = { XDG_CONFIG_HOME: join(cwd, 'config') }
  const file = join(cwd, 'config/parlance/credentials.json')
  const kept: [url: string, token: string][] = [
    [server.base, tokens.read],
    [other.server.base, other.tokens.write],
  ]
  for (const [url, token] of kept) {
    t.match(await parlance(t, cwd, ['login', '--url', url, '--token-stdin'], home, token), { code: 0 })
  }
  for (const [at, scope] of ['read', 'write'].entries()) {
    const who = await parlance(t, cwd, ['whoami', '--json', '--url', kept[at]![0]], home)
    t.match(who, { code: 0, json: { url: kept[at]![0], scope } })
  }
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(await parlance(t, cwd, ['logout', '--url', server.base], home), { code: 0 })
  const text = readFileSync(file, 'utf8')
  t.match(text, other.tokens.write, 'the other one stays')
  t.notMatch(text, tokens.read)
  t.match(await parlance(t, cwd, ['whoami', '--url', other.server.base], home), { code: 0 })
})

t.test('reports an invalid token with its origin', async t => {
  const cwd = t.testdir()
  for (const token of ['prl_a\nprl_b', 'prl_ü', 'prl a']) {
    const told = { code: 2, out: '', err: /^parlance: PARLANCE_TOKEN is not a token: a token is ASCII/ }
    t.match(await parlance(t, cwd, ['whoami'], { ...env, PARLANCE_TOKEN: token }), told, token)
  }
  const typed = await parlance(t, cwd, ['login', '--url', server.base, '--token-stdin'], {}, 'prl a\n')
  t.match(typed, { code: 2, err: /What came on standard input is not a token: / })
})

t.test('without a terminal a question is an error that names the flag', async t => {
  const cwd = t.testdir()
  t.match(await parlance(t, cwd, ['login']), { code: 2, err: /Which server\? Give --url\./ })
  const { code, json } = await parlance(t, cwd, ['login', '--url', server.base, '--json'])
  t.match({ code, json }, { code: 2, json: { error: /no terminal/, hint: /--token-stdin or PARLANCE_TOKEN/ } })
})

t.test('--print-config says where each value comes from and shows no secret', async t => {
  const cwd = t.testdir()
  writeFileSync(join(cwd, 'parlance.config.json'), '{ "project": "web", "url": "http://127.0.0.1:9", "sort": true }')
  const printed = await parlance(t, cwd, ['whoami', '--print-config', '--json'], env)
  t.match(printed, {
    code: 0,
    json: {
      url: { value: server.base, origin: 'PARLANCE_URL' },
      token: { origin: 'PARLANCE_TOKEN' },
      project: { value: 'web', origin: 'parlance.config.json' },
      sort: { value: true, origin: 'parlance.config.json' },
    },
  })
  t.notMatch(printed.out, tokens.write)
  t.match((await parlance(t, cwd, ['--print-config', '--project', 'shop'], env)).out, /project +shop +--project\n/)
})

t.test('a wrong config is an error that says what would be right', async t => {
  const cases: [string, RegExp][] = [
    ['{ "projct": "web" }', /There is no such field: "projct"\. Did you mean "project"\?/],
    ['{ "URL": "x" }', /There is no such field: "URL"\. Did you mean "url"\?/],
    ['{ "i18next": "x.ts" }', /There is no such field: "i18next"\.\n$/],
    ['{ "token": "prl_" }', /There is no such field: "token"\. .*CI sets PARLANCE_TOKEN\.\n$/],
    ['{ "sort": "az" }', /"sort" must be true or false or "locize", not "az"/],
    ['{ "languages": ["de", 1] }', /"languages" must be a list, each a language tag/],
    ['{\n  "url": }', /^parlance: parlance\.config\.json:2:10: A value is missing before "}"\.\n$/],
    ['[]', /It must be a JSON object/],
    ['{ "url": "parlance.example.com" }', /"url" must be the address of a server/],
  ]
  for (const [text, words] of cases) {
    const cwd = newFolder(t, { 'parlance.config.json': text })
    t.match(await parlance(t, cwd, ['whoami'], env), { code: 2, out: '', err: words }, text)
  }
})
