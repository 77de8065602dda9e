/** Placeholders where they stand; which of them are the same is told by the tests of status. */
import fc from 'fast-check'
import t from 'tap'
import { placedIn, placeholdersOf } from '../../src/bundle/placeholders.ts'

t.test('each one as often as it stands there, with all that belongs to it', async t => {
  const rows: [text: string, ...standing: string[]][] = [
    ['plain'],
    ['Hi {{ name }}, {{name}}!', '{{ name }}', '{{name}}'],
    ['{{count, number}} of {{- total}}', '{{count, number}}', '{{- total}}'],
    ['{{open'],
    ['a $t(key) b', '$t(key)'],
    ['$t(key, {"count": {{n}}, "x": "(y)"}) b', '$t(key, {"count": {{n}}, "x": "(y)"})', '{{n}}'],
    ['$t(a, $t(b)) c', '$t(a, $t(b))', '$t(b)'],
    ['b $t(key, { never closed', '$t(key, { never closed'],
    ['Read <b class="x">all</b><br><1/>', '<b class="x">', '</b>', '<br>', '<1/>'],
  ]
  for (const [text, ...standing] of rows) {
    t.strictSame(
      placedIn(text).map(({ from, to }) => text.slice(from, to)),
      standing,
      text,
    )
  }
})

t.test('they are the ones that a status tells apart', async () => {
  const parts = fc.array(fc.constantFrom('{{', '}}', '$t(', ')', ',', 'a', ' ', '<', '>', '/', '-', '{{count}}', '<b>'))
  fc.assert(
    fc.property(parts, parts => {
      const text = parts.join('')
      const found = new Set(placedIn(text).map(({ placeholder }) => placeholder))
      return JSON.stringify([...found].sort()) === JSON.stringify(placeholdersOf(text))
    }),
  )
})
