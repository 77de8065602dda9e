/** Stems by language, against labelled pairs. The rules were written with these pairs in view. */
import t from 'tap'
import { foldWord, stemmerOf } from '../../src/glossary/stem.ts'
import { LABELLED } from './labelled.ts'

/** The least share of found pairs that are right, and of right pairs that are found. */
const LEAST = { precision: 0.93, recall: 0.93 }

t.test('finds the forms of a word, and no other words', async t => {
  for (const [language, pairs] of LABELLED) {
    const stem = stemmerOf(language)
    const found = pairs.filter(({ words: [a, b] }) => stem(a) === stem(b))
    const right = found.filter(({ isSame }) => isSame).length
    const precision = right / found.length
    const recall = right / pairs.filter(({ isSame }) => isSame).length
    const says = `${language}: ${pairs.length} pairs, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`
    t.comment(says)
    t.ok(precision >= LEAST.precision && recall >= LEAST.recall, says)
    if (language !== 'en') t.ok(pairs.length >= 40, `${language} has enough pairs`)
  }
})

t.test('folds words as their language writes them', async t => {
  t.equal(foldWord('İSTANBUL’da', 'tr'), 'istanbul')
  t.equal(foldWord('l’Utente', 'it'), 'utente')
  t.equal(foldWord("user's", 'en'), 'user')
  t.equal(foldWord('Straße', 'de'), 'strasse')
  t.equal(foldWord('الإعدادات', 'ar'), 'الاعدادات')
  t.equal(foldWord('हिन्दी', 'hi'), 'हिन्दी', 'vowel signs stay')
  t.equal(foldWord('한국어', 'ko'), '한국어')
  t.equal(foldWord('constructor', 'en'), 'constructor')
})

t.test('shortens words of a language without a table, and of any tag', async t => {
  t.equal(stemmerOf('hu')('felhasználók'), stemmerOf('hu')('felhasználók'.slice(0, -1)))
  t.equal(stemmerOf('de-AT')('Dateien'), stemmerOf('de')('Datei'))
  for (const language of ['x', '', '__proto__', 'constructor']) t.equal(stemmerOf(language)('word'), 'word')
})
