/** `CALLS=2000`: random calls of an agent with a token of one project; undoing all of them restores its tree. */
import t from 'tap'
import { openScene } from '../http/server.ts'
import { Agent } from './agent.ts'
import { RandomAgent } from './random-agent.ts'

const CALLS = Number(process.env.CALLS ?? 200)

t.test('goes back to the first tree, and leaves other projects alone', async t => {
  const { server, acme } = await openScene(t)
  for (const slug of ['web', 'other']) {
    const path = await server.project(acme.key, slug)
    const body = {
      a: 'One',
      list: ['x', 'y'],
      item_one: '{{count}} item',
      item_other: '{{count}} items',
      c: 'Hi {{name}}',
    }
    await server.must('PUT', `${path}/bundles/en/common`, { key: acme.key, body })
    await server.must('PUT', `${path}/bundles/de/common`, { key: acme.key, body: { a: 'Eins', c: 'Hallo {{name}}' } })
  }
  const treeOf = async (slug: string) => {
    await server.sealed(acme.id)
    return server.git(acme.id, 'rev-parse', `HEAD:${slug}`).trim()
  }
  const before = [await treeOf('web'), await treeOf('other')]
  const { key } = await server.mint(acme.owner, 'agent', 'write', ['web'])
  const agent = new Agent(server, key)
  const fuzzing = new RandomAgent(agent, 'web')
  for (let call = 0; call < CALLS; call++) await fuzzing.act()
  t.ok(fuzzing.revisions.length > CALLS / 20, `${fuzzing.revisions.length} commits`)
  t.ok(agent.largest < 32 * 1024, `${agent.largest} bytes`)
  t.not(await treeOf('web'), before[0], 'it changed something')
  await fuzzing.undoAll()
  t.equal(await treeOf('web'), before[0])
  t.equal(await treeOf('other'), before[1])
})
