/** Files of entries by key: their limit, and a look at one entry. */
import t from 'tap'
import { MAX_FILE } from '../../../src/bundle/file-size.ts'
import { followKeys } from '../../../src/project/sidecars/follow-keys.ts'
import { entryAt, mergeEntries, renderEntries } from '../../../src/project/sidecars/key-file.ts'
import { changeNotes, unchangedNote } from '../../../src/project/sidecars/notes-file.ts'
import { SIDECARS } from '../../../src/project/sidecars/sidecars.ts'

const path = 'web/notes/common.json'
/** A file of about 60 % of the limit. */
const large = (name: string) =>
  renderEntries(new Map(Array.from({ length: 1250 }, (_, at) => [`${name}${at}`, { note: 'x'.repeat(4000) }])))!
const [a, b] = [large('a'), large('b')]
const none = { before: null, now: null, keys: null, renamed: [], deleted: [], origin: null }
const tooLarge = { code: 'too-large', message: /^web\/notes\/common\.json would have more than 8,388,608 bytes: / }

t.test('refuses a file of more than the maximum, by its name', async t => {
  t.throws(() => mergeEntries({ path, files: [a, b] }), tooLarge, 'a merge')
  t.equal(mergeEntries({ path, files: [a, a] }).file?.length, a.length)
  const task = { ...none, sidecar: 'notes', path } as const
  const origin = { file: b, left: { file: null }, key: null, onlyReturning: false }
  t.throws(() => followKeys({ ...task, before: a, now: a, origin }), tooLarge, 'an undo that brings entries back')
  const changes = Buffer.from(JSON.stringify(Object.entries(JSON.parse(b.toString()))))
  t.throws(() => changeNotes({ path, file: a, changes, from: 'person' }), tooLarge, 'a write')
  const tags = Array.from({ length: 20 }, (_, at) => `${at}`)
  const dense = Object.fromEntries(Array.from({ length: 48_000 }, (_, at) => [`key${at}`, { tags }]))
  const edit = Buffer.from(JSON.stringify(dense))
  t.ok(edit.length < MAX_FILE)
  t.throws(() => SIDECARS.notes.canonical(edit), { code: 'too-large', message: /^The file would have more than/ })
})

t.test('a file that was larger may stay so, and not grow', async t => {
  const both = renderEntries(new Map(Object.entries({ ...JSON.parse(a.toString()), ...JSON.parse(b.toString()) })))!
  const task = { ...none, sidecar: 'notes', path, before: both, now: both } as const
  t.ok(followKeys({ ...task, deleted: ['a1'] }))
  t.throws(() => followKeys({ ...task, renamed: [{ from: 'a1', to: 'a'.repeat(50) }] }), tooLarge)
})

t.test('finds one entry of a canonical file', async t => {
  const entries = new Map<string, object>([
    ['a', { note: '"b": {\n  }', refs: ['x.ts:1'] }],
    ['list', [{ text: '\n  ]' }, { text: '}' }]],
    ['b', { max: 3 }],
    ['é"\\', { note: '}' }],
    ['__proto__', { note: 'A name.' }],
  ])
  const file = renderEntries(entries)!
  for (const [key, entry] of entries) t.strictSame(entryAt(file, key), entry, key)
  for (const key of ['c', 'note', 'refs', '']) t.equal(entryAt(file, key), undefined, key)
  t.equal(entryAt(Buffer.from('{"a":{"max":1}}'), 'a'), undefined, 'no canonical file')
})

t.test('sees by its entry whether a note stays', async t => {
  const file = renderEntries(
    new Map([
      ['a', { note: 'A', refs: ['x.ts:1'], from: 'person' }],
      ['c', { note: 'C', from: 'code' }],
    ]),
  )
  t.strictSame(unchangedNote(file, 'a', { note: 'A' }), { note: 'A', refs: ['x.ts:1'], from: 'person' })
  t.equal(unchangedNote(file, 'a', { note: 'A', refs: [] }), null)
  t.equal(unchangedNote(file, 'a', { note: 'A', max: 1 }), null)
  t.equal(unchangedNote(file, 'a', {}), null, 'it would lose its text')
  t.equal(unchangedNote(file, 'c', { note: 'C' }), null, 'it is of the code')
  t.equal(unchangedNote(file, 'none', { note: 'A' }), null)
  t.equal(unchangedNote(null, 'a', { note: 'A' }), null)
  t.equal(unchangedNote(Buffer.from('{\n  "a": {"max": "wide"\n  }\n}'), 'a', {}), null, 'a bad entry')
})
