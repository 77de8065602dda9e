/** `CALLS=2000`: random calls of an agent with a token of one project; undoing all of them restores its tree. */
import t from 'tap'
import { openScene, type Scene } from '../http/server.ts'
import { Agent } from './agent.ts'
import { RandomAgent } from './random-agent.ts'

const CALLS = Number(process.env.CALLS ?? 200)

/** Fills two projects. @returns reads the tree id of one */
async function openProjects({
  server,
  acme,
}: Pick<Scene, 'server' | 'acme'>): Promise<(slug: string) => Promise<string>> {
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
  return async slug => {
    await server.sealed(acme.id)
    return server.git(acme.id, 'rev-parse', `HEAD:${slug}`).trim()
  }
}

t.test('goes back to the first tree, and leaves other projects alone', async t => {
  const { server, acme } = await openScene(t)
  const treeOf = await openProjects({ server, acme })
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

t.test('withdraws the suggestions of one agent, and leaves those of another', async t => {
  const { server, acme } = await openScene(t)
  const treeOf = await openProjects({ server, acme })
  const before = await treeOf('web')
  const names = ['one', 'two']
  const agents = await Promise.all(
    names.map(async name => {
      const { key } = await server.mint(acme.owner, name, 'suggest')
      return new RandomAgent(new Agent(server, key), 'web')
    }),
  )
  for (let call = 0; call < CALLS / 4; call++) await Promise.all(agents.map(agent => agent.act()))
  const listed = async (): Promise<{ id: string; by: { name: string } }[]> =>
    (await server.get('/api/projects/web/suggestions?limit=100', acme.key)).json.suggestions
  const by = async (name: string) => (await listed()).filter(({ by }) => by.name === name)
  // Few calls at random may leave no suggestion of one of them.
  for (const [at, name] of names.entries()) while ((await by(name)).length === 0) await agents[at]!.act()
  const others = await by('two')
  await agents[0]!.undoAll()
  t.strictSame(await listed(), others)
  await agents[1]!.undoAll()
  t.equal(await treeOf('web'), before)
})
