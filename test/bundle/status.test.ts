/**
 * What a translation lacks, key by key: tables of what translators meet, and random bundles beside a slow, obvious
 * reckoning.
 */
import fc from 'fast-check'
import t from 'tap'
import { countStatus, factsByKey, noCounts } from '../../src/bundle/count-status.ts'
import {
  FORMS,
  type Form,
  type Forms,
  KINDS,
  type Message,
  messageOf,
  type PluralKind,
} from '../../src/bundle/message.ts'
import { placeholdersOf } from '../../src/bundle/placeholders.ts'
import { bitOf, pluralRules } from '../../src/bundle/plural-rules.ts'
import type { Bundle } from '../../src/bundle/resource.ts'
import { type Counts, rulesOf, type TextProblem } from '../../src/bundle/status.ts'
import { renderStale } from '../../src/project/stale.ts'
import { listStatus, type StatusRow } from '../../src/project/status.ts'
import { empty, file, pushed } from './pushing.ts'
import { accepted, resource } from './resources.ts'

/** The row of the only key of a source, as its target has it. */
function rowOf(source: object, target: object, language: string, sourceLanguage = 'en'): StatusRow {
  const bytes = (body: object) => Buffer.from(JSON.stringify(body))
  const task = { source: bytes(source), target: bytes(target), notes: null, language, sourceLanguage }
  const all = ['missing', 'empty', 'incomplete', 'translated', 'extra'] as const
  const { keys } = listStatus({ ...task, is: all, behind: null, most: 10, bytes: 1e9 })
  if (keys.length !== 1) throw new Error(`${keys.length} keys`)
  return keys[0]!
}

const short = ({ form, kind, missing, extra }: TextProblem) =>
  `${form ?? 'text'} ${kind}: ${[...missing.map(one => `-${one}`), ...extra.map(one => `+${one}`)].join(' ')}`

const items = { item_one: '{{count}} item', item_other: '{{count}} items' }
const places = { at_ordinal_one: '{{count}}st', at_ordinal_two: 'x', at_ordinal_few: 'x', at_ordinal_other: 'x' }

t.test('what a key is', async t => {
  const rows: [string, object, object, string, string, string?, string?][] = [
    ['a text', { a: 'x' }, { a: 'y' }, 'de', 'translated'],
    ['the same text', { a: 'x' }, { a: 'x' }, 'de', 'translated'],
    ['no key', { a: 'x' }, {}, 'de', 'missing'],
    ['an empty text', { a: 'x' }, { a: '' }, 'de', 'empty'],
    ['an empty source', { a: '' }, { a: 'y' }, 'de', 'translated'],
    ['both empty', { a: '' }, { a: '' }, 'de', 'empty'],
    ['a key of its own', {}, { a: 'y' }, 'de', 'extra'],
    ['German, whole', items, { item_one: '{{count}}', item_other: '{{count}}' }, 'de', 'translated'],
    ['German, half', items, { item_one: '{{count}}' }, 'de', 'incomplete', 'other'],
    ['one empty form', items, { item_one: '{{count}}', item_other: '' }, 'de', 'empty'],
    ['an empty form, others lacking', items, { item_one: '' }, 'pl', 'empty', 'few many other'],
    ['Polish as English', items, items, 'pl', 'incomplete', 'few many'],
    ['Japanese has one form', items, { item_other: '{{count}}' }, 'ja', 'translated'],
    ['French has its millions', items, items, 'fr', 'incomplete', 'many'],
    ['Arabic has six', items, items, 'ar', 'incomplete', 'zero two few many'],
    ['forms of other languages may be there', items, { ...items, item_few: '{{count}}' }, 'de', 'translated'],
    ['i18next’s own zero is not asked for', { ...items, item_zero: 'None' }, items, 'de', 'translated'],
    ['a text where there were forms', items, { item: '{{count}}' }, 'ja', 'incomplete', 'other'],
    ['forms where there was a text', { item: '{{count}}' }, { item_other: '{{count}}' }, 'ja', 'incomplete'],
    ['both, as in the source', { item: 'x', ...items }, { item: 'y', ...items }, 'de', 'translated'],
    ['ordinals of German', places, { at_ordinal_other: '{{count}}.' }, 'de', 'translated'],
    [
      'ordinals of English',
      places,
      { at_ordinal_other: 'x' },
      'en-GB',
      'incomplete',
      'ordinal_one ordinal_two ordinal_few',
    ],
    [
      'each kind that the source has',
      { ...items, item_ordinal_other: 'x' },
      items,
      'de',
      'incomplete',
      'ordinal_other',
    ],
    ['that context alone', { gender_other: 'They' }, { gender_other: 'Oni' }, 'pl', 'translated'],
    ['another form instead of it', { gender_other: 'They' }, { gender_one: 'On' }, 'pl', 'incomplete', 'other'],
    ['steps', { step_one: 'First', step_two: 'Then' }, { step_one: 'Erst', step_two: 'Dann' }, 'ar', 'translated'],
    ['half of the steps', { step_one: 'First', step_two: 'Then' }, { step_one: 'Erst' }, 'ar', 'incomplete', 'two'],
    ['an ordinal alone', { at_ordinal_other: '{{count}}th' }, { at_ordinal_other: '{{count}}.' }, 'cy', 'translated'],
    ['from French without its millions', items, items, 'de', 'translated', '', 'fr'],
    ['to Polish from French', items, items, 'pl', 'incomplete', 'few many', 'fr'],
    ['Russian with half of its forms', items, items, 'pl', 'translated', '', 'ru'],
    [
      'a plural of Japanese',
      { item_other: '{{count}}個' },
      { item_other: '{{count}} items' },
      'en',
      'incomplete',
      'one',
      'ja',
    ],
    ['whole in English', { item_other: '{{count}}個' }, items, 'en', 'translated', '', 'ja'],
    ['a name of Japanese', { reason_other: 'その他' }, { reason_other: 'Other' }, 'en', 'translated', '', 'ja'],
    [
      'Japanese with an own zero',
      { a_zero: 'なし', a_other: 'ある' },
      { a_zero: 'x', a_other: 'y' },
      'en',
      'incomplete',
      'one',
      'ja',
    ],
    ['no kind that it lacks', items, { ...items, item_ordinal_one: 'x' }, 'en-GB', 'translated'],
    ['a context', { friend_male: 'He' }, { friend_male: 'Er' }, 'de', 'translated'],
    ['a context of its own', { friend_male: 'He' }, { friend_male: 'Er', friend_male_one: 'x' }, 'de', 'translated'],
    ['an item of an array', { list: ['a'] }, { list: ['b'] }, 'de', 'translated'],
    ['an item that is not there yet', { list: ['a'] }, {}, 'de', 'missing'],
    ['nested here, flat there', { a: { b: 'x' } }, { 'a.b': 'y' }, 'de', 'translated'],
    ['a language that ICU does not know', items, items, 'tlh', 'translated'],
    ['a private one of a known language', items, items, 'pl-x-pirate', 'incomplete', 'few many'],
  ]
  for (const [name, source, target, language, is, forms, sourceLanguage] of rows) {
    const row = rowOf(source, target, language, sourceLanguage)
    t.equal(row.is[0], is, name)
    t.equal(row.forms?.join(' ') ?? '', forms ?? '', `${name}: forms`)
  }
})

t.test('placeholders, form by form', async t => {
  const rows: [string, object, object, string, string[], string?][] = [
    ['the same', { a: 'Hi {{name}}' }, { a: 'Hallo {{ name }}' }, 'de', []],
    ['one lacks', { a: 'Hi {{name}}' }, { a: 'Hallo' }, 'de', ['text interpolation: -{{name}}']],
    ['one is misspelt', { a: '{{name}}' }, { a: '{{nme}}' }, 'de', ['text interpolation: -{{name}} +{{nme}}']],
    ['twice is once', { a: '{{n}} {{n}}' }, { a: '{{n}}' }, 'de', []],
    ['formats are the language’s', { a: '{{at, short}}' }, { a: '{{at, datetime(dateStyle: long)}}' }, 'de', []],
    ['escaping is not', { a: '{{n}}' }, { a: '{{- n}}' }, 'de', ['text interpolation: -{{n}} +{{- n}}']],
    ['a path', { a: '{{user.name}}' }, { a: '{{user}}' }, 'de', ['text interpolation: -{{user.name}} +{{user}}']],
    ['a nesting', { a: '$t(b) x' }, { a: 'x' }, 'de', ['text nesting: -$t(b)']],
    ['with options', { a: '$t(b, {"count": {{n}} })' }, { a: '$t(b, { "count": {{n}} })' }, 'de', []],
    ['tags', { a: '<b>x</b><br/>' }, { a: '<b>y<br>' }, 'de', ['text tag: -</b>']],
    ['numbered tags', { a: '<0>x</0>' }, { a: '<1>x</1>' }, 'de', ['text tag: -</0> -<0> +</1> +<1>']],
    ['attributes are the translator’s', { a: '<a href="/en">x</a>' }, { a: '<a href="/de">y</a>' }, 'de', []],
    ['no tags', { a: 'a < b and b > c, 1 <2' }, { a: 'x' }, 'de', []],
    ['single braces are text', { a: '{name}' }, { a: 'x' }, 'de', []],
    [
      'three kinds',
      { a: '{{x}} $t(y) <b>' },
      { a: '-' },
      'de',
      ['text interpolation: -{{x}}', 'text nesting: -$t(y)', 'text tag: -<b>'],
    ],
    ['words in angle brackets', { a: 'Type <name> here' }, { a: '<Name> hier eingeben' }, 'de', []],
    ['words that only a translation has', { a: 'Type it' }, { a: '<hier> eingeben' }, 'de', []],
    ['a component that the source closes', { a: '<Link>x</Link>' }, { a: 'x' }, 'de', ['text tag: -</Link> -<Link>']],
    ['one that closes itself', { a: 'x <Icon/>' }, { a: 'x' }, 'de', ['text tag: -<Icon/>']],
    [
      'one that another form closes',
      { a_one: '<l>x', a_other: '<l>x</l>' },
      { a_one: 'x', a_other: '<l>x</l>' },
      'de',
      ['one tag: -<l>'],
    ],
    ['HTML without a closing tag', { a: '<p>x' }, { a: 'x' }, 'de', ['text tag: -<p>']],
    ['nothing between tags', { a: '<0></0> x' }, { a: '<0/> x' }, 'de', []],
    ['and the other way', { a: '<Icon/> <br></br>' }, { a: '<Icon></Icon><br>' }, 'de', []],
    ['something between tags', { a: '<0>x</0>' }, { a: '<0/>x' }, 'de', ['text tag: -</0> -<0> +<0/>']],
    [
      'a form that its language never uses',
      items,
      { item_one: 'ひとつ', item_two: '{{x}}', item_other: '{{count}}' },
      'ja',
      [],
    ],
    ['a name that ends like one', { step_two: 'Go to {{x}}' }, { step_two: 'x' }, 'ja', ['two interpolation: -{{x}}']],
    [
      'a number by another name',
      { a_one: '{{value}} hit', a_other: '{{value}} hits' },
      { a_one: 'ein Treffer', a_other: 'x' },
      'de',
      ['other interpolation: -{{value}}'],
    ],
    [
      'beside another placeholder',
      { a_one: '{{user}}: {{likeCount}}', a_other: '{{user}}: {{likeCount}}' },
      { a_one: 'x', a_other: '{{user}} {{likeCount}}' },
      'de',
      ['one interpolation: -{{user}}'],
    ],
    [
      'beside one that only ends alike',
      { a_one: '{{account}} {{user}}', a_other: '{{account}} {{user}}' },
      { a_one: '{{user}}', a_other: '{{account}} {{user}}' },
      'de',
      ['one interpolation: -{{account}}'],
    ],
    [
      'a form for more than one number',
      { a_one: '{{n}} hit', a_other: '{{n}} hits' },
      { a_one: 'x', a_few: '{{n}}', a_many: '{{n}}', a_other: '{{n}}' },
      'ru',
      ['one interpolation: -{{n}}'],
    ],
    [
      'what stands beside {{count}}',
      { a_one: '{{user}}: {{count}}', a_other: '{{user}}: {{count}}' },
      { a_one: 'x', a_other: '{{user}} {{count}}' },
      'de',
      ['one interpolation: -{{user}}'],
    ],
    ['an empty text has none', { a: '{{x}}' }, { a: '' }, 'de', []],
    ['a number may be named', items, { item_one: 'ein Artikel', item_other: '{{count}}' }, 'de', []],
    [
      'one number in Polish',
      items,
      { item_one: 'jeden', item_few: 'x', item_many: '{{count}}', item_other: '{{count}}' },
      'pl',
      ['few interpolation: -{{count}}'],
    ],
    [
      '21 in Russian',
      { item_one: 'one item', item_other: '{{count}} items' },
      { item_one: 'x', item_few: '{{count}}', item_many: '{{count}}', item_other: '{{count}}' },
      'ru',
      ['one interpolation: -{{count}}'],
    ],
    ['0 and 1 in French', items, { item_one: 'un', item_other: '{{count}}' }, 'fr', ['one interpolation: -{{count}}']],
    [
      'one in English may be more elsewhere',
      { item_one: 'one', item_other: '{{count}}' },
      { item_one: '{{count}}', item_other: '{{count}}' },
      'de',
      [],
    ],
    ['one in French beside zero', items, { item_zero: 'aucun', item_one: 'un', item_other: '{{count}}' }, 'fr', []],
    ['i18next’s zero', items, { item_zero: 'keine', ...items }, 'de', []],
    [
      'Latvian’s own zero',
      items,
      { item_zero: 'x', item_one: '{{count}}', item_other: '{{count}}' },
      'lv',
      ['zero interpolation: -{{count}}'],
    ],
    [
      'zero, one and two in Arabic',
      items,
      {
        item_zero: 'x',
        item_one: 'x',
        item_two: 'x',
        item_few: '{{count}}',
        item_many: '{{count}}',
        item_other: '{{count}}',
      },
      'ar',
      [],
    ],
    [
      'no count anywhere',
      { a_one: 'it', a_other: 'they' },
      { a_one: 'es', a_other: '{{count}}' },
      'de',
      ['other interpolation: +{{count}}'],
    ],
    [
      'the other form is the model',
      { a_one: 'x', a_other: '{{n}}' },
      { a_one: 'x', a_few: '{{n}}', a_many: 'y', a_other: '{{n}}' },
      'pl',
      ['many interpolation: -{{n}}'],
    ],
    [
      'an ordinal that says first',
      {
        p_ordinal_one: '{{count}}st',
        p_ordinal_two: '{{count}}nd',
        p_ordinal_few: '{{count}}rd',
        p_ordinal_other: '{{count}}th',
      },
      { p_ordinal_one: 'premier', p_ordinal_other: 'x' },
      'fr',
      ['ordinal_other interpolation: -{{count}}'],
    ],
    [
      'Japanese to English',
      { item_other: '{{count}}個' },
      { item_one: 'an item', item_other: '{{count}} items' },
      'en',
      [],
      'ja',
    ],
    [
      'forms for a text',
      { item: '{{n}}' },
      { item_one: 'x', item_other: '{{n}}' },
      'de',
      ['one interpolation: -{{n}}'],
    ],
    ['of an incomplete one too', items, { item_one: '{{count}} {{x}}' }, 'de', ['one interpolation: +{{x}}']],
    ['nothing of a missing one', items, {}, 'de', []],
  ]
  for (const [name, source, target, language, problems, sourceLanguage] of rows) {
    const row = rowOf(source, target, language, sourceLanguage)
    t.strictSame((row.problems ?? []).map(short), problems, name)
    t.equal(row.is.includes('problems'), problems.length > 0, `${name}: told`)
  }
})

t.test('a language is whole beside itself', async t => {
  const body = { ...items, ...places, a: '{{x}} <b>', list: ['$t(a)'], lone_one: 'one' }
  const facts = factsByKey(pushed(body))
  const counts = countStatus(facts, facts, [], rulesOf('en', 'en'))
  t.strictSame(counts, { ...noCounts(), keys: 5, translated: 5 })
})

t.test('time grows with the length of the text', async t => {
  for (const piece of ['{{', '$t(', '<a ', '{{a', '$t($t(a', '</', '<1', '{{-,', '<a/']) {
    t.ok(placeholdersOf(piece.repeat(30_000)).length < 3, piece)
  }
})

/** Parts of random messages. */
const words = fc.constantFrom(
  'x',
  '',
  '{{count}}',
  '{{ n }}',
  '{{- n}}',
  '{{n, f}}',
  '$t(k)',
  '$t(k, {})',
  '<b>',
  '</b>',
  '<br>',
)
const value = fc.array(words, { maxLength: 3 }).map(parts => parts.join(' '))
const name = fc.constantFrom('a', 'b', 'b.c', 'é')
const leaf = fc.constantFrom('', '_zero', '_one', '_few', '_other', '_ordinal_one', '_ordinal_other')
const bundle = fc.array(fc.tuple(name, leaf, value), { maxLength: 8 }).map(leaves =>
  leaves.reduce<Record<string, string>>((all, [key, ending, text]) => {
    all[key + ending] = text
    return all
  }, {}),
)
const languages = fc.constantFrom('en', 'de', 'pl', 'ja', 'ar', 'fr', 'lv', 'ru', 'tlh')

interface Plain {
  text: string | undefined
  forms: [PluralKind, Form, string][]
}

const plain = (message: Message): Plain =>
  typeof message === 'string'
    ? { text: message, forms: [] }
    : {
        text: message.text,
        forms: KINDS.flatMap(kind =>
          Object.entries(message[kind] ?? {}).map(([form, text]): [PluralKind, Form, string] => [
            kind,
            form as Form,
            text,
          ]),
        ),
      }

/** The placeholders by i18next's own patterns. */
function found(text: string): Set<string> {
  const named = [...text.matchAll(/\{\{(-?)(.+?)\}\}/g)].map(([, dash, inside = '']) => {
    const variable = inside.split(',')[0]!.trim()
    return variable === 'count' ? '{{count}}' : `{{${dash}${variable}}}`
  })
  const nested = [...text.matchAll(/\$t\((.+?)\)/g)].map(([, inside = '']) => `$t(${inside.split(',')[0]!.trim()})`)
  const tags = [...text.matchAll(/<\/?\w+\/?>/g)].map(([tag]) => tag)
  return new Set([...named, ...nested, ...tags])
}

const categories = (language: string, kind: PluralKind): string[] =>
  new Intl.PluralRules(language === 'tlh' ? 'en' : language, { type: kind }).resolvedOptions().pluralCategories

function stands(language: string, kind: PluralKind, form: Form, forms: Plain['forms']): boolean {
  if (form === 'zero' && kind === 'cardinal' && !categories(language, kind).includes('zero')) return true
  const rules = new Intl.PluralRules(language === 'tlh' ? 'en' : language, { type: kind })
  let numbers = 0
  const hasZero = forms.some(([kind, form]) => kind === 'cardinal' && form === 'zero') && kind === 'cardinal'
  const from = hasZero && rules.select(0) !== 'zero' ? 1 : 0
  for (let at = from; at < 300; at++) if (rules.select(at) === form) numbers++
  return numbers === 1
}

const usual = new Map<string, Set<string>>()

function usualForms(language: string, kind: PluralKind): Set<string> {
  const name = `${language} ${kind}`
  const rules = new Intl.PluralRules(language === 'tlh' ? 'en' : language, { type: kind })
  const forms = usual.get(name) ?? new Set(Array.from({ length: 1_000 }, (_, number) => rules.select(number)))
  usual.set(name, forms)
  return forms
}

/** Whether forms are those of whole numbers in a language, where a lone `other` also counts. */
function isPlural(forms: Plain['forms'], language: string, kind: PluralKind): boolean {
  const own = forms.filter(form => form[0] === kind)
  const isLone = own.length === 1 && own[0]![1] === 'other'
  const counts = forms.some(([, , text]) => found(text).has('{{count}}'))
  const covers = [...usualForms(language, kind)].every(one => own.some(form => form[1] === one))
  return own.length > 0 && covers && (!isLone || counts)
}

/** Whether one text alone begins or ends with white space. Japanese may lack it. */
function hasOtherSpace(source: string, target: string, language: string): boolean {
  if (source === '' || target === '') return false
  return [/^\s/, /\s$/].some(end => {
    const [due, there] = [source, target].map(text => end.test(text))
    return due !== there && !(due && language === 'ja')
  })
}

function differs(source: Plain, target: Plain, [from, to]: [string, string]): boolean {
  const counts = [source.text ?? '', ...source.forms.map(([, , text]) => text)].some(text =>
    found(text).has('{{count}}'),
  )
  const main = (forms: Plain['forms']) => forms.toSorted((a, b) => FORMS.indexOf(a[1]) - FORMS.indexOf(b[1])).at(-1)
  const anyForm = () => KINDS.map(kind => main(source.forms.filter(form => form[0] === kind))).find(Boolean)
  const textOf = (): [PluralKind | 'text', Form | 'other', string] =>
    source.text === undefined ? anyForm()! : ['text', 'other', source.text]
  const compare = (kind: PluralKind | 'text', form: Form, text: string): boolean => {
    const own = source.forms.filter(other => other[0] === kind)
    const isOwnName = kind !== 'text' && !isPlural(source.forms, from, kind) && own.some(other => other[1] === form)
    const isUsed = kind === 'text' || categories(to, kind).includes(form) || (kind === 'cardinal' && form === 'zero')
    if (!isUsed && !isOwnName) return false
    const model = own.find(other => other[1] === form) ?? main(own) ?? textOf()
    if (hasOtherSpace(model[2], text, to)) return true
    const [due, there] = [found(model[2]), found(text)]
    const free = counts && kind !== 'text'
    const named = [...due].filter(one => one.startsWith('{'))
    const isSpoken = kind !== 'text' && model[0] !== 'text' && !counts && stands(to, kind, form, target.forms)
    const number = isSpoken ? (named.length === 1 ? named[0] : named.find(one => one === '{{n}}')) : undefined
    for (const one of new Set([...due, ...there])) {
      if (one === number && !there.has(one)) continue
      if (one === '{{count}}' && free) continue
      if (due.has(one) !== there.has(one)) return true
    }
    if (!free || stands(to, kind as PluralKind, form, target.forms)) return false
    const isDue =
      due.has('{{count}}') || (model[0] !== 'text' && stands(from, model[0], model[1] as Form, source.forms))
    return isDue && !there.has('{{count}}')
  }
  return [
    ...(target.text === undefined ? [] : [compare('text', 'other', target.text)]),
    ...target.forms.map(form => compare(...form)),
  ].some(Boolean)
}

/** Counts by what each word means, key by key. */
function reckoned(source: Bundle, target: Bundle, stale: ReadonlySet<string>, pair: [string, string]): Counts {
  const counts = noCounts()
  const messages = (bundle: Bundle) => new Map(bundle.rows().map(({ key, message }) => [key, plain(message)]))
  const [from, to] = [messages(source), messages(target)]
  for (const key of to.keys()) if (!from.has(key)) counts.extra++
  for (const [key, due] of from) {
    counts.keys++
    const there = to.get(key)
    if (!there) {
      counts.missing++
      continue
    }
    if (there.text === '' || there.forms.some(([, , text]) => text === '')) {
      counts.empty++
      continue
    }
    const lacksForm = KINDS.some(kind => {
      const own = due.forms.filter(form => form[0] === kind).map(form => form[1])
      const wanted = isPlural(due.forms, pair[0], kind) ? categories(pair[1], kind) : own
      return wanted.some(form => !there.forms.some(other => other[0] === kind && other[1] === form))
    })
    const lacksText = due.text !== undefined && there.text === undefined
    counts[lacksForm || lacksText ? 'incomplete' : 'translated']++
    if (stale.has(key)) counts.stale++
    if (differs(due, there, pair)) counts.problems++
  }
  return counts
}

t.test('counts and keys equal those of a slow reference', async t => {
  const seen = noCounts()
  fc.assert(
    fc.property(bundle, bundle, languages, languages, fc.array(name), (one, two, from, to, stale) => {
      const [source, target] = [accepted(() => pushed(one)) ?? empty, accepted(() => pushed(two)) ?? empty]
      const notes = new Set(from === to ? [] : stale)
      const expected = reckoned(source, target, notes, [from, to])
      const counts = countStatus(factsByKey(source), factsByKey(target), [...notes], rulesOf(from, to))
      if (JSON.stringify(counts) !== JSON.stringify(expected)) return false
      for (const word of Object.keys(seen) as (keyof Counts)[]) seen[word] += counts[word]
      const noted = renderStale(new Map([...notes].map(key => [key, [{ source: 'then', languages: [to] }]])))
      const task = { source: Buffer.from(file(source)), target: Buffer.from(file(target)), notes: noted }
      return (Object.keys(counts) as (keyof Counts)[]).every(word => {
        if (word === 'keys') return true
        const is = [word]
        const wanted = { ...task, sourceLanguage: from, language: to, is, behind: null, most: 100, bytes: 1e9 }
        const { keys, more } = listStatus(wanted)
        const sorted = keys.map(({ key }) => key)
        return keys.length === counts[word] && !more && sorted.toSorted().join() === sorted.join()
      })
    }),
    { numRuns: 1000 },
  )
  // Marks on texts are in test/http/approve.slow.test.ts, suggestions in test/http/status.test.ts.
  const { approved: _, machine: __, suggested: ___, ...counted } = seen
  for (const [word, count] of Object.entries(counted)) t.ok(count > 50, `${word}: ${count}`)
})

t.test('counts bundles with any places', async () => {
  fc.assert(
    fc.property(resource, resource, (one, two) => {
      const [source, target] = [one, two].map(body => accepted(() => pushed(body)) ?? empty)
      const counts = countStatus(factsByKey(source!), factsByKey(target!), [], rulesOf('en', 'pl'))
      return JSON.stringify(counts) === JSON.stringify(reckoned(source!, target!, new Set(), ['en', 'pl']))
    }),
    { numRuns: 1000 },
  )
})

t.test('plural rules', async t => {
  t.equal(pluralRules('de'), pluralRules('de'), 'are made once')
  t.equal(pluralRules('ar').needed('cardinal'), 63)
  t.equal(pluralRules('ja').needed('cardinal'), bitOf('other'))
  t.ok(pluralRules('he').isSingle('cardinal', 'two', false))
  t.notOk(pluralRules('fr').isSingle('cardinal', 'many', false), 'millions are many numbers')
  t.notOk(pluralRules('fr').isSingle('cardinal', 'one', false), '0 and 1')
  t.ok(pluralRules('fr').isSingle('cardinal', 'one', true), '0 has a form of its own')
  t.ok(pluralRules('ar').isSingle('cardinal', 'zero', true))
  t.notOk(pluralRules('pl').isSingle('cardinal', 'other', false), 'fractions are no whole numbers')
  const forms: Forms = { other: 'x', one: 'y' }
  t.strictSame(messageOf({ text: undefined, cardinal: forms, ordinal: undefined }), {
    cardinal: { one: 'y', other: 'x' },
  })
})
