/** A server that is killed after it deleted an organization and before it moved the repository. */
import { existsSync } from 'node:fs'
import t from 'tap'
import { openAuth } from '../auth/open.ts'
import { dataFolder, eventually, startServer } from './server.ts'

t.test('moves the repository of a deleted organization away at the next start', async t => {
  const dataDir = dataFolder(t)
  const server = await startServer(t, { dataDir })
  const [gone, kept] = [await server.organization('Ann'), await server.organization('Bob')]
  for (const { key } of [gone, kept]) await server.project(key, 'web')
  await server.close()
  const { auth, visitor } = await openAuth(t, { dataDir })
  const ann = visitor()
  const { email, password } = { email: gone.owner.user.email, password: gone.owner.password }
  t.match(await ann.post('/sign-in/email', { email, password }), { status: 200 })
  t.match(await ann.post('/organization/delete', { organizationId: gone.id }), { status: 200 })
  await auth.close()
  t.ok(existsSync(server.repository(gone.id)), 'the repository is still there')
  await startServer(t, { dataDir })
  t.ok(await eventually(() => !existsSync(server.repository(gone.id))))
  t.ok(existsSync(server.repository(kept.id)))
})
