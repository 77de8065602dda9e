import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { sizeText } from '../../src/cli/terminal/table.ts'
import { startServer } from '../http/server.ts'
import { parlance } from './parlance.ts'

t.setTimeout(0)

t.test('members, projects and size, beside a running server', async t => {
  const server = await startServer(t)
  const acme = await server.organization('Ann')
  const other = await server.organization('Otto')
  await server.join(acme, 'Mia', 'member')
  await server.project(acme.key, 'web')
  await server.project(acme.key, 'app')
  await server.put('/api/projects/web/bundles/en/common', acme.key, { hello: 'Hello' })
  await server.commits(acme.id)
  const listed = await parlance(t, ['server', 'organization', 'list', '--json', '--data-dir', server.dataDir])
  t.equal(listed.code, 0, listed.errors)
  t.match(listed.json.organizations, [
    { id: acme.id, slug: acme.slug, name: acme.slug, members: 2, projects: 2 },
    { id: other.id, slug: other.slug, members: 1, projects: 0, bytes: 0 },
  ])
  t.ok(listed.json.organizations[0].bytes > 4096)
  const table = await parlance(t, ['server', 'organization', 'list', '--data-dir', server.dataDir])
  t.match(table.output, new RegExp(`${acme.id} +${acme.slug} +${acme.slug} +2 +2 +[\\d.]+ [KM]iB`))

  await server.close()
  writeFileSync(join(server.repository(acme.id), '.git/refs/heads/main'), 'nonsense\n')
  const broken = await parlance(t, ['server', 'organization', 'list', '--json', '--data-dir', server.dataDir])
  t.equal(broken.code, 0, 'one that cannot be read does not hide the others')
  t.strictSame(
    broken.json.organizations.map(({ projects }: { projects: number | null }) => projects),
    [null, 0],
  )
  t.match(broken.errors, /parlance server verify/)
  rmSync(server.repository(acme.id), { recursive: true })
})

t.test('sizes for people', async t => {
  for (const [bytes, text] of [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [150 * 1024, '150 KiB'],
    [5.5 * 1024 ** 3, '5.5 GiB'],
  ] as const) {
    t.equal(sizeText(bytes), text)
  }
})
