/** A message as fields, and back. */
import t from 'tap'
import { rulesOf } from '../../../../src/bundle/status.ts'
import { leavesFor, modelText, textsOf, withTexts, writesFor } from '../../../../src/dashboard/editor/model/leaves.ts'

type Of = Parameters<typeof leavesFor>[0]
const fields = (source: Of, message: Of, language: string, sourceLanguage = 'en') =>
  leavesFor(source, message, rulesOf(sourceLanguage, language))
const endings = (...args: Parameters<typeof fields>) => fields(...args).map(({ ending }) => ending)
const items = { cardinal: { one: '{{count}} item', other: '{{count}} items' } }

t.test('the fields of a message are those of its language', async t => {
  t.strictSame(endings('Home', undefined, 'pl'), [''])
  t.strictSame(endings(items, undefined, 'pl'), ['_one', '_few', '_many', '_other'])
  t.strictSame(endings(items, undefined, 'ja'), ['_other'])
  const places = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
  t.strictSame(endings({ ordinal: places }, undefined, 'en'), [
    '_ordinal_one',
    '_ordinal_two',
    '_ordinal_few',
    '_ordinal_other',
  ])
  t.strictSame(endings(items, { cardinal: { zero: 'nichts', other: 'x' } }, 'de'), ['_zero', '_one', '_other'])
  const empty = { cardinal: { zero: 'nothing', ...items.cardinal } }
  t.strictSame(endings(empty, undefined, 'ja'), ['_zero', '_other'], 'what the source says of 0 can be said')
  t.strictSame(endings({ ordinal: { zero: '0th', ...places } }, undefined, 'de'), ['_ordinal_other'])
  t.strictSame(endings({ cardinal: { other: 'Other' } }, undefined, 'pl'), ['_other'], 'a context named like a form')
  t.strictSame(endings({ cardinal: { other: '{{count}}個' } }, undefined, 'en', 'ja'), ['_one', '_other'])
  t.strictSame(
    endings(items, 'a text', 'ja'),
    ['', '_other'],
    'an existing text has a field, even if the source lacks it',
  )
  t.strictSame(endings(undefined, undefined, 'de'), [''])
})

t.test('a field is a translation of the same form, else of the one that says most', async t => {
  const [text, one, few] = ['', '_one', '_few'].map(ending => fields(items, 'x', 'pl').find(l => l.ending === ending)!)
  t.equal(modelText(items, one!), '{{count}} item')
  t.equal(modelText(items, few!), '{{count}} items')
  t.equal(modelText(items, text!), '{{count}} items')
  t.equal(modelText('Home', one!), 'Home')
  t.equal(modelText(undefined, one!), '')
})

t.test('typed texts are laid over a message', async t => {
  t.strictSame(withTexts(undefined, { '': 'Start' }), 'Start')
  t.equal(withTexts(undefined, { '': '' }), undefined, 'nothing over nothing')
  t.equal(withTexts('Start', { '': '' }), '', 'a text may be blanked')
  t.strictSame(withTexts({ cardinal: { other: 'x' } }, { _one: 'y', _few: '' }), { cardinal: { one: 'y', other: 'x' } })
  const all = { text: 'a', cardinal: { one: 'b' }, ordinal: { two: 'c' } }
  t.strictSame(withTexts(undefined, textsOf(all)), all, 'and back')
})

t.test('what is written is what differs', async t => {
  t.strictSame(writesFor('k', 'a', 'a'), [])
  t.strictSame(writesFor('k', undefined, 'a'), [{ name: 'k', value: 'a' }])
  t.strictSame(writesFor('k', items, { cardinal: { ...items.cardinal, few: 'z' } }), [
    { name: 'k', value: { one: '{{count}} item', other: '{{count}} items', few: 'z' } },
  ])
  t.strictSame(writesFor('k', undefined, { text: 'a', ordinal: { one: 'b' } }), [
    { name: 'k_ordinal', value: { one: 'b' } },
    { name: 'k', value: 'a' },
  ])
})
