import t from 'tap'
import { openScene } from '../server.ts'

t.test('answers OPTIONS, and returns 405 for methods without a route, without asking for a credential', async t => {
  const { server, acme } = await openScene(t)
  const web = await server.project(acme.key, 'web')
  const bundle = `${web}/bundles/de/common`
  const options = await server.call('OPTIONS', bundle)
  t.match(options, { status: 204, headers: { allow: 'GET, HEAD, POST, PUT, DELETE' } })
  const refused = await server.call('PATCH', bundle)
  t.match(refused, { status: 405, headers: { allow: 'GET, HEAD, POST, PUT, DELETE' } })
  t.match(refused.json, { error: /GET, HEAD, POST, PUT, DELETE/ })
  t.match(await server.call('OPTIONS', '/api/tokens'), { status: 204, headers: { allow: 'GET, HEAD, POST' } })
  for (const path of [`${web}/bundles/de/`, '/%61pi/projects']) {
    t.equal((await server.call('OPTIONS', path)).status, 204, `${path}: as the router reads it`)
  }
  t.equal((await server.call('OPTIONS', '/nothing')).status, 404)
  t.equal((await server.call('PATCH', '/nothing')).status, 404)
})

t.test('returns an error that mentions the slash when the path ends with one', async t => {
  const { server, acme } = await openScene(t)
  const web = await server.project(acme.key, 'web')
  const paths = {
    // An empty name is refused as every other invalid name.
    400: ['/api/projects', `${web}/bundles/de`, `${web}/bundles/de/common`, '/api/tokens'],
    404: [web, '/api/health'],
  }
  for (const [status, path] of Object.entries(paths).flatMap(([status, all]) => all.map(path => [status, path]))) {
    for (const slashed of [`${path}/`, `${path}/?a=b`]) {
      const reply = await server.get(slashed, acme.key)
      t.equal(reply.status, Number(status), slashed)
      t.match(reply.json.error, /ends with a slash, leave that away/, slashed)
    }
  }
  t.notMatch((await server.get('/nowhere', acme.key)).json.error, /slash/)
  t.equal((await server.call('POST', `${web}/bundles/de/common/key`, { key: acme.key })).status, 405)
})

t.test('refuses an unknown method as every other method that the path lacks', async t => {
  const { server, acme } = await openScene(t)
  const web = await server.project(acme.key, 'web')
  // Fastify routes only TRACE of them. It refuses QUERY without a content type before it looks for a route.
  for (const method of ['PROPFIND', 'TRACE', 'QUERY', 'PURGE', 'M-SEARCH']) {
    for (const [path, allow] of [
      ['/api/projects', 'GET, HEAD, POST'],
      [`${web}/bundles/de/common`, 'GET, HEAD, POST, PUT, DELETE'],
      [`${web}/bundles/de/common/a%2Fb?x=y`, 'GET, HEAD, PUT, DELETE'],
      ['/api/tokens', 'GET, HEAD, POST'],
      ['/api/health', 'GET, HEAD'],
    ] as const) {
      const { status, headers, json } = await server.call(method, path, { key: acme.key })
      t.match({ status, allow: headers.allow, json }, { status: 405, allow, json: { error: `not ${method}` } })
    }
    for (const path of ['/nowhere', '/api/projects/', '/api/projectsx', '/api/auth/get-session']) {
      t.equal((await server.call(method, path, { key: acme.key })).status, 404, `${method} ${path}`)
    }
  }
})
