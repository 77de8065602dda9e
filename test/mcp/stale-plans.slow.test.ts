/** A plan has one effect: it is refused to other rights, after a review started, and by its age. */
import t from 'tap'
import { openScene, type Scene } from '../http/server.ts'
import { Agent } from './agent.ts'

let scene: Scene
let agent: Agent
let proposer: Agent

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  agent = new Agent(server, acme.key)
  proposer = new Agent(server, (await server.mint(acme.owner, 'proposer', 'suggest')).key)
})

async function newProject(slug: string): Promise<string> {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug)
  await server.must('PUT', `${path}/bundles/en/common`, { key: acme.key, body: { a: 'One', b: 'Two' } })
  await server.must('PUT', `${path}/bundles/de/common`, { key: acme.key, body: { a: 'Eins', b: 'Zwei' } })
  return slug
}

const text = (key: string, value: string) => ({ language: 'de', namespace: 'common', key, value })
const german = async (project: string) =>
  (await scene.server.get(`/api/projects/${project}/bundles/de/common`, scene.acme.key)).json
const commits = async (project: string) =>
  (await scene.server.get(`/api/projects/${project}/history?limit=50`, scene.acme.key)).json.revisions.length

t.test('refuses the plan of a token with other rights', async t => {
  const project = await newProject('rights')
  const changes = { project, set: [text('a', 'Neu')] }
  const [own, others] = [await agent.call('plan', changes), await proposer.call('plan', changes)]
  t.strictSame([own.counts, others.counts], [{ updated: 1 }, { suggested: 1 }])
  const before = await commits(project)
  t.match(await proposer.call('apply', { ...changes, plan: own.plan }), { status: 400, error: /rights/ })
  t.match(await agent.call('apply', { ...changes, plan: others.plan }), { status: 400, error: /rights/ })
  t.equal(await commits(project), before)
  t.match(await proposer.call('apply', { ...changes, plan: others.plan }), { counts: { suggested: 1 } })
  t.match(await agent.call('apply', { ...changes, plan: own.plan }), { repeated: false, counts: { updated: 1 } })
  t.match(await german(project), { a: 'Neu' })
  const { key } = await scene.server.mint(scene.acme.owner, 'colleague')
  const next = { project, set: [text('b', 'Neu')] }
  const { plan } = await agent.call('plan', next)
  t.match(
    await new Agent(scene.server, key).call('apply', { ...next, plan }),
    { counts: { updated: 1 } },
    'equal rights',
  )
})

t.test('refuses a translation when the source changed since the plan', async t => {
  const project = await newProject('source')
  const changes = { project, set: [text('a', 'Erstens'), text('b', 'Zweitens')] }
  const { plan } = await agent.call('plan', changes)
  const { key } = scene.acme
  await scene.server.must('PUT', `/api/projects/${project}/bundles/en/common/a`, {
    key,
    body: { value: 'First of all' },
  })
  t.match(await agent.call('apply', { ...changes, plan }), { status: 409, error: /out of date for "a" in en\/common:/ })
  t.match(await german(project), { a: 'Eins', b: 'Zwei' })
  const next = await agent.call('plan', changes)
  t.match(await agent.call('apply', { ...changes, plan: next.plan }), { counts: { updated: 2 } })
})

t.test('refuses a plan when a review of its language has started', async t => {
  const project = await newProject('review')
  const changes = { project, set: [text('a', 'Neu'), { ...text('a', 'New'), language: 'en' }] }
  const { plan, counts } = await agent.call('plan', changes)
  t.strictSame(counts, { updated: 2 })
  await scene.server.must('PATCH', `/api/projects/${project}`, {
    ...{ key: scene.acme.key, body: { review: { de: { fourEyes: true } } } },
  })
  const stale = await agent.call('apply', { ...changes, plan })
  t.match(stale, { status: 409, error: /out of date.*"a" in de\/common/ })
  t.notMatch(stale.error, /en\/common/)
  t.match(await german(project), { a: 'Eins' })
  const next = await agent.call('plan', changes)
  t.match(await agent.call('apply', { ...changes, plan: next.plan }), { counts: { suggested: 1, updated: 1 } })
})

t.test('answers each of several requests at once with the one commit of suggestions', async t => {
  const project = await newProject('once')
  for (let trial = 0; trial < 5; trial++) {
    const changes = { project, set: [text('a', `Neu ${trial}`)] }
    const { plan } = await proposer.call('plan', changes)
    const answers = await Promise.all([1, 2, 3, 4].map(() => proposer.call('apply', { ...changes, plan })))
    const revisions = new Set(answers.map(({ revision }) => revision))
    t.equal(revisions.size, 1, [...revisions].join())
    t.match([...revisions][0], /^[0-9a-f]{40}$/)
  }
})

t.test('refuses a plan that more than 1,000 commits followed', async t => {
  const { server, acme } = scene
  const project = await newProject('old')
  const changes = { project, set: [text('a', 'Neu')] }
  const { plan } = await agent.call('plan', changes)
  const { undo } = await agent.call('apply', { ...changes, plan })
  await agent.call(undo.tool, undo.arguments)
  for (let n = 0; n < 1_000; n += 50) {
    const numbers = Array.from({ length: 50 }, (_, at) => n + at)
    await Promise.all(
      numbers.map(at =>
        server.must('PUT', `/api/projects/${project}/bundles/en/more/k${at % 50}`, {
          key: acme.key,
          body: { value: `${at}` },
        }),
      ),
    )
  }
  t.match(await agent.call('apply', { ...changes, plan }), { status: 409, error: /1,000 commits/ })
  t.match(await german(project), { a: 'Eins' })
})
