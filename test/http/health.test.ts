import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../contract/server.ts'
import { openScene } from './server.ts'

t.test('well, and telling strangers nothing', async t => {
  const { server, acme, other, member } = await openScene(t)
  await server.project(acme.key, 'web')
  const ask = async (key?: string) => (await server.get('/api/health', key)).json
  t.strictSame(await ask(), { status: 'ok', problems: 0 })
  t.strictSame(await ask('not a token'), { status: 'ok', problems: 0 })
  t.strictSame(await ask(acme.key), { status: 'ok', problems: 0, files: [] })

  await server.commits(acme.id)
  const folder = join(server.repository(acme.id), 'web/locales/en')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'broken.json'), '{')
  t.ok(await eventually(async () => (await ask()).status === 'degraded'))
  t.strictSame(await ask(), { status: 'degraded', problems: 1 }, 'a stranger learns how many')
  t.strictSame((await ask(other.key)).files, [], 'and so does another organization')
  t.match(await ask(acme.key), { files: [{ path: 'web/locales/en/broken.json', error: String }] })
  t.match((await server.call('GET', '/api/health', { as: member })).json.files, [{ path: /broken/ }])

  const reply = await server.call('HEAD', '/api/health')
  t.equal(reply.status, 200)
  t.equal(reply.headers['cache-control'], 'no-store')
})
