/** Typed notes that are not saved, and what is wrong with them. */
import t from 'tap'
import { moveKeyDrafts } from '../../../../src/dashboard/drafts/draft-storage.ts'
import { commentDrafts, noteDrafts, noteFaults } from '../../../../src/dashboard/editor/panel/panel-drafts.ts'

const before = { note: '', max: '' }
const draft = { note: 'A verb', max: '12', before, language: 'de' }
const name = noteDrafts.nameOf(['user', 'acme', 'web', 'common', 'save'])

/** Local storage, as a browser has it. */
function storage(items = new Map<string, string>()) {
  return {
    items,
    get length() {
      return items.size
    },
    key: (index: number) => [...items.keys()][index] ?? null,
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
  t.match(noteDrafts.read(name), { note: 'of another tab' }, 'what is unsaved in another tab stays')
  noteDrafts.store(name, undefined)
  t.notOk(items.has(name))
  noteDrafts.store(name, draft)
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

t.test('follows a renamed key or namespace, beside what is typed at the new name', async t => {
  const { items } = Object.assign(globalThis, { localStorage: storage() }).localStorage as ReturnType<typeof storage>
  t.teardown(() => Reflect.deleteProperty(globalThis, 'localStorage'))
  const at = (...place: string[]) => ['user', 'acme', ...place]
  const note = (...place: string[]) => noteDrafts.nameOf(at(...place))
  const comment = (...place: string[]) => commentDrafts.nameOf(at(...place))
  const clear = () => {
    for (const name of items.keys()) noteDrafts.store(name, undefined)
  }

  const other = noteDrafts.nameOf(['other', 'acme', 'web', 'common', 'save'])
  items.set(other, JSON.stringify({ ...draft, note: 'of another user' }))
  noteDrafts.store(note('web', 'common', 'save'), draft)
  noteDrafts.store(note('web', 'common', 'save.all'), { ...draft, note: 'of another key' })
  noteDrafts.store(note('app', 'common', 'save'), { ...draft, note: 'of another project' })
  commentDrafts.store(comment('web', 'common', 'save', 'c1'), { text: 'an answer' })
  items.set('parlance note nonsense', 'nonsense')
  moveKeyDrafts(['acme', 'web', 'common', 'save'], ['acme', 'web', 'forms', 'store'])
  t.strictSame(noteDrafts.read(note('web', 'forms', 'store')), draft)
  t.equal(noteDrafts.read(note('web', 'common', 'save')), undefined)
  t.strictSame(commentDrafts.read(comment('web', 'forms', 'store', 'c1')), { text: 'an answer' })
  t.match(noteDrafts.read(noteDrafts.nameOf(['other', 'acme', 'web', 'forms', 'store'])), { note: 'of another user' })
  t.match(noteDrafts.read(note('web', 'common', 'save.all')), { note: 'of another key' })
  t.match(noteDrafts.read(note('app', 'common', 'save')), { note: 'of another project' })

  moveKeyDrafts(['acme', 'web', 'forms'], ['acme', 'web', 'fields'])
  t.strictSame(noteDrafts.read(note('web', 'fields', 'store')), draft, 'a namespace')

  noteDrafts.store(note('web', 'common', 'store'), { ...draft, note: 'typed at the new name' })
  moveKeyDrafts(['acme', 'web', 'fields', 'store'], ['acme', 'web', 'common', 'store'])
  t.match(noteDrafts.read(note('web', 'common', 'store')), { note: 'typed at the new name' })
  t.strictSame(noteDrafts.read(note('web', 'fields', 'store')), draft, 'nothing is lost')
  clear()

  Reflect.deleteProperty(globalThis, 'localStorage')
  noteDrafts.store(note('web', 'common', 'save'), draft)
  moveKeyDrafts(['acme', 'web', 'common', 'save'], ['acme', 'web', 'common', 'store'])
  t.strictSame(noteDrafts.read(note('web', 'common', 'store')), draft, 'without a storage')
})

t.test('the limits of the server', async t => {
  const faults = (changes: object) => noteFaults({ ...before, ...changes })
  t.strictSame(faults({ note: 'ä'.repeat(2048), max: '100000' }), {})
  t.strictSame(faults({ note: 'ä'.repeat(2049) }), { note: 'noteTooLong' }, 'bytes, not characters')
  for (const max of ['0', '-1', '1.5', '1e3', '100001', 'ten', '012']) {
    t.strictSame(faults({ max }), { max: 'maxWrong' }, max)
  }
})
