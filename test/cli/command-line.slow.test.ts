/**
 * The command line itself: words that there are not, exit codes, what goes where, and who is between it and the server.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { newFolder } from '../new-folder.ts'
import { parlance, startParlance } from './command.ts'

const { server, env } = await startParlance(t)
const config = { project: 'web', output: 'locales/{{language}}/{{namespace}}.json', languages: ['en', 'de'] }
const cwd = newFolder(t, { app: { 'parlance.config.json': JSON.stringify(config) } })
await server.project(env.PARLANCE_TOKEN!, 'web')
await server.put('/api/projects/web/bundles/en/common', env.PARLANCE_TOKEN!, { a: 'x', b: 'y' })
await server.put('/api/projects/web/bundles/de/common', env.PARLANCE_TOKEN!, { a: 'x' })

/** Exit code, words, environment, and output. */
const ROWS: [number, string[], Record<string, string>, RegExp][] = [
  [0, [], {}, /^Usage: parlance <command>/],
  [0, ['--help'], {}, /Commands:[\s\S]* whoami [\s\S]*Exit codes:/],
  [0, ['help', 'whoami'], {}, /^Usage: parlance whoami/],
  [0, ['whoami'], env, /^server +http/],
  [1, ['status', '--project', 'nobodys'], env, /There is no project "nobodys"/],
  [1, ['pull', '--check', '-C', 'app'], env, /en\/common/],
  [1, ['status', '--fail-under', '100', '-C', 'app'], env, /fails: de is under 100 %/],
  [1, ['whoami'], { ...env, PARLANCE_URL: 'http://127.0.0.1:1' }, /127\.0\.0\.1:1 cannot be reached/],
  [2, ['whoami'], { ...env, PARLANCE_TOKEN: 'prl_wrong' }, /unknown, expired or revoked/],
  [2, ['whoami'], {}, /Which server\?.*PARLANCE_URL/],
  [2, ['status'], env, /Which project\?.*--project/],
  [2, ['logni'], env, /no such command: logni\. Did you mean login\? See parlance --help\./],
  [2, ['release', 'crate'], env, /no such command: release crate\. Did you mean create\?/],
  [2, ['release'], env, /Which command\? create, list\. See parlance release --help\./],
  [2, ['whoami', 'now'], env, /has no operand "now"/],
  [2, ['whoami', '--jsno'], env, /no such option: --jsno\. Did you mean --json\?/],
  [2, ['whoami', '--json=1'], env, /--json has no value\. See parlance whoami --help\./],
  [2, ['whoami', '--url', 'localhost:3000'], env, /Did you mean http:\/\/localhost:3000\?/],
  [2, ['whoami', '--url', 'parlance.example.com'], env, /Did you mean https:\/\/parlance\.example\.com\?/],
  [2, ['-C', 'nowhere', 'whoami'], env, /--cwd must be a folder, not nowhere/],
  [2, ['serve'], env, /The server is another package/],
]

t.test('exit codes: 0 done, 1 failed, 2 wrong usage, setting or credential', async t => {
  const ended = await Promise.all(ROWS.map(([, words, given]) => parlance(t, cwd, words, given)))
  for (const [at, [code, words, , told]] of ROWS.entries()) {
    const { code: came, out, err } = ended[at]!
    const what = words.join(' ')
    t.equal(came, code, `${what}: ${err}`)
    // Something out of date is the result, not an error.
    const [said, rest] = err === '' ? [out, err] : [err, out]
    t.match(said, told, what)
    t.equal(rest, '', `${what}: and nothing else`)
    if (code === 0) t.equal(err, '', what)
  }
})

t.test('the table of docs/cli.md has these codes, and those of signals; so has --help', async t => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8')
  const [, section = ''] = /^## Exit codes$([\s\S]*?)^## /m.exec(page)!
  const table = [...section.matchAll(/^\| ([\d, ]+) \| [^|]+ \| ([^|]+) \|$/gm)]
  const own = [...new Set(ROWS.map(([code]) => code))]
  const { SIGHUP, SIGINT, SIGTERM } = constants.signals
  const codes = table.flatMap(([, codes = '']) => codes.split(', ').map(Number))
  t.strictSame(codes, [...own, 128 + SIGHUP, 128 + SIGINT, 128 + SIGTERM])
  for (const [, code, examples = ''] of table) {
    for (const [, example = ''] of examples.matchAll(/`([^`]+)`/g)) {
      const isSo = ROWS.some(([ends, words]) => ends === Number(code) && words.join(' ').startsWith(example))
      t.ok(isSo, `${example} ends with ${code}`)
    }
  }
  const { out } = await parlance(t, cwd, ['--help'])
  const [, helped = ''] = /^Exit codes:\n((?: +\d .*\n)+)/m.exec(out)!
  t.strictSame(
    [...helped.matchAll(/^ +(\d)/gm)].map(([, code]) => Number(code)),
    own,
  )
})

t.test('--json: one document, errors too, before the command and behind it', async t => {
  const rows: [string[], object][] = [
    [['--json', 'whoami'], { url: server.base, scope: 'write', limited: false }],
    [
      ['whoami', '--json', '-C', 'app', '--print-config'],
      { project: { value: 'web', origin: 'parlance.config.json' } },
    ],
    [['whoami', '--url', 'nowhere', '--json'], { error: /--url must be the address of a server/ }],
    [['logni', '--json'], { error: /no such command/ }],
  ]
  for (const [words, document] of rows) {
    const { json, err } = await parlance(t, cwd, words, env)
    t.match(json, document, words.join(' '))
    t.equal(err, '')
  }
})

t.test('a pipe gets no colours, but for FORCE_COLOR', async t => {
  const status = (more: Record<string, string>) => parlance(t, cwd, ['status', '-C', 'app'], { ...env, ...more })
  const [plain, forced] = await Promise.all([status({}), status({ FORCE_COLOR: '1' })])
  t.notMatch(plain.out, '\x1b')
  t.match(forced.out, '\x1b[')
  t.equal(forced.out.replace(/\x1b\[\d+m/g, ''), plain.out)
})

t.test('a proxy that the environment names is asked, and none for NO_PROXY', async t => {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    asked.push(request.url!)
    const { pathname, search } = new URL(request.url!)
    const through = ask(new URL(pathname + search, server.base), { method: request.method!, headers: request.headers })
    request.pipe(through)
    through.on('response', answer => answer.pipe(response.writeHead(answer.statusCode!, answer.headers)))
  })
  proxy.on('connect', (request, socket) => {
    asked.push(request.url!)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => proxy.close())
  const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const around = await parlance(t, cwd, ['whoami'], { ...env, HTTP_PROXY, NO_PROXY: '127.0.0.1' })
  t.match(around, { code: 0 })
  t.strictSame(asked, [])
  await parlance(t, cwd, ['whoami'], { ...env, HTTP_PROXY })
  t.ok(asked.length > 0, 'it was asked')
})

t.test('a TAB offers commands, groups and options, without a server', async t => {
  const offered = async (...words: string[]) =>
    (await parlance(t, cwd, ['complete', '--', ...words])).out.split('\n').map(line => line.split('\t')[0])
  t.match(await offered('who'), ['whoami'])
  t.match(await offered('release', ''), ['create', 'list'])
  t.ok((await offered('whoami', '--')).includes('--print-config'))
  t.match(await parlance(t, cwd, ['completion', 'bash']), { code: 0, out: /parlance complete -- / })
  t.match(await parlance(t, cwd, ['completion', 'tcsh']), {
    code: 2,
    err: /bash, zsh, fish, powershell, not for "tcsh"/,
  })
})
