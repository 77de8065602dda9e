/** Large contents that a caller holds are not read from git again, though no cache has room for them. */
import t from 'tap'
import { byteCache } from '../../../src/scheduling/byte-cache.ts'
import type { ObjectReader } from '../../../src/store/objects/objects.ts'
import { Objects } from '../../../src/store/snapshot.ts'

t.test('reads a large content once while a caller holds it', async t => {
  let reads = 0
  const read = () => {
    reads++
    return { type: 'blob', bytes: Buffer.alloc(200_000, 'x') }
  }
  const objects = new Objects({ read } as unknown as ObjectReader, byteCache(1000))
  const ids = Array.from({ length: 100 }, (_, at) => String(at).padStart(40, '0'))
  const held = objects.blob(ids[0]!)
  t.equal(objects.blob(ids[0]!), held)
  t.equal(reads, 1)
  for (const id of ids) objects.blob(id)
  t.equal(reads, 100)
  objects.blob(ids[0]!)
  t.equal(reads, 101, 'of many, the last ones are known')
})
