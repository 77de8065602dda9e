/** Restoring under writes, and of releases. */
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BackupRemote } from '../../../src/store/backup/remote.ts'
import { restoreDataFolder } from '../../../src/store/backup/restore.ts'
import { eventually, type Server, type Session, startServer } from '../../contract/server.ts'
import { noGit } from '../../http/git-client.ts'
import { git } from '../git-cli.ts'
import { backedUp, everything, fill, signIn, startFirst } from './restoring.ts'

if (noGit) t.bailout(noGit)

// Much of it waits for processes of git, which are slow to start on a busy machine.
t.setTimeout(0)

t.test('releases come back too, the deleted ones as such', async t => {
  const { root, remote, setting, first } = await startFirst(t)
  const acme = await first.organization('Ann')
  await fill(first, acme, 'old')
  const release = (server: Server, name: string) =>
    server.call('POST', '/api/projects/web/releases', { key: acme.key, body: { name } })
  for (const name of ['1.0', 'gone']) t.equal((await release(first, name)).status, 201)
  const path = '/api/projects/web/bundles/en/common'
  const then = (await first.get(path, acme.key)).headers.etag
  const revision = first.git(acme.id, 'rev-parse', 'web/1.0^{}').trim()
  await first.must('PUT', path, { key: acme.key, body: { nav: { home: 'new' } } })
  const copy = join(remote, `${acme.id}.git`)
  t.ok(await eventually(() => fs.existsSync(copy) && git(copy, 'tag') === 'web/1.0\nweb/gone\n'))
  await first.must('DELETE', '/api/projects/web/releases/gone', { key: acme.key })
  t.ok(await eventually(() => git(copy, 'tag') === 'web/1.0\n'))
  await backedUp(first, remote, acme.id)
  const list = (await first.get('/api/projects/web/releases', acme.key)).text
  await first.close()

  const dataDir = join(root, 'second')
  const restored = await restoreDataFolder({ remote: BackupRemote.parse(setting, '--from'), dataDir })
  t.match(restored.organizations, [{ id: acme.id, tags: 1 }])
  const second = await startServer(t, { dataDir })
  t.equal((await second.get('/api/projects/web/releases', acme.key)).text, list)
  for (const at of ['1.0', revision, 'web/1.0']) {
    const reply = await second.get(`${path}?at=${at}`, acme.key)
    t.strictSame([reply.status, reply.headers.etag], [200, then], at)
  }
  t.not((await second.get(path, acme.key)).headers.etag, then)
  t.equal((await second.get(`${path}?at=gone`, acme.key)).status, 404)
  t.equal((await release(second, 'gone')).status, 409, 'its name stays reserved')
})

t.test('once it says ok, everything up to the last write comes back, of every author', async t => {
  const { root, first: server } = await startFirst(t)
  const acme = await server.organization('Ann')
  await server.project(acme.key, 'web')
  const health = async () => (await server.call('GET', '/api/health', { as: acme.owner })).json.backup
  for (let round = 0; round < 4; round++) {
    const { key } = await server.mint(acme.owner, `round ${round}`)
    const mia = await server.join(acme, `Mia${round}`, 'member')
    await server.must('PUT', '/api/projects/web/bundles/en/common', {
      key,
      body: { round: `${round} ${'x'.repeat(round)}` },
    })
    const there = (await server.get('/api/projects/web/bundles/en/common', key)).headers.etag
    const waited = Date.now()
    t.ok(
      await eventually(async () => {
        const { state, lastSuccess } = await health()
        return state === 'ok' && lastSuccess !== null && Date.parse(lastSuccess) > waited - 10_000 && pushed(there)
      }),
    )
    function pushed(etag: unknown) {
      try {
        return (
          etag ===
          `W/"${git(join(root, 'remote', `${acme.id}.git`), 'rev-parse', 'main:web/locales/en/common.json').trim()}"`
        )
      } catch {
        return false
      }
    }
    const copy = join(root, `copy${round}`)
    fs.cpSync(join(root, 'remote'), copy, { recursive: true })
    const dataDir = join(root, `restored${round}`)
    await restoreDataFolder({ remote: BackupRemote.parse(join(copy, '{organization}.git'), '--from'), dataDir })
    const restored = await startServer(t, { dataDir })
    t.equal(
      (await restored.get('/api/projects/web/bundles/en/common', key)).headers.etag,
      there,
      `round ${round}: the new token`,
    )
    const session = await signIn(restored, mia.user.email, mia.password)
    t.equal((await restored.call('GET', '/api/projects/web', { as: session })).status, 200, 'the new member')
    await restored.close()
  }
})

t.test('rights, reviews, suggestions, approvals, comments and inboxes come back', async t => {
  const { root, remote, setting, first } = await startFirst(t)
  const acme = await first.organization('Ann')
  const gerda = await first.join(acme, 'Gerda', 'member')
  const rita = await first.join(acme, 'Rita', 'member')
  await first.narrow(acme, gerda, [{ languages: ['de'], may: 'translate' }])
  await first.narrow(acme, rita, [{ languages: ['de'], may: 'review' }])
  await fill(first, acme, 'old')
  const web = '/api/projects/web'
  const must = (as: Session, method: string, path: string, body: object) => first.must(method, path, { as, body })
  await must(acme.owner, 'PATCH', web, { review: { de: { fourEyes: true } } })
  await must(acme.owner, 'POST', `${web}/approve`, { language: 'pl' })
  for (const [key, value] of Object.entries({ 'nav.home': 'Startseite', item_one: 'eins', item_other: 'viele' }))
    await must(gerda, 'PUT', `${web}/bundles/de/common/${key}`, { value })
  const { suggestions } = (await first.must('GET', `${web}/suggestions`, { as: rita })).json
  const idOf = (key: string) => suggestions.find((one: { key: string }) => one.key === key).id
  await must(rita, 'POST', `${web}/suggestions/accept`, { language: 'de', ids: [idOf('nav.home')] })
  await must(gerda, 'POST', `${web}/suggestions/de/shop/nav.home`, { value: 'Laden' })
  await must(gerda, 'POST', `${web}/comments/common/nav.home`, { text: '@rita is it formal?', language: 'de' })
  await must(rita, 'POST', `${web}/comments/common/nav.home`, { text: 'Yes' })
  await must(gerda, 'PUT', '/api/inbox/settings', { digest: true })
  await backedUp(first, remote, acme.id)

  const seen = async (server: Server, people: Session[]) => {
    const read = async (path: string, as: Session) => [path, (await server.must('GET', path, { as })).text]
    const [owner, ...members] = people as [Session, ...Session[]]
    return [
      ...(await everything(server, acme)).flat(),
      await read(`${web}/suggestions`, owner),
      await read(`${web}/comments/common`, owner),
      ...(await Promise.all(
        ['approved', 'suggested'].flatMap(is =>
          ['de', 'pl'].map(to => read(`${web}/status/keys?language=${to}&is=${is}`, owner)),
        ),
      )),
      await read('/api/auth/organization/list-members', owner),
      ...(await Promise.all(members.map(one => read('/api/inbox', one)))),
      ...(await Promise.all(members.map(one => read('/api/inbox/settings', one)))),
    ]
  }
  const before = await seen(first, [acme.owner, gerda, rita])
  t.match(JSON.stringify(before), /Startseite.*Laden.*is it formal/, 'what is compared')
  await first.close()
  const dataDir = join(root, 'second')
  await restoreDataFolder({ remote: BackupRemote.parse(setting, '--from'), dataDir })
  const second = await startServer(t, { dataDir })
  const again = await Promise.all(
    [acme.owner, gerda, rita].map(({ user, password }) => signIn(second, user.email, password)),
  )
  t.strictSame(await seen(second, again), before)
})
