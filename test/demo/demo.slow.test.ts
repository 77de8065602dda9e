/** The demo of a new user: against a running server, twice, and against none. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { build, demo } from '../bundled.ts'
import { type Server, startServer } from '../contract/server.ts'

build()
const run = promisify(execFile)
const runDemo = (server: Pick<Server, 'base' | 'dataDir'>) =>
  run(process.execPath, [demo, server.base], {
    env: { ...process.env, DATA_DIR: server.dataDir },
  })

let server: Server
t.before(async () => {
  server = await startServer(t)
})

t.test('fills a server with an example and prints the next steps', async t => {
  const { stdout } = await runDemo(server)
  t.match(stdout, /^ {2}demo-[0-9a-f]{6}@example\.com, password /m)
  t.match(stdout, /"languages":\["ar","de","en","ja","pl"\],"namespaces":\["checkout","common"\]/)
  t.match(stdout, /^ {2}[0-9a-f]{7,} Ann: web pl\/checkout: update item_few$/m)
  t.match(stdout, /^ {2}[0-9a-f]{7,} demo: web de\/checkout: add voucher\.hint$/m)

  const key = /^ {2}(prl_[\w-]{43})$/m.exec(stdout)?.[1]
  const arabic = await server.get('/api/projects/web/bundles/ar/checkout', key)
  t.equal(arabic.status, 200)
  t.match(arabic.json, { item_zero: String, item_two: String, item_few: String, item_many: String })
})

t.test("runs again, and README's account and organization can be created beside it", async t => {
  await runDemo(server)
  const ann = await server.signUp('Ann', 'ann@example.com')
  t.ok(await server.createOrganization(ann, 'acme'))
})

t.test('prints how to start a server when none runs', async t => {
  const failed = await runDemo({ base: 'http://127.0.0.1:1', dataDir: t.testdir() }).catch(error => error)
  t.equal(failed.code, 1)
  t.match(failed.stderr, /^No server answers at http:\/\/127\.0\.0\.1:1\. Start one with `npm start`/)
})

t.test('finds the server by the settings that started it, by PARLANCE_URL, or by its argument', async t => {
  const { hostname, port } = new URL(server.base)
  const asked = (env: Record<string, string>, ...args: string[]) =>
    run(process.execPath, [demo, ...args], { env: { PATH: process.env.PATH, DATA_DIR: server.dataDir, ...env } })
  t.match((await asked({ HOST: hostname, PORT: port })).stdout, `${server.base}/api/projects/web`)
  const elsewhere = { HOST: '192.0.2.1', PORT: '1' }
  t.match((await asked({ ...elsewhere, PARLANCE_URL: `${server.base}/` })).stdout, `${server.base}/api/projects/web`)
  const rows: [address: string, env: Record<string, string>, ...args: string[]][] = [
    ['127.0.0.1:1', { HOST: '0.0.0.0', PORT: '1' }],
    ['127.0.0.1:1', { HOST: '', PORT: '1' }],
    ['[::1]:1', { HOST: '::', PORT: '1' }],
    ['[::1]:1', { HOST: '::1', PORT: '1' }],
    ['127.0.0.2:1', { HOST: '127.0.0.2', PORT: '1' }],
    ['127.0.0.1:2', { ...elsewhere, PARLANCE_URL: server.base }, 'http://127.0.0.1:2'],
  ]
  for (const [address, env, ...args] of rows) {
    const failed = await asked(env, ...args).catch(error => error)
    t.match(failed.stderr, `No server answers at http://${address}.`)
  }
})
