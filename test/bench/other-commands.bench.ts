/**
 * What pulls cost with locize-cli, with @tolgee/cli and with ours: requests, bytes of answers and time, without a goal.
 * Theirs ask stand-ins of their servers, which answer at once with what is prepared; ours a real server. They are no
 * packages of this project: `OTHER_COMMANDS` is a folder into which `npm install locize-cli @tolgee/cli` put them.
 */
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { ZipFile } from 'yazl'
import { alternate, median, QUICK, scratch } from './harness.ts'
import { resourceOf, startParlance } from './parlance.ts'

const others = process.env.OTHER_COMMANDS
if (others === undefined || !existsSync(join(others, 'node_modules/locize-cli'))) {
  console.log('other-commands: left out, as OTHER_COMMANDS names no folder with locize-cli and @tolgee/cli.')
  process.exit(0)
}

const [LANGUAGES, NAMESPACES, KEYS] = [QUICK ? 10 : 30, 20, 200]
const languages = Array.from({ length: LANGUAGES }, (_, at) => `de-x-v${at}`)
const namespaces = Array.from({ length: NAMESPACES }, (_, at) => `n${at}`)
/** No two bundles share a text: equal texts would cost little in one compressed answer and much in many. */
const textsOf = (bundle: string): ReturnType<typeof resourceOf> =>
  JSON.parse(JSON.stringify(resourceOf(KEYS)).replace(/[0-9a-f]{32}/g, text => hash('md5', bundle + text)))
const bundles = Object.fromEntries(
  languages.map(language => [
    language,
    Object.fromEntries(namespaces.map(name => [name, textsOf(`${language}/${name}`)])),
  ]),
)

/** What a server was asked and answered since it was looked at last; bytes are those of bodies, as they were coded. */
const seen = { requests: 0, bytes: 0 }
const folder = scratch()

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What stand-ins answer with: of Locize each file, compressed as its CDN does; of Tolgee a zip of all. */
const files = new Map<string, Buffer>()
let [zip, etag] = [Buffer.alloc(0), '']
async function prepare(): Promise<void> {
  const archive = new ZipFile()
  for (const language of languages) {
    for (const name of namespaces) {
      const text = Buffer.from(JSON.stringify(bundles[language]![name], null, 2))
      files.set(`/${PROJECT}/latest/${language}/${name}`, gzipSync(text))
      archive.addBuffer(text, `${language}/${name}.json`)
    }
  }
  archive.end()
  zip = await buffer(archive.outputStream)
  etag = `"${hash('sha256', zip)}"`
}

const standIn = serve((request, response) => {
  request.resume()
  const send = (body: Buffer | object, type: string, headers: Record<string, string> = {}, status = 200) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    seen.requests++
    seen.bytes += bytes.length
    const all = { 'content-type': `application/${type}`, 'content-length': bytes.length, ...headers }
    response.writeHead(status, all).end(bytes)
  }
  const { pathname } = new URL(request.url!, 'http://127.0.0.1')
  const file = files.get(pathname)
  if (file !== undefined) return send(file, 'json', { 'content-encoding': 'gzip' })
  if (pathname === `/languages/${PROJECT}`) {
    return send(
      Object.fromEntries(languages.map((name, at) => [name, { name, isReferenceLanguage: at === 0 }])),
      'json',
    )
  }
  if (pathname === `/download/${PROJECT}/latest`) {
    return send(
      Array.from(files, ([path, { length: size }]) => ({ key: path.slice(1), url: path, size })),
      'json',
    )
  }
  if (pathname !== '/v2/projects/1/export') return send({ message: `nothing at ${pathname}` }, 'json', {}, 404)
  if (request.headers['if-none-match'] === etag) return send(Buffer.alloc(0), 'zip', {}, 412)
  return send(zip, 'zip', { etag })
})

const PROJECT = '2596af60-1ccf-4d2f-9f1b-4ab1d5d0a3c1'
const { running, call, key } = await startParlance(join(folder, 'data'))
await call('POST', '/api/projects', { name: 'shop', slug: 'shop', sourceLanguage: languages[0] })
await call('POST', '/api/projects/shop/push', { bundles })

/** In front of ours, to count. Our CLI requests gzip except on loopback: `coding` requests it in its place. */
const counting = (coding?: string) =>
  serve((request, response) => {
    seen.requests++
    const headers = { ...request.headers, ...(coding && { 'accept-encoding': coding }) }
    const through = ask(new URL(request.url!, running.url), { method: request.method!, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.on('data', (part: Buffer) => (seen.bytes += part.length)).pipe(response)
    })
    request.pipe(through)
  })

/** Wall-clock milliseconds of a process that ends well. */
async function wallOf(words: string[], cwd: string, env: Record<string, string> = {}): Promise<number> {
  const from = performance.now()
  const child = spawn(process.execPath, words, {
    cwd,
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`)
  return performance.now() - from
}

const OURS = join(import.meta.dirname, '../../dist/cli.mjs')
type Pull = (cwd: string) => Promise<number>
const parlance = (server: string): Pull => {
  const env = { PARLANCE_URL: server, PARLANCE_TOKEN: key, PARLANCE_PROJECT: 'shop' }
  return cwd => wallOf([OURS, 'pull'], cwd, env)
}
const locize = ['download', '--project-id', PROJECT, '--path', 'locales', '--api-endpoint', await standIn]
const tolgee = ['--api-url', await standIn, '--api-key', 'tgpat_none', '--project-id', '1', '--format', 'JSON_I18NEXT']
const theirs = (name: string, bin: string, words: string[]): [name: string, pull: Pull] => {
  const home = join(others, 'node_modules', name)
  const { version, bin: programs } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  return [`${name} ${version}`, cwd => wallOf([join(home, programs[bin]), ...words], cwd)]
}
const commands: [name: string, pull: Pull][] = [
  ['parlance', parlance(running.url.href)],
  ['parlance, counted', parlance(await counting())],
  ['parlance, counted, by gzip', parlance(await counting('gzip'))],
  theirs('locize-cli', 'locize', locize),
  theirs('@tolgee/cli', 'tolgee', [...tolgee, 'pull', '--path', 'locales']),
]

let [checkouts, changes] = [0, 0]
function checkout(): string {
  const path = join(folder, `checkout${++checkouts}`)
  const config = { languages, output: 'locales/{{language}}/{{namespace}}.json' }
  mkdirSync(path)
  writeFileSync(join(path, 'parlance.config.json'), JSON.stringify(config))
  return path
}

/** Changes a text of each server. */
async function change(): Promise<void> {
  const value = `Changed ${changes++}`
  bundles['de-x-v1']!.n1!.section0!.item1000 = value
  await call('PUT', '/api/projects/shop/bundles/de-x-v1/n1/section0.item1000', { value })
  await prepare()
}

/** @throws Error where a pull did not bring what there is */
function verify(path: string, name: string): void {
  for (const language of languages) {
    for (const namespace of namespaces) {
      const brought = readFileSync(join(path, 'locales', language, `${namespace}.json`), 'utf8')
      if (JSON.stringify(JSON.parse(brought)) !== JSON.stringify(bundles[language]![namespace]))
        throw new Error(`${name}: ${language}/${namespace} is another one`)
    }
  }
}

await change()
const counts = new Map<string, string>()
let path = ''
const measured = (name: string, pull: Pull, state: string) => async () => {
  if (state === 'first') path = checkout()
  else if (state === 'changed') await change()
  Object.assign(seen, { requests: 0, bytes: 0 })
  const time = await pull(path)
  counts.set(`${name} ${state}`, `${seen.requests} requests, ${seen.bytes.toLocaleString('en')} bytes`)
  verify(path, name)
  return time
}
const cases = commands.flatMap(([name, pull]) =>
  ['first', 'changed', 'unchanged'].map(state => ({ name, state, run: measured(name, pull, state) })),
)
const bareNode = () => wallOf(['-e', '0'], folder)
const [bare = [], ...times] = await alternate([bareNode, ...cases.map(({ run }) => run)])

console.log(`\nother-commands: ${LANGUAGES * NAMESPACES} bundles; a bare node ${median(bare).toFixed(0)} ms`)
for (const [at, { name, state }] of cases.entries()) {
  const all = times[at]!
  const spread = `${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)}`
  const bares = median(all.map((time, round) => time / bare[round]!)).toFixed(1)
  const figures = `${median(all).toFixed(0)} ms (${spread}), ${bares} bare nodes`
  console.log(`${name.padEnd(28)} ${state.padEnd(10)} ${figures.padEnd(44)} ${counts.get(`${name} ${state}`)}`)
}
await running.stop()
process.exit(0)
