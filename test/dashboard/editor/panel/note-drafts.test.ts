/** Typed notes that are not saved, and what is wrong with them. */
import t from 'tap'
import {
  noteDraftName,
  readNoteDraft,
  storeNoteDraft,
} from '../../../../src/dashboard/editor/panel/note/note-drafts.ts'
import { noteFaults } from '../../../../src/dashboard/editor/panel/note/note-faults.ts'

const before = { note: '', max: '' }
const draft = { note: 'A verb', max: '12', before, language: 'de' }
const name = noteDraftName(['user', 'acme', 'web', 'common', 'save'])

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
  t.equal(readNoteDraft(name), undefined)
  storeNoteDraft(name, draft)
  t.strictSame(readNoteDraft(name), draft)
  storeNoteDraft(name, undefined)
  t.equal(readNoteDraft(name), undefined)
})

t.test('a draft survives its tab, each under its user and key', async t => {
  const { items } = Object.assign(globalThis, { localStorage: storage() }).localStorage as ReturnType<typeof storage>
  t.teardown(() => Reflect.deleteProperty(globalThis, 'localStorage'))
  const other = noteDraftName(['other', 'acme', 'web', 'common', 'save'])
  items.set(other, JSON.stringify(draft))
  t.strictSame(readNoteDraft(other), draft, 'what another tab stored')
  t.equal(readNoteDraft(name), undefined)
  storeNoteDraft(name, draft)
  t.strictSame(JSON.parse(items.get(name)!), draft)
  items.set(name, JSON.stringify({ ...draft, note: 'of another tab' }))
  t.strictSame(readNoteDraft(name), draft, 'what was typed here wins')
  storeNoteDraft(name, undefined)
  t.notOk(items.has(name))
  items.set(name, '{"note":"old","max":"","before":{"note":"","max":""}}')
  t.match(readNoteDraft(name), { note: 'old', language: '' }, 'what an older version stored')
  for (const nonsense of ['', '{', 'null', '[]', '{"note":1}', '{"note":"","max":"","before":null}']) {
    items.set(name, nonsense)
    t.equal(readNoteDraft(name), undefined, nonsense)
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
