/** The length of texts as readers count it. */
import t from 'tap'
import { graphemeLength } from '../../../src/bundle/checks/grapheme-length.ts'
import { INTERPOLATION } from '../../../src/bundle/placeholders.ts'

const ROWS: [text: string, length: number][] = [
  ['', 0],
  ['Save', 4],
  ['Größe', 5],
  ['e\u0301le\u0300ve', 5],
  ['👩‍👩‍👧‍👦 family', 8],
  ['🇩🇪🇵🇱', 2],
  ['क्षि', 1],
  ['가각', 2],
  ['a\r\nb', 3],
  ['a\nb', 3],
  ['Hello {{name}}!', 7],
  ['{{- name, uppercase}}', 0],
  ['{{ name }} and {{ other }}', 5],
  ['<b>bold</b>', 4],
  ['<1>one</1><br/>', 3],
  ['<a href="{{url}}">x</a>', 1],
  ['<Link>x</Link>', 1],
  ['Type <name> here', 16],
  ['a < b', 5],
  ['$t(brand)', 0],
  ['x $t(item, {"count": {{n}} }) y', 4],
  ['{{open', 6],
  ['e{{x}}\u0301', 2],
]

t.test('counts grapheme clusters outside of placeholders', async t => {
  for (const [text, length] of ROWS) t.equal(graphemeLength(text, INTERPOLATION), length, JSON.stringify(text))
})

t.test('leaves out the placeholders of the project’s own syntax', async t => {
  const own = { prefix: '__', suffix: '__' }
  t.equal(graphemeLength('Hello __name__', own), 6)
  t.equal(graphemeLength('Hello {{name}}', own), 14)
})

t.test('counts 100,000 characters', async t => {
  t.equal(graphemeLength('ä'.repeat(100_000), INTERPOLATION), 100_000)
  t.equal(graphemeLength('{{'.repeat(50_000), INTERPOLATION), 100_000)
})
