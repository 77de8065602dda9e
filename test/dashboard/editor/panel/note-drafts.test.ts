/** Typed notes that are not saved, and what is wrong with them. */
import t from 'tap'
import { commentDrafts } from '../../../../src/dashboard/editor/panel/comments/comment-drafts.ts'
import { noteDrafts } from '../../../../src/dashboard/editor/panel/note/note-drafts.ts'
import { noteFaults } from '../../../../src/dashboard/editor/panel/note/note-faults.ts'

const before = { note: '', max: '' }
const draft = { note: 'A verb', max: '12', before, language: 'de' }
const name = noteDrafts.nameOf(['user', 'acme', 'web', 'common', 'save'])

/** Local storage, as a browser has it. */
function storage(items = new Map<string, string>()) {
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  }
}

t.test('a draft is there until it is removed, without a storage too', async t => {
  t.equal(noteDrafts.read(name), undefined)
  noteDrafts.store(name, draft)
  t.strictSame(noteDrafts.read(name), draft)
  noteDrafts.store(name, undefined)
  t.equal(noteDrafts.read(name), undefined)
})

t.test('a draft survives its tab, each under its user and key', async t => {
  const { items } = Object.assign(globalThis, { localStorage: storage() }).localStorage as ReturnType<typeof storage>
  t.teardown(() => Reflect.deleteProperty(globalThis, 'localStorage'))
  const other = noteDrafts.nameOf(['other', 'acme', 'web', 'common', 'save'])
  items.set(other, JSON.stringify(draft))
  t.strictSame(noteDrafts.read(other), draft, 'what another tab stored')
  t.equal(noteDrafts.read(name), undefined)
  noteDrafts.store(name, draft)
  t.strictSame(JSON.parse(items.get(name)!), draft)
  items.set(name, JSON.stringify({ ...draft, note: 'of another tab' }))
  t.strictSame(noteDrafts.read(name), draft, 'what was typed here wins')
  noteDrafts.store(name, undefined)
  t.notOk(items.has(name))
  items.set(name, '{"note":"old","max":"","before":{"note":"","max":""}}')
  t.match(noteDrafts.read(name), { note: 'old', language: '' }, 'what an older version stored')
  for (const nonsense of ['', '{', 'null', '[]', '{"note":1}', '{"note":"","max":"","before":null}']) {
    items.set(name, nonsense)
    t.equal(noteDrafts.read(name), undefined, nonsense)
  }
})

t.test('a comment has drafts of its own', async t => {
  const { items } = Object.assign(globalThis, { localStorage: storage() }).localStorage as ReturnType<typeof storage>
  t.teardown(() => Reflect.deleteProperty(globalThis, 'localStorage'))
  const name = commentDrafts.nameOf(['user', 'acme', 'web', 'common', 'save'])
  commentDrafts.store(name, { text: 'Is this' })
  t.strictSame([...items.keys()], ['parlance comment ["user","acme","web","common","save"]'])
  t.strictSame(commentDrafts.read(name), { text: 'Is this' })
  commentDrafts.store(name, undefined)
  for (const nonsense of ['', '{', 'null', '[]', '{"text":1}', '{"text":""}']) {
    items.set(name, nonsense)
    t.equal(commentDrafts.read(name), undefined, nonsense)
  }
})

t.test('the limits of the server', async t => {
  const faults = (changes: object) => noteFaults({ ...before, ...changes })
  t.strictSame(faults({ note: 'ä'.repeat(2048), max: '100000' }), {})
  t.strictSame(faults({ note: 'ä'.repeat(2049) }), { note: 'noteTooLong' }, 'bytes, not characters')
  for (const max of ['0', '-1', '1.5', '1e3', '100001', 'ten', '012']) {
    t.strictSame(faults({ max }), { max: 'maxWrong' }, max)
  }
})
