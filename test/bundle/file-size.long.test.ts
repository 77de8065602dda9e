import t from 'tap'
import { EMPTY_BUNDLE_BYTES, EMPTY_BUNDLE_ID, parseBundle, renderBundle } from '../../src/bundle/canonical.ts'
import { computeRemoval } from '../../src/bundle/edit-key.ts'
import { computeReformat, type Stored } from '../../src/bundle/file-change.ts'
import { MAX_FILE } from '../../src/bundle/file-size.ts'
import { computePush } from '../../src/bundle/push.ts'
import { judgeEdit } from '../../src/project/outside-edit.ts'
import { revertFile } from '../../src/project/versions.ts'
import { writtenBytes } from './pushing.ts'

/** Keys of 32 segments, each in objects of its own: as a file more than thirty times their bytes. */
const KEYS = 4000
const deepKey = (at: number) => [`s${at}`, ...Array.from({ length: 31 }, () => 'a')].join('.')
const dotted = Object.fromEntries(Array.from({ length: KEYS }, (_, at) => [deepKey(at), 'x']))
const nest = (at: number) =>
  Array.from({ length: 31 }).reduce((below: unknown, _, depth) => ({ [depth === 30 ? `s${at}` : 'a']: below }), {
    a: 'x',
  }) as Record<string, unknown>
const nested = Object.assign({}, ...Array.from({ length: KEYS }, (_, at) => nest(at)))

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const stored = (bytes: Uint8Array, format: Stored['format'] = 'i18next-json'): Stored => {
  return { id: EMPTY_BUNDLE_ID, bytes, format }
}
const push = (body: unknown, present: Uint8Array = EMPTY_BUNDLE_BYTES, prunes = false) =>
  computePush({
    stored: stored(present),
    body: bytesOf(body),
    rules: { language: 'en', overwrites: true, prunes },
    detailed: false,
  })
const refusal = { code: 'too-large', message: /would have more than 8,388,608 bytes/ }

t.test('refuses each kind of change that would enlarge a file over the limit', async t => {
  const formats = { present: 'i18next-json', before: 'i18next-json', target: 'i18next-json' } as const
  t.throws(() => push(dotted), refusal, 'keys with dots')
  t.throws(() => push(nested), refusal, 'objects')
  t.throws(() => push({ ...nested, 'b.c': 'x' }), refusal, 'objects beside names with dots')
  const flat = stored(bytesOf(dotted), 'i18next-json-flat')
  t.throws(() => computeReformat({ stored: flat, format: 'i18next-json' }), refusal, 'another format')
  const past = {
    path: 'en/common',
    present: null,
    before: bytesOf(nested),
    after: undefined,
    formats,
    key: null,
    most: 0,
  }
  t.throws(() => revertFile(past), refusal, 'a restore')
  const edit = {
    mine: bytesOf(nested),
    stored: null,
    base: null,
    format: 'i18next-json',
    language: 'en',
    source: undefined,
  } as const
  t.throws(() => judgeEdit(edit), { code: 'too-large' }, 'an external edit')
})

t.test('lets a file that is over the limit shrink, and not grow', async t => {
  const large = renderBundle(parseBundle(bytesOf(nested), 'i18next-json'))
  t.ok(large.length > MAX_FILE)
  const removal = computeRemoval({ stored: stored(large), name: deepKey(0) })
  t.ok(writtenBytes(removal!.file)!.length < large.length)
  t.ok(writtenBytes(push({ ok: 'x' }, large, true).file)!.length < 100)
  t.throws(() => push({ more: 'x' }, large), refusal)
})
