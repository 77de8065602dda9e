import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import t from 'tap'
import { ByteLru } from '../../../src/store/objects/byte-lru.ts'

t.test('what was used longest ago leaves first', async t => {
  const cache = new ByteLru<string>(10)
  cache.set('a', 'A', 4)
  cache.set('b', 'B', 4)
  t.equal(cache.get('a'), 'A')
  cache.set('c', 'C', 4)
  t.equal(cache.get('b'), undefined)
  t.equal(cache.get('a'), 'A')
  t.equal(cache.get('c'), 'C')
  t.equal(cache.bytes, 8)
})

t.test('a value larger than the limit is not kept, drives nothing out, and its old version is gone', async t => {
  const cache = new ByteLru<string>(10)
  cache.set('a', 'A', 5)
  cache.set('b', 'B', 5)
  cache.set('a', 'larger', 11)
  t.equal(cache.get('a'), undefined)
  t.equal(cache.get('b'), 'B')
  t.equal(cache.bytes, 5)
})

t.test('replacing counts the new size only', async t => {
  const cache = new ByteLru<string>(10)
  cache.set('a', 'A', 9)
  cache.set('a', 'A2', 2)
  cache.set('b', 'B', 8)
  t.equal(cache.get('a'), 'A2')
  t.equal(cache.get('b'), 'B')
  cache.delete('a')
  cache.delete('a')
  t.equal(cache.bytes, 8)
})

t.test('whatever happens, the bytes are those of what is kept and within the limit', async () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    bytes: fc.nat(12),
    act: fc.constantFrom('set', 'get', 'delete'),
  })
  fc.assert(
    fc.property(fc.array(step), steps => {
      const cache = new ByteLru<number>(20)
      for (const { key, bytes, act } of steps) {
        if (act === 'set') cache.set(key, bytes, bytes)
        else if (act === 'get') cache.get(key)
        else cache.delete(key)
      }
      const kept = ['a', 'b', 'c', 'd'].map(key => cache.get(key) ?? 0)
      return cache.bytes <= 20 && cache.bytes === kept.reduce((sum, bytes) => sum + bytes, 0)
    }),
  )
})

t.test('what was replaced, deleted or driven out is held by nothing', async t => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // Far from its limit, at it, and with one key alone.
  for (const [limit, keys] of [
    [10_000, 100],
    [100, 1000],
    [10_000, 1],
  ] as const) {
    const cache = new ByteLru<object>(limit)
    const values: WeakRef<object>[] = []
    for (let n = 0; n < 5_000; n++) {
      const key = String((n * 7) % keys)
      const value = { n }
      values.push(new WeakRef(value))
      if (n % 3 === 0) cache.delete(key)
      cache.set(key, value, 1)
    }
    // A WeakRef holds its target until the turn in which it was made is over.
    await new Promise(resolve => setTimeout(resolve))
    collect()
    const alive = values.filter(value => value.deref() !== undefined).length
    t.ok(alive <= cache.bytes + 1, `limit ${limit}, ${keys} keys: ${alive} alive, ${cache.bytes} kept`)
  }
})

t.test('what left holds nothing that came after it over the quick collections', async t => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const cache = new ByteLru<Buffer>(10)
  const fill = (from: number, to: number) => {
    for (let n = from; n < to; n++) cache.set(String(n), Buffer.alloc(50_000), 1)
  }
  fill(0, 10)
  // What is kept now is old from here on.
  collect()
  collect()
  const before = process.memoryUsage().arrayBuffers
  for (let n = 10; n < 410; n += 20) {
    fill(n, n + 20)
    // A WeakRef would hold its target over a quick collection, so the memory tells.
    collect({ type: 'minor' })
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  const more = process.memoryUsage().arrayBuffers - before
  t.ok(more < 200 * 50_000, `${more} bytes more after 400 of 50,000`)
})
