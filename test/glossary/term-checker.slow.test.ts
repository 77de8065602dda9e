/** Translations beside their sources by a glossary. */
import t from 'tap'
import { checkGlossary } from '../../src/glossary/glossary.ts'
import { TermChecker } from '../../src/glossary/term-checker.ts'

const words = (translations: Record<string, string>, avoid: Record<string, string> = {}) => {
  const languages = new Set([...Object.keys(translations), ...Object.keys(avoid)])
  const split = (text: string | undefined) => (text === undefined ? {} : text.split('|'))
  return Object.fromEntries(
    [...languages].map(one => [
      one,
      {
        ...(translations[one] !== undefined && { use: split(translations[one]) }),
        ...(avoid[one] !== undefined && { avoid: split(avoid[one]) }),
      },
    ]),
  )
}

const project = checkGlossary({
  terms: [
    {
      term: 'cart',
      translations: words(
        { de: 'Warenkorb', fi: 'ostoskori', ar: 'سلة', ja: 'カート', tr: 'sepet', pl: 'koszyk' },
        { de: 'Einkaufswagen' },
      ),
    },
    { term: 'shopping cart', translations: words({ de: 'Einkaufswagen' }) },
    { term: 'sign in', translations: words({ de: 'anmelden' }) },
    { term: 'cancel', translations: words({ de: 'abbrechen' }) },
    { term: 'settings', translations: words({ de: 'Einstellungen' }) },
    { term: 'mobile', translations: words({}, { de: 'Handy' }) },
    { term: 'React', keep: true },
    { term: 'memo', translations: words({ de: 'Notiz' }) },
    { term: 'Memos', keep: true },
    { term: 'May', caseSensitive: true, translations: words({ de: 'Mai' }) },
    { term: 'a.*b', translations: words({ de: 'Muster' }) },
    { term: '__proto__', translations: words({ de: 'Prototyp' }) },
    { term: 'file', translations: words({ 'pt-BR': 'arquivo', pt: 'ficheiro' }) },
    { term: 'wallet', translations: words({ DE: 'Geldbörse', 'zh-hans': '钱包' }) },
  ],
})

const faults = (language: string, source: string, target: string) => {
  const glossaries = {
    project,
    organization: checkGlossary({ terms: [{ term: 'Cart', translations: { de: { use: ['Karren'] } } }] }),
  }
  const checker = new TermChecker({ glossaries, sourceLanguage: 'en', language })
  return checker.faultsOf(source, target).map(({ kind, term }) => `${kind} ${term}`)
}

const GOOD: [language: string, source: string, target: string][] = [
  ['de', 'Your carts', 'Ihre Warenkörbe'],
  ['de', 'The cart’s content', 'Der Warenkorbinhalt'],
  ['de', 'Shopping cart', 'Einkaufswagen'],
  ['de', 'Sign in now', 'Melden Sie sich jetzt an'],
  ['de', 'Sign-in', 'Um sich anzumelden'],
  ['de', 'Cancelled: cancel', 'Abgebrochen'],
  ['de', 'Setting up', 'Wird eingerichtet'],
  ['de', 'You react to it, may be', 'Sie reagieren'],
  ['de', 'React’s hooks', 'Die Hooks von react'],
  ['de', 'Hi {{cart}}, see /cart.html and me@cart.org', 'Hallo'],
  ['de', '<cart>$t(cart)</cart>', 'Hallo'],
  ['de', 'A path such as /home/cart or C:\\cart', 'Ein Pfad wie /home/cart oder C:\\cart'],
  ['de', 'Sign in: Memos', 'Bei Memos anmelden'],
  ['de', 'aXXb', 'nichts'],
  ['fi', 'In your cart', 'Ostoskorissasi'],
  ['ar', 'Your cart', 'سلتك'],
  ['ar', 'Add to the cart', 'أضف إلى السلة'],
  ['ja', 'Your cart', 'ショッピングカートの商品'],
  ['tr', 'In your cart', 'Sepetinizdeki ürünler'],
  ['pl', 'In your carts', 'W koszykach'],
  ['pt-BR', 'File', 'Arquivos'],
  ['pt-PT', 'File', 'Ficheiros'],
  ['sv', 'Your cart', 'Vad som helst'],
]

const BAD: [language: string, source: string, target: string, faults: string[]][] = [
  ['de-AT', 'Your wallet', 'Ihr Beutel', ['term wallet']],
  ['zh-Hans', 'Your wallet', '包', ['term wallet']],
  ['de', 'Your cart', 'Ihr Einkaufswagen', ['term cart', 'avoid cart']],
  ['de', 'Sign in', 'Einloggen', ['term sign in']],
  ['de', 'Settings', 'Optionen', ['term settings']],
  ['de', 'Call me', 'Ruf mich auf dem Handy an', ['avoid mobile']],
  ['de', 'React', 'Reagieren', ['term React']],
  ['de', 'In May', 'Im Juni', ['term May']],
  ['de', 'Two memos in Memos', 'Zwei Memos', ['term memo']],
  ['de', 'He/she and a cart/basket', 'Sie', ['term cart']],
  ['de', 'The a.*b here', 'nichts', ['term a.*b']],
  ['de', 'a __proto__ b', 'nichts', ['term __proto__']],
  ['ja', 'Your cart', 'かご', ['term cart']],
  ['tr', 'Your cart', 'Alışveriş', ['term cart']],
  ['pt-PT', 'File', 'Arquivo', ['term file']],
]

t.test('accepts a word of the glossary in any form', async t => {
  for (const [language, source, target] of GOOD)
    t.strictSame(faults(language, source, target), [], `${source} → ${target}`)
})

t.test('reports a missing word, a changed name and a forbidden word', async t => {
  for (const [language, source, target, due] of BAD)
    t.strictSame(faults(language, source, target), due, `${source} → ${target}`)
})

t.test('finds terms of scripts without spaces between their words', async t => {
  const glossary = checkGlossary({
    terms: [
      { term: 'カート', translations: { en: { use: ['cart'] } } },
      { term: 'ตะกร้า', translations: { en: { use: ['basket'] } } },
    ],
  })
  const check = (sourceLanguage: string, source: string) =>
    new TermChecker({ glossaries: { project: glossary, organization: [] }, sourceLanguage, language: 'en' }).faultsOf(
      source,
      'x',
    ).length
  t.equal(check('ja', 'ショッピングカートに追加'), 1)
  t.equal(check('ja', 'スカート'), 0, 'a part of another word')
  t.equal(check('th', 'ตะกร้าสินค้าของคุณ'), 1)
})

t.test('costs the same for many terms as for a few', async t => {
  const term = (n: number) => ({
    term: `word${n} name`,
    translations: { de: { use: [`Wort${n}`], avoid: [`Wert${n}`] } },
  })
  const checkerOf = (count: number) =>
    new TermChecker({
      glossaries: {
        project: checkGlossary({ terms: Array.from({ length: count }, (_, n) => term(n)) }),
        organization: [],
      },
      sourceLanguage: 'en',
      language: 'de',
    })
  const [few, many] = [checkerOf(10), checkerOf(10_000)]
  const time = (checker: TermChecker) => {
    const from = process.threadCpuUsage()
    for (let n = 0; n < 3_000; n++)
      checker.faultsOf(`The word${n % 10} name of ${n} is here`, `Das Wort${n % 10} von ${n} ist hier`)
    return process.threadCpuUsage(from).user / 1_000
  }
  const best = (checker: TermChecker) => Math.min(...Array.from({ length: 5 }, () => time(checker)))
  best(few)
  const ratio = best(many) / best(few)
  t.comment(`10,000 terms take ${ratio.toFixed(2)} times as long as 10`)
  t.ok(ratio < 5, `10,000 terms take ${ratio.toFixed(2)} times as long as 10`)
})

t.test('reads hostile texts in linear time', async t => {
  const checker = new TermChecker({ glossaries: { project, organization: [] }, sourceLanguage: 'en', language: 'de' })
  const time = (text: string, times: number) => {
    const from = process.threadCpuUsage()
    for (let n = 0; n < times; n++) checker.faultsOf(text, text)
    // A busy machine delays the thread: only its own work counts.
    return process.threadCpuUsage(from).user / 1_000
  }
  for (const part of [
    'a.',
    '@',
    'a@',
    '://',
    'a.*b ',
    'cart ',
    "a'",
    '{{a}}',
    '<a>',
    '\u0301',
    'カート',
    'sign ',
    'Einkaufswagen ',
  ]) {
    const [short, long] = [10_000, 100_000].map(length =>
      part.repeat(Math.ceil(length / part.length)).slice(0, length),
    ) as [string, string]
    time(short, 1)
    // As many characters in both; the clock of a thread may tick once in 20 ms.
    const [parts, whole] = [time(short, 10), Math.min(time(long, 1), time(long, 1))]
    t.ok(whole < 6 * (parts + 50), `${part}: ${parts.toFixed(1)} and ${whole.toFixed(1)} ms`)
  }
})
