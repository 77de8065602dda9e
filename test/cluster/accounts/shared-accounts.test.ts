/** Accounts that several nodes share. */

import t from 'tap'
import type { Auth } from '../../../src/auth/auth.ts'
import type { EngineOptions } from '../../../src/auth/options.ts'
import { SharedAccounts } from '../../../src/cluster/accounts/shared-accounts.ts'
import { accountsFailure } from '../../../src/cluster/postgres-errors.ts'
import { admit } from '../../auth/open.ts'
import { eventually } from '../../eventually.ts'
import { noPostgres } from '../postgres.ts'
import { accountsOnPostgres, elsewhere, openNode } from './nodes.ts'

t.test('accounts on PostgreSQL', { skip: noPostgres() }, async t => {
  const { newNodes } = await accountsOnPostgres(t)

  t.test('a node knows what another one acknowledged, and refuses a revoked right', async t => {
    const nodes = await newNodes(t)
    const [settled, gone]: string[][] = [[], []]
    const onOrganizationDeleted = (id: string, elsewhere: boolean) => void gone!.push(`${id} ${elsewhere}`)
    const [one, other] = [
      await openNode(t, nodes, { onOrganizationDeleted }),
      await openNode(t, nodes, { settle: async id => void settled!.push(id), onOrganizationDeleted }),
    ]
    const [ann, bob] = [one.visitor(), other.visitor()]
    t.match(await ann.signUp('ann'), { status: 200 })
    t.match(await bob.signUp('bob'), { status: 200 })
    const acme = await ann.found('acme')
    t.match(await other.auth.session(ann.headers), { user: { name: 'ann' }, organization: { id: acme, role: 'owner' } })
    t.match(other.auth.named(acme), { slug: 'acme' })
    await admit(elsewhere(other.auth, ann), elsewhere(one.auth, bob), 'bob', 'admin', acme)
    const bobs = await one.auth.session(bob.headers)
    t.match(bobs?.organization, { id: acme, role: 'admin' })

    const caller = (auth: Auth) => ({
      ...({ kind: 'session', scope: 'write', organization: acme, role: 'admin', name: 'bob' } as const),
      ...{ id: bobs!.user.id, session: bobs!.id, email: 'bob@example.com', auth },
    })
    const acting = { path: 'tokens', user: { id: bobs!.user.id, email: 'bob@example.com' } }
    const asked = { organization: acme, name: 'ci', scope: 'write', createdBy: { id: 'b', name: 'Bob' } } as const
    const token = await other.auth.mint(caller(other.auth), asked, acting)
    t.match(one.auth.tokens.verify(token.key), { id: token.id, organization: acme })
    t.equal(await other.auth.revoke(caller(other.auth), token.id, acting), true)
    t.equal(one.auth.tokens.verify(token.key), undefined)
    const kept = await other.auth.mint(caller(other.auth), asked, acting)

    settled!.length = 0
    const { members } = (await ann.get('/organization/list-members')).body
    const memberId = members.find(({ role }: { role: string }) => role === 'admin').id
    await ann.post('/organization/update-member-role', { memberId, role: 'member' })
    t.throws(() => other.auth.recheck(caller(other.auth), 'manage-tokens'), { code: 'forbidden' })
    t.strictSame(settled, [acme], 'the other node has waited for what was under way there')
    await t.rejects(other.auth.mint(caller(other.auth), asked, acting), { code: 'forbidden' })
    await bob.post('/sign-out', {})
    t.equal(await one.auth.session(bob.headers), null)
    t.throws(() => one.auth.recheck(caller(one.auth), 'read'), { code: 'unauthenticated' })
    await ann.post('/organization/remove-member', { memberIdOrEmail: 'bob@example.com' })
    await bob.signIn('bob')
    t.match(await one.auth.session(bob.headers), { organization: null })

    t.ok(one.auth.tokens.verify(kept.key))
    await elsewhere(other.auth, ann).post('/organization/delete', { organizationId: acme })
    t.equal(one.auth.tokens.verify(kept.key), undefined)
    t.equal(one.auth.named(acme), undefined)
    t.ok(await eventually(() => gone!.length >= 2))
    t.strictSame(gone!.sort(), [`${acme} false`, `${acme} true`], 'each node puts it away, and knows who deleted it')
    t.strictSame([one.errors, other.errors], [[], []])
  })

  t.test('tables of version 7 stay as they are, and the scope suggest is accepted on every node', async t => {
    const nodes = await newNodes(t)
    const before = await openNode(t, nodes)
    const ann = before.visitor()
    await ann.signUp('ann')
    const organization = await ann.found('acme')
    const asked = { organization, name: 'agent', createdBy: { id: 'a', name: 'Ann' }, projects: ['web'] } as const
    const acting = { path: 'tokens', user: { id: 'a', email: 'ann@example.com' } }
    const app = await before.auth.tokens.mint({ ...asked, scope: 'add' }, acting)
    await nodes.ask(`alter table api_token drop constraint api_token_scope_check,
      add check (scope in ('read', 'add', 'write'))`)
    await nodes.ask("update cluster_setting set value = '7' where name = 'accounts_version'")
    await t.rejects(before.auth.tokens.mint({ ...asked, scope: 'suggest' }, acting))

    const [one, other] = [await openNode(t, nodes), await openNode(t, nodes)]
    t.match(one.auth.tokens.verify(app.key), { scope: 'add', projects: ['web'] })
    const { user, id: session } = (await one.auth.session(ann.headers))!
    const caller = { ...user, kind: 'session', session, scope: 'write', role: 'owner', organization } as const
    const { key } = await one.auth.mint(caller, { ...asked, scope: 'suggest' }, acting)
    t.match(other.auth.tokens.verify(key), { scope: 'suggest', projects: ['web'] })
  })

  t.test('a node that was removed from the list changes nothing', async t => {
    const nodes = await newNodes(t)
    await nodes.ask('create table node (id text primary key)')
    await nodes.ask("insert into node values ('n1')")
    let id = 'n1'
    const openEngine = (given: EngineOptions) => SharedAccounts.open({ ...nodes.options(), node: () => id }, given)
    const { auth, visitor } = await openNode(t, nodes, { openEngine })
    t.match(await visitor().signUp('ann'), { status: 200 })
    id = 'n2'
    t.match(await visitor().signUp('bob'), { status: 503 })
    await nodes.ask("insert into node values ('n2')")
    t.match(await visitor().signUp('bob'), { status: 200 })
    await nodes.ask("delete from node where id = 'n2'")
    t.match(await visitor().signIn('ann'), { status: 503 })
    t.equal((await auth.audit.read('none', { limit: 1 }))?.entries.length, 0, 'reads go on')
  })

  // As one is for a node that stood still meanwhile.
  t.test('an answer of the database that did not come in time is a doubt', async t => {
    const client = await (await newNodes(t)).options().pool.connect()
    const asked = { text: 'select pg_sleep(60)', query_timeout: 20 }
    const error: unknown = await client.query(asked as never).catch((error: unknown) => error)
    client.release(true)
    t.match(accountsFailure(error), { code: 'unavailable', data: { doubtful: true } }, String(error))
  })
})
