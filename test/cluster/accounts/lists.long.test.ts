/** The lists of better-auth on PostgreSQL: `test/auth/lists.test.ts` has them on SQLite. */
import t from 'tap'
import { Visitor } from '../../auth/visitor.ts'
import { askable, listsAreWhole } from '../../auth/whole-lists.ts'
import { noPostgres } from '../postgres.ts'
import { accountsOnPostgres, openNode } from './nodes.ts'

t.test('lists are whole, and what expired is deleted', { skip: noPostgres() }, async t => {
  const { newNodes } = await accountsOnPostgres(t)
  const { background, expire } = askable()
  const nodes = await newNodes(t)
  const { auth } = await openNode(t, nodes, { background })
  const reader = new Visitor(auth)
  // An act shows the node the changes of other connections.
  const run = (statement: string) => nodes.ask(statement).then(() => reader.signIn('reader'))
  await listsAreWhole(t, { auth, run, expire })
})
