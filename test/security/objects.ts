/**
 * OWASP API1 (2023), broken object level authorization: a request for an object of another organization gets the
 * answer of an unknown object, byte for byte.
 * Also checked by test/contract/tenancy, test/http/requests/at, test/http/history, /diff, /restore, /releases, /git.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { git, noGit } from '../http/git-client.ts'
import type { Reply, Scene, Sending } from '../http/server.ts'
import { furnish, routesOf, send, stateOf } from './routes.ts'

/** The parts of an answer that a client can compare, with the requested name or id blanked. */
function visible({ status, headers, text }: Reply, ...asked: string[]): string {
  const { date: _, 'content-length': __, ...others } = headers
  let shown = JSON.stringify([status, others, text])
  for (const name of asked) shown = shown.replaceAll(name, 'ASKED')
  return shown
}

/** An unknown id of the same length and alphabet. */
const madeUp = (id: string) => id.replace(/[0-9a-f]/g, digit => (digit === '0' ? '1' : '0'))

export async function objects(t: Test, scene: Scene): Promise<void> {
  const { server, acme, other } = scene
  await furnish(server, acme.key)
  const web = '/api/projects/vault'

  await t.test('answers as for an unknown project when another organization owns it, on every route', async t => {
    const ask = async (slug: string, sending: Sending) => {
      const names = { slug, language: 'en', namespace: 'common', key: 'a', name: 'v1', id: 'none' }
      const routes = (await routesOf(server, names)).filter(({ template }) => template.includes('{slug}'))
      t.ok(routes.length >= 17, `${routes.length} routes`)
      const answers: [string, string][] = []
      for (const route of routes) {
        // Without a language these answer 400 for any project.
        const needed = /\/(status\/keys|memory\.tmx|refusals)$/.test(route.template) ? ['language=en'] : []
        for (const at of route.query.includes('at') ? [[], ['at=v1'], ['at=2999-01-01']] : [[]]) {
          const query = `?${[...needed, ...at].join('&')}`
          const reply = await send(server, { ...route, path: route.path + query }, sending)
          t.equal(reply.status, route.template.endsWith('/diff') ? 400 : 404, `${route.method} ${route.path}${query}`)
          answers.push([`${route.method} ${route.template}${query}`, visible(reply, slug)])
        }
      }
      for (const query of ['from=v1', 'from=2026-01-01&to=2999-01-01']) {
        answers.push([query, visible(await server.call('GET', `/api/projects/${slug}/diff?${query}`, sending), slug)])
      }
      return answers
    }
    const before = await stateOf(scene)
    for (const sending of [{ key: other.key }, { as: other.owner }]) {
      t.strictSame(await ask('vault', sending), await ask('nobodys', sending))
    }
    t.strictSame(await stateOf(scene), before, 'nothing was changed')
  })

  await t.test('answers as for an unknown id when a state is an object of another repository', async t => {
    await server.project(other.key, 'own')
    await server.put('/api/projects/own/bundles/en/common', other.key, { mine: 'x' })
    const { next } = (await server.get(`${web}/history?limit=1`, acme.key)).json
    t.type(next, 'string', 'a cursor, and everything is sealed')
    const all = server.git(acme.id, 'cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectname)')
    const ids = new Map(
      all
        .trim()
        .split('\n')
        .map(line => line.split(' ') as [string, string]),
    )
    t.strictSame([...ids.keys()].sort(), ['blob', 'commit', 'tag', 'tree'])
    const names = [...ids].flatMap(([type, id]) => [[type, id] as const, [`a short ${type}`, id.slice(0, 12)] as const])
    const asks: [string, (name: string) => Promise<Reply>][] = [
      ['bundle', name => server.get(`/api/projects/own/bundles/en/common?at=${name}`, other.key)],
      ['language', name => server.get(`/api/projects/own/bundles/en?at=${name}`, other.key)],
      ['project', name => server.get(`/api/projects/own?at=${name}`, other.key)],
      ['projects', name => server.get(`/api/projects?at=${name}`, other.key)],
      ['history', name => server.get(`/api/projects/own/history?at=${name}`, other.key)],
      ['diff from', name => server.get(`/api/projects/own/diff?from=${name}`, other.key)],
      ['diff to', name => server.get(`/api/projects/own/diff?from=2999-01-01&to=${name}`, other.key)],
      ['restore', name => server.post('/api/projects/own/restore', other.key, { at: name })],
      ['a dry restore', name => server.post('/api/projects/own/restore?dryRun=true', other.key, { at: name })],
    ]
    for (const [what, id] of names) {
      for (const [where, ask] of asks) {
        const reply = await ask(id)
        t.equal(reply.status, 404, `${where} at a ${what}: ${reply.text}`)
        t.equal(
          visible(reply, id),
          visible(await ask(madeUp(id)), madeUp(id)),
          `${where} at a ${what}: as an unknown id`,
        )
      }
    }
    for (const name of ['v1', 'vault/v1', `vault/v1^{}`, 'refs/tags/vault/v1']) {
      const reply = await server.get(`/api/projects/own/bundles/en/common?at=${encodeURIComponent(name)}`, other.key)
      t.ok(reply.status === 404 || reply.status === 400, name)
    }
    const theirs = await server.get(`/api/projects/own/history?cursor=${next}`, other.key)
    t.equal(theirs.status, 400, `a cursor of another's history: ${theirs.text}`)
    const etag = String((await server.get(`${web}/bundles/en/common`, acme.key)).headers.etag)
    const held = { 'if-match': etag }
    t.equal((await server.put('/api/projects/own/bundles/en/common', other.key, { a: 'x' }, held)).status, 412)
    t.strictSame((await server.get('/api/projects/own/bundles/en/common', other.key)).json, { mine: 'x' })
  })

  await t.test('sends no object of another repository to a clone that names its id', { skip: noGit }, async t => {
    const folder = t.testdir()
    const head = server.git(acme.id, 'rev-parse', 'HEAD').trim()
    const url = `${server.base.replace('http://', `http://x:${other.key}@`)}/api/translations.git`
    await git(['init', '-q', folder])
    const fetch = (id: string, version: string) =>
      git(['-C', folder, '-c', `protocol.version=${version}`, 'fetch', '-q', url, id])
    for (const version of ['0', '2']) {
      const [theirs, nobodys] = [await fetch(head, version), await fetch(madeUp(head), version)]
      t.not(theirs.code, 0)
      t.equal(
        theirs.says.replaceAll(head, 'ASKED'),
        nobodys.says.replaceAll(madeUp(head), 'ASKED'),
        `protocol ${version}`,
      )
    }
    t.strictSame(readdirSync(join(folder, '.git/objects')).sort(), ['info', 'pack'], 'no object came')
    for (const path of [acme.id, `${acme.id}/.git`, `../${acme.id}`, 'HEAD', 'objects/info/packs', 'config']) {
      for (const method of ['GET', 'POST']) {
        const { status } = await server.call(method, `/api/translations.git/${path}`, { key: other.key })
        t.ok(status === 404 || status === 405, `${method} ${path}`)
      }
    }
  })

  await t.test('answers as for an unknown id when a member, invitation or session belongs to others', async t => {
    const members = (await server.call('GET', '/api/auth/organization/list-members', { as: acme.owner })).json.members
    const invited = (await server.invite(acme.owner, 'guest@example.com', 'member')).json.id
    const sessions = (await server.call('GET', '/api/auth/list-sessions', { as: acme.owner })).json
    const member = members.find(({ role }: { role: string }) => role === 'member')
    const before = await stateOf(scene)
    const asks: [path: string, id: string, body: (id: string) => object][] = [
      ['update-member-role', member.id, memberId => ({ memberId, role: 'admin' })],
      ['update-member-role', member.id, memberId => ({ memberId, role: 'admin', organizationId: other.id })],
      ['update-member-role', member.id, memberId => ({ memberId, role: 'admin', organizationId: acme.id })],
      ['remove-member', member.id, memberIdOrEmail => ({ memberIdOrEmail })],
      ['remove-member', scene.member.user.email, memberIdOrEmail => ({ memberIdOrEmail })],
      ['remove-member', member.id, memberIdOrEmail => ({ memberIdOrEmail, organizationId: acme.id })],
      ['cancel-invitation', invited, invitationId => ({ invitationId })],
      ['accept-invitation', invited, invitationId => ({ invitationId })],
      ['reject-invitation', invited, invitationId => ({ invitationId })],
      ['set-active', acme.id, organizationId => ({ organizationId })],
      ['set-active', acme.slug, organizationSlug => ({ organizationSlug })],
      ['update', acme.id, organizationId => ({ organizationId, data: { name: 'Taken' } })],
      ['delete', acme.id, organizationId => ({ organizationId })],
      ['leave', acme.id, organizationId => ({ organizationId })],
      ['has-permission', acme.id, organizationId => ({ organizationId, permissions: { member: ['update'] } })],
    ]
    for (const [path, id, body] of asks) {
      const reply = await server.call('POST', `/api/auth/organization/${path}`, { as: other.owner, body: body(id) })
      t.ok(reply.status >= 400, `${path} ${JSON.stringify(body(id))}: ${reply.status} ${reply.text}`)
      t.notMatch(reply.text, scene.member.user.name, `${path}: no user is named`)
    }
    const { token } = sessions[0]
    const revoked = await server.call('POST', '/api/auth/revoke-session', { as: other.owner, body: { token } })
    t.ok(revoked.status < 500)
    t.strictSame(await stateOf(scene), before, 'nothing was changed')
    t.equal((await server.call('GET', '/api/projects', { as: acme.owner })).status, 200, 'no user was signed out')
    const reads = (await routesOf(server)).filter(
      ({ method, template }) => method === 'GET' && template.startsWith('/api/auth/organization/'),
    )
    for (const { path } of reads) {
      for (const query of [
        `organizationId=${acme.id}`,
        `organizationSlug=${acme.slug}`,
        `id=${invited}`,
        `userId=${acme.owner.user.id}`,
      ]) {
        const { text } = await server.call('GET', `${path}?${query}`, { as: other.owner })
        const told = [acme.owner.user.email, scene.member.user.email, 'guest@example.com', acme.slug]
        t.strictSame(
          told.filter(secret => text.includes(secret)),
          [],
          `${path}?${query.slice(0, 20)}`,
        )
      }
    }
  })

  await t.test('reveals no organization to a stranger', async t => {
    const told = [acme.id, acme.slug, other.id, acme.owner.user.email, acme.owner.user.id, 'vault']
    for (const route of (await routesOf(server)).filter(({ method }) => method === 'GET')) {
      for (const sending of [{}, { as: scene.stranger }]) {
        const { text } = await send(server, route, sending)
        t.strictSame(
          told.filter(name => text.includes(name)),
          [],
          `${route.method} ${route.template}`,
        )
      }
    }
  })
}
