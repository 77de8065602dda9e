/** What the panel lists of the memory's answer, and what its keys insert. */
import t from 'tap'
import {
  foundMatches,
  offeredMatch,
  offerMatches,
  searchedPart,
} from '../../../../src/dashboard/editor/panel/panel-keys.ts'

const match = (key: string, changes: object = {}) => ({
  ...{ score: 90, source: 'Save', message: 'Speichern', project: 'web', namespace: 'common', key },
  ...{ approved: false, machine: false },
  ...changes,
})
const at = { slug: 'web', namespace: 'common', key: 'own', ending: '' }
const found = (matches: ReturnType<typeof match>[], ending = '') =>
  foundMatches({ matches, complete: true }, { ...at, ending })

t.test('leaves out the pair of the row itself, and no other of that name', async t => {
  const all = [match('own'), match('own', { project: 'app' }), match('own', { namespace: 'shop' }), match('other')]
  t.strictSame(
    found(all).map(({ project, namespace, key }) => `${project}/${namespace}/${key}`),
    ['app/common/own', 'web/shop/own', 'web/common/other'],
  )
})

t.test('lists five', async t => {
  t.equal(found('abcdefg'.split('').map(key => match(key))).length, 5)
})

t.test('a plural matches form by form', async t => {
  const cardinal = { one: 'Ein Artikel', other: '{{count}} Artikel' }
  const source = { cardinal: { one: 'One item', other: '{{count}} items' } }
  const plural = match('items', { source, message: { cardinal }, form: 'one' })
  const texts = (ending: string) => found([plural], ending).map(({ source, text }) => [source, text])
  t.strictSame(texts('_one'), [['One item', 'Ein Artikel']])
  t.strictSame(texts('_few'), [['One item', '{{count}} Artikel']], 'the most general form for one that it lacks')
  t.strictSame(texts(''), [['One item', '{{count}} Artikel']], 'and for a text')
  t.strictSame(found([match('plain')], '_few')[0]?.text, 'Speichern', 'a text for a form')
  t.strictSame(found([match('none', { message: { cardinal: { one: '' } } })]), [], 'nothing to insert')
})

t.test('searches for the start of a long text, which fits into an address', async t => {
  t.equal(searchedPart('Save'), 'Save')
  t.equal(searchedPart('あ'.repeat(9000)).length, 3000)
  t.ok(encodeURIComponent(searchedPart('あ'.repeat(9000))).length < 28_000)
  t.equal(searchedPart(`${'a'.repeat(2999)}😀`), 'a'.repeat(2999), 'no half character')
})

t.test('a key inserts a match of its own field alone', async t => {
  const place = { language: 'de', namespace: 'common', key: 'own', ending: '_one' }
  const withdraw = offerMatches(place, ['Ja', 'Nein'])
  t.equal(offeredMatch(place, 2), 'Nein')
  t.equal(offeredMatch(place, 3), undefined)
  t.equal(offeredMatch({ ...place, ending: '' }, 1), undefined)
  t.equal(offeredMatch({ ...place, key: 'next' }, 1), undefined)
  const other = offerMatches({ ...place, key: 'next' }, ['Oui'])
  withdraw()
  t.equal(offeredMatch({ ...place, key: 'next' }, 1), 'Oui', 'an earlier row withdraws only its own')
  other()
  t.equal(offeredMatch({ ...place, key: 'next' }, 1), undefined)
})
