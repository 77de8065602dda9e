/** Organizations share no cache entries: otherwise a fast answer would reveal the texts of another organization. */
import { createHash } from 'node:crypto'
import zlib from 'node:zlib'
import t from 'tap'
import { blobId } from '../../src/bundle/canonical.ts'
import { namespacesOf } from '../../src/project/layout.ts'
import { byteCache } from '../../src/scheduling/byte-cache.ts'
import { Comparisons } from '../../src/store/comparisons.ts'
import type { ObjectReader } from '../../src/store/objects/objects.ts'
import { EMPTY_SNAPSHOT, type ObjectCache, Objects } from '../../src/store/snapshot.ts'
import { startServer } from '../http/server.ts'

t.test('compresses an answer once for each organization', async t => {
  const server = await startServer(t)
  const made: string[] = []
  const compress = zlib.brotliCompressSync
  t.teardown(() => {
    zlib.brotliCompressSync = compress
  })
  zlib.brotliCompressSync = (bytes, options) => {
    made.push(
      createHash('sha1')
        .update(bytes as Buffer)
        .digest('hex'),
    )
    return compress(bytes, options)
  }
  const body = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key${n}`, `the same text ${n}`]))
  for (const name of ['Ann', 'Otto']) {
    const { key } = await server.organization(name)
    await server.project(key, 'web')
    await server.put('/api/projects/web/bundles/en/common', key, body)
    for (let n = 0; n < 3; n++) {
      const { headers } = await server.get('/api/projects/web/bundles/en/common', key, { 'accept-encoding': 'br' })
      t.equal(headers['content-encoding'], 'br')
    }
  }
  t.equal(made.length, 2, 'one compression for each organization')
  t.equal(made[0], made[1])
})

t.test('reads a file and a folder for each organization', async t => {
  let reads = 0
  const reader = {
    read: () => {
      reads++
      return { type: 'blob', bytes: Buffer.from('{}\n') }
    },
  } as unknown as ObjectReader
  const cache: ObjectCache = byteCache(2 ** 20)
  const id = '0'.repeat(40)
  for (const owner of ['acme', 'other']) {
    const objects = new Objects(reader, cache, owner)
    for (let n = 0; n < 3; n++) objects.blob(id)
  }
  t.equal(reads, 2)
})

t.test('renders the namespaces of a language for each organization', t => {
  const namespaces = (organization: string) => {
    let looks = 0
    const list = () => {
      looks++
      return [{ name: 'common.json', kind: 'blob' as const, id: blobId(Buffer.from('{}')) }]
    }
    const entry = () => ({ name: 'en', kind: 'tree' as const, id: '7'.repeat(40) })
    for (let n = 0; n < 3; n++) namespacesOf({ ...EMPTY_SNAPSHOT, organization, entry, list }, 'web', 'en')
    return looks
  }
  t.equal(namespaces('acme'), 1)
  t.equal(namespaces('other'), 1)
  t.end()
})

t.test('shares no comparison between organizations', async t => {
  const comparisons = new Comparisons(2 ** 20)
  const versions = { before: 'a', after: 'b' }
  await comparisons.of('acme').diff(versions, { before: null, after: null, behind: null, most: 0, bytes: 0 })
  t.ok(comparisons.of('acme').knownCounts(versions))
  t.equal(comparisons.of('other').knownCounts(versions), undefined)
})
