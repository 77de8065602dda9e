/** Mails reach a server as they are meant, and names cannot add headers, recipients or commands. */

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import t from 'tap'
import { invitationMail } from '../../src/mail/invitation-mail.ts'
import { Mailer, MailRefused } from '../../src/mail/mailer.ts'
import { freePort } from '../free-port.ts'
import { startMailServer } from './mail-server.ts'

/** Whether sending ends in a final refusal of this very mail. */
const isRefused = (sending: Promise<void>) =>
  sending.then(
    () => false,
    error => error instanceof MailRefused && error.isFinal,
  )

/** A text for the name of an assertion. */
const named = (text: string) => encodeURIComponent(text.slice(0, 40).toWellFormed())

const FROM = 'Parlance <parlance@example.com>'
const { signal } = new AbortController()

t.test('sends a mail in plain text', async t => {
  const server = await startMailServer(t)
  const mailer = new Mailer({ url: server.url, from: FROM })
  await mailer.send(
    { to: 'ann@example.com', subject: 'Grüße', text: 'Zeile 1\n\nhttps://x.example/#/a?b=c%20d\n' },
    signal,
  )
  const [mail] = server.mails
  t.match(mail, { from: 'parlance@example.com', to: ['ann@example.com'] })
  t.match(mail!.text, /^Zeile 1\r?\n\r?\nhttps:\/\/x\.example\/#\/a\?b=c%20d/)
  t.match(mail!.headers.join('\n'), /^Auto-Submitted: auto-generated$/m)
  t.match(mail!.headers.join('\n'), /^Content-Type: text\/plain; charset=utf-8$/m)
})

t.test('signs in where the address has a user', async t => {
  const seen: unknown[] = []
  const server = await startMailServer(t, 0, {
    ...{ authOptional: false, allowInsecureAuth: true, authMethods: ['PLAIN'] },
    onAuth: ({ username, password }, _session, done) => {
      seen.push([username, password])
      if (password === 'p@ss:/') done(null, { user: 'x' })
      else done(new Error('no'))
    },
  })
  const url = (password: string) => server.url.replace('://', `://bot%40example.com:${encodeURIComponent(password)}@`)
  const mail = { to: 'ann@example.com', subject: 's', text: 't' }
  await new Mailer({ url: url('p@ss:/'), from: FROM }).send(mail, signal)
  t.strictSame(seen, [['bot@example.com', 'p@ss:/']])
  const refused = await new Mailer({ url: url('hunter2'), from: FROM }).send(mail, signal).catch(error => error)
  t.match(refused, { message: /^the mail server answered EAUTH 535/ })
  t.notOk(refused instanceof MailRefused)
  t.notMatch(JSON.stringify([refused.message, refused.stack, refused]), 'hunter2')
})

/** What a user may try to have in a name. */
const ATTACKS = [
  'Ann\r\nBcc: eve@example.com',
  'Ann\nSubject: other\n\nbody',
  'Ann\r\n.\r\nMAIL FROM:<eve@example.com>\r\n',
  'Ann\u2028Bcc: eve@example.com\u2029\u0085X-Odd: 1',
  'Ann\0\x1b[31m <eve@example.com>, eve@example.com',
  '=?utf-8?q?Ann=0D=0ABcc:_eve@example.com?=',
  `${'x'.repeat(5_000)}\r\nBcc: eve@example.com`,
  '\ud800 lone',
]

t.test('a name or address cannot add headers, recipients or commands', async t => {
  const server = await startMailServer(t)
  const mailer = new Mailer({ url: server.url, from: FROM })
  await mailer.send(
    invitationMail({ id: 'i', email: 'bob@example.com', organization: 'A', by: 'B' }, 'https://p.example'),
    signal,
  )
  const names = (headers: readonly string[]) => headers.map(line => line.split(':')[0]!.toLowerCase()).sort()
  const expected = names(server.mails[0]!.headers)
  for (const attack of ATTACKS) {
    const before = server.mails.length
    const mail = invitationMail(
      { id: 'i', email: 'bob@example.com', organization: attack, by: attack },
      'https://p.example',
    )
    await mailer.send(mail, signal)
    t.equal(server.mails.length, before + 1, 'one mail')
    const received = server.mails.at(-1)!
    t.strictSame(received.to, ['bob@example.com'])
    t.strictSame(names(received.headers), expected, named(attack))
    t.match(
      received.headers.find(line => /^to:/i.test(line)),
      /^To: bob@example\.com$/,
    )
    t.equal(received.text.trim().split(/\r?\n/).length, 6, 'as many lines as without')
  }
  for (const to of ATTACKS.concat(
    'bob@example.com, eve@example.com',
    'bob@example.com\r\nRCPT TO:<eve@example.com>',
    'bob',
    '',
  )) {
    t.equal(await isRefused(mailer.send({ to, subject: 's', text: 't' }, signal)), true, named(to))
  }
  t.equal(server.mails.length, ATTACKS.length + 1)
})

t.test('the link is the one that the dashboard shows', async t => {
  const invitation = { id: 'a b', email: 'bob+x@example.com', organization: 'Acme & Co', by: 'Ann www.evil.example' }
  const { to, subject, text } = invitationMail(invitation, 'https://p.example/l10n')
  t.equal(to, 'bob+x@example.com')
  t.match(text, 'https://p.example/l10n/#/invitations/a%20b?for=bob%2Bx%40example.com&to=Acme+%26+Co\n')
  t.notMatch(subject + text, 'www.', 'a name is no link')
})

t.test('distinguishes a refused mail from a server that fails', async t => {
  const server = await startMailServer(t)
  const mailer = new Mailer({ url: server.url, from: FROM })
  const mail = { to: 'ann@example.com', subject: 's', text: 't' }
  server.refuse(550)
  t.equal(await isRefused(mailer.send(mail, signal)), true)
  server.refuse(451)
  const failed = await mailer.send(mail, signal).catch(error => error)
  t.match(failed, { name: 'Error', isFinal: false, message: /^the mail server answered E\w+ 451/ })
  t.notMatch(failed.message, 'ann@')
  server.refuse(421)
  t.notOk((await mailer.send(mail, signal).catch(error => error)) instanceof MailRefused, 'it refuses all')
  const away = new Mailer({ url: `smtp://127.0.0.1:${await freePort()}`, from: FROM })
  await t.rejects(away.send(mail, signal), { message: /^the mail server answered E/ })
})

t.test('a server that says nothing holds no shutdown', async t => {
  const silent = createServer(socket => void t.teardown(() => socket.destroy()))
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  const mailer = new Mailer({ url: `smtp://127.0.0.1:${port}`, from: FROM })
  const left = new AbortController()
  const connected = new Promise(resolve => silent.once('connection', resolve))
  const sending = mailer.send({ to: 'ann@example.com', subject: 's', text: 't' }, left.signal)
  const failed = t.rejects(sending, { message: 'stop' })
  await connected
  left.abort(new Error('stop'))
  await failed
})
