/** Jobs of machine translation in the accounts: how many wait, and what is read of them. */
import t, { type Test } from 'tap'
import type { Auth } from '../../src/auth/auth.ts'
import { accountsOnPostgres, openNode } from '../cluster/accounts/nodes.ts'
import { noPostgres } from '../cluster/postgres.ts'
import { newFolder } from '../new-folder.ts'
import { openAuth } from './open.ts'
import { Visitor } from './visitor.ts'

async function bounds(t: Test, auth: Auth): Promise<void> {
  const { jobs } = auth
  const ann = new Visitor(auth)
  await ann.signUp('ann')
  const { body } = await ann.post('/organization/create', { name: 'Acme', slug: 'acme' })
  const organization: string = body.id
  const add = (project: string, job: object) => jobs.add({ organization, project }, job, () => {})
  for (let at = 0; at < 100; at++) await add(`web${at % 10}`, { note: 'long' })
  const further = { organization, project: 'docs' }
  t.equal(await add('docs', {}), undefined)
  const [oldest] = await jobs.unfinished()
  t.notOk(Object.hasOwn(oldest!, 'job'), 'a look reads no JSON')
  t.match(await jobs.claim(oldest!.id, 'runner'), { id: oldest!.id, state: 'queued', job: '{"note":"long"}' })
  t.match(await jobs.get(oldest!.id), { state: 'running' })
  await jobs.save(oldest!.id, 'runner', {}, 'done')
  t.equal(await jobs.claim(oldest!.id, 'runner'), undefined, 'it has ended')
  const { id } = (await add('docs', {}))!
  await jobs.claim(id, 'runner')
  await jobs.keepRefused(id, 'de', [{}])

  await auth.withdraw(organization, 'docs', { path: 'test', operator: true })
  t.strictSame(await jobs.list(further), [])
  for await (const json of jobs.refused(further, 'de')) t.fail(json)
  t.equal(await jobs.save(id, 'runner', {}), undefined, 'its runner stops')
  t.equal((await jobs.list({ organization, project: 'web1' })).length, 10, 'jobs of other projects stay')
}

t.test('lets a bounded number of jobs wait, and forgets those of a deleted project', async t => {
  await bounds(t, (await openAuth(t)).auth)
})

t.test('does the same in a cluster', { skip: noPostgres() }, async t => {
  const { newNodes } = await accountsOnPostgres(t)
  await bounds(t, (await openNode(t, await newNodes(t), { dataDir: newFolder(t) })).auth)
})
