/** Digests in a cluster: nodes with one mail server send a digest once. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { bundled } from '../bundled.ts'
import { settings } from '../contract/server.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
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

t.test(
  'a node that is killed while it sends loses no digest, and no node sends it again',
  { skip: noPostgres() },
  async t => {
    const nodes = new Map<string, ChildProcess>()
    const sent: { from: string; text: string }[] = []
    let isKilling = true
    const mail = await startMailServer(t, 0, {
      onData: (stream, { envelope }, done) => {
        let text = ''
        stream.setEncoding('utf8').on('data', part => (text += part))
        stream.on('end', () => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
          sent.push({ from, text })
          // The mail is accepted, and the node does not learn that.
          if (isKilling) nodes.get(from)!.kill('SIGKILL')
          else done()
        })
      },
    })
    const { servers, database } = await startServers(t, await startPostgres(t), 1)
    const [server] = servers as [(typeof servers)[0]]
    const acme = await server.organization('Ann')
    const mia = await server.join(acme, 'Mia', 'member')
    await server.must('PUT', '/api/inbox/settings', { as: mia, body: { digest: true } })
    const url = await server.project(acme.key, 'web')
    const folder = t.testdir()
    const program = bundled(join(import.meta.dirname, 'digest-node.ts'))
    for (const name of ['one', 'two']) {
      const [from, port] = [`${name}@example.com`, String(await freePort())]
      const cluster = { CLUSTER: database, PORT: port, NODE_URL: `http://127.0.0.1:${port}` }
      const mailing = { SMTP_URL: mail.url, MAIL_FROM: from, BASE_URL: 'https://p.example.com' }
      const env = { PATH: process.env.PATH, ...settings(join(folder, name), { ...cluster, ...mailing }) }
      const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      nodes.set(from, child)
      t.teardown(() => child.kill('SIGKILL'))
      await once(child.stdout, 'data')
    }
    await server.must('POST', `${url}/comments/common/home`, { as: acme.owner, body: { text: '@Mia' } })
    t.ok(await eventually(() => sent.length === 1), 'one of both sends it, and is killed')
    isKilling = false
    await pause(FURTHER_LOOKS * EVERY_MS)
    t.equal(sent.length, 1, 'the other one sends no second mail on that day')
    const client = new pg.Client(database)
    await client.connect()
    t.teardown(() => client.end())
    const { rowCount } = await client.query('update member_inbox set "digestTime" = "digestTime" - $1', [DAY])
    t.equal(rowCount, 1)
    t.ok(await eventually(() => sent.length === 2), 'the other one sends that of the next day')
    t.not(sent[1]?.from, sent[0]?.from)
    t.match(sent[1]?.text, '1 mention', 'with what the first one may not have brought')
    await pause(FURTHER_LOOKS * EVERY_MS)
    t.equal(sent.length, 2)
  },
)
