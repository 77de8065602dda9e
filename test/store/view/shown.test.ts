import t from 'tap'
import { blobId } from '../../../src/bundle/canonical.ts'
import { Shown } from '../../../src/store/view/shown.ts'
import { snapshotOf } from '../memory-head.ts'

const PATH = 'web/locales/en/common.json'
const [OLD, NEW] = ['old', 'new']
const id = (text: string) => blobId(Buffer.from(text))

t.test('begins with a state, notes what is written, ends with the state that has caught up', async t => {
  const shown = new Shown(snapshotOf({ [PATH]: OLD }))
  t.equal(shown.id(PATH), id(OLD))
  t.equal(shown.id('web/none.json'), null)
  shown.set(PATH, id(NEW), 'stamp')
  t.equal(shown.id(PATH), id(NEW))
  shown.set('gone', null)
  t.equal(shown.id('gone'), null)
  shown.advance(snapshotOf({ [PATH]: 'newest' }))
  t.equal(shown.id(PATH), id('newest'))
})

t.test('knows its own writing by the stamp, for one advance longer', async t => {
  const shown = new Shown(snapshotOf({}))
  shown.set(PATH, id(NEW), 'stamp')
  t.equal(shown.isOwn(PATH, 'stamp'), true)
  t.equal(shown.isOwn(PATH, 'another'), false)
  t.equal(shown.isOwn('other', 'stamp'), false)
  shown.advance(snapshotOf({ [PATH]: NEW }))
  t.equal(shown.isOwn(PATH, 'stamp'), true, 'what is heard of late is still our own')
  shown.advance(snapshotOf({ [PATH]: NEW }))
  t.equal(shown.isOwn(PATH, 'stamp'), false, 'nothing per file stays')
  shown.set(PATH, id(NEW), 'again')
  shown.hold(PATH)
  t.equal(shown.isOwn(PATH, 'again'), false, 'a held file is looked at')
})

t.test('a held file keeps the version it came from, whatever HEAD becomes', async t => {
  const shown = new Shown(snapshotOf({ [PATH]: OLD }))
  shown.hold(PATH)
  shown.advance(snapshotOf({ [PATH]: NEW }))
  t.equal(shown.isHeld(PATH), true)
  t.equal(shown.id(PATH), id(OLD))
  shown.hold(PATH)
  t.equal(shown.id(PATH), id(OLD), 'holding again changes nothing')
  shown.hold(PATH, null)
  t.equal(shown.id(PATH), null, 'unless the origin is known better')
  shown.set(PATH, id(NEW))
  t.equal(shown.isHeld(PATH), false)
})

t.test('a problem lasts until the file is judged anew or replaced', async t => {
  const shown = new Shown(snapshotOf({ [PATH]: OLD }))
  shown.judged(PATH, 'a is a number')
  t.same(shown.problems(), [{ path: PATH, error: 'a is a number' }])
  shown.hold(PATH)
  t.equal(shown.problem(PATH), 'a is a number', 'a seal that leaves it alone says nothing of it')
  shown.judged(PATH, undefined)
  t.same(shown.problems(), [])
  t.equal(shown.isHeld(PATH), true, 'it is a person’s until it is replaced')
  shown.judged(PATH, 'b is a number')
  shown.set(PATH, id(NEW))
  t.same(shown.problems(), [])
})

t.test('what an earlier process left, until all has been compared', async t => {
  const shown = new Shown(snapshotOf({}))
  t.equal(shown.isRecovered(PATH, id(OLD)), false)
  shown.recover(new Map([[PATH, new Set([id(OLD)])]]), true)
  t.equal(shown.isRecovered(PATH, id(OLD)), true)
  t.equal(shown.isRecovered(PATH, id(NEW)), false)
  t.equal(shown.isRecovered(PATH, null), true, 'the journal knows the path, the disk may not')
  t.equal(shown.isRecovered('other', null), false, 'someone removed it')
  shown.compared()
  t.equal(shown.isRecovered(PATH, id(OLD)), false)
  shown.recover(new Map(), false)
  t.equal(shown.isRecovered('other', null), true, 'the tree was never whole')
})
