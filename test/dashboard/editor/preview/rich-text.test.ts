/** The elements of a rendered text. */
import t from 'tap'
import { type RichNode, richText } from '../../../../src/dashboard/editor/preview/preview-of.ts'

/** `[1 terms]` for a tag with its content. */
const shown = (nodes: readonly RichNode[]): string =>
  nodes.map(node => ('text' in node ? node.text : `[${node.tag} ${shown(node.children)}]`)).join('')

for (const [text, expected] of [
  ['plain', 'plain'],
  ['a <strong>b</strong> c', 'a [strong b] c'],
  ['<1>terms <2>and</2></1>', '[1 terms [2 and]]'],
  ['one<br/>two<br>three', 'one[br ]two[br ]three'],
  ['<link to="x">here</link>', '[link here]'],
  ['<1>never closed', '<1>never closed'],
  ['never opened</1>', 'never opened</1>'],
  ['<1>a<2>b</1>c</2>', '[1 a<2>b]c</2>'],
  ['3 < 4 and 5 > 2', '3 < 4 and 5 > 2'],
  ['<b></b>', '[b ]'],
] as const) {
  t.test(text, async t => t.equal(shown(richText(text)), expected))
}

t.test('gives each node a place of its own', async t => {
  const places: number[] = []
  const collect = (nodes: readonly RichNode[]) => {
    for (const node of nodes) {
      places.push(node.from)
      if ('children' in node) collect(node.children)
    }
  }
  collect(richText('a<1>b<strong>c</strong><br/></1><2>d'))
  t.equal(new Set(places).size, places.length)
})
