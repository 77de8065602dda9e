import t from 'tap'
import { arrayOf, leavesOf, type ThreeWayResult, threeWay } from '../../src/bundle/three-way.ts'
import { pushed } from './pushing.ts'

t.test('decides which side of a three-way comparison counts', async t => {
  const rows: [base: string | null, ours: string | null, theirs: string | null, ThreeWayResult][] = [
    ['a', 'b', 'a', 'ours'],
    ['a', 'a', 'b', 'theirs'],
    ['a', 'b', 'b', 'same'],
    ['a', 'a', 'a', 'same'],
    ['a', 'b', 'c', 'conflict'],
    [null, 'b', null, 'ours'],
    [null, 'b', 'a', 'conflict'],
    ['a', 'b', null, 'conflict'],
    ['a', 'a', null, 'theirs'],
  ]
  for (const [base, ours, theirs, way] of rows) t.equal(threeWay(base, ours, theirs), way)
  t.equal(
    threeWay([1], [1], [2], (a, b) => a[0] === b[0]),
    'theirs',
    'by its own equality',
  )
})

t.test('lists the leaves of entries once', async t => {
  const [one, two] = [pushed({ a: 'x', item_one: '1' }), pushed({ a: 'y', item_other: 'n' })]
  const leaves = leavesOf([...one.tree.entries(), undefined, ...two.tree.entries()])
  t.strictSame(
    leaves.map(({ key, kind }) => [key, kind]),
    [
      ['a', 'text'],
      ['item', 'cardinal'],
      ['item', 'cardinal'],
    ],
  )
})

t.test('finds the outermost array of a key', async t => {
  const arrays = new Set(['l', 'l.0', 'a.b'])
  t.equal(arrayOf('l.0.x', arrays), 'l')
  t.equal(arrayOf('a.b.1', arrays), 'a.b')
  t.equal(arrayOf('a.b', arrays), undefined)
})
