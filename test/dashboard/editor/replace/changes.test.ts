/** What a replacement changes in rows. */
import t from 'tap'
import type { Message } from '../../../../src/bundle/message.ts'
import { bundlesOf, candidatesIn, changesOf } from '../../../../src/dashboard/editor/replace/changes.ts'

const row = (key: string, source: Message | undefined, ...messages: (Message | undefined)[]) => ({
  id: `common\n${key}`,
  namespace: 'common',
  key,
  source,
  cells: messages.map(message => ({ message, is: [], problems: [], dismissed: [], lacks: [] })),
})
const plural = { cardinal: { one: '{{count}} Haus', other: '{{count}} Häuser' } }
const rows = [
  row('hi', 'Hi {{name}}', 'Hallo {{name}}', ''),
  row('houses', { cardinal: { one: '{{count}} house', other: '{{count}} houses' } }, plural, undefined),
]
const candidates = candidatesIn(rows, ['de', 'fr'], new Set(['de', 'fr']))

t.test('the texts and forms that there are', async t => {
  t.strictSame(
    candidates.map(({ language, key, ending, text }) => [language, key + ending, text]),
    [
      ['de', 'hi', 'Hallo {{name}}'],
      ['de', 'houses_one', '{{count}} Haus'],
      ['de', 'houses_other', '{{count}} Häuser'],
    ],
  )
  t.strictSame(candidatesIn(rows, ['de', 'fr'], new Set(['fr'])), [])
})

t.test('what is wrong then, and was not', async t => {
  const changes = changesOf(candidates, ['Hallo', null, ''], { source: 'en' })
  t.strictSame(
    changes.map(({ key, ending, checks, refused }) => [key + ending, checks.map(({ is }) => is), refused]),
    [
      ['hi', ['missing'], false],
      ['houses_other', [], true],
    ],
  )
  const icu = changesOf(candidates, ['{n, plural, other {x}} {{name}}', null, null], { source: 'en' })
  t.equal(icu[0]!.refused, true, 'what the server refuses')
})

t.test('as resources of a push', async t => {
  const changes = changesOf(candidates, ['Hi {{name}}', '{{count}} Hof', null], { source: 'en' })
  t.strictSame(bundlesOf(changes), { de: { common: { hi: 'Hi {{name}}', houses_one: '{{count}} Hof' } } })
})
