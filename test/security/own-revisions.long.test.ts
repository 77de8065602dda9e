/** A token that is limited to some projects: no answer names a commit of another project, and no request may. */
import t from 'tap'
import { EventClient } from '../http/event-client.ts'
import { must, noGit } from '../http/git-client.ts'
import { openScene, type Reply } from '../http/server.ts'
import { furnish, NAMES, routesOf } from './routes.ts'

const SKIPPED = { skip: noGit }
/** Later commits to another project: more than one turn of the search reads. */
const MANY = 70

async function scene(t: Parameters<typeof openScene>[0]) {
  const { server, acme } = await openScene(t)
  const key = acme.key
  await server.project(key, 'own')
  await furnish(server, key)
  const theirs = `${await server.project(key, 'theirs')}/bundles/en/common`
  const limited = (await server.mint(acme.owner, 'own', 'write', [NAMES.slug, 'own'])).key
  const write = async (from: number, count: number) => {
    for (let at = from; at < from + count; at++) await server.put(theirs, key, { at: String(at) })
  }
  await write(0, 2)
  await server.put(`/api/projects/${NAMES.slug}/bundles/en/common`, key, { a: 'three' })
  await write(2, 1)
  await server.post(`/api/projects/${NAMES.slug}/releases`, key, { name: 'between' })
  await write(3, MANY)
  /** All commits, the newest first, and those of other projects. */
  const commits = async () => {
    await server.newest(acme.id)
    const folder = server.repository(acme.id)
    const list = async (...words: string[]) =>
      (await must(['-C', folder, 'rev-list', 'main', ...words])).split('\n').filter(line => line !== '')
    const all = await list()
    const own = await list('--', NAMES.slug, 'own')
    return { all, own, foreign: all.filter(id => !own.includes(id)) }
  }
  return { server, acme, key, limited, theirs, write, commits }
}

t.test('names no commit of another project in any answer', SKIPPED, async t => {
  const { server, key, limited, commits, write } = await scene(t)
  await server.put(`/api/projects/${NAMES.slug}/bundles/en/common`, key, { a: 'four' })
  const restored = { at: 'between', language: 'en', namespace: 'common' }
  await server.must('POST', `/api/projects/${NAMES.slug}/restore`, { key, body: restored })
  const { foreign } = await commits()
  t.ok(foreign.length > MANY)
  const told = ({ headers, text }: Reply) => {
    // A cursor is base64url of what it names.
    const cursors = [...text.matchAll(/"next":"([^"]+)"/g)].map(([, next]) =>
      Buffer.from(next!, 'base64url').toString(),
    )
    const said = JSON.stringify(headers) + text + cursors
    const ids = said.match(/(?<![0-9a-f])[0-9a-f]{7,40}(?![0-9a-f])/g) ?? []
    return ids.filter(said => foreign.some(id => id.startsWith(said)))
  }
  const project = `/api/projects/${NAMES.slug}`
  const asks: [string, string, unknown?][] = []
  const ats = ['2999-01-01', 'v1', 'between', 'between^', `${NAMES.slug}/between`]
  for (const route of await routesOf(server)) {
    if (!route.token || route.template.startsWith('/api/translations.git') || route.template.endsWith('/events'))
      continue
    const isRead = route.method === 'GET'
    if (isRead) {
      for (const query of ['', ...(route.query.includes('at') ? ats.map(at => `?at=${encodeURIComponent(at)}`) : [])])
        asks.push([route.method, route.path + query])
    } else if (route.template.includes('{slug}') && route.method !== 'DELETE') {
      const dry = route.query.includes('dryRun') ? '?dryRun=true' : ''
      asks.push([route.method, route.path + dry, route.body])
      // A write without a change answers with the newest state.
      if (dry === '') asks.push([route.method, route.path, route.body])
    }
  }
  for (const at of ats) {
    asks.push(['GET', `${project}/diff?from=${encodeURIComponent(at)}`])
    asks.push(['GET', `${project}/diff?from=v1&to=${encodeURIComponent(at)}`])
    asks.push(['POST', `${project}/restore?dryRun=true`, { at }])
  }
  asks.push(['GET', `${project}/status/keys?language=de&limit=1`], ['GET', `${project}/export?format=json`])
  asks.push(['POST', `${project}/push`, { bundles: { en: { common: { c: 'stays' } } } }])
  asks.push(['PUT', `${project}/bundles/en/common`, { c: 'stays' }], ['GET', '/api/projects?at=2999-01-01'])
  asks.push(['POST', `${project}/releases`, { name: 'newest' }], ['GET', `${project}/releases/newest`])
  let successes = 0
  for (const [method, path, body] of asks) {
    const reply = await server.call(method, path, { key: limited, ...(body !== undefined && { body }) })
    if (reply.status < 300) successes++
    t.strictSame(told(reply), [], `${method} ${path} ${reply.status}`)
    t.ok(reply.status < 500, reply.text)
  }
  t.ok(successes > 30, `${successes} of ${asks.length} answered`)
  await write(900, 1)
  t.ok((await commits()).foreign.length > foreign.length)
})

t.test('accepts no id of a commit of another project', SKIPPED, async t => {
  const { server, key, limited, commits } = await scene(t)
  const { own, foreign } = await commits()
  const project = `/api/projects/${NAMES.slug}`
  const asks: [string, (id: string) => [string, string, unknown?]][] = [
    ['bundle', id => ['GET', `${project}/bundles/en/common?at=${id}`]],
    ['projects', id => ['GET', `/api/projects?at=${id}`]],
    ['status', id => ['GET', `${project}/status?at=${id}`]],
    ['history', id => ['GET', `${project}/history?at=${id}`]],
    ['export since', id => ['GET', `${project}/export?format=json&since=${id}`]],
    ['diff', id => ['GET', `${project}/diff?from=${id}`]],
    ['restore', id => ['POST', `${project}/restore?dryRun=true`, { at: id }]],
    ['revert', id => ['POST', `${project}/revert?dryRun=true`, { revision: id }]],
  ]
  const unknown = 'f'.repeat(40)
  for (const [what, ask] of asks) {
    const send = (id: string) => {
      const [method, path, body] = ask(id)
      return server.call(method, path, { key: limited, ...(body !== undefined && { body }) })
    }
    for (const cut of [40, 12]) {
      if (what === 'export since' && cut < 40) continue
      const [theirs, nobodys] = [foreign[1]!.slice(0, cut), unknown.slice(0, cut)]
      const [there, nowhere] = [await send(theirs), await send(nobodys)]
      t.equal(there.status, 404, `${what} ${cut}: ${there.text}`)
      t.equal(there.text.replaceAll(theirs, 'ID'), nowhere.text.replaceAll(nobodys, 'ID'), what)
      t.equal((await send(own[0]!.slice(0, cut))).status, 200, `${what}: its own id is accepted`)
    }
  }
  const [, path] = asks[0]![1](`${own[1]}%5E`)
  const before = await server.get(path, limited)
  t.equal(before.text, (await server.get(path, key)).text, 'the state before its own commit is the same')
})

t.test('streams every event of the own projects with ids of their commits only', SKIPPED, async t => {
  const { server, key, limited, theirs, write, commits } = await scene(t)
  const { own, foreign } = await commits()
  const path = `/api/projects/${NAMES.slug}/events`
  const open = async (last?: string) => {
    const stream = new EventClient(server.base, path, {
      'x-api-key': limited,
      ...(last !== undefined && { 'last-event-id': last }),
    })
    t.teardown(() => stream.close())
    return stream
  }
  const first = await (await open()).opened()
  t.equal(first.lastId, own[0])
  first.close()
  const change = (text: string) => server.put(`/api/projects/${NAMES.slug}/bundles/en/common`, key, { a: text })
  await change('while away')
  await write(500, 3)
  const again = await open(first.lastId)
  const [event] = await again.reaches(1)
  t.match(event, { event: 'change', data: { bundles: [{ language: 'en', namespace: 'common' }] } })
  t.equal(event!.id, (await commits()).own[0])
  await write(600, 2)
  await change('while there')
  await again.reaches(2)
  t.strictSame(again.ids, (await commits()).own.slice(0, 2).reverse(), 'each own commit once, and no other')

  const reset = await open(foreign[0])
  const [answer] = await reset.reaches(1)
  const newest = (await commits()).own[0]
  t.match(answer, { event: 'reset', id: newest, data: { revision: newest } }, 'the id of another project is unknown')
  await server.put(theirs, key, { last: 'x' })
  await change('after the reset')
  await reset.reaches(2)
  t.equal(reset.events[1]?.id, (await commits()).own[0])
  const idle = await open((await commits()).own[0])
  await change('at last')
  t.match(await idle.reaches(1), [{ event: 'change', id: (await commits()).own[0] }])
})
