import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { listPacks, type PackStats, planRepack } from '../../../src/store/git/repack.ts'
import { openStore } from './many-packs.ts'

const PACE = { packs: 50, idlePacks: 10, bitmapFrom: 10_000 }

const packsOf = (sizes: number[], bitmap = true): PackStats[] =>
  sizes.map((objects, n) => ({
    objects,
    bytes: objects * 100,
    mtimeMs: 0,
    bitmap: bitmap && n === 0,
  }))

/** The kind of the plan and the sizes of its packs. */
const planOf = (sizes: number[], idle: boolean, bitmap = true) => {
  const plan = planRepack(packsOf(sizes, bitmap), idle, PACE)
  return plan && [plan.kind, plan.packs.map(({ objects }) => objects)]
}
const ones = (count: number) => Array<number>(count).fill(1)

t.test('which packs become one', async t => {
  t.equal(planOf([], true), undefined)
  t.equal(planOf(ones(50), false), undefined, 'not so many')
  t.equal(planOf(ones(10), true), undefined)
  t.strictSame(planOf(ones(11), true), ['full', ones(11)], 'all that are alike')
  t.strictSame(planOf([1000, ...ones(50)], false), ['merge', ones(50)], 'the large one stays')
  t.strictSame(planOf([90, ...ones(50)], false), ['full', [...ones(50), 90]], 'unless the others are half as large')
  t.strictSame(planOf([100_000, 90, ...ones(50)], false), ['merge', [...ones(50), 90]])
  t.strictSame(planOf([100_000, 40_000, 90, 45, ...ones(48)], false), ['merge', [...ones(48), 45, 90]])
  const powers = Array.from({ length: 53 }, (_, n) => 2 ** (52 - n))
  t.equal(planOf(powers, false), undefined, 'each twice as large as the next: as it should be')
})

t.test('a repository without a bitmap', async t => {
  t.equal(planOf([9_999], true, false), undefined, 'a small one needs none')
  t.equal(planOf([10_000, 5], false, false), undefined, 'not in the middle of work')
  t.strictSame(planOf([10_000, 5], true, false), ['full', [5, 10_000]])
  t.strictSame(
    planOf([100_000, ...ones(50)], false, false),
    ['full', [...ones(50), 100_000]],
    'as there is work anyway',
  )
  t.equal(planOf([10_000, 5], true), undefined)
  t.strictSame(planOf([100_000, 5], false, false), ['full', [5, 100_000]], 'for a large one at once')
  t.equal(planOf([30_000, 10_000], true), undefined, 'a bitmap over three quarters will do')
  t.strictSame(planOf([30_000, 10_001], true), ['full', [10_001, 30_000]])
  t.equal(planOf([100_000, 100_000], false), undefined, 'and over half of it in the middle of work')
  t.strictSame(planOf([100_000, 100_001], false), ['full', [100_000, 100_001]])
})

t.test('merging ends, and then each pack is twice as large as the next smaller one', async t => {
  const sizes = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 700 })
  const property = fc.property(sizes, fc.boolean(), (start, idle) => {
    let packs = packsOf(start)
    let steps = 0
    for (let plan = planRepack(packs, idle, PACE); plan; plan = planRepack(packs, idle, PACE)) {
      const { kind, packs: merged } = plan
      const objects = merged.reduce((sum, pack) => sum + pack.objects, 0)
      const rest = packs.filter(pack => !merged.includes(pack))
      if (kind === 'full' && rest.length > 0) return false
      packs = [...rest, { objects, bytes: 0, mtimeMs: 0, bitmap: kind === 'full' }]
      if (++steps > 10) return false
    }
    const left = packs.map(({ objects }) => objects).sort((a, b) => a - b)
    const balanced = left.every((size, n) => n === 0 || size >= 2 * left[n - 1]!)
    return balanced || left.length <= (idle ? PACE.idlePacks : PACE.packs)
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('packs that are not for merging', async t => {
  const { put, gitDir, packs } = await openStore(t)
  for (let n = 0; n < 4; n++) await put('a', n)
  const names = packs()
  t.strictSame(
    (await listPacks(gitDir)).map(({ objects, bitmap }) => [objects, bitmap]),
    Array(4).fill([3, false]),
  )
  const mark = (name: string, extension: string) => writeFileSync(join(gitDir, 'objects/pack', name + extension), '')
  mark(names[0]!, '.keep')
  mark(names[1]!, '.mtimes')
  t.equal((await listPacks(gitDir)).length, 2, 'packs that a person or git excludes')
  mark(names[2]!, '.promisor')
  t.strictSame(await listPacks(gitDir), [], 'all of a partial clone')
})
