/** The state machine of a save. */
import t from 'tap'
import {
  isSaving,
  nextState,
  nextStates,
  type SaveEvent,
  type SaveState,
  saveId,
} from '../../../../src/dashboard/editor/saving/save-state.ts'

const through = (...events: SaveEvent[]) =>
  events.reduce<SaveState | undefined>((state, event) => nextState(state, event), undefined)

const offline = { is: 'offline', why: 'no answer', isReached: false } as const
const refused = { is: 'refused', why: 'too long' } as const

t.test('goes from queued to sent to no state when the server answers', async t => {
  t.same(through({ is: 'queued' }), { is: 'queued' })
  t.same(through({ is: 'queued' }, { is: 'sent' }), { is: 'sent' })
  t.equal(through({ is: 'queued' }, { is: 'sent' }, { is: 'answered' }), undefined)
  t.equal(through({ is: 'sent' }, { is: 'conflict' }), undefined)
})

t.test('shows why a save failed until the text is saved again', async t => {
  t.same(through({ is: 'sent' }, refused), refused)
  t.same(through({ is: 'sent' }, refused, { is: 'reconnected' }), refused, 'a refusal is not about the connection')
  t.same(through({ is: 'sent' }, refused, { is: 'queued' }), { is: 'queued' })
  t.equal(through({ is: 'sent' }, refused, { is: 'overtaken' }), undefined)
})

t.test('drops the error of a lost connection when the connection is back', async t => {
  t.same(through({ is: 'sent' }, offline), { is: 'offline', why: 'no answer' })
  t.equal(through({ is: 'sent' }, offline, { is: 'reconnected' }), undefined)
  t.equal(through({ is: 'sent' }, { ...offline, isReached: true }), undefined, 'back before the error arrived')
})

t.test('leaves a running save alone when a live event brings its text', async t => {
  for (const is of ['queued', 'sent'] as const) {
    t.ok(isSaving({ is }))
    for (const event of ['overtaken', 'reconnected'] as const) t.same(through({ is }, { is: event }), { is })
  }
  t.notOk(isSaving(undefined))
})

t.test('returns the same map when no state changes, so nothing is rendered again', async t => {
  const [one, other] = [saveId('common\na', 'de'), saveId('common\na', 'pl')]
  t.not(one, other)
  const states = nextStates(new Map(), [one], { is: 'sent' })
  t.same([...states], [[one, { is: 'sent' }]])
  t.equal(nextStates(states, [one], { is: 'sent' }), states)
  t.equal(nextStates(states, [one], { is: 'queued' }), states)
  t.equal(nextStates(states, [other], { is: 'answered' }), states)
  t.equal(nextStates(states, states.keys(), { is: 'reconnected' }), states)
  t.equal(nextStates(states, [one], { is: 'answered' }).size, 0)
})
