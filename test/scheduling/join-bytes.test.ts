import fc from 'fast-check'
import t from 'tap'
import { joinBytes } from '../../src/scheduling/join-bytes.ts'

t.test('joins parts of any sizes after the bytes that the caller fills, if asked in memory of their own', async t => {
  const part = fc.oneof(
    fc.uint8Array({ maxLength: 5 }),
    fc.constantFrom(256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 600_000).map(length => Buffer.alloc(length, 'x')),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), fc.nat(20), fc.boolean(), async (parts, before, own) => {
      const joined = await joinBytes(parts, { before, own })
      const isAlone = joined.buffer.byteLength === joined.length
      return joined.subarray(before).equals(Buffer.concat(parts)) && (isAlone || !own)
    }),
    { numRuns: 50 },
  )
  t.pass()
})

t.test('gives others a turn while it copies much', async t => {
  let turns = 0
  const parts = Array.from({ length: 4 }, () => Buffer.alloc(2 ** 22, 'x'))
  const pause = Object.assign(async () => void turns++, { worked: () => 0 })
  t.equal((await joinBytes(parts, { pause })).length, 2 ** 24)
  t.equal(turns, 64)
})
