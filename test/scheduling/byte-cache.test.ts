import t from 'tap'
import { byteCache, offer } from '../../src/scheduling/byte-cache.ts'

t.test('stays within the limit, and refuses larger values without an eviction', async t => {
  const cache = byteCache<string>(100.5)
  for (let n = 0; n < 30; n++) cache.set(`key ${n}`, 'value', { size: 10 })
  t.equal(cache.calculatedSize, 100)
  cache.set('large', 'value', { size: 101 })
  t.same([cache.get('large'), cache.get('key 0'), cache.get('key 29')], [undefined, undefined, 'value'])
})

t.test('retains frequent entries, and a part of those read in turn', async t => {
  const cache = byteCache<string>(1000)
  const ask = (key: string) => {
    const known = cache.get(key) !== undefined
    if (!known) offer(cache, key, key, 1)
    return known
  }
  let there = 0
  for (let round = 0; round < 40; round++) {
    there = 0
    for (let n = 0; n < 5000; n++) if (ask(`bundle ${n}`)) there++
    // Each 1,000 times: a full cache accepts it then, but for once in 10 ** 28.
    for (let n = 0; n < 10_000; n++) ask(`often ${n % 10}`)
  }
  t.ok(there > 100, `${there} of 5000 in the last round, 1000 have room`)
  t.equal(Array.from({ length: 10 }, (_, n) => cache.get(`often ${n}`)).filter(Boolean).length, 10)
  t.equal(cache.calculatedSize, 1000)
})
