/** A token that only suggests withdraws what it wrote itself, by the tool and by the routes, and nothing of others. */
import t from 'tap'
import { openScene, type Scene } from '../http/server.ts'
import { Agent } from './agent.ts'

let scene: Scene

t.before(async () => {
  scene = await openScene(t)
})

let count = 0

/** A project with texts in English and German. */
async function newProject(): Promise<string> {
  const { server, acme } = scene
  const slug = `p${count++}`
  const path = await server.project(acme.key, slug)
  await server.must('PUT', `${path}/bundles/en/common`, { key: acme.key, body: { a: 'One', b: 'Two' } })
  await server.must('PUT', `${path}/bundles/de/common`, { key: acme.key, body: { a: 'Eins', b: 'Zwei' } })
  return slug
}

const suggesting = async (name: string) => (await scene.server.mint(scene.acme.owner, name, 'suggest')).key
const text = (key: string, value: string) => ({ language: 'de', namespace: 'common', key, value })
const listed = async (project: string): Promise<{ id: string; key: string; message: string; by: { name: string } }[]> =>
  (await scene.server.get(`/api/projects/${project}/suggestions?language=de`, scene.acme.key)).json.suggestions

t.test('undoes its own commits by the tool, beside suggestions of others', async t => {
  const project = await newProject()
  const [mine, other] = [
    new Agent(scene.server, await suggesting('mine')),
    new Agent(scene.server, await suggesting('other')),
  ]
  const own = await mine.call('apply', { project, set: [text('a', 'Mein'), text('b', 'Meins')] })
  const foreign = await other.call('apply', { project, set: [text('a', 'Anders')] })
  t.match(await mine.call('undo', { project, revisions: [foreign.revision] }), { status: 403, error: /only read/ })
  t.match(await mine.call('undo', { project, revisions: [own.revision, foreign.revision] }), { status: 403 })
  t.equal((await listed(project)).length, 3)
  const undone = await mine.call(own.undo.tool, own.undo.arguments)
  t.match(undone, { revision: /^[0-9a-f]{40}$/ })
  t.match(await listed(project), [{ key: 'a', message: 'Anders', by: { name: 'other' } }])
  t.match(await mine.call(undone.undo.tool, undone.undo.arguments), { revision: /^[0-9a-f]{40}$/ }, 'a redo')
  t.equal((await listed(project)).length, 3)
})

t.test('undoes no text, and no commit of another author', async t => {
  const { server, acme } = scene
  const project = await newProject()
  const key = await suggesting('mine')
  const url = `/api/projects/${project}`
  const commits = [
    await server.must('PUT', `${url}/bundles/de/common/a`, { key: acme.key, body: { value: 'Ein' } }),
    await server.must('PUT', `${url}/notes/common/a`, { key: acme.key, body: { note: 'A number.' } }),
    await server.must('POST', `${url}/comments/common/a`, { key: acme.key, body: { text: 'Why?' } }),
    await server.must('POST', `${url}/suggestions/de/common/a`, { key: acme.key, body: { value: 'Ains' } }),
  ]
  const { revisions } = (await server.get(`${url}/history?limit=4`, acme.key)).json
  t.equal(revisions.length, commits.length)
  const newest = await server.newest(acme.id)
  for (const { revision, subject } of revisions) {
    for (const query of ['', '?dryRun=true'])
      t.equal((await server.post(`${url}/revert${query}`, key, { revision })).status, 403, subject)
  }
  for (const scope of ['read', 'add'] as const) {
    const weaker = (await server.mint(acme.owner, scope, scope)).key
    t.equal((await server.post(`${url}/revert`, weaker, { revision: revisions[0].revision })).status, 403, scope)
  }
  t.equal(await server.newest(acme.id), newest)
})

t.test('does not withdraw a suggestion that was accepted', async t => {
  const { server, acme } = scene
  const project = await newProject()
  const key = await suggesting('mine')
  const { revision, suggestion } = (
    await server.must('POST', `/api/projects/${project}/suggestions/de/common/a`, { key, body: { value: 'Erstens' } })
  ).json
  await server.must('POST', `/api/projects/${project}/suggestions/accept`, {
    ...{ key: acme.key, body: { language: 'de', ids: [suggestion.id] } },
  })
  t.match((await server.post(`/api/projects/${project}/revert`, key, { revision })).json, { undoneBy: null })
  t.match((await server.get(`/api/projects/${project}/bundles/de/common`, key)).json, { a: 'Erstens' })
})

t.test('withdraws its own suggestions by the route that rejects', async t => {
  const { server, acme } = scene
  const project = await newProject()
  const [mine, other] = [await suggesting('mine'), await suggesting('other')]
  const url = `/api/projects/${project}/suggestions`
  const suggest = async (key: string, value: string) =>
    (await server.must('POST', `${url}/de/common/a`, { key, body: { value } })).json.suggestion.id as string
  const [own, foreign] = [await suggest(mine, 'Mein'), await suggest(other, 'Anders')]
  const reject = (key: string, body: object) => server.post(`${url}/reject`, key, { language: 'de', ...body })
  t.equal((await reject(mine, { ids: [foreign] })).status, 403)
  t.equal((await reject(mine, { ids: [own, foreign] })).status, 403)
  t.equal((await server.post(`${url}/accept`, mine, { language: 'de', ids: [own] })).status, 403)
  t.match((await reject(mine, { ids: [own] })).json, { rejected: 1, conflicts: [] })
  t.match(await listed(project), [{ id: foreign }])
  t.match((await reject(acme.key, { ids: [foreign] })).json, { rejected: 1 })
})
