/**
 * Many namespaces in one project: reads, writes and 304 answers of one cost the same as among few.
 * `NAMESPACES=10000 npm test -- test/long/namespaces.test.ts` runs it with 10,000.
 */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Store } from '../../src/store/store.ts'
import { type BuiltServer, noProc, startBuilt } from './built-server.ts'
import { Client } from './client.ts'

const MANY = Number(process.env.NAMESPACES ?? 1000)
const FEW = 10
const CLIENTS = 64
const ROUNDS = MANY > 1000 ? 5 : 3
const EACH = MANY > 1000 ? 5 : 2
const ANN = { name: 'Ann', email: 'ann@example.com' }
const json = (value: object) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

t.setTimeout(0)

/** A server with the projects `few` and `many`, created by the store. */
async function furnish(t: Test, folder: string) {
  const data = join(folder, 'data')
  const first = await startBuilt(t, data)
  const { id, key } = await first.organization()
  await first.close()
  const store = await Store.open({ directory: join(data, 'organizations'), watch: false })
  for (const [slug, count] of [
    ['few', FEW],
    ['many', MANY],
  ] as const) {
    await store.write(id, ANN, tx => {
      tx.put(`${slug}/project.json`, json({ defaultFormat: 'i18next-json', name: slug, sourceLanguage: 'en' }))
      for (let n = 0; n < count; n++)
        tx.put(`${slug}/locales/en/ns${n}.json`, json({ title: `Title ${n}`, other: 'x' }))
      return { result: undefined, message: { subject: `${slug}: create` } }
    })
  }
  await store.close()
  return { server: await startBuilt(t, data), key }
}

/** Processor time of a request with several concurrent clients, in microseconds. */
async function costOf(server: BuiltServer, clients: Client[], ask: (client: Client, n: number) => Promise<unknown>) {
  const before = server.cpu
  const lane = async (client: Client, n: number) => {
    for (let at = 0; at < EACH; at++) await ask(client, n * EACH + at)
  }
  await Promise.all(clients.map(lane))
  return (server.cpu - before) / (clients.length * EACH)
}

t.test('costs no more with many namespaces than with few', { skip: noProc }, async t => {
  const { server, key } = await furnish(t, t.testdir())
  const clients = Array.from({ length: CLIENTS }, () => new Client(server, { key }))
  let serial = 0
  const place = (slug: string, n: number) => `/api/projects/${slug}/bundles/en/ns${(n * 7) % FEW}`
  const tags = new Map<string, string>()
  for (const slug of ['few', 'many']) {
    for (const path of [`/api/projects/${slug}`, place(slug, 0)])
      tags.set(path, (await server.get(path, key)).headers.etag!)
  }
  const unchanged = (client: Client, path: string) =>
    client.ask([304], 'GET', path, { headers: { 'if-none-match': tags.get(path)! } })
  type Work = (slug: string, client: Client, n: number) => Promise<unknown>
  const works: Record<string, [limit: number, work: Work]> = {
    'the manifest, unchanged': [3, (slug, client) => unchanged(client, `/api/projects/${slug}`)],
    'a bundle, unchanged': [3, (slug, client) => unchanged(client, place(slug, 0))],
    'a bundle': [3, (slug, client, n) => client.ask([200], 'GET', place(slug, n))],
    // The list of all namespaces is rebuilt.
    'a write, and the manifest after it': [
      (4 * Math.sqrt(MANY)) / Math.sqrt(FEW),
      async (slug, client, n) => {
        await client.ask([200], 'PUT', `${place(slug, n)}/title`, { body: { value: `Title ${serial++}` } })
        await client.ask([200], 'GET', `/api/projects/${slug}`)
      },
    ],
    // Git requires that every commit hashes the whole tree of the folder: 35 bytes for each name.
    'a write': [
      8,
      (slug, client, n) =>
        client.ask([200], 'PUT', `${place(slug, n)}/title`, { body: { value: `Title ${serial++}` } }),
    ],
  }
  for (const [name, [limit, work]] of Object.entries(works)) {
    const costs: Record<string, number[]> = { few: [], many: [] }
    for (let round = -1; round < ROUNDS; round++) {
      for (const slug of ['few', 'many']) {
        const cost = await costOf(server, clients, (client, n) => work(slug, client, n))
        if (round >= 0) costs[slug]!.push(cost)
      }
    }
    // The minimum: occasional other work of the process adds to the rest.
    const [few, many] = [Math.min(...costs.few!), Math.min(...costs.many!)]
    const ratio = many / few
    t.ok(ratio < limit, `${name}: ${ratio.toFixed(2)} times what it is among ${FEW}, less than ${limit}`)
    t.comment(`${name}: ${few.toFixed(0)} and ${many.toFixed(0)} us`)
  }
  for (const client of clients) client.close()
  t.strictSame(clients.flatMap(({ surprises }) => surprises).slice(0, 5), [])
  const { namespaces } = (await server.get('/api/projects/many', key)).json
  t.equal(namespaces.length, MANY)
  await server.close()
  t.equal((await server.exit).code, 0)
})
