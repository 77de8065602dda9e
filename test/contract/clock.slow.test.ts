/** The clock of the system goes back by a day while the server runs, and while it is stopped. */
import t from 'tap'
import { dataFolder, eventually, git, startServer } from './server.ts'

const DAY = 86_400_000
const real = globalThis.Date
let shift = 0

/** The system's clock, put back or forward by `shift`. */
class ShiftedDate extends real {
  // biome-ignore lint/suspicious/noExplicitAny: all parameters of Date
  constructor(...given: any[]) {
    if (given.length === 0) super(ShiftedDate.now())
    else super(...(given as [number]))
  }

  static override now(): number {
    return real.now() + shift
  }
}

t.test('serves, limits and commits when the clock goes back by a day', async t => {
  globalThis.Date = ShiftedDate as DateConstructor
  t.teardown(() => {
    globalThis.Date = real
  })
  const dataDir = dataFolder(t)
  let server = await startServer(t, { dataDir, env: { RATE_LIMIT: 'on' } })
  const acme = await server.organization()
  const web = await server.project(acme.key, 'web')
  const bundle = `${web}/bundles/en/common`
  const expiring = (
    await server.must('POST', '/api/tokens', { as: acme.owner, body: { name: 'day', expiresInDays: 1 } })
  ).json
  await server.put(bundle, acme.key, { before: 'x' })
  const { password } = acme.owner
  const { email } = acme.owner.user
  const guess = async () => server.signIn(email, 'wrong password')
  await eventually(async () => (await guess()).status === 429)
  await server.must('POST', `${web}/releases`, { key: acme.key, body: { name: 'first' } })
  const noon = new real(ShiftedDate.now() + 1000).toISOString()

  shift = -DAY
  const refused = await guess()
  t.equal(refused.status, 429)
  t.ok(
    Number(refused.headers['retry-after']) <= 60,
    `a delay of a minute does not become a day: ${refused.headers['retry-after']}`,
  )
  t.equal((await server.get(bundle, expiring.key)).status, 200)
  t.equal((await server.call('GET', '/api/tokens', { as: acme.owner })).status, 200, 'sessions stay valid')
  for (const name of ['back', 'again']) t.equal((await server.put(bundle, acme.key, { [name]: 'x' })).status, 200)
  await server.must('POST', `${web}/releases`, { key: acme.key, body: { name: 'second' } })
  const releases = (await server.get(`${web}/releases`, acme.key)).json.releases.map(
    ({ name }: { name: string }) => name,
  )
  t.strictSame(releases, ['second', 'first'], 'the newest first')
  t.strictSame((await server.get(`${bundle}?at=${noon}`, acme.key)).json, { before: 'x', back: 'x', again: 'x' })
  const early = new real(real.now() - DAY / 2).toISOString()
  t.equal((await server.get(`${bundle}?at=${early}`, acme.key)).status, 404, 'the project did not exist half a day ago')
  const minted = await server.mint(acme.owner, 'later')
  t.equal((await server.get(bundle, minted.key)).status, 200)
  await server.close()

  server = await startServer(t, { dataDir })
  t.equal((await server.put(bundle, acme.key, { restarted: 'x' })).status, 200)
  t.equal((await server.signIn(email, password)).status, 200)
  shift = DAY * 2
  t.equal((await server.get(bundle, expiring.key)).status, 401, 'a token expires on time')
  t.equal((await server.get(bundle, acme.key)).status, 200)
  t.equal((await server.put(bundle, acme.key, { forward: 'x' })).status, 200)
  await server.close()
  const repository = server.repository(acme.id)
  const times = git(repository, 'log', '--reverse', '--format=%ct').trim().split('\n').map(Number)
  t.ok(
    times.every((time, n) => n === 0 || time >= times[n - 1]!),
    `commits never go back in time: ${times}`,
  )
  t.equal(git(repository, 'fsck', '--strict'), '')
})
