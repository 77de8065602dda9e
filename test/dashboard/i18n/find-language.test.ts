/** Which language is found by what people type: each name that the dashboard shows, each way to write a tag. */
import t from 'tap'
import { findLanguage, suggestLanguages } from '../../../src/dashboard/i18n/find-language.ts'
import { languageName, ownName } from '../../../src/dashboard/i18n/languages.ts'

const READERS = ['ar', 'de', 'en', 'ja', 'pl']

const tagFor = (typed: string, reader = 'en') => {
  const found = findLanguage(typed, reader)
  return found.is === 'found' ? found.tag : found.is
}

t.test(
  'each language that is offered is found by its names and its tag, in every language of the dashboard',
  async t => {
    for (const reader of READERS) {
      for (const { tag, name, own } of suggestLanguages('', reader)) {
        const written = [tag, tag.toUpperCase(), ` ${tag.replaceAll('-', '_')} `]
        for (const typed of [name, name.toUpperCase(), own, languageName(tag, 'en'), ...written]) {
          t.equal(tagFor(typed, reader), tag, `${reader}: ${typed}`)
          t.equal(suggestLanguages(typed, reader)[0]?.tag, tag, `${reader}: ${typed} is offered first`)
        }
      }
    }
  },
)

t.test('codes of three letters are the shorter ones', async t => {
  const codes = {
    pol: 'pl',
    deu: 'de',
    ger: 'de',
    fra: 'fr',
    fre: 'fr',
    zho: 'zh',
    chi: 'zh',
    ces: 'cs',
    cze: 'cs',
    nld: 'nl',
    dut: 'nl',
    jpn: 'ja',
    ara: 'ar',
    eng: 'en',
    POR: 'pt',
    ell: 'el',
    gre: 'el',
    ukr: 'uk',
    heb: 'he',
    fil: 'fil',
    por_BR: 'pt-BR',
    'eng-GB': 'en-GB',
    srp_latn: 'sr-Latn',
    hsb: 'hsb',
    tlh: 'tlh',
  }
  for (const [typed, tag] of Object.entries(codes)) t.equal(tagFor(typed), tag, typed)
})

t.test('a tag of two letters stays, in the upper case of BCP 47', async t => {
  const tags = {
    en_US: 'en-US',
    'pt-br': 'pt-BR',
    zh_hant_tw: 'zh-Hant-TW',
    de_de: 'de-DE',
    iw: 'iw',
    'EN-x-pirate': 'en-x-pirate',
  }
  for (const [typed, tag] of Object.entries(tags)) t.equal(tagFor(typed), tag, typed)
})

t.test('parts of names and accents', async t => {
  t.equal(tagFor('espanol'), 'es')
  t.equal(tagFor('Brazil'), 'pt-BR')
  t.equal(tagFor('polsk', 'pl'), 'pl')
  t.equal(tagFor('serb'), 'ambiguous')
  t.equal(suggestLanguages('germ', 'en')[0]?.tag, 'de')
  t.equal(suggestLanguages('pol', 'en')[0]?.tag, 'pl')
  t.equal(
    suggestLanguages('pol', 'en', ['pl']).some(({ tag }) => tag === 'pl'),
    false,
    'not what is left out',
  )
  t.equal(ownName('de'), 'Deutsch')
})

t.test('what is no language', async t => {
  for (const typed of ['', ' ', '-', 'klingonese', '12', 'de--DE', 'x'.repeat(400), '🙂', 'common.json'])
    t.equal(tagFor(typed), 'unknown', typed)
  for (const typed of ['xyz', 'qaa', 'xx-YY']) t.equal(tagFor(typed), 'nameless', typed)
})
