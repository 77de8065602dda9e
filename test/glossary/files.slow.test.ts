/** Glossaries as CSV and TBX, and back. */
import t from 'tap'
import { readCsv, writeCsv } from '../../src/glossary/csv.ts'
import { checkGlossary } from '../../src/glossary/glossary.ts'
import { readTbx, writeTbx } from '../../src/glossary/tbx.ts'
import { readXml } from '../../src/glossary/xml-reader.ts'

const glossary = checkGlossary({
  terms: [
    {
      term: 'cart',
      note: 'Two\nlines, "quotes" & <tags>',
      translations: { de: { use: ['Warenkorb', 'a|b', 'c\\d'], avoid: ['x;y'] } },
    },
    { term: 'a, "b"', keep: true, caseSensitive: true },
    { term: '=1+1', translations: { ar: { use: ['سلة التسوق'], avoid: ["'@x"] }, 'zh-Hans': { avoid: ['购物车'] } } },
    { term: '__proto__', note: "-'=" },
    { term: ';', translations: { he: { use: ['עגלה'] } } },
  ],
})

t.test('writes and reads CSV and TBX without a loss', async t => {
  t.strictSame(checkGlossary({ terms: readCsv(writeCsv(glossary)) }), glossary)
  t.strictSame(checkGlossary({ terms: readTbx(writeTbx(glossary, 'en'), null) }), glossary)
  t.strictSame(readCsv(writeCsv([])), [])
  t.strictSame(readTbx(writeTbx([], 'en'), 'en'), [])
  const many = checkGlossary({
    terms: Array.from({ length: 10_000 }, (_, n) => ({ term: `t${n}`, translations: { de: { use: [`w${n}`] } } })),
  })
  t.strictSame(checkGlossary({ terms: readCsv(writeCsv(many)) }), many)
  t.strictSame(checkGlossary({ terms: readTbx(writeTbx(many, 'en'), 'en') }), many)
})

t.test('writes no cell that a spreadsheet would run', async t => {
  t.match(writeCsv(glossary), /^'=1\+1,/m)
})

t.test('reads CSV of spreadsheets', async t => {
  const rows = readCsv('\ufeffde;term;de avoid;keep\r\n"Waren""korb";cart;Wagen|Korb;yes\r\n;;;\r\n;pay;;0')
  t.strictSame(rows, [
    { term: 'cart', keep: true, translations: { de: { use: ['Waren"korb'], avoid: ['Wagen', 'Korb'] } } },
    { term: 'pay', keep: false, translations: {} },
  ])
  t.strictSame(readCsv('term\tnote\ncart\tx'), [{ term: 'cart', note: 'x', translations: {} }])
  t.strictSame(
    readCsv('sep=;\r\nTerm;pt_BR;pt_BR Avoid;CaseSensitive;;\r\ncart;a,b;c;WAHR;;\r\npay;;;FALSCH;;;\r\n;;;;;\r\n'),
    [
      { term: 'cart', caseSensitive: true, translations: { 'pt-BR': { use: ['a,b'], avoid: ['c'] } } },
      { term: 'pay', caseSensitive: false, translations: {} },
    ],
  )
})

t.test('names the line of a fault in CSV', async t => {
  for (const [text, says] of [
    ['', /Line 1 of the CSV: the first line names the columns/],
    ['word,de\nx,y', /one of them must be "term"/],
    ['term,de,de\nx', /two columns are called "de"/],
    ['term\n"a\nb"\nc,d', /Line 4 of the CSV: 2 cells for 1 columns/],
    ['term,de\nx\n,y', /Line 3 of the CSV: the column "term" is empty/],
    ['term\n"a', /Line 2 of the CSV: a quote does not end/],
    ['sep=;\nterm\nx;y', /Line 3 of the CSV: 2 cells for 1 columns/],
    ['sep=;\nword\nx', /Line 2 of the CSV: the first line names the columns/],
    ['term\n"a"b', /text follows a closing quote/],
  ] as const) {
    t.throws(() => readCsv(text), { code: 'unfit', message: says }, text)
  }
})

t.test('reads TBX of other tools', async t => {
  const old =
    '<?xml version="1.0"?><martif type="TBX-Basic" xml:lang="en"><text><body><termEntry id="1"><descripGrp><descrip type="definition">' +
    'A &amp; B</descrip></descripGrp><langSet xml:lang="en"><tig><term>cart</term></tig><tig><term>trolley</term></tig></langSet>' +
    '<langSet xml:lang="de"><ntig><termGrp><term><![CDATA[Warenkorb]]></term><termNote type="administrativeStatus">' +
    'admittedTerm-admn-sts</termNote></termGrp></ntig><tig><term>Korb</term><termNote type="administrativeStatus">' +
    'supersededTerm-admn-sts</termNote></tig></langSet></termEntry><!-- --><termEntry><langSet xml:lang="en"><tig><term>cart</term>' +
    '</tig></langSet><langSet xml:lang="de"><tig><term>Karren</term></tig></langSet></termEntry></body></text></martif>'
  const note = 'A & B'
  t.strictSame(checkGlossary({ terms: readTbx(old, null) }), [
    { term: 'cart', note, translations: { de: { use: ['Warenkorb', 'Karren'], avoid: ['Korb'] } } },
    { term: 'trolley', note, translations: { de: { use: ['Warenkorb'], avoid: ['Korb'] } } },
  ])
  const named = old.replace('<martif', '<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">\n<martif')
  t.strictSame(readTbx(named, null), readTbx(old, null), 'a document type')
  const marked =
    '<martif><text><body><termEntry><langSet lang="en"><tig><term>shopping <hi>cart</hi>s</term></tig></langSet>' +
    '<langSet lang="pt_BR"><tig><term>carrinhos</term></tig></langSet></termEntry></body></text></martif>'
  t.strictSame(checkGlossary({ terms: readTbx(marked, 'en') }), [
    { term: 'shopping carts', translations: { 'pt-BR': { use: ['carrinhos'] } } },
  ])
  t.throws(() => readTbx(old, 'fr'), { code: 'unfit', message: /The concept "1" has no term in "fr"/ })
  t.throws(() => readTbx('<html/>', 'en'), { code: 'unfit', message: /must be <tbx>/ })
})

t.test('refuses XML that is not well-formed, and all that reaches outside', async t => {
  for (const [xml, says] of [
    ['', /Line 1, column 1 of the XML: it is empty/],
    ['<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', /Line 1, column 1 .*document type/],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd" [<!ENTITY x "y">]><a/>', /Line 1, column 1 .*document type/],
    ['<a><!DOCTYPE a></a>', /Line 1, column 4 .*document type/],
    ['<a>\n &x;</a>', /Line 2, column 2 .*entity "&x;" is unknown/],
    ['<a>&#0;</a>', /entity "&#0;"/],
    ['<a>&constructor;</a>', /entity/],
    ['<a><b></a>', /<\/a> closes no open element/],
    ['<a>', /<a> does not end/],
    ['<a/><b/>', /a second root/],
    ['x<a/>', /text outside/],
    ['<a b=c/>', /attribute is not valid/],
    ['<a b="1" b="2"/>', /stands twice/],
    ['<a><!-- x', /a comment does not end/],
    ['<1/>', /without a name/],
    ['<a>'.repeat(40), /more than 32 elements/],
  ] as const) {
    t.throws(() => readXml(xml), { code: 'unfit', message: says }, xml)
  }
  t.match(readXml("<a:b xml:lang='e&#x6e;'>1<c/>2<![CDATA[<]]></a:b>"), { name: 'b', text: '12<' })
})
