import Fastify from 'fastify'
import t from 'tap'
import { otherMethods, tellMethods } from '../../../src/http/requests/methods.ts'
import { openScene } from '../server.ts'

t.test('answers OPTIONS, and returns 405 for methods without a route', async t => {
  const app = Fastify()
  const complete = otherMethods(app, tellMethods, [])
  app.get('/things/:id', () => 'got')
  app.delete('/things/:id', () => 'deleted')
  await app.register(async scope => {
    scope.addHook('onRequest', async () => {
      throw new Error('the hooks of the routes must not run for other methods')
    })
    scope.put('/inner', () => 'put')
  })
  complete()
  const ask = (method: 'GET' | 'HEAD' | 'DELETE' | 'OPTIONS' | 'POST' | 'PUT', url: string) =>
    app.inject({ method, url })
  t.equal((await ask('GET', '/things/1')).body, 'got')
  t.equal((await ask('HEAD', '/things/1')).statusCode, 200)
  const options = await ask('OPTIONS', '/things/1')
  t.equal(options.statusCode, 204)
  t.equal(options.headers.allow, 'GET, HEAD, DELETE')
  const refused = await ask('POST', '/things/1')
  t.equal(refused.statusCode, 405)
  t.equal(refused.headers.allow, 'GET, HEAD, DELETE')
  t.match(refused.json(), { error: /GET, HEAD, DELETE/ })
  t.equal((await ask('GET', '/inner')).statusCode, 405)
  t.equal((await ask('PUT', '/inner')).statusCode, 500)
  t.equal((await ask('GET', '/nothing')).statusCode, 404)
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
