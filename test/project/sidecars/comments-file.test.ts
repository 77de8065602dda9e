/** Files of comments: their rules, their changes, and how lists follow their keys. */
import t from 'tap'
import type { KeyComment } from '../../../src/bundle/comment.ts'
import { MAX_COMMENTS } from '../../../src/bundle/comment-limits.ts'
import {
  type CommentChange,
  changeComments,
  commentsIn,
  commentsOn,
  countComments,
} from '../../../src/project/sidecars/comments-file.ts'
import { followKeys } from '../../../src/project/sidecars/follow-keys.ts'
import { renderEntries } from '../../../src/project/sidecars/key-file.ts'
import { SIDECARS } from '../../../src/project/sidecars/sidecars.ts'

const { canonical: canonicalComments } = SIDECARS.comments

const path = 'web/comments/common.json'
const comment = (id: string, more: Partial<KeyComment> = {}): KeyComment => ({
  ...{ id, by: { id: 'u1', name: 'Ann' }, at: '2026-11-22T09:30:00.000Z', text: `text ${id}` },
  ...more,
})
const [a, b, c] = [comment('a'), comment('b', { at: '2026-11-23T09:30:00.000Z' }), comment('c', { language: 'de' })]
const file = (entries: Record<string, unknown>) => renderEntries(new Map(Object.entries(entries)))!
const parsed = (bytes: Uint8Array | null) => (bytes === null ? null : JSON.parse(String(bytes)))

t.test('refuses a file that breaks the rules, by its key and member', async t => {
  const bad: [value: unknown, message: RegExp][] = [
    [[], /must be a JSON object/],
    [{ '': [a] }, /The key "" is empty/],
    [{ k: a }, /The comments on "k" do not fit: they must be a list/],
    [{ k: ['a'] }, /each must be an object/],
    [{ k: [{ ...a, mail: 'ann@example.com' }] }, /unknown field "mail"/],
    [{ k: [{ ...a, id: 'a b' }] }, /"id" must have/],
    [{ k: [{ ...a, language: '../x' }] }, /"language" must be/],
    [{ k: [{ ...a, by: 'Ann' }] }, /"by" must have "id" and "name" alone/],
    [{ k: [{ ...a, by: { ...a.by, email: 'ann@example.com' } }] }, /"by" must have "id" and "name" alone/],
    [{ k: [{ ...a, by: { id: 1, name: 'Ann' } }] }, /"by.id" must be a string/],
    [{ k: [{ ...a, by: { id: 'u1', name: 'x\n' } }] }, /"by.name" .* control characters/],
    [{ k: [{ ...a, at: 'today' }] }, /"at" must be a time/],
    [{ k: [{ ...a, at: '2026-13-22T09:30:00.000Z' }] }, /"at" must be a time/],
    [{ k: [{ ...a, text: '' }] }, /"text" must have 1 to 4,000 characters/],
    [{ k: [{ ...a, text: 'x'.repeat(4001) }] }, /"text" must have 1 to 4,000 characters/],
    [{ k: [{ ...a, text: 'a\u0007' }] }, /U\+0007 is one/],
    [{ k: [{ ...a, text: '\ud800' }] }, /U\+D800 is one/],
    [{ k: [{ ...a, text: '\u2800' }] }, /must have a character that shows/],
    [{ k: [{ ...a, resolved: false }] }, /"resolved" must be true, or absent/],
    [{ k: [a, a] }, /two have the same "id"/],
    [{ k: [a], l: [a] }, /Two keys have comments with the id "a"/],
  ]
  for (const [value, message] of bad) {
    t.throws(() => canonicalComments(Buffer.from(JSON.stringify(value))), { message }, String(message))
  }
})

t.test('writes a file in one form', async t => {
  const { id, by, at, text } = b
  const loose = { z: [], k: [{ resolved: true, text, at, by: { name: by.name, id: by.id }, id }, a] }
  const canonical = canonicalComments(Buffer.from(JSON.stringify(loose)))
  t.equal(String(canonical), String(file({ k: [a, { ...b, resolved: true }] })))
  t.equal(canonicalComments(Buffer.from('{"k":[]}')), null)
  t.strictSame(commentsOn({ file: canonical, key: 'k' }).length, 2)
  t.strictSame(commentsOn({ file: Buffer.from(JSON.stringify(loose)), key: 'k' }).length, 2, 'no canonical file')
  t.strictSame(parsed(Buffer.from(countComments({ file: canonical }))), { k: { comments: 2, open: 1 } })
  t.strictSame([...commentsIn(Buffer.from('{"k":[1],"l":[]}'))], [])
})

t.test('changes comments', async t => {
  const change = (stored: object, change: CommentChange) =>
    changeComments({
      ...{ path, namespace: 'common', file: file({ ...stored }), change: Buffer.from(JSON.stringify(change)) },
    })
  const key = '__proto__'
  const stored = JSON.parse(JSON.stringify({ other: [c] }).replace('{', `{"${key}":${JSON.stringify([a, b])},`))
  const edit = (more: object) => change(stored, { kind: 'edit', key, id: 'a', by: null, ...more })
  t.match(String(edit({ resolved: true }).file), /"resolved": true/)
  t.strictSame(edit({ resolved: true }).comment, { ...a, resolved: true })
  t.equal(String(edit({ resolved: false }).file), String(file(stored)), 'nothing changes')
  t.strictSame(edit({ text: 'new', by: 'u1' }).comment, { ...a, text: 'new' })
  t.throws(() => edit({ text: 'new', by: 'u2' }), { code: 'forbidden', message: /only its author may change its text/ })
  t.throws(() => edit({ id: 'c' }), {
    code: 'not-found',
    message: /"__proto__" of namespace "common" has no comment "c"/,
  })
  const remove = (id: string, by: string | null) => change(stored, { kind: 'remove', key, id, by })
  t.throws(() => remove('a', 'u2'), { code: 'forbidden' })
  t.strictSame(commentsOn({ file: remove('a', 'u1').file as Buffer, key }), [b])
  t.strictSame(commentsOn({ file: remove('b', null).file as Buffer, key }), [a])
  t.strictSame(change({ k: [a] }, { kind: 'remove', key: 'k', id: 'a', by: null }).file, null)
  const many = Array.from({ length: MAX_COMMENTS }, (_, at) => comment(`n${at}`))
  const add: CommentChange = { kind: 'add', key: 'k', comment: c }
  t.throws(() => change({ k: many }, add), { code: 'unfit', message: /has 500 comments: delete some/ })
  t.strictSame(commentsOn({ file: change({ k: many.slice(1) }, add).file as Buffer, key: 'k' }).length, MAX_COMMENTS)
})

const bundle = (...keys: string[]) => Buffer.from(JSON.stringify(Object.fromEntries(keys.map(key => [key, 'x']))))
const none = { keys: null, renamed: [], deleted: [], origin: null }
type Follow = Partial<Parameters<typeof followKeys>[0]>

const FOLLOWING: [name: string, now: object, change: Follow, after: object | null][] = [
  ['a rename', { k: [a] }, { renamed: [{ from: 'k', to: 'l' }] }, { l: [a] }],
  ['a rename to a key with waiting comments', { k: [a], l: [b] }, { renamed: [{ from: 'k', to: 'l' }] }, { l: [a, b] }],
  ['a deletion', { k: [a], l: [b] }, { deleted: ['k'] }, { l: [b] }],
  ['a prune', { k: [a], w: [b] }, { keys: { before: bundle('k'), after: bundle() } }, { w: [b] }],
]
const origin = { file: null, key: null, onlyReturning: false }
const restore = (then: object, more: object = {}) => ({ ...origin, file: file({ ...then }), ...more })
const undo = (then: object | null, left: object) => ({
  ...{ ...origin, file: then && file({ ...then }), left: { file: file({ ...left }) } },
})
const returns = { before: bundle('l'), after: bundle('k', 'l') }
FOLLOWING.push(
  ['a restore of a key that returns', {}, { keys: returns, origin: restore({ k: [a] }) }, { k: [a] }],
  [
    'a restore leaves later comments',
    { l: [a, b] },
    { keys: returns, origin: restore({ l: [a], k: [c] }) },
    { l: [a, b], k: [c] },
  ],
  ['a restore brings back no deleted comment', {}, { keys: returns, origin: restore({ l: [a] }) }, null],
  ['a restore of texts alone', {}, { origin: restore({ k: [a] }) }, null],
  ['a restore of one key', {}, { keys: returns, origin: restore({ k: [a] }, { key: 'x' }) }, null],
  ['an undo of a comment', { k: [a, b] }, { origin: undo({ k: [a] }, { k: [a, b] }) }, { k: [a] }],
  ['an undo below a later comment', { k: [a, b] }, { origin: undo(null, { k: [a] }) }, { k: [b] }],
  ['an undo of the only comment', { k: [a] }, { origin: undo(null, { k: [a] }) }, null],
  ['an undo of a deletion', { k: [b] }, { origin: undo({ k: [a, b] }, { k: [b] }) }, { k: [a, b] }],
  [
    'an undo of a deleted key beside a waiting comment',
    { k: [b] },
    { keys: returns, origin: undo({ k: [a] }, {}) },
    { k: [a, b] },
  ],
  [
    'an undo of a resolution below a later text',
    { k: [{ ...a, text: 'new', resolved: true }] },
    { origin: undo({ k: [a] }, { k: [{ ...a, resolved: true }] }) },
    { k: [{ ...a, text: 'new' }] },
  ],
)

t.test('comments follow their keys', async t => {
  for (const [name, now, change, after] of FOLLOWING) {
    const before = file({ ...now })
    const task = { ...none, sidecar: 'comments', path, before, now: before, ...change } as const
    const followed = followKeys(task)
    t.strictSame(parsed(followed), after, name)
    if (followed) t.equal(String(canonicalComments(followed)), String(followed), `${name}: in its one form`)
  }
})
