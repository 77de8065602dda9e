/** What changed between two texts, word by word, in scripts with and without spaces. */
import { styleText } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { wordDiff } from '../../src/bundle/word-diff.ts'
import { showPieces } from '../../src/cli/terminal/changes.ts'
import type { Style } from '../../src/cli/terminal/printable.ts'

const plain: Style = (_, text) => text
const coloured: Style = (format, text) => styleText(format, text, { validateStream: false })

t.test('words, placeholders and characters of scripts without spaces', t => {
  const cases: [was: string, is: string, shown: string, language?: string][] = [
    ['Pay now', 'Pay later', 'Pay [-now-]{+later+}'],
    ['Pay now', 'Pay with an obligation', 'Pay [-now-]{+with an obligation+}'],
    ['same', 'same', 'same'],
    ['', 'new', '{+new+}'],
    ['gone', '', '[-gone-]'],
    ['Hello {{name}}!', 'Hello {{firstName}}!', 'Hello [-{{name}}-]{+{{firstName}}+}!'],
    ['Read <b>all</b>', 'Read <i>all</i>', 'Read [-<b>-]{+<i>+}all[-</b>-]{+</i>+}'],
    ['the old grey cat', 'a young black cat', '[-the old grey-]{+a young black+} cat'],
    ['one two', 'one  two', 'one{+ +} two'],
    ['Zur Kasse gehen', 'Jetzt zur Kasse', '[-Zur-]{+Jetzt zur+} Kasse[- gehen-]', 'de'],
    ['私は猫が好きです', '私は犬が好きです', '私は[-猫-]{+犬+}が好きです', 'ja'],
    ['我喜欢苹果', '我喜欢香蕉', '我喜欢[-苹果-]{+香蕉+}', 'zh'],
    ['ฉันชอบแมว', 'ฉันชอบหมา', 'ฉันชอบ[-แมว-]{+หมา+}', 'th'],
    ['Well done 👍🏽', 'Well done 👍🏿', 'Well done [-👍🏽-]{+👍🏿+}'],
    ['a\nb', 'a\nc', 'a⏎[-b-]{+c+}'],
    ['a \u001b]b', 'a', 'a[- \\u001b]b-]'],
  ]
  for (const [was, is, shown, language] of cases) t.equal(showPieces(wordDiff(was, is, language), plain), shown, shown)
  t.match(
    showPieces(wordDiff('a b', 'a c'), coloured),
    /^a \u001b\[31m\u001b\[9mb\u001b\[29m\u001b\[39m\u001b\[32mc\u001b\[39m$/,
  )
  t.end()
})

t.test('the pieces of any two texts join to both texts', t => {
  const words = fc.array(fc.constantFrom('a', 'b', ' ', '  ', '{{x}}', '猫', '<1>', 'é', '.'), { maxLength: 12 })
  fc.assert(
    fc.property(words, words, (a, b) => {
      const [was, is] = [a.join(''), b.join('')]
      const pieces = wordDiff(was, is)
      const without = (kind: string) =>
        pieces
          .filter(piece => piece.is !== kind)
          .map(({ text }) => text)
          .join('')
      return without('added') === was && without('removed') === is && pieces.every(({ text }) => text !== '')
    }),
  )
  t.end()
})

t.test('texts that are too long to be compared word by word differ as wholes', t => {
  const [was, is] = ['a ', 'b '].map(word => `begin ${word.repeat(5000)}end`) as [string, string]
  const pieces = wordDiff(was, is)
  t.strictSame(
    pieces.map(piece => piece.is),
    ['same', 'removed', 'added', 'same'],
  )
  t.end()
})
