/**
 * Parlance below a path of another site, by the examples of docs/operating.md: nginx and Caddy with those very lines.
 */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { build } from '../bundled.ts'
import { eventually, openWeb } from '../contract/server.ts'
import { freePort } from '../free-port.ts'
import { noGit } from '../http/git-client.ts'
import { nginxWith } from './nginx.ts'

t.setTimeout(0)
// The dashboard is asked for.
build()

const guide = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
const example = (language: string) => new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(guide)![1]!

interface Ports {
  own: number
  upstream: number
}

/** What starts each proxy, from its example with other ports. */
const PROXIES: Record<string, (folder: string, ports: Ports) => [string, ...string[]]> = {
  nginx: (folder, { own, upstream }) => {
    const site = example('nginx').replace('listen 80', `listen 127.0.0.1:${own}`)
    return nginxWith(`upstream parlance { server 127.0.0.1:${upstream}; }\n${site}`, folder)
  },
  caddy: (folder, { own, upstream }) => {
    const site = example('caddy').replace(':80 {', `http://127.0.0.1:${own} {`).replace(':3000', `:${upstream}`)
    writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tstorage file_system ${folder}\n}\n${site}`)
    return ['caddy', 'run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
  },
}

for (const [name, start] of Object.entries(PROXIES)) {
  const absent = spawnSync(name, [name === 'nginx' ? '-v' : 'version']).status !== 0 && `there is no ${name} here`
  t.test(name, { skip: absent }, async t => {
    const { server, acme } = await openWeb(t)
    const folder = `${server.dataDir}-proxy`
    mkdirSync(folder)
    const own = await freePort()
    const [program, ...words] = start(folder, { own, upstream: Number(new URL(server.base).port) })
    const child = spawn(program, words, { env: { PATH: process.env.PATH, HOME: folder }, stdio: 'ignore' })
    const closed = new Promise(resolve => child.on('close', resolve))
    t.teardown(async () => {
      child.kill('SIGTERM')
      await closed
    })
    const listens = () =>
      new Promise<boolean>(resolve => {
        const socket = connect(own, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
        socket.on('connect', () => socket.destroy())
      })
    t.ok(await eventually(async () => child.exitCode !== null || (await listens())))
    t.equal(child.exitCode, null, `${name} runs`)

    const base = `http://127.0.0.1:${own}/parlance`
    t.equal((await fetch(base)).url, `${base}/`, 'a slash is added')
    for (const path of ['/', '/api/docs', '/api/docs/static/index.html']) {
      const page = await fetch(base + path)
      t.equal(page.status, 200, path)
      for (const [, address = ''] of (await page.text()).matchAll(/\b(?:href|src)="([^"]*)"/g)) {
        if (!address.startsWith('data:')) t.equal((await fetch(new URL(address, page.url))).status, 200, address)
      }
    }
    const headers = { 'x-api-key': acme.key, 'content-type': 'application/json' }
    const key = `${base}/api/projects/web/bundles/en/common/${encodeURIComponent('a/b c')}`
    t.equal((await fetch(key, { method: 'PUT', headers, body: '{"value":"A"}' })).status, 200)
    t.match(await (await fetch(key, { headers })).json(), { key: 'a/b c', message: 'A' }, 'a key with a slash')
    const body = JSON.stringify({ name: 'Shop', slug: 'shop', sourceLanguage: 'en' })
    const created = await fetch(`${base}/api/projects`, { method: 'POST', headers, body })
    const made = new URL(created.headers.get('location')!, created.url)
    t.equal((await fetch(made, { headers })).status, 200, 'Location')
    if (noGit) return
    const address = `${base.replace('://', `://x:${acme.key}@`)}/api/translations.git`
    t.match((await promisify(execFile)('git', ['ls-remote', address])).stdout, /refs\/heads\/main/)
  })
}
