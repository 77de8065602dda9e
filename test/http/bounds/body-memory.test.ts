import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { BodyBuffer, BodyMemory } from '../../../src/http/bounds/body-memory.ts'

t.test('returns the bytes of all chunks in their order for all sizes', async () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 5 }),
    fc.uint8Array({ minLength: 3000, maxLength: 5000 }),
    fc.constant(new Uint8Array(70_000).fill(7)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 60 }), async chunks => {
      const gathered = new BodyBuffer()
      for (const chunk of chunks) gathered.add(Buffer.from(chunk))
      const whole = Buffer.concat(chunks)
      return gathered.length === whole.length && (await gathered.bytes()).equals(whole)
    }),
    { numRuns: 100 },
  )
})

t.test('frees the memory of a copied chunk at once, and of no other chunk', async t => {
  const chunk = () => Buffer.from(new Uint8Array(70_000).fill(7).buffer)
  const [alone, first, last] = [chunk(), chunk(), chunk()]
  const within = chunk().subarray(10)
  const one = new BodyBuffer()
  one.add(alone)
  t.equal((await one.bytes()).length, 70_000)
  const gathered = new BodyBuffer()
  for (const part of [first, within, last]) gathered.add(part)
  t.ok((await gathered.bytes()).equals(Buffer.alloc(209_990, 7)))
  t.equal((await gathered.bytes()).length, 209_990, 'asked twice')
  t.strictSame(
    [alone, first, within, last].map(({ buffer }) => buffer.byteLength),
    [70_000, 0, 70_000, 0],
  )
})

t.test('stores a million small chunks in a few buffers', async t => {
  const arrived = Buffer.alloc(65_536, 'x')
  const gathered = new BodyBuffer()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 1_000_000; n++) gathered.add(arrived.subarray(n % 65_536, (n % 65_536) + 1))
  // Stored one by one they would need 100 bytes and more each.
  t.ok(process.memoryUsage().heapUsed - before < 60_000_000, 'mostly garbage')
  t.equal((await gathered.bytes()).length, 1_000_000)
})

t.test('limits the bytes that are parsed at once, and queues further bodies in order', async t => {
  const memory = new BodyMemory(10_000, 100)
  const requests = Array.from({ length: 6 }, () => ({}) as FastifyRequest)
  const [a, b, c, d, e, f] = requests
  const entered: string[] = []
  const ask = (name: string, request: FastifyRequest, bytes: number) => {
    const wait = memory.unfold(request, bytes)
    if (wait === undefined) entered.push(name)
    return wait?.then(() => void entered.push(name))
  }
  ask('a', a!, 60)
  ask('b', b!, 40)
  const waiting = [ask('c', c!, 50), ask('d', d!, 500), ask('e', e!, 1), ask('f', f!, 1)]
  const left = t.rejects(waiting[2]!, { code: 'invalid' })
  t.strictSame(entered, ['a', 'b'])
  memory.release(b!)
  memory.release(e!)
  await left
  t.strictSame(entered, ['a', 'b'], 'no room for the first waiting body, and no other body passes it')
  memory.release(a!)
  await waiting[0]
  t.strictSame(entered, ['a', 'b', 'c'])
  memory.release(c!)
  memory.release(c!)
  await waiting[1]
  t.strictSame(entered, ['a', 'b', 'c', 'd'], 'a body larger than the limit runs alone')
  memory.release(d!)
  await waiting[3]
  t.strictSame(entered, ['a', 'b', 'c', 'd', 'f'])
})
