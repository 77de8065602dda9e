import t from 'tap'
import { maskText } from '../../src/machine/placeholder-mask.ts'
import { apertium } from '../../src/machine/providers/apertium.ts'
import { deepl } from '../../src/machine/providers/deepl.ts'
import { google } from '../../src/machine/providers/google.ts'

const STYLES = { apertium: apertium.style, deepl: deepl.style, google: google.style }
const options = { interpolation: undefined, number: undefined, to: 'de' }

t.test('restores each text from each engine', async t => {
  for (const [name, style] of Object.entries(STYLES)) {
    for (const text of [
      'Save',
      ' Save & go \n',
      'Hello {{name}}, {{- raw}}!',
      '<1>Pay</1> {{total, currency}} <b>now</b><br/>',
      'See $t(cart, {"count": {{n}}}) & <a href="{{url}}">this</a>',
      '<b><i>x</i></b> </0> <2> a < b',
      '{{count}} items',
    ]) {
      const masked = maskText(text, { ...options, style })
      t.equal(masked.restore(masked.text), text, `${name}: ${masked.text}`)
      t.notMatch(masked.text, /^\s|\s$/)
    }
  }
})

t.test('marks what stays by the means of each engine', async t => {
  const masked = (style: (typeof STYLES)['deepl']) => maskText('Hi {{a}} <1>b</1>', { ...options, style }).text
  t.equal(masked(deepl.style), 'Hi <x id="0">{{a}}</x> <g id="1">b</g>')
  t.equal(masked(google.style), 'Hi <span translate="no" id="0">{{a}}</span> <a id="1">b</a>')
  t.equal(masked(apertium.style), 'Hi <img id="0"/> <b id="1">b</b>')
})

t.test('restores what an engine moved, and entities', async t => {
  const masked = maskText("Hi {{a}}, it's <1>b</1>", { ...options, style: deepl.style })
  t.equal(
    masked.restore('<g id="1">B &amp; c</g> ist&#39;s, <x id="0">{{ein a}}</x> &#x41;&unknown;'),
    "<1>B & c</1> ist's, {{a}} A&unknown;",
  )
  t.equal(
    masked.restore('<g id="1">B</x> <x id="0"/> </g></q> <q>y'),
    '<1>B {{a}} </1> y',
    'faults are left to the gate',
  )
})

t.test('inflects by a number, which must return once', async t => {
  const masked = (number: number, to = 'pl') =>
    maskText('{{count}} of {{n}} items', { ...options, style: deepl.style, number, to })
  t.equal(masked(5).text, '5 of <x id="1">{{n}}</x> items')
  t.equal(masked(5).restore('5 z <x id="1">5</x> produktów'), '{{count}} z {{n}} produktów')
  t.equal(masked(1.5).restore('1,5 z <x id="1"></x>'), '{{count}} z {{n}}')
  t.equal(masked(5, 'ar-EG').restore('٥ <x id="1"/>'), '{{count}} {{n}}')
  t.equal(masked(5).restore('pięć z <x id="1"/>'), undefined)
  t.equal(masked(5).restore('5 z 5 <x id="1"/>'), undefined)
  t.equal(masked(5).restore('55 <x id="1"/>'), undefined, 'another number')
})

t.test('ends on hostile answers', async t => {
  const masked = maskText('Hi {{a}} <1>b</1>', { ...options, style: google.style })
  for (const answer of [
    '<'.repeat(1e5),
    `<a${'b'.repeat(1e5)}`,
    '<a id="1">'.repeat(1e4),
    '</a>'.repeat(1e4),
    '&'.repeat(1e5),
  ]) {
    t.type(masked.restore(answer), 'string')
  }
})
