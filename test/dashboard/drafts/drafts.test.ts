/** Unsaved texts: what a crash, another user, a full disk and another tab leave of them, and when somebody must decide. */
import t from 'tap'
import { conflictOf } from '../../../src/dashboard/drafts/conflict.ts'
import { type DraftAddress, type DraftStorage, Drafts } from '../../../src/dashboard/drafts/drafts.ts'

const at = (key: string, form?: string): DraftAddress => ({
  organization: 'acme',
  project: 'web',
  language: 'de',
  namespace: 'common',
  key,
  ...(form && { form }),
})
const typed = (text: string, time = 1) => ({ text, before: 'before', etag: 'W/"1"', time })

/** A browser's, which holds so many characters. */
function storageOf(room = 5_000_000): DraftStorage & { items: Map<string, string> } {
  const items = new Map<string, string>()
  return {
    items,
    get length() {
      return items.size
    },
    key: index => [...items.keys()][index] ?? null,
    getItem: name => items.get(name) ?? null,
    removeItem: name => void items.delete(name),
    setItem(name, value) {
      const sum = [...items].reduce((sum, [name, value]) => sum + name.length + value.length, 0)
      if (sum + name.length + value.length > room) throw new Error('QuotaExceededError')
      items.set(name, value)
    },
  }
}

t.test('a text is there again after a crash, for its user alone', async t => {
  const storage = storageOf()
  const drafts = new Drafts(storage, 'ann')
  drafts.set(at('a'), typed('x'))
  drafts.set(at('a', 'few'), typed('few x', 2))
  drafts.flush()
  const again = new Drafts(storage, 'ann')
  t.match(again.get(at('a')), typed('x'))
  t.strictSame(
    again.all.map(({ text, address }) => [address.form, text]),
    [
      ['few', 'few x'],
      [undefined, 'x'],
    ],
  )
  t.equal(again.all, again.all, 'the same list until something changes')
  t.strictSame(new Drafts(storage, 'an').all, [])
  t.strictSame(new Drafts(storage, 'ann ').all, [])
})

t.test('it is written by itself, and goes when it is saved or is as before', async t => {
  const storage = storageOf()
  const drafts = new Drafts(storage, 'ann')
  const { promise, resolve } = Promise.withResolvers<void>()
  const { setItem } = storage
  storage.setItem = (name, value) => {
    setItem(name, value)
    resolve()
  }
  drafts.set(at('a'), typed('x'))
  drafts.set(at('a'), typed('xy'))
  t.equal(storage.items.size, 0, 'not at each key')
  await promise
  t.match([...storage.items.values()], [/"xy"/])
  drafts.discard(at('a'))
  t.equal(storage.items.size, 0)
  drafts.set(at('b'), typed('x'))
  drafts.set(at('b'), typed('before'))
  drafts.flush()
  t.equal(storage.items.size, 0)
  t.strictSame(drafts.all, [])
})

t.test('what is typed back while it is saved is a text over what is saved then', async t => {
  const drafts = new Drafts(storageOf(), 'ann')
  drafts.set(at('a'), typed('x'))
  const end = drafts.saving(at('a'))
  drafts.set(at('a'), typed('before'))
  t.equal(drafts.get(at('a'))?.text, 'before')
  drafts.set(at('a'), { ...typed('before'), before: 'x' })
  end()
  t.equal(drafts.get(at('a'))?.text, 'before')
  const failed = drafts.saving(at('a'))
  drafts.set(at('a'), { ...typed('x'), before: 'x' })
  failed()
  t.equal(drafts.get(at('a')), undefined)
  drafts.set(at('a'), typed('x'))
  drafts.set(at('a'), typed('before'))
  t.equal(drafts.get(at('a')), undefined)
  drafts.flush()
})

t.test('of two saves of a text one is over while the other goes on', async t => {
  const drafts = new Drafts(storageOf(), 'ann')
  drafts.set(at('a'), typed('x'))
  const first = drafts.saving(at('a'))
  const second = drafts.saving(at('a'))
  first()
  drafts.set(at('a'), typed('before'))
  t.equal(drafts.get(at('a'))?.text, 'before', 'what is typed back is over what the second one saves')
  second()
  t.equal(drafts.get(at('a')), undefined)
  drafts.flush()
})

t.test('without room nothing is lost while the page lives, and it is told', async t => {
  const storage = storageOf(2000)
  const drafts = new Drafts(storage, 'ann')
  let told = 0
  drafts.subscribe(() => told++)
  drafts.set(at('small'), typed('x'))
  drafts.set(at('large'), typed('x'.repeat(3000)))
  drafts.flush()
  t.notOk(drafts.areKept)
  t.equal(told, 3)
  t.equal(drafts.get(at('large'))?.text.length, 3000)
  t.strictSame(new Drafts(storage, 'ann').all.length, 1)
  drafts.discard(at('large'))
  t.ok(drafts.areKept)
  const bounded = new Drafts(storageOf(), 'ann', 500)
  for (const key of ['a', 'b', 'c']) bounded.set(at(key), typed('x'.repeat(100)))
  bounded.flush()
  t.notOk(bounded.areKept, 'its own bound too')
  const none = new Drafts(undefined, 'ann')
  none.set(at('a'), typed('x'))
  none.flush()
  t.notOk(none.areKept)
  t.equal(none.get(at('a'))?.text, 'x')
})

t.test('another tab’s texts come, but not over what is typed here', async t => {
  const storage = storageOf()
  const [here, there] = [new Drafts(storage, 'ann'), new Drafts(storage, 'ann')]
  there.set(at('a'), typed('theirs'))
  there.flush()
  const [name] = storage.items.keys()
  here.changed(name!)
  t.equal(here.get(at('a'))?.text, 'theirs')
  here.set(at('a'), typed('mine'))
  here.changed(name!)
  t.equal(here.get(at('a'))?.text, 'mine')
  here.flush()
  storage.items.clear()
  here.changed(null)
  t.equal(here.get(at('a')), undefined)
  storage.items.set(name!, '{"text":1').set('other', '{}')
  here.changed(null)
  t.strictSame(here.all, [], 'what is no draft is none')
})

t.test('when somebody must decide', async t => {
  const rows = [
    ['a', 'a', 'b', 'none'],
    ['a', 'b', 'c', 'conflict'],
    ['a', 'b', 'b', 'same'],
    ['a', 'b', 'a', 'theirs'],
    ['a', 'a', 'a', 'same'],
    [null, null, 'b', 'none'],
    [null, 'a', 'b', 'conflict'],
    ['a', null, 'b', 'conflict'],
    ['a', null, 'a', 'theirs'],
  ] as const
  for (const [before, theirs, yours, is] of rows) t.equal(conflictOf({ before, theirs, yours }), is)
})
