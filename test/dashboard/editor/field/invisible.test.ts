/** Invisible characters. */
import t from 'tap'
import { INSERTABLE, invisibleIn, nameOfInvisible } from '../../../../src/dashboard/editor/field/invisible.ts'

t.test('where they are, and what they are called', async t => {
  const rows: [string, ...string[]][] = [
    ['one two.'],
    ['one  two', 'SP 3-5'],
    [' a ', 'SP 0-1', 'SP 2-3'],
    ['a \nb', 'SP 1-2', '↵ 2-3'],
    ['5\u00a0€\u202f!', 'NBSP 1-2', 'NNBSP 3-4'],
    ['\u200fאב\u200e', 'RLM 0-1', 'LRM 3-4'],
    ['می\u200cخواهم', 'ZWNJ 2-3'],
    ['क्\u200dष', 'ZWJ 2-3'],
    ['👨‍👩‍👧 and 🏳️‍🌈'],
    ['Donau\u00addampf\ttab', 'SHY 5-6', 'TAB 11-12'],
    ['日本\u3000語', 'IDSP 2-3'],
    ['\u2066x\u2069', 'LRI 0-1', 'PDI 2-3'],
  ]
  for (const [text, ...found] of rows) {
    t.strictSame(
      invisibleIn(text).map(({ name, from, to }) => `${name} ${from}-${to}`),
      found,
      JSON.stringify(text),
    )
  }
})

t.test('what may be inserted is seen then', async t => {
  for (const character of INSERTABLE) {
    const [found] = invisibleIn(`a${character}b`)
    t.equal(found?.name, nameOfInvisible(character))
  }
})
