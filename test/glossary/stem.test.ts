/** Stems by language, against labelled pairs. The rules were written with these pairs in view. */
import t from 'tap'
import { foldWord, stemmerOf } from '../../src/glossary/stem.ts'
import { HARD_WORDS } from './hard-words.ts'
import { LABELLED, type LabelledPair } from './labelled.ts'

/** The least share of found pairs that are right, and of right pairs that are found. */
const LEAST = { precision: 0.93, recall: 0.93 }
/** Of pairs that were chosen because they are hard. */
const LEAST_OF_HARD = { precision: 0.85, recall: 0.93 }

t.test('finds the forms of a word, and no other words', async t => {
  for (const [language, pairs] of LABELLED) {
    const { precision, recall, says } = measure(language, pairs)
    t.comment(says)
    t.ok(precision >= LEAST.precision && recall >= LEAST.recall, says)
    if (language !== 'en') t.ok(pairs.length >= 40, `${language} has enough pairs`)
  }
})

t.test('finds forms with changed stems, and few of the words that differ little', async t => {
  for (const [language, pairs] of HARD_WORDS) {
    const { precision, recall, says } = measure(language, pairs)
    t.comment(says)
    t.ok(precision >= LEAST_OF_HARD.precision && recall >= LEAST_OF_HARD.recall, says)
    if (LABELLED.has(language)) t.ok(pairs.length >= 50, `${language} has enough pairs`)
  }
})

function measure(language: string, pairs: readonly LabelledPair[]) {
  const stem = stemmerOf(language)
  const found = pairs.filter(({ words: [a, b] }) => stem(a) === stem(b))
  const right = found.filter(({ isSame }) => isSame).length
  const precision = right / found.length
  const recall = right / pairs.filter(({ isSame }) => isSame).length
  const says = `${language}: ${pairs.length} pairs, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`
  return { precision, recall, says }
}

t.test('folds words as their language writes them', async t => {
  t.equal(foldWord('İSTANBUL’da', 'tr'), 'istanbul')
  t.equal(foldWord('l’Utente', 'it'), 'utente')
  t.equal(foldWord("user's", 'en'), 'user')
  t.equal(foldWord('Straße', 'de'), 'strasse')
  t.equal(foldWord('الإعدادات', 'ar'), 'الاعدادات')
  t.equal(foldWord('فئة', 'ar'), 'فئه', 'a hamza on a letter stays')
  t.equal(foldWord('błędu', 'pl'), foldWord('błądu', 'pl'))
  t.not(foldWord('żądanie', 'pl'), foldWord('zadanie', 'pl'))
  t.equal(foldWord('חֶשְׁבּוֹן', 'he'), 'חשבונ')
  t.equal(foldWord('हिन्दी', 'hi'), 'हिन्दी', 'vowel signs stay')
  t.equal(foldWord('한국어', 'ko'), '한국어')
  t.equal(foldWord('constructor', 'en'), 'constructor')
})

t.test('shortens words of a language without a table, and of any tag', async t => {
  t.equal(stemmerOf('et')('kasutajad'), 'kasutaj')
  t.equal(stemmerOf('de-AT')('Dateien'), stemmerOf('de')('Datei'))
  for (const language of ['x', '', '__proto__', 'constructor']) t.equal(stemmerOf(language)('word'), 'word')
})
