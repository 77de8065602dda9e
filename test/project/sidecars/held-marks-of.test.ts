/** Which marks hold for one text. */
import t from 'tap'
import { textDigest } from '../../../src/bundle/text-digest.ts'
import { heldMarksOf } from '../../../src/project/sidecars/held-marks-of.ts'

const at = '2026-11-22T09:30:00Z'
const of = textDigest('Home', 'Heim')
const by = { id: 'u1', name: 'Ann' }
const fileOf = (marks: object, indent = 2) => Buffer.from(`${JSON.stringify({ home: marks }, null, indent)}\n`)
const text = { key: 'home', message: 'Heim', source: 'Home' }

t.test('a mark holds for its text and its source alone', async t => {
  const marks = fileOf({ machine: { at, by: 'deepl', of } })
  t.strictSame(heldMarksOf({ ...text, marks }), { approved: false, machine: true })
  t.strictSame(heldMarksOf({ ...text, marks, message: 'Zuhause' }), { approved: false, machine: false })
  t.strictSame(heldMarksOf({ ...text, marks, source: 'House' }), { approved: false, machine: false })
  t.strictSame(heldMarksOf({ ...text, marks, key: 'hom' }), { approved: false, machine: false })
  const both = fileOf({ approved: { at, by, of }, machine: { at, by, of } })
  t.strictSame(heldMarksOf({ ...text, marks: both }), { approved: true, machine: true })
})

t.test('reads the source from its bundle, and a file that a person indents otherwise', async t => {
  const marks = fileOf({ approved: { at, by, of } }, 0)
  t.strictSame(heldMarksOf({ ...text, marks, source: Buffer.from('{"home":"Home"}') }), {
    approved: true,
    machine: false,
  })
  t.strictSame(heldMarksOf({ ...text, marks, source: Buffer.from('{"home":"Hut"}') }), {
    approved: false,
    machine: false,
  })
  t.strictSame(
    heldMarksOf({ ...text, marks: fileOf({ approved: { of } }) }),
    { approved: false, machine: false },
    'bad',
  )
})
