/** One undo of several commits. */
import fc from 'fast-check'
import t from 'tap'
import { type Server, startServer } from '../contract/server.ts'

const KEYS = ['a', 'b', 'n.c', 'p']
const language = fc.constantFrom('en', 'de', 'fr')
const text = fc.constantFrom('one', 'two', 'three')
const value = fc.oneof(text, fc.record({ one: text, other: text }))
const resource = fc.dictionary(fc.constantFrom('a', 'b', 'n.c', 'p_one', 'p_other'), text, { maxKeys: 4 })

/** A write to the project at `url`. */
type Act = (server: Server, key: string, url: string) => Promise<unknown>

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(language, fc.constantFrom(...KEYS), value).map(
      ([of, name, value]): Act =>
        (s, key, url) =>
          s.put(`${url}/bundles/${of}/common/${name}`, key, { value }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(language, resource, fc.boolean()).map(
      ([of, body, prune]): Act =>
        (s, key, url) =>
          s.put(`${url}/bundles/${of}/common?prune=${prune}`, key, body),
    ),
  },
  fc.tuple(language, fc.constantFrom(...KEYS)).map(
    ([of, name]): Act =>
      (s, key, url) =>
        s.call('DELETE', `${url}/bundles/${of}/common/${name}`, { key }),
  ),
  fc.tuple(fc.constantFrom('de', 'fr'), fc.constantFrom(...KEYS)).map(
    ([of, name]): Act =>
      (s, key, url) =>
        s.post(`${url}/confirm`, key, { language: of, namespace: 'common', keys: [name] }),
  ),
  fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom('x', 'n.d')).map(
    ([from, to]): Act =>
      (s, key, url) =>
        s.post(`${url}/rename-key`, key, { namespace: 'common', from, to }),
  ),
  language.map(
    (of): Act =>
      (s, key, url) =>
        s.call('DELETE', `${url}/bundles/${of}/common`, { key }),
  ),
  fc.boolean().map(
    (flat): Act =>
      (s, key, url) =>
        s.call('PATCH', url, { key, body: { defaultFormat: flat ? 'i18next-json-flat' : 'i18next-json' } }),
  ),
)

const CASES = Number(process.env.CASES ?? 4)

t.test('undoes several commits', async t => {
  const server = await startServer(t)
  const { id, key } = await server.organization()
  const revisionsOf = async (url: string): Promise<string[]> => {
    const { json } = await server.get(`${url}/history?limit=100`, key)
    return json.revisions.map(({ revision }: { revision: string }) => revision)
  }
  /** The project's files, notes included. */
  const filesOf = (slug: string) => {
    const names = server.git(id, 'ls-tree', '-r', '--name-only', 'HEAD', slug).split('\n').filter(Boolean)
    return names.map(name => [
      name.slice(slug.length),
      server.git(id, 'show', `HEAD:${name}`).replace(`"${slug}"`, '"…"'),
    ])
  }

  t.test('undoes several commits together with the result of single undos', async t => {
    const cases = fc.sample(
      fc.tuple(
        fc.array(act, { minLength: 8, maxLength: 14 }),
        fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }),
      ),
      CASES,
    )
    let undone = 0
    for (const [at, [acts, chosen]] of cases.entries()) {
      const urls = [await server.project(key, `one${at}`), await server.project(key, `each${at}`)] as const
      for (const url of urls) for (const run of acts) await run(server, key, url)
      const [one, each] = await Promise.all(urls.map(async url => (await revisionsOf(url)).slice(0, -1)))
      const pick = (all: string[]) => all.filter((_, nth) => chosen[nth])
      const [together, singly] = [pick(one!), pick(each!)]
      if (together.length === 0) continue
      for (const revision of singly) await server.must('POST', `${urls[1]}/revert`, { key, body: { revision } })
      const body = { revisions: together.toReversed() }
      const plan = await server.must('POST', `${urls[0]}/revert?dryRun=true`, { key, body })
      const made = await server.must('POST', `${urls[0]}/revert?details=true`, { key, body })
      t.strictSame(made.json.changes, plan.json.changes, 'as foretold')
      t.strictSame(made.json.revisions, together, 'the newest first, for any order of the request')
      await server.get(`${urls[0]}/history?limit=1`, key)
      t.strictSame(filesOf(`one${at}`), filesOf(`each${at}`), `${at}: ${together.length} of ${one!.length}`)
      undone += together.length
      if (made.json.undoneBy === null) continue
      const [newest, before] = await revisionsOf(urls[0])
      t.equal(newest, made.json.undoneBy, 'one commit')
      t.equal(before, one![0])
    }
    t.ok(undone > CASES, `${undone} commits`)
  })

  t.test('leaves the changes of others between the commits, and can be undone', async t => {
    const url = await server.project(key, 'web')
    const put = (name: string, value: string) => server.put(`${url}/bundles/en/common/${name}`, key, { value })
    for (const name of ['kept', 'taken']) await put(name, 'first')
    const mine: string[] = []
    const note = async () => mine.push((await revisionsOf(url))[0]!)
    for (const name of ['kept', 'taken', 'new']) {
      await put(name, 'mine')
      await note()
    }
    await put('kept', 'another’s')
    await put('taken', 'mine again')
    await note()
    const before = (await server.get(`${url}/bundles/en/common`, key)).text
    const answer = await server.must('POST', `${url}/revert`, { key, body: { revisions: mine } })
    t.match(answer.json, { reverted: 2, revision: mine.at(-1), skipped: [{ key: 'kept', reason: /changed since/ }] })
    t.strictSame((await server.get(`${url}/bundles/en/common`, key)).json, { kept: 'another’s', taken: 'first' })
    t.equal((await revisionsOf(url))[0], answer.json.undoneBy, 'the read of the history seals it')
    const log = server.git(id, 'log', '-1', '--format=%s%n%(trailers:key=Parlance-Reverted,valueonly)', 'HEAD')
    t.strictSame(log.split('\n').filter(Boolean), ['web: undo 4 commits', ...mine.toReversed()])
    await server.must('POST', `${url}/revert`, { key, body: { revision: answer.json.undoneBy } })
    t.equal((await server.get(`${url}/bundles/en/common`, key)).text, before)
    t.match((await server.get(`${url}/history?limit=1`, key)).json.revisions[0].subject, 'web: redo 4 commits')
  })

  t.test('lists the changes of commits to different bundles', async t => {
    const url = await server.project(key, 'lists')
    for (const language of ['en', 'de']) await server.put(`${url}/bundles/${language}/common/a`, key, { value: 'A' })
    const revisions = (await revisionsOf(url)).slice(0, 2)
    for (const query of ['?dryRun=true', '?details=true']) {
      const { json } = await server.must('POST', `${url}/revert${query}`, { key, body: { revisions } })
      t.equal(json.reverted, 2)
      t.equal(json.changes.length, 2, query)
    }
  })

  t.test('refuses wrong requests', async t => {
    const url = await server.project(key, 'wrong')
    const [revision] = await revisionsOf(url)
    const both = await server.post(`${url}/revert`, key, { revision, revisions: [revision] })
    t.match([both.status, both.json.error], [400, /Name the commit to undo as "revision"/])
    t.equal((await server.post(`${url}/revert`, key, {})).status, 400)
    t.equal((await server.post(`${url}/revert`, key, { revisions: [] })).status, 400)
    const many = await server.post(`${url}/revert`, key, { revisions: Array(101).fill(revision) })
    t.match([many.status, many.json.error], [400, /"revisions" must have at most 100 entries/])
  })
})
