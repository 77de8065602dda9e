/** `keepStale=true`: a write of a translation leaves the stale notes, on every route with this parameter. */
import t from 'tap'
import { type Sending, startServer } from '../contract/server.ts'

t.test('leaves a changed translation stale, and no other key, with keepStale=true', async t => {
  const server = await startServer(t)
  const { key } = await server.organization()
  const url = await server.project(key, 'web')
  const writes: [name: string, method: 'PUT' | 'POST', path: string, body: Sending['body']][] = [
    ['a key', 'PUT', `${url}/bundles/de/common/a`, { value: 'changed' }],
    ['a namespace', 'PUT', `${url}/bundles/de/common?overwrite=true`, { a: 'changed', b: 'changed', c: 'new' }],
    ['many', 'POST', `${url}/push?overwrite=true`, { bundles: { de: { common: { a: 'changed', c: 'new' } } } }],
  ]
  const stale = async () =>
    (await server.must('GET', `${url}/status/keys?language=de&is=stale`, { key })).json.keys.map(
      (row: { key: string; sourceThen: string }) => [row.key, row.sourceThen],
    )
  for (const [name, method, path, body] of writes) {
    for (const keepStale of ['true', 'false', undefined]) {
      await server.must('PUT', `${url}/bundles/en/common`, { key, body: { a: 'A', b: 'B', c: 'C' } })
      await server.must('PUT', `${url}/bundles/de/common?overwrite=true&prune=true`, { key, body: { a: 'x', b: 'y' } })
      await server.must('PUT', `${url}/bundles/en/common/a`, { key, body: { value: 'A2' } })
      t.strictSame(await stale(), [['a', 'A']])
      const query = keepStale === undefined ? '' : `${path.includes('?') ? '&' : '?'}keepStale=${keepStale}`
      await server.must(method, path + query, { key, body })
      t.equal((await server.must('GET', `${url}/bundles/de/common/a`, { key })).json.message, 'changed')
      t.strictSame(await stale(), keepStale === 'true' ? [['a', 'A']] : [], `${name}, ${query}`)
    }
    const wrong = await server.call(method, `${path}${path.includes('?') ? '&' : '?'}keepStale=1`, { key, body })
    t.match(wrong, { status: 400, json: { error: 'The query parameter keepStale must be true or false, once.' } })
  }
  const add = await server.call('POST', `${url}/bundles/de/common?keepStale=true`, { key, body: { d: 'D' } })
  t.match(
    add,
    { status: 400, json: { error: /"keepStale"; this route takes none/ } },
    'adding missing keys changes no text',
  )
})
