/** Mentions of members in the text of a comment. */
import t from 'tap'
import { mentionsIn, mentionsOf } from '../../src/bundle/mentions.ts'
import { cost } from '../processor-time.ts'

const MEMBERS = [
  { id: 'ann', name: 'Ann' },
  { id: 'lee', name: 'Ann Lee' },
  { id: 'ben', name: 'Ben Osei' },
  { id: 'zoe', name: 'Zoë' },
  { id: 'kim1', name: 'Kim Park' },
  { id: 'kim2', name: 'Kim Novak' },
  { id: 'two1', name: 'Twin' },
  { id: 'two2', name: 'twin' },
  { id: 'odd', name: '__proto__' },
  { id: 'dot', name: 'a.*b' },
  { id: 'ja', name: '山田太郎' },
  { id: 'zh', name: '李雷' },
  { id: 'ko', name: '민수' },
  { id: 'hi', name: 'राम' },
  { id: 'none', name: ' ' },
]

const CASES: [text: string, ids: string[]][] = [
  ['@Ann, is this a verb?', ['ann']],
  ['@ann lee and @BEN', ['lee', 'ben']],
  ['Ask @Ben Osei. @Ben again', ['ben']],
  ['(@Zoe\u0308)', ['zoe']],
  ['@Kim is one of two', []],
  ['@Kim Novak', ['kim2']],
  ['@Twin', ['two1', 'two2']],
  ['@Annabel', []],
  ['@__proto__ @constructor', ['odd']],
  ['@a.*b @axxb', ['dot']],
  ['@山田太郎 確認', ['ja']],
  ['@山田太郎さん、@李雷请看', ['ja', 'zh']],
  ['请@李雷看，请@Ann看 @민수님', ['zh', 'ann', 'ko']],
  ['@राम, @रामा', ['hi']],
  ['@रामा', []],
  ['write to x@Ann and ann@Ben.example', []],
  ['@@Ann @ Ann @', ['ann']],
  ['', []],
]

t.test('finds the members that a text mentions', async t => {
  for (const [text, ids] of CASES) t.strictSame(mentionsIn(text, MEMBERS), ids, text)
  t.strictSame(mentionsIn('@Ann', []), [])
})

t.test('finds whether a text mentions one member', async t => {
  for (const { id } of MEMBERS) {
    const isMentioned = mentionsOf(id, MEMBERS)
    for (const [text, ids] of CASES) t.equal(isMentioned(text), ids.includes(id), `${id}: ${text}`)
  }
  t.equal(mentionsOf('gone', MEMBERS)('@Ann'), false)
})

t.test('reads a text of many mentions in an organization of many members', async t => {
  const members = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `u${at}`, name: `Ann ${at}` }))
  const text = '@Ann x '.repeat(10_000)
  const [ofFew, ofMany] = [members(100), members(4_000)].map(all => cost(() => mentionsIn(text, all)))
  t.ok(ofMany! < 4 * ofFew!, `${ofFew} ms, ${ofMany} ms`)
})
