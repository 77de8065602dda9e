import fc from 'fast-check'
import t from 'tap'
import { Gathered } from '../../src/http/body-memory.ts'

t.test('the bytes of all chunks in their order, whatever their sizes', async () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 5 }),
    fc.uint8Array({ minLength: 3000, maxLength: 5000 }),
    fc.constant(new Uint8Array(70_000).fill(7)),
  )
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 60 }), chunks => {
      const gathered = new Gathered()
      for (const chunk of chunks) gathered.add(Buffer.from(chunk))
      const whole = Buffer.concat(chunks)
      return gathered.length === whole.length && gathered.bytes().equals(whole)
    }),
    { numRuns: 100 },
  )
})

t.test('a million small chunks do not become a million objects', async t => {
  const arrived = Buffer.alloc(65_536, 'x')
  const gathered = new Gathered()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 1_000_000; n++) gathered.add(arrived.subarray(n % 65_536, (n % 65_536) + 1))
  // Kept one by one they would take 100 bytes and more each.
  t.ok(process.memoryUsage().heapUsed - before < 60_000_000, 'garbage and little else')
  t.equal(gathered.bytes().length, 1_000_000)
})
