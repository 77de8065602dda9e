import t from 'tap'
import { routeOf } from '../../src/auth/routes.ts'
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
