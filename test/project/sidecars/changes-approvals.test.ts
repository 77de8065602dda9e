import t from 'tap'
import { textDigest } from '../../../src/bundle/text-digest.ts'
import { changesApprovals } from '../../../src/project/sidecars/changes-approvals.ts'

const bytes = (value: object | null) => value && Buffer.from(JSON.stringify(value))
const by = { id: 'u1', name: 'Rita' }
/** Marks with approvals of texts, by key. */
const marks = (approved: Record<string, string>) =>
  bytes(
    Object.fromEntries(
      Object.entries(approved).map(([key, of]) => [key, { approved: { by, of, at: '2026-11-22T09:30:00Z' } }]),
    ),
  )
const of = textDigest('A', 'a')
const texts = (target: object | null, source: object = { a: 'A' }) => ({ source: bytes(source), target: bytes(target) })

t.test('finds the changes of approvals that need the right to review', async t => {
  const stays = { before: texts({ a: 'a' }), after: texts({ a: 'a' }) }
  const leaves = { before: texts({ a: 'a' }), after: texts({ a: 'b' }) }
  const returns = { before: texts({ a: 'b' }), after: texts({ a: 'a' }) }
  const renamed = {
    before: texts({ a: 'a' }),
    after: texts({ z: 'a' }, { z: 'A' }),
  }
  const rows: [name: string, needs: boolean, task: Partial<Parameters<typeof changesApprovals>[0]>][] = [
    ['no change', false, { before: marks({ a: of }), after: marks({ a: of }), texts: stays }],
    ['a withdrawal', true, { before: marks({ a: of }), after: null, texts: stays }],
    ['a withdrawal by an undo', true, { before: marks({ a: of }), after: null, texts: stays, returns: true }],
    ['one that goes with its text', false, { before: marks({ a: of }), after: null, texts: leaves }],
    ['a new one', true, { before: null, after: marks({ a: of }), texts: stays }],
    ['a new one of a text that stays, by an undo', true, { after: marks({ a: of }), texts: stays, returns: true }],
    ['one that comes with its text, by an undo', false, { after: marks({ a: of }), texts: returns, returns: true }],
    ['one that comes with its text, by a write', true, { after: marks({ a: of }), texts: returns }],
    ['a renamed key', false, { before: marks({ a: of }), after: marks({ z: of }), texts: renamed }],
  ]
  for (const [name, needs, task] of rows)
    t.equal(changesApprovals({ before: null, after: null, texts: stays, returns: false, ...task }), needs, name)
})
