/** Files of suggestions: their rules, and how lists follow their keys. */
import t from 'tap'
import { MAX_SUGGESTIONS, type Suggestion, withSuggestion } from '../../../src/bundle/suggestion.ts'
import { followKeys } from '../../../src/project/sidecars/follow-keys.ts'
import { renderEntries } from '../../../src/project/sidecars/key-file.ts'
import { SIDECARS } from '../../../src/project/sidecars/sidecars.ts'
import { suggestionsIn } from '../../../src/project/sidecars/suggestions-file.ts'

const { canonical } = SIDECARS.suggestions
const suggestion = (id: string, more: Partial<Suggestion> = {}): Suggestion => ({
  ...{ id, message: `text ${id}`, by: { id: `u-${id}`, name: 'Ann' } },
  ...{ at: '2026-11-22T09:30:00.000Z', of: '0123456789abcdef', ...more },
})
const [a, b] = [suggestion('a'), suggestion('b', { at: '2026-11-23T09:30:00.000Z' })]
const file = (entries: Record<string, unknown>) => renderEntries(new Map(Object.entries(entries)))!

t.test('refuses a file that breaks the rules, by its key and member', async t => {
  const bad: [value: unknown, message: RegExp][] = [
    [[], /must be a JSON object/],
    [{ '': [a] }, /The key "" is empty/],
    [{ k: a }, /The suggestions for "k" do not fit: they must be a list/],
    [{ k: ['a'] }, /each must be an object/],
    [{ k: [{ ...a, text: 'x' }] }, /unknown field "text"/],
    [{ k: [{ ...a, id: 'a b' }] }, /"id" must have/],
    [{ k: [{ ...a, by: { id: 'u1', name: 'Ann', email: 'ann@example.com' } }] }, /"by" must be a name, or have "id"/],
    [{ k: [{ ...a, by: { id: 'u1', name: 1 } }] }, /"by.name" must be a string/],
    [{ k: [{ ...a, by: 'x\n' }] }, /"by" .* control characters/],
    [{ k: [{ ...a, at: 'today' }] }, /"at" must be a time/],
    [{ k: [{ ...a, of: 'x' }] }, /"of" must be 16 hexadecimal digits/],
    [{ k: [{ ...a, message: 1 }] }, /"message" must be a text/],
    [{ k: [{ ...a, message: {} }] }, /"message" must have a text or a form/],
    [{ k: [{ ...a, message: { plural: {} } }] }, /"message" has the unknown member "plural"/],
    [{ k: [{ ...a, message: { cardinal: {} } }] }, /"message.cardinal" must have forms/],
    [{ k: [{ ...a, message: { cardinal: { some: 'x' } } }] }, /"message.cardinal" has the unknown form "some"/],
    [{ k: [{ ...a, message: { text: 1 } }] }, /"message" must have strings/],
    [{ k: [{ ...a, message: '\0' }] }, /"message" has a text with U\+0000/],
    [{ k: [a, a] }, /two have the same "id"/],
    [{ k: [a], l: [a] }, /Two keys have suggestions with the id "a"/],
  ]
  for (const [value, message] of bad)
    t.throws(() => canonical(Buffer.from(JSON.stringify(value))), { message }, String(message))
})

t.test('writes a file in one form', async t => {
  const forms = { cardinal: { other: 'n', one: '1' }, text: 't' }
  const loose = {
    z: [],
    k: [
      { ...b, message: forms },
      { of: a.of, at: a.at, by: a.by, message: a.message, id: a.id },
    ],
  }
  const written = canonical(Buffer.from(JSON.stringify(loose)))!
  const inOrder = { text: 't', cardinal: { one: '1', other: 'n' } }
  t.equal(String(written), String(file({ k: [a, { ...b, message: inOrder }] })))
  t.equal(canonical(Buffer.from('{"k":[]}')), null)
  t.strictSame([...suggestionsIn(Buffer.from('{"k":[1],"l":[]}'))], [])
})

t.test('has one suggestion of an author for a key, and at most 20', async t => {
  t.equal(withSuggestion([a, b], { ...a, id: 'c', at: b.at }, 'k').length, 2, 'an equal one')
  const list = [a, b]
  t.equal(withSuggestion(list, { ...a, id: 'c' }, 'k'), list, 'nothing changes')
  const newer = { ...a, id: 'c', message: 'new' }
  t.strictSame(withSuggestion(list, newer, 'k'), [newer, b])
  const machine = suggestion('m', { by: 'Apertium' })
  t.strictSame(withSuggestion([machine], suggestion('n', { by: 'Apertium' }), 'k').length, 1)
  t.equal(withSuggestion([machine], suggestion('n', { by: { id: 'Apertium', name: 'x' } }), 'k').length, 2)
  const many = Array.from({ length: MAX_SUGGESTIONS }, (_, at) => suggestion(`n${at}`))
  t.throws(() => withSuggestion(many, a, 'k'), { code: 'unfit', message: /key "k" has 20 suggestions/ })
})

t.test('suggestions follow their keys, and stay when the text changes', async t => {
  const bundle = (...keys: string[]) => Buffer.from(JSON.stringify(Object.fromEntries(keys.map(key => [key, 'x']))))
  const none = { sidecar: 'suggestions', path: 'web/suggestions/de/common.json', renamed: [], deleted: [] } as const
  const follow = (now: object, change: object) => {
    const before = file({ ...now })
    const after = followKeys({ ...none, before, now: before, keys: null, origin: null, ...change })
    return after && JSON.parse(String(after))
  }
  const changed = { before: bundle('k'), after: Buffer.from('{"k":"other"}') }
  t.strictSame(follow({ k: [a] }, { keys: changed }), { k: [a] }, 'a changed text')
  t.strictSame(follow({ k: [a] }, { keys: { before: bundle('l'), after: null } }), { k: [a] }, 'a missing key waits')
  t.strictSame(follow({ k: [a] }, { keys: { before: bundle('k'), after: null } }), null, 'a prune')
  t.strictSame(follow({ k: [a], l: [b] }, { deleted: ['k'] }), { l: [b] }, 'a deletion')
  t.strictSame(follow({ k: [a], l: [b] }, { renamed: [{ from: 'k', to: 'l' }] }), { l: [a, b] }, 'a rename')
  const origin = { file: file({ k: [a] }), left: { file: null }, key: null, onlyReturning: false }
  t.strictSame(follow({ k: [b] }, { origin }), { k: [a, b] }, 'an undo')
})
