/** Unsaved texts follow what was renamed. */
import t from 'tap'
import { type DraftAddress, type DraftStorage, Drafts } from '../../../src/dashboard/drafts/drafts.ts'
import { moveDrafts } from '../../../src/dashboard/drafts/move-drafts.ts'

const at = (language: string, key: string): DraftAddress => ({
  ...{ organization: 'acme', project: 'web', language, namespace: 'common', key },
})
const typed = (text: string, time = 1) => ({ text, before: 'before', time })
const toPoland = ({ address }: { address: DraftAddress }) =>
  address.language === 'pl' ? { ...address, language: 'pl-PL' } : undefined

/** Notes each call with the number of items that it leaves. */
function storageOf() {
  const items = new Map<string, string>()
  const sizes: number[] = []
  const storage: DraftStorage = {
    get length() {
      return items.size
    },
    key: index => [...items.keys()][index] ?? null,
    getItem: name => items.get(name) ?? null,
    setItem: (name, value) => void sizes.push(items.set(name, value).size),
    removeItem(name) {
      items.delete(name)
      sizes.push(items.size)
    },
  }
  return { storage, sizes }
}

t.test('moves the texts of a place, and is never without one of them', async t => {
  const { storage, sizes } = storageOf()
  const drafts = new Drafts(storage, { user: 'ann', tab: '1' })
  drafts.set(at('pl', 'a'), typed('raz', 1))
  drafts.set(at('pl', 'b'), typed('dwa', 2))
  drafts.set(at('de', 'a'), typed('eins', 3))
  drafts.flush()
  sizes.length = 0
  t.strictSame(
    moveDrafts(drafts, toPoland).map(({ address, text }) => [address.language, text]),
    [
      ['pl-PL', 'dwa'],
      ['pl-PL', 'raz'],
    ],
  )
  t.ok(sizes.length > 0 && Math.min(...sizes) >= 3, `never fewer items than texts: ${sizes}`)
  for (const known of [drafts, new Drafts(storage, { user: 'ann', tab: '1' })]) {
    t.equal(known.get(at('pl-PL', 'a'))?.text, 'raz')
    t.equal(known.get(at('pl-PL', 'b'))?.text, 'dwa')
    t.equal(known.get(at('de', 'a'))?.text, 'eins')
    t.equal(known.all.length, 3)
  }
})

t.test('a text stays where its new address has another one', async t => {
  const drafts = new Drafts(storageOf().storage, { user: 'ann', tab: '1' })
  drafts.set(at('pl', 'a'), typed('old'))
  drafts.set(at('pl-PL', 'a'), typed('new'))
  t.strictSame(moveDrafts(drafts, toPoland), [])
  t.equal(drafts.get(at('pl', 'a'))?.text, 'old')
  t.equal(drafts.get(at('pl-PL', 'a'))?.text, 'new')
})
