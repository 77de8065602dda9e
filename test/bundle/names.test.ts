import t from 'tap'
import * as names from '../../src/bundle/names.ts'
import { failure } from './pushing.ts'

type Table = [check: (value: unknown) => unknown, good: unknown[], bad: unknown[]]

const TABLES: Table[] = [
  [
    names.checkSlug,
    ['a', 'web', 'My-App_2.x', '0', 'a'.repeat(64), 'con-sole', 'nulls', 'com10', 'a.b'],
    [
      '',
      'a'.repeat(65),
      '-a',
      'a-',
      '.a',
      'a.',
      'a..b',
      'x.lock',
      'x.LOCK',
      'a/b',
      'ä',
      'a b',
      '_a',
      'con',
      'NUL.txt',
      'com1',
      'constructor',
      'prototype',
      'x.json',
      7,
      null,
      undefined,
    ],
  ],
  [
    names.checkLanguage,
    ['en', 'pt-BR', 'zh-Hans-CN', 'en-x-pirate', 'es-419', 'de-DE-formal', 'dev', 'iw', 'EN'],
    [
      '',
      'pt_BR',
      'cimode',
      'zh-CHS',
      'x-pirate',
      'ca@valencia',
      'en--US',
      '../en',
      'en.json',
      '__proto__',
      'english',
      'a',
      `en-${'x-abcdefgh-'.repeat(4)}a`,
      'en\n',
      1,
    ],
  ],
  [
    names.checkNamespace,
    ['common', '_x', '0', 'a.b-c_d', 'x'.repeat(100), 'console', 'auxiliary', 'com0', '__proto__x'],
    [
      '',
      'x'.repeat(101),
      '.a',
      '-a',
      'a.',
      'a/b',
      'a b',
      '__proto__',
      'constructor',
      'prototype',
      'CON',
      'nul.txt',
      'com1',
      'LPT9.x',
      'common.json',
      'common.JSON',
      'é',
      {},
      'a\n',
    ],
  ],
  [names.checkFormat, ['i18next-json', 'i18next-json-flat'], ['json', '', undefined, 'I18next-json']],
  [
    names.checkKey,
    ['a', 'a.b', ' ', '.', 'é😀', 'a/b:c d', '__proto__', '😀'.repeat(1024), Array(32).fill('a').join('.')],
    ['', 'a\0', '\ud800', 'a\udc00b', 'x'.repeat(1025), '😀'.repeat(1025), Array(33).fill('a').join('.'), 5],
  ],
]

for (const [check, good, bad] of TABLES) {
  t.test(check.name, async t => {
    for (const value of good) t.equal(check(value), value, JSON.stringify(value))
    for (const value of bad)
      t.ok(
        failure('invalid', () => check(value)),
        JSON.stringify(value),
      )
  })
}

t.test('project names are trimmed', async t => {
  t.equal(names.checkProjectName('  Web shop \n'), 'Web shop')
  t.equal(names.checkProjectName('é'.repeat(100)), 'é'.repeat(100))
  for (const bad of ['', '   ', 'x'.repeat(101), 'a\nb', 'a\x7fb', 'a\0', '\ud800', 3]) {
    t.ok(
      failure('invalid', () => names.checkProjectName(bad)),
      JSON.stringify(bad),
    )
  }
})

t.test('messages name the culprit, however long', async t => {
  t.match(
    failure('invalid', () => names.checkSlug('-')),
    '"-"',
  )
  t.ok(failure('invalid', () => names.checkKey('x'.repeat(100_000))).length < 200)
  t.match(
    failure('invalid', () => names.checkNamespace('common.json')),
    'without the file ending',
  )
})

t.test('texts: characters are code points', async t => {
  t.equal(names.textFault('😀'.repeat(100_000)), undefined)
  t.ok(names.textFault('😀'.repeat(100_001)))
  t.ok(names.textFault('\0'))
  t.ok(names.textFault('\udfff'))
  t.equal(names.textFault(''), undefined)
})

t.test('sameIgnoringCase', async t => {
  t.ok(names.sameIgnoringCase('pt-BR', 'PT-br'))
  t.notOk(names.sameIgnoringCase('a', 'b'))
})
