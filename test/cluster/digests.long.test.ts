/** Digests in a cluster: nodes with one mail server send a digest once. */
import t from 'tap'
import { eventually } from '../eventually.ts'
import { startMailServer } from '../mail/mail-server.ts'
import { noPostgres, startPostgres } from './postgres.ts'
import { startServers } from './servers.ts'

/** Milliseconds between two looks of a node for digests. */
const EVERY_MS = 30
/** Further looks of both nodes: a second digest would be sent by then. */
const FURTHER_LOOKS = 20
const DAY = 86_400_000

t.test('two nodes send one digest a day', { skip: noPostgres() }, async t => {
  const mail = await startMailServer(t)
  let skew = 0
  let looks = 0
  const now = () => {
    looks++
    return Date.now() + skew
  }
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'parlance@example.com', BASE_URL: 'https://p.example.com' }
  const options = { mailDelays: { retry: [20, 50] as const, every: EVERY_MS }, now }
  const { servers } = await startServers(t, await startPostgres(t), 2, env, options)
  const [one, two] = servers as [(typeof servers)[0], (typeof servers)[0]]
  const acme = await one.organization('Ann')
  const members = [await one.join(acme, 'Mia', 'member'), await two.join(acme, 'Max', 'member')]
  for (const as of members) await two.must('PUT', '/api/inbox/settings', { as, body: { digest: true } })
  await one.project(acme.key, 'web')
  const digests = () => mail.mails.filter(({ headers }) => headers.some(line => /^subject: Parlance: /i.test(line)))
  const receivers = () =>
    JSON.stringify(
      digests()
        .flatMap(({ to }) => to)
        .sort(),
    )
  const wanted: string[] = []
  for (const [day, server] of [one, two, one].entries()) {
    skew = day * DAY
    await server.must('POST', '/api/projects/web/comments/common/home', { as: acme.owner, body: { text: '@Mia @Max' } })
    wanted.push(...members.map(({ user }) => user.email))
    const isComplete = () => receivers() === JSON.stringify([...wanted].sort())
    await eventually(() => digests().length >= wanted.length, 120_000)
    const seen = looks
    t.ok(await eventually(() => looks >= seen + FURTHER_LOOKS), 'both nodes look again several times')
    t.ok(isComplete(), `on day ${day}: ${receivers()}`)
  }
})
