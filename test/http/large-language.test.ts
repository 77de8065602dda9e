/** Slices and the worker render a large language. The result equals the reads of its namespaces. */
import t from 'tap'
import { startServer } from './server.ts'

const project = '/api/projects/web'
const KEYS = 60

t.test('returns a language of many megabytes as its namespaces one by one', async t => {
  const server = await startServer(t)
  const acme = await server.organization()
  await server.project(acme.key, 'web')
  const namespaces = Array.from({ length: 12 }, (_, n) => `ns${n}`).sort()
  for (const namespace of namespaces) {
    // One namespace is large enough for the worker.
    const length = namespace === 'ns5' ? 40_000 : 2_000
    const texts = Array.from({ length: KEYS }, (_, n) => [
      `${namespace}.key${n}`,
      `${n} of "${namespace}"`.padEnd(length),
    ])
    await server.must('PUT', `${project}/bundles/en/${namespace}`, { key: acme.key, body: Object.fromEntries(texts) })
  }
  const get = (query = '', headers = {}) => server.get(`${project}/bundles/en${query}`, acme.key, headers)
  const { revisions } = (await server.get(`${project}/history?limit=1`, acme.key)).json
  const at = `?at=${revisions[0].revision}`
  const [first, ...others] = await Promise.all([get(), get(), get(at), get('?namespace=ns1'), get('?namespace=none')])
  const [second, past, one, none] = others
  const single = []
  for (const namespace of namespaces) single.push(...(await get(`?namespace=${namespace}`)).json.keys)
  t.strictSame(first.json, { language: 'en', keys: single }, 'all keys in order')
  t.equal(first.json.keys.length, namespaces.length * KEYS)
  t.strictSame([second!.text, past!.text], [first.text, first.text], 'for a concurrent read, and for the past state')
  t.strictSame([one!.json.keys.length, none!.status], [KEYS, 404])
  t.equal((await get('', { 'if-none-match': String(first.headers.etag) })).status, 304)
  t.equal((await get(at, { 'if-none-match': '*' })).status, 304)
  t.equal((await server.get(`${project}/bundles/en`, 'prl_none')).status, 401)

  await server.put(`${project}/bundles/en/ns1/more`, acme.key, { value: 'x' })
  const changed = await get()
  t.not(changed.headers.etag, first.headers.etag)
  t.match(
    changed.json.keys.find(({ key }: { key: string }) => key === 'more'),
    { namespace: 'ns1', message: 'x' },
    'the write appears at once',
  )
  t.strictSame((await get(at)).text, first.text, 'the past state stays')
})
