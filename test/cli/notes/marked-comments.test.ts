/** Which comments are notes for translators. */
import t from 'tap'
import { MARKS, markedComments } from '../../../src/cli/notes/marked-comments.ts'

/** A comment before `here`, and its note; undefined for none. */
const COMMENTS: [comment: string, note: string | undefined][] = [
  ['// translators: A verb.', 'A verb.'],
  ['//translator:A verb.', 'A verb.'],
  ['/* TRANSLATORS: A verb. */', 'A verb.'],
  ['/**\n * Translators: A verb,\n * not a noun.\n */', 'A verb, not a noun.'],
  ['// translators: A verb,\n  // not a noun.', 'A verb, not a noun.'],
  ['/* translators: One.\n\n   Two. */', 'One.\nTwo.'],
  ['// for developers\n// translators: A verb.', 'A verb.'],
  ['// translators: A verb.\n// eslint-disable-next-line no-alert', 'A verb.'],
  ['// translators: A verb.\n// TODO: a shorter text\n// in two lines', 'A verb.'],
  ['// translators: One.\n// translators: Two.', 'One.\nTwo.'],
  ['{/* translators: A heading. */}\n', 'A heading.'],
  ['// translators: 👋 naïve “quotes”', '👋 naïve “quotes”'],
  ['// i18n: later', undefined],
  ['// A verb.', undefined],
  ['/*! translators are listed in LICENSE */', undefined],
  ['// see translators: A verb.', undefined],
  ['// translators:', undefined],
  ['// eslint-disable-next-line', undefined],
  ["// t('translators: a text')", undefined],
]

t.test('reads comments that begin with a mark, and no others', async t => {
  for (const [comment, note] of COMMENTS) {
    const code = `before()\n${comment}\nhere()`
    const found = markedComments(code, MARKS, [])
    t.strictSame(found, note === undefined ? [] : [{ note, next: code.indexOf('here') }], comment)
  }
})

t.test('reads no comment in a string', async t => {
  const code = `"// translators: a text"; 'src/**/*.ts'\n// translators: A verb.\nhere()`
  const literals = [
    [code.indexOf('"'), code.lastIndexOf('"') + 1],
    [code.indexOf("'"), code.lastIndexOf("'") + 1],
  ].map(([start, end]) => ({ start: start!, end: end! }))
  t.strictSame(markedComments(code, MARKS, literals), [{ note: 'A verb.', next: code.indexOf('here') }])
})

t.test('reads other marks', async t => {
  t.match(markedComments('// l10n. (x) A verb.\nhere()', ['L10N. (x)'], []), [{ note: 'A verb.' }])
})
