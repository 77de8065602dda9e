import t from 'tap'
import { blobId } from '../../../src/bundle/canonical.ts'
import { LastWritten } from '../../../src/store/work-tree/last-written.ts'
import { snapshotOf } from '../memory-head.ts'

const PATH = 'web/locales/en/common.json'
const [OLD, NEW] = ['old', 'new']
const id = (text: string) => blobId(Buffer.from(text))

t.test('begins with a state, notes what is written, ends with the state that has caught up', async t => {
  const written = new LastWritten(snapshotOf({ [PATH]: OLD }))
  t.equal(written.id(PATH), id(OLD))
  t.equal(written.id('web/none.json'), null)
  written.set(PATH, id(NEW), 'stamp')
  t.equal(written.id(PATH), id(NEW))
  written.set('gone', null)
  t.equal(written.id('gone'), null)
  written.advance(snapshotOf({ [PATH]: 'newest' }))
  t.equal(written.id(PATH), id('newest'))
})

t.test('knows its own writing by the stamp, for one advance longer', async t => {
  const written = new LastWritten(snapshotOf({}))
  written.set(PATH, id(NEW), 'stamp')
  t.equal(written.isOwn(PATH, 'stamp'), true)
  t.equal(written.isOwn(PATH, 'another'), false)
  t.equal(written.isOwn('other', 'stamp'), false)
  written.advance(snapshotOf({ [PATH]: NEW }))
  t.equal(written.isOwn(PATH, 'stamp'), true, 'what is heard of late is still our own')
  written.advance(snapshotOf({ [PATH]: NEW }))
  t.equal(written.isOwn(PATH, 'stamp'), false, 'nothing per file stays')
  written.set(PATH, id(NEW), 'again')
  written.hold(PATH)
  t.equal(written.isOwn(PATH, 'again'), false, 'a held file is looked at')
})

t.test('a held file retains the version it came from, through changes of HEAD', async t => {
  const written = new LastWritten(snapshotOf({ [PATH]: OLD }))
  written.hold(PATH)
  written.advance(snapshotOf({ [PATH]: NEW }))
  t.equal(written.isHeld(PATH), true)
  t.equal(written.id(PATH), id(OLD))
  written.hold(PATH)
  t.equal(written.id(PATH), id(OLD), 'holding again changes nothing')
  written.hold(PATH, null)
  t.equal(written.id(PATH), null, 'unless the origin is known better')
  written.set(PATH, id(NEW))
  t.equal(written.isHeld(PATH), false)
})

t.test('a problem lasts until the file is judged again or replaced', async t => {
  const written = new LastWritten(snapshotOf({ [PATH]: OLD }))
  written.judged(PATH, 'a is a number')
  t.same(written.problems(), [{ path: PATH, error: 'a is a number' }])
  written.hold(PATH)
  t.equal(written.problem(PATH), 'a is a number', 'a seal that leaves it alone says nothing of it')
  written.judged(PATH, undefined)
  t.same(written.problems(), [])
  t.equal(written.isHeld(PATH), true, 'it is a person’s until it is replaced')
  written.judged(PATH, 'b is a number')
  written.set(PATH, id(NEW))
  t.same(written.problems(), [])
})

t.test('what an earlier process left, until all has been compared', async t => {
  const written = new LastWritten(snapshotOf({}))
  t.equal(written.isRecovered(PATH, id(OLD)), false)
  written.recover(new Map([[PATH, new Set([id(OLD)])]]), true)
  t.equal(written.isRecovered(PATH, id(OLD)), true)
  t.equal(written.isRecovered(PATH, id(NEW)), false)
  t.equal(written.isRecovered(PATH, null), true, 'the journal knows the path, the disk may not')
  t.equal(written.isRecovered('other', null), false, 'someone removed it')
  written.compared()
  t.equal(written.isRecovered(PATH, id(OLD)), false)
  written.recover(new Map(), false)
  t.equal(written.isRecovered('other', null), true, 'the tree was never whole')
})
