import t from 'tap'
import { foreignFormat } from '../../src/bundle/foreign.ts'

t.test('files of other tools', async t => {
  const foreign: [string, object][] = [
    ['Chrome', { a: { message: 'x' }, b: { message: 'y', description: 'd', placeholders: { n: { content: '$1' } } } }],
    ['FormatJS', { a: { defaultMessage: 'x' }, b: { id: 'b', defaultMessage: 'y', description: 'd' } }],
    ['ARB', { '@@locale': 'en', title: 'x' }],
    ['ARB', { title: 'x', '@title': { description: 'd', placeholders: { n: {} } } }],
    [
      'gettext',
      { charset: 'utf-8', headers: { language: 'de' }, translations: { '': { a: { msgid: 'a', msgstr: ['b'] } } } },
    ],
    ['Jed', { domain: 'm', locale_data: { m: { '': { domain: 'm', lang: 'de' }, a: ['b'] } } }],
    ['Jed', { '': { 'Plural-Forms': 'nplurals=2' }, a: [null, 'b'] }],
    ['Jed', { '': { plural_forms: 'nplurals=2' }, a: 'b' }],
    ['Jed', { '': { domain: 'm' }, a: ['b'] }],
    [
      'Xcode',
      { sourceLanguage: 'en', version: '1.0', strings: { a: {}, b: { localizations: { de: { stringUnit: {} } } } } },
    ],
  ]
  for (const [tool, file] of foreign) t.match(foreignFormat(file), tool, JSON.stringify(file))
})

t.test('honest keys of the same names', async t => {
  const honest: object[] = [
    {},
    { a: { message: 'x' }, b: 'y' },
    { a: { message: 'x', code: 'c' } },
    { a: { message: { title: 'x' } } },
    { a: { defaultMessage: 'x' }, b: { title: 'y' } },
    { '@': 'at', title: 'x' },
    { '@home': { title: 'x' }, home: 'y' },
    { '@other': { description: 'd' }, home: 'y' },
    { charset: 'Zeichensatz', headers: { title: 'Kopf' }, translations: { title: 'Übersetzungen' } },
    { charset: 'a', headers: 'b', translations: 'c' },
    { domain: 'Domain', locale_data: 'Daten' },
    { domain: 'Domain', locale_data: { m: { title: 'x' } } },
    { '': { title: 'x' }, a: 'b' },
    { '': { domain: 'x' }, a: 'b' },
    { sourceLanguage: 'Source', strings: 'Strings', version: 'Version' },
    { sourceLanguage: 'Source', strings: { menu: { title: 'x' } }, version: '1.0' },
    { sourceLanguage: 'Source', strings: { a: {} }, version: 'Version' },
  ]
  for (const file of honest) t.equal(foreignFormat(file), undefined, JSON.stringify(file))
})
