/** The mails of a running server: invitations, one digest a day, and a mail server that fails, hangs or returns. */
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { BuildOptions } from '../../src/app.ts'
import { eventually } from '../contract/server.ts'
import { freePort } from '../free-port.ts'
import { type Organization, type Server, type Session, startServer } from '../http/server.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

const DAY = 86_400_000
const FAST = { retry: [20, 50] as const, every: 30 }

interface MailScene {
  server: Server
  acme: Organization
  mia: Session
  lines: string[]
}

/** A server with a mail server, and a member who wants digests. */
async function open(t: Test, url: string, more: BuildOptions & { dataDir?: string } = {}): Promise<MailScene> {
  const lines: string[] = []
  const server = await startServer(t, {
    env: {
      ...{ SMTP_URL: url, MAIL_FROM: 'Parlance <parlance@example.com>', BASE_URL: 'https://p.example.com' },
      ...{ LOG_LEVEL: 'info' },
    },
    log: { write: line => lines.push(line) },
    mailDelays: FAST,
    ...more,
  })
  const acme = await server.organization('Ann')
  const mia = await server.join(acme, 'Mia', 'member')
  await server.must('PUT', '/api/inbox/settings', { as: mia, body: { digest: true } })
  await server.project(acme.key, 'web')
  return { server, acme, mia, lines }
}

const mention = ({ server, acme }: MailScene, text = '@Mia look at the secret plan') =>
  server.must('POST', '/api/projects/web/comments/common/home', { as: acme.owner, body: { text } })
const digests = ({ mails }: MailServer) =>
  mails.filter(({ headers }) => headers.some(line => /^subject: Parlance: /i.test(line)))
/** Waits for several looks for digests. */
const looks = async (is: () => boolean = () => true) => {
  const until = performance.now() + 20 * FAST.every
  await eventually(() => is() && performance.now() >= until)
}

t.test('mails an invitation with the link of the dashboard', async t => {
  const mail = await startMailServer(t)
  const { server, acme } = await open(t, mail.url)
  await eventually(() => mail.mails.length === 1)
  mail.mails.length = 0
  const invitation = await server.invite(acme.owner, 'bob@example.com', 'member')
  t.equal(invitation.status, 200)
  await eventually(() => mail.mails.length === 1)
  const [{ to, text, headers }] = mail.mails as [MailServer['mails'][number]]
  t.strictSame(to, ['bob@example.com'])
  t.match(text, `https://p.example.com/#/invitations/${invitation.json.id}?for=bob%40example.com&to=${acme.slug}`)
  t.match(headers.join('\n'), `Subject: Ann invites you to ${acme.slug}`)
  t.match((await server.must('GET', '/api/inbox/settings', { as: acme.owner })).json, { digest: false, mail: true })
})

t.test('sends one digest a day, only when there is something new, and numbers alone', async t => {
  const mail = await startMailServer(t)
  let skew = 0
  const scene = await open(t, mail.url, { now: () => Date.now() + skew })
  await looks()
  t.equal(digests(mail).length, 0, 'nothing is new')
  await mention(scene)
  await eventually(() => digests(mail).length === 1)
  const [digest] = digests(mail)
  t.strictSame(digest!.to, [scene.mia.user.email])
  t.match(digest!.text.replaceAll('\r\n', '\n'), 'web\n  1 mention\n  https://p.example.com/#/projects/web\n')
  t.match(digest!.text, 'https://p.example.com/#/work', 'a link to the own work')
  t.notMatch(digest!.raw, /secret|home|Ann/, 'no text, key or name')

  await mention(scene)
  await looks()
  t.equal(digests(mail).length, 1, 'not twice a day')
  skew += DAY
  await eventually(() => digests(mail).length === 2)
  t.match(digests(mail)[1]!.text, '1 mention', 'only what came since the last one')
  skew += DAY
  await looks()
  t.equal(digests(mail).length, 2, 'nothing is new')
  await mention(scene)
  await eventually(() => digests(mail).length === 3)
  skew += DAY
  await mention(scene)
  await scene.server.must('POST', '/api/inbox/read', { as: scene.mia, body: { until: 'all' } })
  await scene.server.must('PUT', '/api/inbox/settings', { as: scene.mia, body: { digest: false } })
  await looks()
  t.ok(digests(mail).length <= 4)
})

t.test('counts a mention before hundreds of other commits', async t => {
  const mail = await startMailServer(t)
  let skew = 0
  const scene = await open(t, mail.url, { now: () => Date.now() + skew })
  await mention(scene)
  await eventually(() => digests(mail).length === 1)
  await mention(scene)
  const { server, acme } = scene
  for (let n = 0; n < 510; n += 30) {
    const put = (_: unknown, at: number) =>
      server.must('PUT', `/api/projects/web/bundles/en/common/k${n + at}`, { key: acme.key, body: { value: 'x' } })
    await Promise.all(Array.from({ length: 30 }, put))
  }
  skew = DAY
  await eventually(() => digests(mail).length === 2, 60_000)
  t.match(digests(mail)[1]?.text, '1 mention')
})

t.test('sends no second digest after a restart', async t => {
  const mail = await startMailServer(t)
  const dataDir = join(t.testdir(), 'data')
  const scene = await open(t, mail.url, { dataDir })
  await mention(scene)
  await eventually(() => digests(mail).length === 1)
  await scene.server.close()
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'parlance@example.com', BASE_URL: 'https://p.example.com' }
  const again = await startServer(t, { env, dataDir, mailDelays: FAST })
  await mention({ ...scene, server: again })
  await looks()
  t.equal(digests(mail).length, 1)
})

t.test('a failing mail server delays, is logged once, and blocks no request', async t => {
  const port = await freePort()
  const scene = await open(t, `smtp://bot:hunter2@127.0.0.1:${port}`)
  await mention(scene)
  await looks(() => scene.lines.some(line => line.includes('sending digests failed')))
  const { problems } = (await scene.server.get('/api/health')).json
  t.ok(problems >= 1, 'the health says so')
  const failed = (what: string) => scene.lines.filter(line => line.includes(what)).length
  t.strictSame([failed('sending mail failed'), failed('sending digests failed')], [1, 1])
  t.notMatch(scene.lines.join(''), /hunter2|mia\d*@/)
  const mail = await startMailServer(t, port, {
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(null, { user: 'x' }),
  })
  await eventually(() => digests(mail).length === 1)
  await eventually(() => mail.mails.some(({ text }) => text.includes('#/invitations/')))
  await looks()
  t.equal(digests(mail).length, 1)
})

t.test('a refused address is dropped, and the next mails are sent', async t => {
  const mail = await startMailServer(t)
  mail.refuse(550)
  const scene = await open(t, mail.url)
  await mention(scene)
  const drops = () => scene.lines.filter(line => line.includes('the mail server refuses it')).length
  await eventually(() => drops() === 2)
  mail.refuse(undefined)
  await scene.server.invite(scene.acme.owner, 'bob@example.com', 'member')
  await eventually(() => mail.mails.length === 1)
  await looks()
  t.strictSame(
    mail.mails.map(({ to }) => to),
    [['bob@example.com']],
    'no second try of the digest on that day',
  )
})

t.test('a greylisted address delays no mail and no digest of others', async t => {
  const mail = await startMailServer(t)
  let skew = 0
  const scene = await open(t, mail.url, { now: () => Date.now() + skew })
  const { server, acme, mia } = scene
  const zoe = await server.join(acme, 'Zoe', 'member')
  await server.must('PUT', '/api/inbox/settings', { as: zoe, body: { digest: true } })
  await eventually(() => mail.mails.length === 2)
  // Digests come in the order of the memberships. Each of both is the first once.
  for (const [grey, other] of [[mia, zoe] as const, [zoe, mia] as const]) {
    mail.mails.length = 0
    const address = (word: string) => `${word}-${grey.user.id}@example.com`.toLowerCase()
    const [later, soon] = [address('later'), address('soon')]
    mail.refuse(450, new RegExp(`^(later|${grey.user.email})`))
    for (const email of [later, soon]) await server.invite(acme.owner, email, 'member')
    await mention(scene, `@${grey.user.name} and @${other.user.name}`)
    const sentTo = () => mail.mails.map(({ to }) => to[0])
    await eventually(() => sentTo().length === 2)
    t.strictSame(sentTo().sort(), [soon, other.user.email].sort(), 'those of others')
    mail.refuse(undefined)
    await eventually(() => sentTo().length === 4)
    await looks()
    t.strictSame(sentTo().sort(), [soon, later, grey.user.email, other.user.email].sort(), 'all, once each')
    skew += DAY
  }
})

t.test('sends no digest soon after a late one of the day before', async t => {
  const mail = await startMailServer(t)
  const midnight = Math.ceil(Date.now() / DAY) * DAY
  let time = midnight - 60_000
  const scene = await open(t, mail.url, { now: () => time })
  await mention(scene)
  await eventually(() => digests(mail).length === 1)
  t.equal(digests(mail).length, 1)
  time = midnight + 60_000
  await mention(scene)
  await looks()
  t.equal(digests(mail).length, 1, 'two minutes later, on another day')
  time = midnight + DAY / 2
  await eventually(() => digests(mail).length === 2)
  t.equal(digests(mail).length, 2)
})

t.test('a refused sender drops no mail', async t => {
  let isRefusing = true
  const mail = await startMailServer(t, 0, {
    onMailFrom: (_address, _session, done) => {
      if (isRefusing) done(Object.assign(new Error('refused'), { responseCode: 553 }))
      else done()
    },
  })
  const scene = await open(t, mail.url)
  await mention(scene)
  await looks(() => scene.lines.some(line => line.includes('sending digests failed')))
  isRefusing = false
  await eventually(() => mail.mails.length === 2)
  t.equal(digests(mail).length, 1)
  t.equal(mail.mails.length, 2, 'the digest and the invitation')
})

t.test('closes while the mail server says nothing', async t => {
  const silent = createServer(socket => void t.teardown(() => socket.destroy()))
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  const connected = new Promise(resolve => silent.once('connection', resolve))
  const { server } = await open(t, `smtp://127.0.0.1:${port}`)
  await connected
  const began = performance.now()
  await server.close()
  t.ok(performance.now() - began < 9_000, 'before the greeting is overdue')
})
