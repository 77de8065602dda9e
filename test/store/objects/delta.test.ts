import fc from 'fast-check'
import t from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import { applyDelta, applyDeltas, createDelta } from '../../../src/store/objects/delta.ts'

const wholeDelta = (base: Buffer, target: Buffer): Buffer => createDelta(base, target, Number.POSITIVE_INFINITY)!

const text = (size: number, seed = 1): Buffer => {
  const bytes = Buffer.alloc(size)
  for (let i = 0, state = seed; i < size; i++) {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    bytes[i] = state >> 16
  }
  return bytes
}

t.test('a delta gives back its target for any two texts', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), fc.uint8Array({ maxLength: 700 }), (base, target) =>
      applyDelta(Buffer.from(base), wholeDelta(Buffer.from(base), Buffer.from(target))).equals(target),
    ),
    { numRuns: 500 },
  )
})

t.test(
  'a delta gives back its target when both share what stands before and after a change, at sizes around every stride',
  async () => {
    const size = fc.oneof(fc.nat(600), fc.constantFrom(255, 256, 257, 4095, 4096, 4097, 65535, 65536, 65537, 140000))
    fc.assert(
      fc.property(
        size,
        size,
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ maxLength: 300 }),
        (before, after, old, now) => {
          const head = text(before)
          const tail = text(after, 7)
          const base = Buffer.concat([head, old, tail])
          const target = Buffer.concat([head, now, tail])
          const delta = wholeDelta(base, target)
          return applyDelta(base, delta).equals(target) && delta.length < now.length + 100
        },
      ),
      { numRuns: 200 },
    )
  },
)

t.test('a repeated text is not matched twice: prefix and suffix never overlap', async t => {
  const base = Buffer.from('abcabc')
  for (const target of ['abc', 'abcabcabc', 'abcab', '', 'a']) {
    t.equal(applyDelta(base, wholeDelta(base, Buffer.from(target))).toString(), target)
  }
})

t.test('the bytes are those of the format', async t => {
  const delta = wholeDelta(Buffer.from('hello old world'), Buffer.from('hello new world'))
  t.same([...delta], [15, 15, 0x90, 6, 3, ...Buffer.from('new'), 0x91, 9, 6])
})

t.test('64 KiB is copied by an instruction without a size', async t => {
  const base = text(0x10000)
  const delta = wholeDelta(base, base)
  t.same([...delta], [0x80, 0x80, 0x04, 0x80, 0x80, 0x04, 0x80])
  t.ok(applyDelta(base, delta).equals(base))
})

t.test('copies of other writers, with a third byte of size and a fourth of offset, are understood', async t => {
  const base = text(0x1020304)
  const sizes = [0x84, 0x86, 0x88, 0x08, 0x81, 0x80, 0x04]
  const copy = [0xdb, 0x01, 0x02, 0x01, 0x01, 0x01]
  const result = applyDelta(base, Buffer.from([...sizes, ...copy]))
  t.ok(result.equals(base.subarray(0x01000201, 0x01000201 + 0x010001)))
})

t.test('malformed deltas are refused by name', async t => {
  const base = Buffer.from('0123456789')
  const cases: Record<string, number[]> = {
    'nothing at all': [],
    'only a base size': [10],
    'a base of another size': [11, 1, 1, 65],
    'the reserved instruction': [10, 1, 0],
    'an insert past the end': [10, 5, 5, 65],
    'a copy past the base': [10, 5, 0x91, 8, 5],
    'a copy without its bytes': [10, 5, 0x91, 8],
    'more than it says': [10, 1, 2, 65, 66],
    'less than it says': [10, 3, 2, 65, 66],
    'a size without end': [10, ...Array(12).fill(0xff), 1],
    'a size beyond memory': [10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 65],
  }
  for (const [name, bytes] of Object.entries(cases)) {
    t.throws(
      () => applyDelta(base, Buffer.from(bytes)),
      { name: 'Failure', code: 'unavailable', message: /^A git delta / },
      name,
    )
  }
})

t.test('any bytes as a delta give a result of the stated size or a Failure', async () => {
  const base = text(100)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(127), (rest, size) => {
      try {
        return applyDelta(base, Buffer.from([100, size, ...rest])).length === size
      } catch (error) {
        return error instanceof Failure
      }
    }),
    { numRuns: 2000 },
  )
})

t.test(
  'a chain of deltas gives its last text, for any sizes on the way, in memory that the next chain leaves alone',
  async t => {
    const size = fc.oneof(fc.nat(400), fc.constantFrom(30_000, 200_000, 300_000))
    const made: [Buffer, Buffer][] = []
    fc.assert(
      fc.property(fc.array(size, { minLength: 1, maxLength: 12 }), fc.nat(1000), (sizes, seed) => {
        const texts = sizes.map((length, at) => text(length, seed + at))
        const deltas = texts.slice(1).map((now, at) => wholeDelta(texts[at]!, now))
        const result = applyDeltas(texts[0]!, deltas.reverse())
        made.push([result, texts.at(-1)!])
        return result.equals(texts.at(-1)!)
      }),
      { numRuns: 60 },
    )
    t.ok(made.every(([result, expected]) => result.equals(expected)))
  },
)
