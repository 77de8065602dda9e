/** The files of docs/ for a cluster: nginx with that very file in front of nodes that fail, and the settings of compose.yaml. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { settings } from '../../src/settings.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'

const docs = join(import.meta.dirname, '../../docs')
const noNginx = spawnSync('nginx', ['-v']).status === 0 ? false : 'there is no nginx on this machine'

async function node(t: Test, answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** nginx with the file of docs/, its nodes at these ports. @returns what asks it */
async function startNginx(t: Test, nodes: number[]) {
  const folder = t.testdir()
  const port = await freePort()
  let site = readFileSync(join(docs, 'cluster-nginx.conf'), 'utf8').replace('listen 80', `listen 127.0.0.1:${port}`)
  for (const [at, where] of nodes.entries()) site = site.replace(`node${at + 1}:3000`, `127.0.0.1:${where}`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `${kind}_temp_path ${join(folder, kind)};`)
    .join('\n')
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;\nmaster_process off;\npid ${join(folder, 'pid')};\nerror_log stderr warn;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}}\n`,
  )
  const nginx = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: 'ignore' })
  t.teardown(() => nginx.kill('SIGTERM'))
  const ask = (method: string, path: string) =>
    new Promise<number>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', method, path, agent: false })
      sent.on('response', ({ statusCode = 0 }) => resolve(statusCode))
      sent.on('error', reject)
      sent.end()
    })
  const listens = () =>
    ask('GET', '/').then(
      () => true,
      () => false,
    )
  t.ok(await eventually(listens, 10_000), 'nginx listens')
  return ask
}

t.test('nginx asks another node where one is gone, or cannot', { skip: noNginx }, async t => {
  const asked: string[] = []
  const answer: RequestListener = ({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    response.end()
  }
  const away: RequestListener = (_, response) => response.writeHead(503, { 'retry-after': '2' }).end()
  const ask = await startNginx(t, [await node(t, answer), await node(t, away), await freePort()])
  for (let at = 0; at < 12; at++) t.equal(await ask(at % 2 ? 'GET' : 'PUT', `/api/${at}`), 200)
  t.equal(await ask('POST', '/cluster/heard'), 404, 'what nodes tell each other does not come from outside')
  t.notOk(asked.some(line => line.includes('/cluster/')))
})

t.test('a POST that a node has had goes to no other', { skip: noNginx }, async t => {
  let asked = 0
  const broken: RequestListener = ({ method }, response) => {
    if (method !== 'POST') return response.end()
    asked++
    response.destroy()
  }
  const ask = await startNginx(t, [await node(t, broken), await node(t, broken), await node(t, broken)])
  t.equal(await ask('POST', '/api/projects'), 502)
  t.equal(asked, 1)
})

t.test('what compose.yaml sets are settings, and what they are set to is understood', async t => {
  const text = readFileSync(join(docs, 'compose.yaml'), 'utf8').replace(/\$\{POSTGRES_PASSWORD:\?\}/g, 'secret')
  const [, shared = ''] = /^x-settings: &settings\n((?: .*\n)+)/m.exec(text) ?? []
  const common = [...shared.matchAll(/^ {2}(\w+): (.*)$/gm)].map(([, name, value]) => [name!, value!])
  const nodes = [...text.matchAll(/<<: \*settings, NODE_URL: "(.*)"/g)].map(([, url]) => url!)
  t.equal(nodes.length, 3)
  for (const url of nodes) {
    const env = Object.fromEntries([...common, ['NODE_URL', url], ['SIGN_UP', 'invite']])
    for (const name of Object.keys(env)) t.ok(name in settings, name)
    t.equal(readConfig(env).cluster?.nodeUrl, url)
  }
})
