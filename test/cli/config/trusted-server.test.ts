/** A token of the environment goes to no server that only the repository names. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import type { request } from '../../../src/cli/api/request.ts'
import type { OptionRow } from '../../../src/cli/command-table.ts'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { nameOf } from '../../../src/cli/program.ts'
import { Checkout } from '../checkout.ts'
import { type Around, command } from '../in-process.ts'

const URL_OF_REPOSITORY = 'https://parlance.other.example/base'
const TOKEN = 'prl_of_the_environment'
const KEPT = 'credentials.json'

/** A checkout with the server in its config, and the requests to each server. */
function checkout(t: Test, url = URL_OF_REPOSITORY) {
  const app = new Checkout(
    t,
    { PARLANCE_TOKEN: TOKEN },
    {
      'parlance.config.json': { url, project: 'web', output: 'locales/{{language}}/{{namespace}}.json' },
      'locales/en/common.json': { a: 'A' },
    },
  )
  const sent: { to: string; token: unknown }[] = []
  const send: typeof request = async (to, { headers }) => {
    sent.push({ to: to.origin, token: (headers as Record<string, string>)['x-api-key'] })
    const body = Readable.from([Buffer.from('{"error":"Unknown."}')])
    return { status: 401, headers: { 'content-type': 'application/json' }, body }
  }
  const config = join(app.folder, '.home/.config/parlance')
  const run = (words: string[], { env, ...around }: Around = {}) =>
    command(app.folder, words, { env: { HOME: join(app.folder, '.home'), ...app.env, ...env }, send, ...around })
  const keep = (document: object) => {
    mkdirSync(config, { recursive: true })
    writeFileSync(join(config, KEPT), JSON.stringify(document))
  }
  return { app, sent, run, keep, kept: () => JSON.parse(readFileSync(join(config, KEPT), 'utf8')) }
}

/** A line of each command, with what it needs. */
const lines = COMMANDS.map(row => {
  const needed = (row.options ?? [])
    .filter(({ needed }: OptionRow) => needed)
    .map(({ flags }) => /--[\w-]+/.exec(flags)![0])
  const yes = (row.options ?? []).some(({ flags }) => flags.includes('--yes')) ? ['--yes'] : []
  const operands = Array.from(row.usage.matchAll(/[<[]/g), () => 'locales')
  return [...nameOf(row).split(' '), ...operands, ...needed.flatMap(flag => [flag, 'v1']), ...yes]
})

/** Those that reach no server. */
const ALONE = ['completion', 'logout']

t.test('no command sends PARLANCE_TOKEN to a server that only parlance.config.json names', async t => {
  for (const words of lines) {
    const { run, sent } = checkout(t)
    const { code, out, err } = await run(words)
    t.strictSame(sent, [], words.join(' '))
    if (ALONE.includes(words[0]!)) continue
    if (words[0] !== 'doctor') t.equal(code, 2, `${words.join(' ')}: ${err}`)
    const says =
      /parlance\.config\.json: .*PARLANCE_TOKEN.* https:\/\/parlance\.other\.example\/base.*PARLANCE_URL=.*terminal/s
    t.match(out + err, says, words.join(' '))
  }
})

t.test('sends it where the person has named the server', async t => {
  const named: [string, string[], Record<string, string>, object | undefined][] = [
    ['--url', ['--url', `${URL_OF_REPOSITORY}/`], {}, undefined],
    ['PARLANCE_URL', [], { PARLANCE_URL: URL_OF_REPOSITORY }, undefined],
    ['a login', [], {}, { tokens: { [URL_OF_REPOSITORY]: 'prl_kept' } }],
    ['an earlier answer', [], {}, { tokens: {}, confirmed: [URL_OF_REPOSITORY] }],
  ]
  for (const [by, words, env, document] of named) {
    const { run, sent, keep } = checkout(t)
    if (document) keep(document)
    await run(['status', ...words], { env })
    t.strictSame(sent, [{ to: 'https://parlance.other.example', token: TOKEN }], by)
  }
  for (const url of ['http://localhost:65530', 'http://127.0.0.1:65530/x', 'http://[::1]:65530']) {
    const { run, sent } = checkout(t, url)
    await run(['status'])
    t.equal(sent[0]?.token, TOKEN, url)
  }
})

t.test('trusts neither another path nor another origin than those that are known', async t => {
  const others = [
    'https://parlance.other.example',
    'https://parlance.other.example:8443/base',
    'http://parlance.other.example/base',
  ]
  for (const url of [...others, 'http://localhost.other.example', 'https://127.0.0.1.other.example']) {
    const { run, sent, keep } = checkout(t, url)
    keep({ tokens: { [URL_OF_REPOSITORY]: 'prl_kept' }, confirmed: [URL_OF_REPOSITORY] })
    t.match(await run(['status']), { code: 2, err: /is not sent to/ }, url)
    t.strictSame(sent, [], url)
  }
})

t.test('asks once at a terminal, and remembers the answer beside the logins', async t => {
  const { run, sent, kept, keep } = checkout(t)
  keep({ tokens: { 'https://a.example': 'prl_a' } })
  t.match(await run(['status'], { typed: ['n'] }), { code: 1, err: /Nothing was sent/ })
  t.match(await run(['status'], { typed: ['\r'] }), { code: 1, err: /Nothing was sent/ }, 'no is the default')
  t.strictSame(sent, [])
  await run(['status'], { typed: ['y'] })
  t.equal(sent.length, 1)
  t.strictSame(kept(), { tokens: { 'https://a.example': 'prl_a' }, confirmed: [URL_OF_REPOSITORY] })
  await run(['status'])
  t.equal(sent.length, 2, 'not asked again')
  t.match(await run(['logout']), { code: 0, out: /no longer/ })
  await run(['status'])
  t.equal(sent.length, 2, 'asked again after a logout')
})

t.test('a login asks too, and names the server', async t => {
  const { run, sent } = checkout(t)
  const piped = await run(['login', '--token-stdin'])
  t.match(piped, { code: 2, err: /is not sent to https:\/\/parlance\.other\.example\/base/ })
  t.strictSame(sent, [])
  const asked: string[] = []
  const typed = await run(['login'], {
    env: { PARLANCE_TOKEN: '' },
    typed: ['prl_typed\r'],
    shown: text => asked.push(text),
  })
  t.match(asked.join(''), /https:\/\/parlance\.other\.example\/base/)
  t.match(typed, { code: 2 }, 'the server refuses it')
  t.equal(sent[0]?.token, 'prl_typed', 'who types it has seen where it goes')
})

async function listening(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const WHO = { organization: { id: '1', slug: 'acme', name: 'Acme' }, name: 'ci', scope: 'read', version: '0.1.0' }

t.test('a clone and its printed git command follow no redirect with the token', async t => {
  const came: unknown[] = []
  const other = await listening(t, (request, response) => {
    came.push(request.headers['x-api-key'])
    response.writeHead(404).end()
  })
  const url = await listening(t, (request, response) => {
    if (request.url === '/api/whoami')
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(WHO))
    else response.writeHead(302, { location: other + request.url }).end()
  })
  const app = new Checkout(t, { PARLANCE_TOKEN: TOKEN, PARLANCE_URL: url })
  // A setting of the user for this very server.
  const config = { GIT_CONFIG_GLOBAL: join(app.folder, 'gitconfig'), GIT_CONFIG_NOSYSTEM: '1' }
  writeFileSync(config.GIT_CONFIG_GLOBAL, `[http "${url}"]\n\tfollowRedirects = true\n`)
  const env = { PATH: process.env.PATH!, ...config }
  t.match(await app.run('clone texts', { env }), { code: 1 })
  const printed = (await app.run('clone texts --print', { env })).out
  const ran = promisify(execFile)('sh', ['-c', printed], { cwd: app.folder, env: { ...env, PARLANCE_TOKEN: TOKEN } })
  await t.rejects(ran)
  t.strictSame(came, [])
})
