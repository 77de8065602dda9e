import t from 'tap'
import { findIcu } from '../../src/bundle/icu.ts'
import { processorTime } from '../processor-time.ts'

t.test('ICU constructs', async t => {
  const table: [string, ReturnType<typeof findIcu>][] = [
    ['{n, plural, one {a} other {b}}', 'plural'],
    ['{n,plural,offset:1 one{a}other{b}}', 'plural'],
    ['{ n , selectordinal , =1 {a} }', 'selectordinal'],
    ['a } {g, select, x {y}}', 'select'],
    ['{n, plural,\n  one {a {{count}}}\n}', 'plural'],
    ['{n, date, ::yyyyMMMM}', 'skeleton'],
    ['{n, choice, 0#none|1#one}', 'choice'],
    ['{{a}} { {n, plural, one {a}}', 'plural'],
    ['{a, select, b {c} {n, plural, one {x', undefined],
    ['{{n, plural, one {a}}}', undefined],
    ['{n, plural}', undefined],
    ['{n, plural, one}', undefined],
    ['{a b, plural, one {x}}', undefined],
    ['{n, number, ::}', undefined],
    ['{{n, number, ::x}}', undefined],
    ['{n, plural, {x}}', undefined],
    ['{n, plurals, one {x}}', undefined],
    ['{n, choice, none}', undefined],
    ['', undefined],
  ]
  for (const [text, construct] of table) t.equal(findIcu(text), construct, text)
})

t.test('time grows with the length for any text', async t => {
  const seconds = (text: string) => {
    let best = Number.POSITIVE_INFINITY
    for (let run = 0; run < 4; run++) {
      const start = processorTime()
      findIcu(text)
      best = Math.min(best, processorTime() - start)
    }
    return best
  }
  const pieces = [
    '{',
    '{ ',
    '{,',
    '{a,',
    '{a,select,b{',
    '{a,select,{{',
    '{a,plural,offset:0',
    ' ',
    '{a,number,::',
    '{a,choice,',
    '}',
    '{a b,',
  ]
  for (const piece of pieces) {
    const text = (length: number) => `{a,plural,offset:${piece.repeat(length / piece.length)}`
    const growth = seconds(text(800_000)) / seconds(text(100_000))
    t.ok(growth < 40, `eight times the text needs ${growth.toFixed(1)} times the time: ${JSON.stringify(piece)}`)
  }
  const digits = (length: number) => `{a,plural,offset:${'0'.repeat(length)}`
  t.ok(seconds(digits(800_000)) / seconds(digits(100_000)) < 40)
})
