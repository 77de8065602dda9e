import t from 'tap'
import { readBody } from '../../src/auth/validate-request.ts'

function request(
  body: string | Uint8Array<ArrayBuffer> | undefined,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  return new Request('http://parlance.test/', { method: 'POST', headers, ...(body === undefined ? {} : { body }) })
}

t.test('JSON objects', async t => {
  t.equal(await readBody(request(undefined)), undefined)
  t.equal(await readBody(request('')), undefined)
  t.same(await readBody(request('{"a":"ü"}')), { a: 'ü' })
  t.same(await readBody(request('\ufeff{}')), {}, 'a byte order mark is skipped')
  for (const type of [
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json;charset=utf8',
  ]) {
    t.ok(await readBody(request('{}', { 'content-type': type })), type)
  }
})

t.test('anything else', async t => {
  const json = { 'content-type': 'application/json' }
  const table: [string, string | Uint8Array<ArrayBuffer>, Record<string, string>][] = [
    ['INVALID_JSON', '{', json],
    ['INVALID_JSON', '[]', json],
    ['INVALID_JSON', 'null', json],
    ['INVALID_JSON', '"text"', json],
    ['INVALID_JSON', new Uint8Array([0x22, 0xff, 0x22]), json],
    ['UNSUPPORTED_MEDIA_TYPE', '{}', {}],
    ['UNSUPPORTED_MEDIA_TYPE', '{}', { 'content-type': 'text/plain' }],
    ['UNSUPPORTED_MEDIA_TYPE', '{}', { 'content-type': 'xapplication/json' }],
    ['UNSUPPORTED_MEDIA_TYPE', '{}', { 'content-type': 'application/json; charset=latin1' }],
    ['UNSUPPORTED_MEDIA_TYPE', '{}', { 'content-type': 'application/json; version=1' }],
    ['UNSUPPORTED_MEDIA_TYPE', '{}', { ...json, 'content-encoding': 'gzip' }],
    ['UNSUPPORTED_MEDIA_TYPE', '{}', { ...json, 'content-encoding': 'identity' }],
    ['UNSUPPORTED_MEDIA_TYPE', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
  ]
  for (const [code, body, headers] of table) {
    await t.rejects(readBody(request(body, headers)), { name: 'Refusal', code }, `${code} ${String(body)}`)
  }
})
