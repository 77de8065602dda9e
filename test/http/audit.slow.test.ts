import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parlance } from '../operator/parlance.ts'
import { openScene, type Row, runRows, type Scene } from './server.ts'

interface Entry {
  id: string
  time: string
  what: string
  by: string
  who: { email: string } | null
  about: { type: string; id: string | null; name: string } | null
}

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

t.test('refuses other roles and wrong queries', async t => {
  const { server, acme, admin, member, other, stranger, reader } = scene
  const read = { method: 'GET', path: '/api/audit', as: acme.owner }
  const ask = (query: string, status = 200): Row => ({ ...read, name: query, path: `/api/audit?${query}`, status })
  const { entries } = (await server.must('GET', '/api/audit', { as: acme.owner })).json
  const [{ id, time }] = entries as [Entry]
  await runRows(t, server, [
    { ...read, name: 'nobody', as: undefined, status: 401 },
    { ...read, name: 'a token', as: undefined, key: acme.key, status: 403 },
    { ...read, name: 'a read token', as: undefined, key: reader, status: 403 },
    { ...read, name: 'a token beside an owner', key: acme.key, status: 403 },
    { ...read, name: 'a member of nothing', as: stranger, status: 403 },
    { ...read, name: 'a member', as: member, status: 403 },
    {
      ...read,
      name: 'an admin',
      as: admin,
      status: 403,
      check: ({ json }, t) => t.match(json.error, /needs the role owner, and yours is admin/),
    },
    {
      ...read,
      name: 'an owner',
      status: 200,
      check: ({ headers }, t) => {
        t.match(headers['cache-control'], /private|no-store/)
        t.notOk(headers['access-control-allow-origin'])
      },
    },
    { ...read, name: 'HEAD', method: 'HEAD', status: 200 },
    { ...read, name: 'POST', method: 'POST', body: {}, status: 405 },
    ask('unknown=1'),
    ask('what=role-changed&limit=1'),
    ask(`at=${time}`),
    ask('at=2026-01-01'),
    ask(`cursor=${id}`),
    ask('limit=0', 400),
    ask('limit=101', 400),
    ask('limit=1&limit=2', 400),
    ask('what=everything', 400),
    ask('what=', 400),
    ask('what=sign-in&what=sign-in', 400),
    ask('at=yesterday', 400),
    ask('at=2026-02-30', 400),
    ask('cursor=none', 400),
    ask('cursor=', 400),
    { ...ask(`cursor=${id}`, 400), name: "another organization's cursor", as: other.owner },
  ])
  const theirs = await server.call('GET', `/api/audit?cursor=${id}`, { as: other.owner })
  const unknown = await server.call('GET', '/api/audit?cursor=none', { as: other.owner })
  t.strictSame([theirs.status, theirs.text], [unknown.status, unknown.text])
  const none = await server.call('GET', '/api/audit?user=nobody&what=sign-in&at=2026-01-01', { as: acme.owner })
  t.strictSame(none.json, { entries: [], next: null })
})

t.test('returns entries by page and filter', async t => {
  const { server, acme, admin } = scene
  const all: Entry[] = (await server.must('GET', '/api/audit?limit=100', { as: acme.owner })).json.entries
  t.ok(all.length > 6)
  t.strictSame(
    [...all].sort((a, b) => (a.time < b.time ? 1 : -1)).map(({ time }) => time),
    all.map(({ time }) => time),
  )
  const paged: Entry[] = []
  let cursor = ''
  do {
    const { entries, next } = (await server.must('GET', `/api/audit?limit=2${cursor}`, { as: acme.owner })).json
    t.ok(entries.length <= 2)
    paged.push(...entries)
    cursor = next ? `&cursor=${next}` : ''
  } while (cursor)
  t.strictSame(paged, all)
  const few = async (query: string): Promise<Entry[]> =>
    (await server.must('GET', `/api/audit?limit=100&${query}`, { as: acme.owner })).json.entries
  const { email, id } = admin.user
  const of = all.filter(({ who, about }) => who?.email === email || about?.name === email)
  t.ok(of.length >= 2)
  t.strictSame(await few(`user=${email.toUpperCase()}`), of)
  t.match(await few(`user=${id}`), [{ what: 'invitation-accepted' }])
  t.ok((await few('what=token-minted')).every(({ what }) => what === 'token-minted'))
  t.match(await few('what=organization-made'), [{ about: { id: acme.id } }])
})

t.test('records actor and address, and no secret', async t => {
  const { server, acme } = scene
  const minted = await server.mint(acme.owner, 'deploy')
  await server.must('DELETE', `/api/tokens/${minted.id}`, { as: acme.owner })
  const web = await server.project(acme.key, 'web')
  await server.put(`${web}/bundles/en/common`, acme.key, { greeting: 'a translation that is private' })
  await server.signIn(acme.owner.user.email, 'a guess at the password')
  await server.signIn(acme.owner.user.email, acme.owner.password)
  const invited = await server.invite(acme.owner, 'new@example.com', 'member')
  const reset = await parlance(t, [
    'server',
    'user',
    'reset-password',
    '--email',
    acme.owner.user.email,
    '--json',
    '--data-dir',
    server.dataDir,
  ])
  t.equal(reset.code, 0, reset.errors)
  t.equal((await server.call('GET', '/api/audit', { as: acme.owner })).status, 401, 'the session has ended')
  acme.owner.keep((await server.signIn(acme.owner.user.email, reset.json.password)).headers)
  const { text, json } = await server.must('GET', '/api/audit?limit=8', { as: acme.owner })
  const who = { id: acme.owner.user.id, email: acme.owner.user.email }
  const address = '127.0.0.1'
  t.match(json.entries, [
    { what: 'sign-in', by: 'user', who, address },
    {
      what: 'password-reset',
      by: 'operator',
      who: null,
      about: { type: 'user', id: who.id, name: who.email },
      address: null,
    },
    { what: 'invitation-made', who, about: { type: 'invitation', id: null, name: 'new@example.com' }, to: 'member' },
    { what: 'sign-in', who },
    { what: 'sign-in-failed', by: 'nobody', who: null, about: { id: who.id, name: who.email }, address },
    { what: 'token-revoked', who, about: { type: 'token', id: minted.id, name: 'deploy' }, from: 'write', address },
    { what: 'token-minted', who, about: { type: 'token', id: minted.id, name: 'deploy' }, to: 'write', address },
  ])
  const file = ['', '-wal'].map(end => readFileSync(join(server.dataDir, `parlance.sqlite${end}`), 'latin1')).join('')
  const everything = text + (await server.must('GET', '/api/audit?limit=100', { as: acme.owner })).text
  for (const secret of ['a guess at the password', reset.json.password, acme.owner.password, minted.key, acme.key]) {
    t.notOk(everything.includes(secret))
    t.notOk(file.includes(secret), 'not in the file')
  }
  t.notOk(file.includes('a translation that'))
  t.notOk(everything.includes(invited.json.id), 'no id of an invitation, which admits its holder')
})
