/**
 * OWASP API4 and API6 (2023), unrestricted resource consumption and access to sensitive flows: the cost of one
 * request, and limits of costly ones. Also checked by test/http/bounds/body-memory, /connections,
 * /request-limits, test/long/git-load, test/long/history-load and test/contract/bodies, /sign-in.
 */
import type { Test } from 'tap'
import { type Scene, startServer } from '../http/server.ts'
import { untilReady } from '../until-ready.ts'
import { furnish, isAuthWrite, isOwnWrite, NAMES, routesOf } from './routes.ts'

export async function consumption(t: Test, scene: Scene): Promise<void> {
  const { server, acme } = scene
  await furnish(server, acme.key)
  const routes = await routesOf(server)

  await t.test('returns 413 by Content-Length alone on every route with a body', async t => {
    const writes = routes.filter(route => (isOwnWrite(route) || isAuthWrite(route)) && route.body !== undefined)
    t.ok(writes.length > 25)
    for (const { method, template, path, type = 'application/json' } of writes) {
      const length = 10 * 2 ** 30
      const reply = await new Promise<{ status: number; text: string }>((resolve, reject) => {
        const { cookie } = acme.owner
        const headers = { cookie, 'content-type': type, 'content-length': String(length) }
        // The body is never sent: a route that waits for it never answers.
        const request = server.open(method, path, { ...headers, origin: server.origin })
        request.on('error', reject)
        request.on('response', response => {
          let text = ''
          response.on('data', part => (text += part))
          const end = () => {
            request.destroy()
            resolve({ status: response.statusCode!, text })
          }
          response.on('end', end)
        })
        request.flushHeaders()
      })
      t.equal(reply.status, 413, `${method} ${template}: ${reply.text}`)
    }
  })

  await t.test('refuses a limit above the maximum of a list', async t => {
    const paged = routes.filter(({ query }) => query.includes('limit'))
    t.ok(paged.length >= 3, `${paged.length} routes`)
    for (const { template, path } of paged) {
      const needed = template === '/api/memory' ? 'source=x&from=en&to=de' : 'from=v1&language=en'
      const ask = (limit: string) =>
        untilReady(() => server.call('GET', `${path}?${needed}&limit=${limit}`, { as: acme.owner }))
      t.equal((await ask('1')).status, 200, template)
      for (const limit of ['0', '-1', '1000000', '9'.repeat(30), '1e9', 'all']) {
        t.equal((await ask(limit)).status, 400, `${template}?limit=${limit}`)
      }
    }
    const many = Array.from({ length: 2000 }, (_, n) => `namespace=n${n}`).join('&')
    const reply = await server.get(`/api/projects/${NAMES.slug}/bundles/en?${many}`, acme.key)
    t.ok(reply.status < 500, `two thousand namespaces: ${reply.status}`)
  })

  await t.test(
    'returns 429 to one address that creates organizations or checks slugs (invitations: test/auth/rate-limit)',
    async t => {
      const guarded = await startServer(t, { dataDir: `${server.dataDir}-flows`, env: { RATE_LIMIT: 'on' } })
      const ann = await guarded.signUp('Ann')
      await guarded.createOrganization(ann)
      const ask = (path: string) =>
        guarded.call('POST', `/api/auth/organization/${path}`, { as: ann, body: { slug: 'taken' } })
      let asked = 0
      while ((await ask('check-slug')).status !== 429 && asked < 200) asked++
      t.ok(asked <= 120, `${asked} slugs`)
      const create = await ask('create')
      t.equal(create.status, 429, 'both routes share the limit')
      t.match(create.headers['retry-after'], /^\d+$/)
      t.equal(
        (await guarded.call('GET', '/api/auth/organization/list', { as: ann })).status,
        200,
        'other routes still answer',
      )
      await guarded.close()
    },
  )
}
