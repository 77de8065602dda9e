import t from 'tap'
import { ROUTES, routeOf } from '../../src/auth/routes.ts'
import { openAuth } from './open.ts'

t.test('what is not listed cannot be reached', async t => {
  const { user } = await openAuth(t)
  const ann = await user('ann')
  const paths = [
    ...[
      '/api-key',
      '/api-key/',
      '/api-key/create',
      '/api-key/list',
      '/api-key/verify?x=1',
      '/API-KEY/create',
      '/api%2Dkey/create',
    ],
    ...[
      '/api-key%2Fcreate',
      '//api-key/create',
      '/./api-key/create',
      '/ok/../api-key/create',
      '/%61pi-key',
      '/api-key;x/create',
    ],
    ...[
      '/open-api/generate-schema',
      '/reference',
      '/error',
      '/change-email',
      '/delete-user',
      '/update-session',
      '/sign-in/social',
    ],
    ...[
      '/request-password-reset',
      '/reset-password',
      '/organization/add-member',
      '',
      '/',
      '/ok/',
      '/OK',
      '/o%6B',
      '/constructor',
    ],
  ]
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, body } = await ann.request(method, path, method === 'POST' ? {} : undefined)
      t.match({ status, body }, { status: 404, body: { error: String, code: 'NOT_FOUND' } }, `${method} ${path}`)
    }
  }
  t.equal(routeOf('GET', '/ok')?.limit, 'other')
  t.equal(routeOf('toString', ''), undefined)
})

t.test('a route says which method it accepts', async t => {
  const { user } = await openAuth(t)
  const ann = await user('ann')
  for (const [path, allow, others] of [
    ['/get-session', 'GET, HEAD', ['POST', 'PUT', 'PATCH', 'DELETE']],
    ['/sign-in/email', 'POST', ['GET', 'PUT', 'DELETE']],
    ['/sign-up/email', 'POST', ['GET', 'PATCH']],
    ['/organization/create', 'POST', ['GET', 'DELETE']],
  ] as const) {
    for (const method of others) {
      const { status, headers, body } = await ann.request(method, path, method === 'POST' ? {} : undefined)
      const expected = { status: 405, body: { error: String, code: 'METHOD_NOT_ALLOWED' } }
      t.match({ status, body }, expected, `${method} ${path}`)
      t.equal(headers.get('allow'), allow)
    }
    const { status, headers } = await ann.request('OPTIONS', path)
    t.match({ status, allow: headers.get('allow') }, { status: 204, allow })
  }
})

/** A value of each kind of a required member. */
const SAMPLES: Record<string, unknown> = {
  text: 'a',
  'some text': 'a',
  name: 'a',
  'new password': 'correct horse battery',
  role: 'member',
  roles: 'member',
  organization: { name: 'Acme' },
  rights: { member: ['create'] },
}
/** Routes without a session. */
const PUBLIC = /^(sign-up|sign-in|oidc|code)$/
const OPEN = new Set(['POST /sign-out', 'GET /get-session', 'GET /ok'])

t.test('says "Sign in first." on each route that needs a session', async t => {
  const stranger = (await openAuth(t)).visitor()
  for (const [name, { limit, body, query }] of Object.entries(ROUTES)) {
    if (PUBLIC.test(limit) || OPEN.has(name)) continue
    const [method, path] = name.split(' ') as ['GET' | 'POST', string]
    const required = Object.entries(body ?? query ?? {}).filter(([member]) => !member.endsWith('?'))
    const given = Object.fromEntries(required.map(([member, kind]) => [member, SAMPLES[String(kind)]]))
    t.notOk(Object.values(given).includes(undefined), `${name}: each required member has a sample`)
    const search = new URLSearchParams(given as Record<string, string>)
    const { status, body: answer } = await (method === 'GET'
      ? stranger.get(`${path}?${search}`)
      : stranger.post(path, given))
    t.match([status, answer], [401, { error: 'Sign in first.', code: 'UNAUTHORIZED' }], name)
  }
})
