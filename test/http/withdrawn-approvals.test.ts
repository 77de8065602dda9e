/** Approvals that were withdrawn, and authors who do not approve their own texts, under other names and after long. */
import t from 'tap'
import { openScene, type Scene, type Session } from './server.ts'

let scene: Scene
/** A token that may translate, and does not review. */
let translator: string
t.before(async () => {
  scene = await openScene(t)
  const body = { name: 'agency', rights: [{ languages: ['*'], may: 'translate' }] }
  translator = (await scene.server.must('POST', '/api/tokens', { as: scene.acme.owner, body })).json.key
})

/** A project with an approved German text. `approval` is its revision. */
async function project(slug: string) {
  const { server, acme } = scene
  const path = await server.project(acme.key, slug)
  const must = (method: string, to: string, body?: object, key = acme.key) =>
    server.must(method, `${path}${to}`, { key, ...(body && { body }) })
  const newest = () => server.newest(acme.id)
  await must('PUT', '/bundles/en/common', { a: 'A', b: 'B' })
  await must('PUT', '/bundles/de/common', { a: 'a de', b: 'b de' })
  await must('POST', '/approve', { language: 'de' })
  const approved = async (language = 'de') => {
    const { keys } = (await must('GET', `/status/keys?language=${language}&is=approved`)).json
    return keys.map(({ namespace, key }: Record<string, string>) => `${namespace} ${key}`)
  }
  return { path, must, newest, approved, approval: await newest() }
}

t.test('a translator brings no approval back that was withdrawn under another name', async t => {
  const renamings = {
    namespace: { path: '/rename-namespace', names: { from: 'common', to: 'shared' }, at: ['de', 'shared'] },
    language: { path: '/rename-language', names: { from: 'de', to: 'sv' }, at: ['sv', 'common'] },
  }
  for (const [name, { path, names, at }] of Object.entries(renamings)) {
    const [language, namespace] = at
    for (const back of ['restore', 'revert', 'another renaming']) {
      const { must, newest, approved, approval } = await project(`${name}-${back.split(' ')[0]}`)
      await must('POST', path, names)
      const renamed = await newest()
      if (back === 'another renaming') await must('POST', '/rename-key', { namespace, from: 'b', to: 'c' })
      await must('POST', '/unapprove', { language, namespace, keys: ['a'] })
      if (back === 'revert') await must('POST', '/revert', { revision: renamed }, translator)
      else await must('POST', '/restore', { at: approval }, translator)
      t.strictSame(await approved(), ['common b'], `${name}: ${back}`)
    }
  }
})

t.test('a translator brings back approvals that no one withdrew under another name', async t => {
  const { must, approved, approval } = await project('moved')
  await must('POST', '/rename-namespace', { from: 'common', to: 'shared' })
  await must('POST', '/restore', { at: approval }, translator)
  t.strictSame(await approved(), ['common a', 'common b'])
})

t.test('no approval comes back beyond 64 versions', async t => {
  const { must, approved, approval } = await project('long')
  const change = async (times: number) => {
    await must('DELETE', '/bundles/de/common/a')
    for (let n = 1; n < times; n++) await must('PUT', '/bundles/de/common/c', { value: `${times} ${n}` })
    await must('POST', '/restore', { at: approval, language: 'de' }, translator)
    return approved()
  }
  t.strictSame(await change(64), ['common a', 'common b'])
  t.strictSame(await change(2), ['common b'])
})

t.test('with four eyes, no author approves a text that another person renamed', async t => {
  const { server, acme, admin, member } = scene
  const renamings = {
    'a key': ['rename-key', { namespace: 'common', from: 'a', to: 'z' }, 'de', 'common', 'z'],
    'a namespace': ['rename-namespace', { from: 'common', to: 'shared' }, 'de', 'shared', 'a'],
    'a language': ['rename-language', { from: 'de', to: 'sv' }, 'sv', 'common', 'a'],
  } as const
  for (const [name, [route, names, language, namespace, key]] of Object.entries(renamings)) {
    const path = await server.project(acme.key, name.replace(' ', '-'))
    const must = (method: string, to: string, body: object, as: Session) =>
      server.must(method, `${path}${to}`, { as, body })
    await must('PUT', '/bundles/en/common', { a: 'A', b: 'B' }, admin)
    await must('PUT', '/bundles/de/common', { a: 'a', b: 'b' }, member)
    await must('PATCH', '', { review: { de: { fourEyes: true } } }, admin)
    await must('POST', `/${route}`, names, admin)
    const approve = async (as: Session) =>
      (await must('POST', '/approve', { language, namespace, keys: [key] }, as)).json
    t.match(await approve(member), { approved: 0, skipped: [{ key, why: 'own' }] }, `${name}, by its author`)
    t.match(await approve(admin), { approved: 1 }, `${name}, by another person`)
  }
})
