/**
 * OWASP API5 (2023), broken function level authorization, and cross-site request forgery: every write route of
 * the OpenAPI document with every caller that lacks the right. Written tables: test/http/tokens, /caller,
 * /manage, /restore, /releases and test/contract/auth, /projects.
 */
import type { Test } from 'tap'
import { isError, type Scene } from '../http/server.ts'
import { furnish, isAuthWrite, isOwnWrite, NAMES, routesOf, send, stateOf, WRITES } from './routes.ts'

/** `SECURITY=all`: each forged origin on each route. By default each route gets two, and one of the others in turn. */
const ALL = process.env.SECURITY === 'all'

const FORMS = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']

export async function functions(t: Test, scene: Scene): Promise<void> {
  await furnish(scene.server, scene.acme.key)
  const { id } = await scene.server.mint(scene.acme.owner, 'target')
  const routes = await routesOf(scene.server, { ...NAMES, id })

  await t.test('lists every write route of the OpenAPI document in the table', async t => {
    const described = routes.filter(isOwnWrite).map(({ method, template }) => `${method} ${template}`)
    t.strictSame(described.sort(), Object.keys(WRITES).sort(), 'test/security/routes.ts')
  })

  await t.test('refuses every write route to callers without the right', async t => {
    const { server, acme, reader, member, stranger, other } = scene
    const { key: adder } = await server.mint(acme.owner, 'production', 'add')
    const before = await stateOf(scene)
    for (const route of routes.filter(isOwnWrite)) {
      const { method, template, token } = route
      const what = `${method} ${template}`
      const key = `prl_${'A'.repeat(43)}`
      isError(t, await send(server, route, {}), 401, `${what}: nobody`)
      isError(t, await send(server, route, { key }), 401, `${what}: an unknown token`)
      isError(t, await send(server, route, { key, as: acme.owner }), 401, `${what}: an unknown token beside a session`)
      isError(
        t,
        await send(server, route, { headers: { cookie: 'parlance.session_token=x.y' } }),
        401,
        `${what}: a cookie`,
      )
      isError(t, await send(server, route, { as: stranger }), 403, `${what}: in no organization`)
      isError(t, await send(server, route, { key: reader }), 403, `${what}: a token that may read`)
      isError(t, await send(server, route, { key: reader, as: acme.owner }), 403, `${what}: the same beside an owner`)
      // saveMissing alone is for scope `add`.
      if (what !== 'POST /api/projects/{slug}/bundles/{language}/{namespace}')
        isError(t, await send(server, route, { key: adder }), 403, `${what}: a token that may add`)
      if (!token) {
        isError(t, await send(server, route, { key: acme.key }), 403, `${what}: accepts no token`)
        isError(
          t,
          await send(server, route, { key: acme.key, as: acme.owner }),
          403,
          `${what}: a token beside a session`,
        )
      }
      if (WRITES[what]?.least === 'admin')
        isError(t, await send(server, route, { as: member }), 403, `${what}: a member`)
      if (template.includes('{'))
        isError(t, await send(server, route, { as: other.owner }), 404, `${what}: another organization`)
      // Headers and fields that a proxy or a framework reads as another method.
      const override = { 'x-http-method-override': method, 'x-method-override': method, 'x-http-method': method }
      const plain = { ...route, method: 'POST', body: { _method: method } }
      if (method !== 'POST')
        t.ok((await send(server, plain, { key: reader, headers: override })).status >= 400, `${what}: overridden`)
    }
    t.strictSame(await stateOf(scene), before, 'nothing was changed')
  })

  await t.test('refuses every write with a cookie from another site', async t => {
    const { server, acme } = scene
    const { cookie } = acme.owner
    const foreign: [string, Record<string, string>][] = [
      ['another origin', { origin: 'https://evil.example' }],
      ['another site', { 'sec-fetch-site': 'cross-site' }],
      ['an origin that begins like ours', { origin: `${server.origin}.evil.example` }],
      ['an origin that ends like ours', { origin: server.origin.replace('://', '://evil.') }],
      ['our host on another port', { origin: server.origin.replace(/\d+$/, '1') }],
      ['no origin at all, says the browser', { origin: 'null' }],
      ['a sibling', { 'sec-fetch-site': 'same-site', origin: server.origin }],
      ['a forged host', { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' }],
      ['a forged forwarding', { origin: 'https://evil.example', forwarded: 'host=evil.example;proto=https' }],
    ]
    const before = await stateOf(scene)
    const writes = routes.filter(route => isOwnWrite(route) || isAuthWrite(route))
    t.ok(writes.length > 35, `${writes.length} routes`)
    for (const [index, route] of writes.entries()) {
      t.ok(route.cookie, `${route.method} ${route.template} accepts cookies`)
      for (const [turn, [what, headers]] of foreign.entries()) {
        if (!ALL && turn > 1 && turn - 2 !== index % (foreign.length - 2)) continue
        const reply = await send(server, route, { headers: { cookie, ...headers } })
        t.equal(reply.status, 403, `${route.method} ${route.template}: ${what}`)
        t.notOk('set-cookie' in reply.headers)
      }
      // A form sends these types without a preflight. An old browser sends them without an origin.
      for (const type of ALL ? FORMS : [FORMS[index % FORMS.length]!]) {
        if (route.body === undefined) continue
        const reply = await send(server, route, { headers: { cookie, 'content-type': type } })
        t.equal(reply.status, 415, `${route.method} ${route.template}: a form as ${type}`)
      }
    }
    t.strictSame(await stateOf(scene), before, 'nothing was changed')
  })

  await t.test('refuses GET on every route that writes', async t => {
    const { server, acme } = scene
    const before = await stateOf(scene)
    const reads = new Set(routes.filter(({ method }) => method === 'GET').map(({ template }) => template))
    for (const { template, path } of routes.filter(route => isOwnWrite(route) || isAuthWrite(route))) {
      const { status } = await server.call('GET', path, { as: acme.owner })
      if (!reads.has(template)) t.ok(status === 404 || status === 405, `GET ${template}: ${status}`)
    }
    t.strictSame(await stateOf(scene), before, 'nothing was changed')
  })

  await t.test('accepts the example of every write route from a caller with the right', async t => {
    const { server, acme, admin, member } = scene
    /** With the id of an object that the caller may change. */
    const pathFor = async ({ template, path }: (typeof routes)[number]): Promise<string> => {
      if (template === '/api/tokens/{id}') return `/api/tokens/${(await server.mint(admin)).id}`
      if (template === '/api/members/{id}/rights')
        return `/api/members/${await server.membership(acme, await server.join(acme, 'Nia', 'member'))}/rights`
      if (!template.endsWith('/comments/{namespace}/{key}/{id}')) return path
      const at = path.slice(0, path.lastIndexOf('/'))
      return `${at}/${(await server.must('POST', at, { as: member, body: { text: 'own' } })).json.id}`
    }
    // They need a machine: test/http/translate.
    const needsMachine = ({ template }: (typeof routes)[number]) => /\/(translate|jobs\/\{id\})$/.test(template)
    for (const route of routes.filter(route => isOwnWrite(route) && !needsMachine(route))) {
      const what = `${route.method} ${route.template}`
      await furnish(server, acme.key)
      const path = await pathFor(route)
      // A machine of the example has no suggestions: the member has one.
      const decides = /suggestions\/(accept|reject)$/.test(route.template)
      const own = `/api/projects/${NAMES.slug}/suggestions/de/common/a`
      if (decides) await server.must('POST', own, { as: member, body: { value: 'besser' } })
      const body = decides ? { ...(route.body as object), by: member.user.id } : route.body
      const before = await stateOf(scene)
      const reply = await send(
        server,
        { ...route, path, body },
        { as: WRITES[what]?.least === 'member' ? member : admin },
      )
      t.ok(reply.status < 300, `${what}: ${reply.status} ${reply.text}`)
      const after = await stateOf(scene)
      // A suggestion may spend money, so it needs the rights of a write.
      if (what.endsWith('/suggest')) t.strictSame(after, before, `${what} writes nothing`)
      else if (!what.startsWith('DELETE /api/tokens')) t.notSame(after, before, `${what} changes something`)
    }
  })
}
