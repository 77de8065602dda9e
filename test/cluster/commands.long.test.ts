/** `parlance server cluster …` as operators run it, on a cluster of two. */
import { existsSync } from 'node:fs'
import pg from 'pg'
import t, { type Test } from 'tap'
import { eventually } from '../eventually.ts'
import { parlance } from '../operator/parlance.ts'
import { noPostgres, startPostgres } from './postgres.ts'
import { startOne, startServers } from './servers.ts'

t.test('status and reseed', { skip: noPostgres() }, async t => {
  const { servers, database } = await startServers(t, await startPostgres(t), 2)
  const [one, two] = servers as [(typeof servers)[0], (typeof servers)[0]]
  const acme = await one.organization()
  const web = await one.project(acme.key, 'web')
  await one.put(`${web}/bundles/en/common`, acme.key, { a: 'A' })
  await two.must('GET', web, { key: acme.key })
  t.ok(await eventually(() => existsSync(two.repository(acme.id))))
  const env = { CLUSTER: database, NODE_URL: two.base, DATA_DIR: two.dataDir }
  const cluster = (t: Test, ...words: string[]) => parlance(t, ['server', 'cluster', ...words], { env })

  await t.test('status lists the nodes', async t => {
    const { code, output, errors } = await cluster(t, 'status')
    t.strictSame([code, errors], [0, ''])
    t.match(
      output,
      /^The database is at 127\.0\.0\.1:\d+ and holds \d+ entries of 1 organization\.\nNODE +JOINED +SEEN\n/,
    )
    for (const { base } of servers) t.match(output, new RegExp(`^${base} +\\d+ s ago +\\d+ s ago$`, 'm'))
    const { json } = await cluster(t, 'status', '--json')
    t.strictSame(json.nodes.map(({ url }: { url: string }) => url).sort(), servers.map(({ base }) => base).sort())
    t.equal(json.members.length, 2)
  })

  await t.test('reseed needs a stopped node and an organization that there is', async t => {
    const beside = await cluster(t, 'reseed', acme.slug)
    t.equal(beside.code, 1)
    t.match(beside.errors, /^parlance server cluster reseed: The data folder \S+ is in use/)
    await two.close()
    const unknown = await cluster(t, 'reseed', 'unknown', '--json')
    t.strictSame([unknown.code, unknown.json], [1, { error: 'There is no organization unknown.' }])
  })

  await t.test('reseed moves the repository away, and the node fetches it when it starts', async t => {
    const { code, output } = await cluster(t, 'reseed', acme.slug)
    t.equal(code, 0)
    const [, aside = ''] = /^(\S+) is what it was\. The node fetches it again when it starts\.\n$/.exec(output) ?? []
    t.ok(existsSync(aside), output)
    t.notOk(existsSync(two.repository(acme.id)))
    const again = await cluster(t, 'reseed', acme.id, '--json')
    t.strictSame([again.code, again.json], [0, { id: acme.id }], 'there is nothing to move')
    const back = await startOne(t, database, two.dataDir)
    t.match((await back.get(`${web}/bundles/en/common`, acme.key)).json, { a: 'A' })
    await back.close()
  })

  await t.test('reseed leaves a repository that no other node has', async t => {
    // Nor says a node any more what it has.
    await one.close()
    const client = new pg.Client(database)
    await client.connect()
    t.teardown(() => client.end())
    // As when all members had it in git; then as if this node's were the last.
    await client.query('update stream set base_seq = seq, base_head = head where id = $1', [acme.id])
    await client.query('delete from sealed')
    const last = await cluster(t, 'reseed', acme.slug)
    t.equal(last.code, 1)
    t.match(last.errors, /No other node has the repository of \S+: it stays as it is\.\n$/)
    t.ok(existsSync(two.repository(acme.id)))
  })

  await t.test('status ends with 1 when no node serves, and with 2 without CLUSTER', async t => {
    const { code, output } = await cluster(t, 'status')
    t.equal(code, 1)
    t.match(output, /\nNo node serves now\.\n/)
    const without = await parlance(t, ['server', 'cluster', 'status'], { env: { DATA_DIR: two.dataDir } })
    t.equal(without.code, 2)
    t.match(without.errors, /Set CLUSTER and NODE_URL/)
  })
})
