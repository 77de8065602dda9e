/** Find and replace, text by text. */
import t from 'tap'
import { type ReplaceQuery, replacer } from '../../../../src/dashboard/editor/replace/replacer.ts'

const become = (text: string, query: Partial<ReplaceQuery>, language = 'en') =>
  replacer({ find: '', replace: '', isRegExp: false, matchCase: false, wholeWords: false, ...query })({
    text,
    language,
  })

const CASES: [string, string, Partial<ReplaceQuery>, string, string?][] = [
  ['every place', 'a b a', { find: 'a', replace: 'c' }, 'c b c'],
  ['whatever the case', 'Öl ÖL öl', { find: 'öl', replace: 'x' }, 'x x x'],
  ['by case', 'Öl ÖL öl', { find: 'öl', replace: 'x', matchCase: true }, 'Öl ÖL x'],
  ['composed for decomposed', 'cafe\u0301', { find: 'café', replace: 'x' }, 'x'],
  ['decomposed for composed', 'café', { find: 'cafe\u0301', replace: 'x' }, 'x'],
  ['signs are signs', '1 (2) $.', { find: '(2) $.', replace: '$& $1 $$' }, '1 $& $1 $$'],
  ['whole words', 'home homeland Home', { find: 'home', replace: 'x', wholeWords: true }, 'x homeland x'],
  ['words beside other letters', 'дом домик', { find: 'дом', replace: 'x', wholeWords: true }, 'x домик', 'ru'],
  ['words without spaces', '東京都に', { find: 'に', replace: 'で', wholeWords: true }, '東京都で', 'ja'],
  ['groups', 'a1 b2', { find: '(\\w)(?<n>\\d)', replace: '$<n>$1$3$&$$', isRegExp: true }, '1a$3a1$ 2b$3b2$'],
  ['a group without a match', 'b', { find: '(a)?b', replace: '[$1]', isRegExp: true }, '[]'],
  ['nothing at all', 'ab', { find: '^', replace: '> ', isRegExp: true }, '> ab'],
  ['beyond the basic plane', '👍👎', { find: '.', replace: 'x', isRegExp: true }, 'xx'],
]

for (const [name, text, query, wanted, language] of CASES) {
  t.test(name, async t => {
    t.equal(become(text, query, language), wanted)
  })
}

t.test('an expression that is none', async t => {
  t.throws(() => become('a', { find: '(', isRegExp: true }), SyntaxError)
})
