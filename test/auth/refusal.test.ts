import t from 'tap'
import { inOurForm, Refusal } from '../../src/auth/refusal.ts'

t.test('errors in one form', async t => {
  const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })
  const table: [string, Response, number, object][] = [
    [
      'code and message',
      json(400, { code: 'X', message: 'No x.' }),
      400,
      { error: 'No x.', code: 'X', message: 'No x.' },
    ],
    ['no code', json(403, { message: 'Not you.' }), 403, { error: 'Not you.', code: 'FORBIDDEN' }],
    ['an empty body', new Response(null, { status: 404 }), 404, { error: /route/, code: 'NOT_FOUND' }],
    ['plain text', new Response('Not Found', { status: 404 }), 404, { error: /route/, code: 'NOT_FOUND' }],
    ['null', json(401, null), 401, { error: /sign in/i, code: 'UNAUTHORIZED' }],
    [
      'a role that does not suffice',
      json(401, { code: 'YOU_ARE_NOT_ALLOWED_TO_X', message: 'No.' }),
      403,
      { error: 'No.' },
    ],
    [
      'a failure of the server',
      json(502, { code: 'X', message: '/srv/a.js:7' }),
      500,
      { code: 'INTERNAL_SERVER_ERROR', error: /log/ },
    ],
  ]
  for (const [what, response, status, body] of table) {
    const answer = await inOurForm(response, false)
    t.equal(answer.status, status, what)
    t.equal(answer.headers.get('content-type'), 'application/json', what)
    t.match(await answer.json(), body, what)
  }
})

t.test('what succeeds is left as it is', async t => {
  const headers = new Headers({ 'content-type': 'application/json' })
  headers.append('set-cookie', 'a=1; HttpOnly')
  headers.append('set-cookie', 'b=2')
  const answer = await inOurForm(new Response('null', { headers }), true)
  t.equal(await answer.text(), 'null')
  t.equal(answer.headers.get('cache-control'), 'no-store')
  t.same(answer.headers.getSetCookie(), ['a=1; HttpOnly; Secure', 'b=2; Secure'])
  t.same((await inOurForm(new Response('null', { headers }), false)).headers.getSetCookie(), ['a=1; HttpOnly', 'b=2'])
})

t.test('a refusal of our own', async t => {
  const answer = new Refusal(429, 'TOO_MANY_REQUESTS', 'Later.', { 'retry-after': '3' }).response()
  t.equal(answer.status, 429)
  t.equal(answer.headers.get('retry-after'), '3')
  t.same(await answer.json(), { error: 'Later.', code: 'TOO_MANY_REQUESTS', message: 'Later.' })
})
