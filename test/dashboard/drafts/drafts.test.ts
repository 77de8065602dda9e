/** Unsaved texts after a crash, another user's write, a full disk and another tab, and when the user must decide. */
import t from 'tap'
import { claimTabId } from '../../../src/dashboard/drafts/claim-tab-id.ts'
import { type DraftAddress, type DraftStorage, Drafts } from '../../../src/dashboard/drafts/drafts.ts'

const at = (key: string, form?: string): DraftAddress => ({
  organization: 'acme',
  project: 'web',
  language: 'de',
  namespace: 'common',
  key,
  ...(form && { form }),
})
const typed = (text: string, time = 1) => ({ text, before: 'before', time })

/** Those of a tab, which is the only one unless it is named. */
const openDrafts = (storage: DraftStorage | undefined, user: string, tab = '1') => new Drafts(storage, { user, tab })

/** A browser's storage with room for this number of characters. */
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
  const drafts = openDrafts(storage, 'ann')
  drafts.set(at('a'), typed('x'))
  drafts.set(at('a', 'few'), typed('few x', 2))
  drafts.flush()
  const again = openDrafts(storage, 'ann')
  t.match(again.get(at('a')), typed('x'))
  t.strictSame(
    again.all.map(({ text, address }) => [address.form, text]),
    [
      ['few', 'few x'],
      [undefined, 'x'],
    ],
  )
  t.equal(again.all, again.all, 'the same list until something changes')
  t.strictSame(openDrafts(storage, 'an').all, [])
  t.strictSame(openDrafts(storage, 'ann ').all, [])
})

t.test('it is written by itself, and goes when it is saved or is as before', async t => {
  const storage = storageOf()
  const drafts = openDrafts(storage, 'ann')
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
  const drafts = openDrafts(storageOf(), 'ann')
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
  const drafts = openDrafts(storageOf(), 'ann')
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

t.test('without room, drafts live until the tab closes, and listeners are notified', async t => {
  const storage = storageOf(2000)
  const drafts = openDrafts(storage, 'ann')
  let told = 0
  drafts.subscribe(() => told++)
  drafts.set(at('small'), typed('x'))
  drafts.set(at('large'), typed('x'.repeat(3000)))
  drafts.flush()
  t.notOk(drafts.areStored)
  t.equal(told, 3)
  t.equal(drafts.get(at('large'))?.text.length, 3000)
  t.strictSame(openDrafts(storage, 'ann').all.length, 1)
  drafts.discard(at('large'))
  t.ok(drafts.areStored)
  const none = openDrafts(undefined, 'ann')
  none.set(at('a'), typed('x'))
  none.flush()
  t.notOk(none.areStored)
  t.equal(none.get(at('a'))?.text, 'x')
})

t.test('a draft belongs to its tab: another shows it, and neither changes, saves nor discards it', async t => {
  const storage = storageOf()
  const here = openDrafts(storage, 'ann', 'here')
  const there = openDrafts(storage, 'ann', 'there')
  there.set(at('a'), typed('theirs'))
  there.flush()
  const [item] = storage.items.keys()
  here.changed(item!)
  t.equal(here.get(at('a')), undefined, 'it is not what this tab would save')
  t.match(here.others, [{ text: 'theirs', tab: 'there', isClosed: false }])
  t.equal(here.others, here.others, 'the same list until something changes')
  here.set(at('a'), typed('mine', 2))
  here.flush()
  there.changed(null)
  t.equal(there.get(at('a'))?.text, 'theirs')
  here.discardOther(here.others[0]!)
  here.sweep(tab => tab === 'there', true)
  here.discard(at('a'))
  there.changed(null)
  t.match(there.get(at('a')), typed('theirs'))
  t.strictSame(there.others, [])
  t.equal(storage.items.size, 1)
  storage.items.clear()
  there.changed(null)
  there.flush()
  t.match(openDrafts(storage, 'ann', 'there').get(at('a')), typed('theirs'), 'what is shown is stored again')
  storage.items.set(item!, '{"text":1').set('other', '{}')
  here.changed(null)
  t.strictSame(here.others, [], 'what is no draft is none')
})

t.test('drafts of closed tabs pass to the next one, as do those of an older version', async t => {
  const storage = storageOf()
  for (const [tab, text, time] of [
    ['older', 'older', 1],
    ['newer', 'newer', 2],
    ['same', 'newer', 1],
    ['open', 'open', 9],
  ] as const) {
    const drafts = openDrafts(storage, 'ann', tab)
    drafts.set(at('a'), typed(text, time))
    drafts.flush()
  }
  const item = [...storage.items.keys()][0]!
  const ofOldVersion = item.slice(0, -' older'.length).replace('"a"', '"b"')
  storage.items.set(ofOldVersion, JSON.stringify({ ...typed('old version'), address: at('b') }))
  const here = openDrafts(storage, 'ann', 'here')
  here.set(at('c'), typed('mine'))
  here.sweep(tab => tab === 'open', true)
  t.equal(here.get(at('a'))?.text, 'newer')
  t.equal(here.get(at('b'))?.text, 'old version')
  t.strictSame(
    here.others.map(({ text, isClosed }) => [text, isClosed]),
    [
      ['open', false],
      ['older', true],
    ],
    'a second text of the same place is offered beside it',
  )
  const older = here.others[1]!
  here.discardOther(older)
  t.equal(openDrafts(storage, 'ann', 'x').others.length, 4)
  here.restoreOther(older)
  t.equal(openDrafts(storage, 'ann', 'x').others.length, 5)
  here.discard(at('a'))
  here.sweep(() => false, false)
  t.equal(here.get(at('a')), undefined, 'no text comes into a field that is open')
  t.match(here.others, [{ isClosed: true }, { isClosed: true }])
})

t.test('where there is no room a closed tab’s draft stays where it is', async t => {
  // For one draft.
  const storage = storageOf(400)
  const there = openDrafts(storage, 'ann', 'there')
  there.set(at('a'), typed('theirs'))
  there.flush()
  const here = openDrafts(storage, 'ann', 'here')
  here.sweep(() => false, true)
  t.equal(here.get(at('a'))?.text, 'theirs')
  t.equal(storage.items.size, 1)
})

t.test('a reload retains the id of its tab, and a copy of the tab gets another', async t => {
  const items = new Map<string, string>()
  const session = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  }
  items.set('parlance.tab', 'before')
  t.equal(claimTabId(session), 'before')
  t.not(claimTabId(session), 'before', 'a copy of what is open')
  t.match(claimTabId(undefined), /^[0-9a-f]{24}$/)
})

t.test('lists the unsaved notes of the user, in every organization', t => {
  const storage = storageOf()
  const drafts = openDrafts(storage, 'ann')
  const note = (owner: string[], value = '{"note":"x","max":"","language":"de"}') =>
    storage.setItem(`parlance note ${JSON.stringify(owner)}`, value)
  note(['ann', 'acme', 'web', 'common', 'save'])
  note(['ann', 'other', 'web', 'common', 'old'], '{"note":"x"}')
  note(['bob', 'acme', 'web', 'common', 'his'])
  note(['ann', 'acme', 'web', 'common', 'bad'], '{')
  storage.setItem('parlance note {', '{}')
  const place = { project: 'web', namespace: 'common', isNote: true }
  t.strictSame(drafts.notes, [
    { ...place, organization: 'acme', key: 'save', language: 'de' },
    { ...place, organization: 'other', key: 'old', language: '' },
  ])
  let changes = 0
  drafts.subscribe(() => changes++)
  drafts.changed('parlance note ["ann","acme","web","common","save"]')
  t.equal(changes, 1, 'a changed note is announced')
  t.strictSame(openDrafts(undefined, 'ann').notes, [])
  t.end()
})
