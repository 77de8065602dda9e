/** The form of a term: its words as they are typed, its fields, and the edits of two users. */
import t from 'tap'
import {
  allWords,
  changedFields,
  fieldsOf,
  isSameTerm,
  mergeFields,
  quoted,
  refusedField,
  splitWords,
  termOf,
  unquoted,
} from '../../../src/dashboard/glossary/term-fields.ts'
import { checkGlossary, type GlossaryTerm } from '../../../src/glossary/glossary.ts'

t.test('splits typed words at commas, but not within quotation marks', async t => {
  for (const [typed, words, rest] of [
    ['', [], ''],
    ['cart', [], 'cart'],
    ['cart,', ['cart'], ''],
    [' cart , basket, ba', ['cart', 'basket'], ' ba'],
    ['"Paris, Texas", x', ['Paris, Texas'], ' x'],
    ['"Paris, Te', [], '"Paris, Te'],
    ['5" disk, x', ['5" disk'], ' x'],
    ['سلة، عربة、カート\n', ['سلة', 'عربة', 'カート'], ''],
    [',, ,', [], ''],
  ] as const)
    t.strictSame(splitWords(typed), { words, rest }, typed)
})

t.test('finishes the last word', async t => {
  t.strictSame(allWords('a, b'), ['a', 'b'])
  t.strictSame(allWords(' '), [])
  t.strictSame(allWords('"a, b'), ['"a, b'])
})

t.test('types a word as it is read again', async t => {
  for (const word of ['cart', 'Paris, Texas', '"x"', '5" disk', 'a"b', 'سلة، عربة']) {
    t.equal(unquoted(quoted(word)), word, word)
    t.strictSame(splitWords(`${quoted(word)},`), { words: [word], rest: '' }, word)
  }
})

const CART: GlossaryTerm = {
  term: 'cart',
  note: 'A note.',
  caseSensitive: true,
  keep: true,
  translations: { de: { use: ['Warenkorb', 'a, b'], avoid: ['Korb'] }, pl: { avoid: ['koszyk'] } },
}

t.test('reads a term into fields and back in canonical form', async t => {
  for (const term of [CART, { term: 'cart' }]) {
    t.strictSame(termOf(fieldsOf(term)), term)
    t.strictSame(checkGlossary({ terms: [termOf(fieldsOf(term))] }), [term], 'as the server stores it')
  }
  const emptied = { ...fieldsOf(CART), term: ' cart ', note: '', keep: false, caseSensitive: false }
  t.strictSame(termOf({ ...emptied, words: { 'de.use': [], 'pl.avoid': [] } }), { term: 'cart' })
  t.ok(isSameTerm(undefined, undefined))
  t.notOk(isSameTerm({ term: '' }, undefined))
  t.ok(isSameTerm(CART, structuredClone(CART)))
})

t.test('merges two edits field by field; the own one wins where both changed', async t => {
  const base = fieldsOf(CART)
  const mine = { ...base, note: 'Mine.', words: { ...base.words, 'de.use': ['Korb'], 'fr.use': ['panier'] } }
  const theirs = {
    ...base,
    note: 'Theirs.',
    keep: false,
    words: { 'de.use': ['Wagen'], 'pl.avoid': ['koszyk', 'wózek'], 'ja.use': ['カート'] },
  }
  const merged = mergeFields(base, mine, theirs)
  t.strictSame(termOf(merged), {
    term: 'cart',
    note: 'Mine.',
    caseSensitive: true,
    translations: {
      de: { use: ['Korb'] },
      fr: { use: ['panier'] },
      ja: { use: ['カート'] },
      pl: { avoid: ['koszyk', 'wózek'] },
    },
  })
  t.strictSame(changedFields(base, theirs), ['note', 'keep', 'de.use', 'de.avoid', 'pl.avoid', 'ja.use'])
  t.strictSame(changedFields(base, fieldsOf(CART)), [])
  t.strictSame(
    changedFields({ ...base, words: { 'de.use': ['a, b'] } }, { ...base, words: { 'de.use': ['a', 'b'] } }),
    ['de.use'],
    'a comma is not the border of words',
  )
})

t.test('finds the field that a refusal of the server names', async t => {
  const long = 'x'.repeat(201)
  const refusalOf = (term: object): string => {
    try {
      checkGlossary({ terms: [term] })
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  for (const [term, field] of [
    [{ term: long }, 'term'],
    [{ term: '' }, 'term'],
    [{ term: 'a', note: 'ä'.repeat(3000) }, 'note'],
    [{ term: '"note"', translations: { de: { use: [long] } } }, 'de.use'],
    [
      { term: 'a', translations: { 'pt-BR': { avoid: Array.from({ length: 21 }, (_, at) => `w${at}`) } } },
      'pt-BR.avoid',
    ],
    [{ term: 'a', translations: { de: { use: ['b'], avoid: ['b'] } } }, 'de.use'],
  ] as const) {
    const sentence = refusalOf(term)
    t.not(sentence, '', 'it is refused')
    t.equal(refusedField(sentence), field, sentence)
  }
  t.equal(refusedField('The server has no disk space left.'), undefined)
  t.equal(refusedField('The glossary would have more than 4 bytes: shorten notes or remove terms.'), undefined)
})
