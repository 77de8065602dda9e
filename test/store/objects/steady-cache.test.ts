import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import t from 'tap'
import { SteadyCache } from '../../../src/store/objects/steady-cache.ts'

/** Asks for a thing as its users do: what is not there is made and offered. Says whether it was there. */
function ask(cache: SteadyCache<string>, key: string, bytes = 1): boolean {
  const known = cache.get(key)
  if (known === undefined) cache.set(key, key, bytes)
  return known !== undefined
}

t.test('of what is asked for in turn, as much is there as has room', async t => {
  for (const [limit, keys] of [
    [1000, 2000],
    [1000, 5000],
    [500, 10_000],
  ] as const) {
    const cache = new SteadyCache<string>(limit)
    let there = 0
    for (let round = 0; round < 10; round++) {
      there = 0
      for (let n = 0; n < keys; n++) if (ask(cache, `bundle ${n}`)) there++
    }
    t.ok(there > limit * 0.85, `${there} of ${keys} in the last round, ${limit} have room`)
    t.ok(cache.bytes <= limit)
  }
})

t.test('what is asked for more often than the rest comes to stay, and leaves when others are', async t => {
  const cache = new SteadyCache<string>(100)
  const often = (name: string) => {
    for (let round = 0; round < 400; round++) {
      for (let n = 0; n < 50; n++) ask(cache, `${name} ${n}`)
      for (let n = 0; n < 20; n++) ask(cache, `once ${name} ${round} ${n}`)
    }
    return Array.from({ length: 50 }, (_, n) => cache.get(`${name} ${n}`)).filter(Boolean).length
  }
  t.ok(often('first') >= 48)
  t.ok(often('second') >= 48)
  t.ok(often('third') >= 48)
})

t.test('what is sure to be asked for stays in a full cache, though nobody has asked for it yet', async t => {
  const cache = new SteadyCache<string>(100)
  for (let round = 0; round < 20; round++) for (let n = 0; n < 10; n++) ask(cache, `read ${n}`, 9)
  cache.set('offered', 'x', 50)
  cache.settle('written', 'y', 50)
  t.same([cache.get('offered'), cache.get('written')], [undefined, 'y'])
  for (let n = 0; n < 10; n++) ask(cache, `once ${n}`, 9)
  t.equal(cache.get('written'), 'y')
  cache.settle('too large', 'z', 100)
  t.same([cache.get('too large'), cache.get('written')], [undefined, 'y'])
})

t.test('what was deleted or replaced is gone, and what is larger than the limit drives nothing out', async t => {
  const cache = new SteadyCache<string>(100)
  cache.set('a', 'A', 10)
  cache.set('b', 'B', 10)
  cache.set('c', 'C', 101)
  t.same([cache.get('a'), cache.get('b'), cache.get('c')], ['A', 'B', undefined])
  cache.set('a', 'A2', 20)
  t.same([cache.get('a'), cache.bytes], ['A2', 30])
  cache.delete('a')
  cache.delete('a')
  t.same([cache.get('a'), cache.bytes], [undefined, 10])
})

t.test('whatever happens, the bytes are those of what is kept and within the limit', async () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    bytes: fc.nat(12),
    act: fc.constantFrom('set', 'settle', 'get', 'delete'),
  })
  fc.assert(
    fc.property(fc.array(step), steps => {
      const cache = new SteadyCache<number>(20)
      for (const { key, bytes, act } of steps) {
        if (act === 'set') cache.set(key, bytes, bytes)
        else if (act === 'settle') cache.settle(key, bytes, bytes)
        else if (act === 'get') cache.get(key)
        else cache.delete(key)
        if (cache.bytes > 20) return false
      }
      const kept = ['a', 'b', 'c', 'd', 'e'].map(key => cache.get(key) ?? 0)
      return cache.bytes === kept.reduce((sum, bytes) => sum + bytes, 0)
    }),
  )
})

t.test('what left takes no memory until a full collection', async t => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const size = 20_000
  const cache = new SteadyCache<Buffer>(600 * size)
  const read = (from: number, to: number) => {
    for (let n = from; n < to; n++) if (cache.get(`${n}`) === undefined) cache.set(`${n}`, Buffer.alloc(size), size)
  }
  read(0, 1_000)
  // What is kept now is old from here on.
  collect()
  collect()
  const before = process.memoryUsage().arrayBuffers
  for (let n = 1_000; n < 3_000; n += 100) {
    read(n, n + 100)
    collect({ type: 'minor' })
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  const more = process.memoryUsage().arrayBuffers - before
  t.ok(more < 500 * size, `${more} bytes more after 2,000 of ${size}`)
})
