/** A mail server of a test, and the mails that it received. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from 'tap'

/** A received mail. */
export interface ReceivedMail {
  from: string
  to: string[]
  /** Headers and body as they came. */
  raw: string
  /** The header lines, unfolded. */
  headers: string[]
  /** The decoded body. */
  text: string
}

export interface MailServer {
  url: string
  mails: ReceivedMail[]
  /** Answers further mails with this status and no success; undefined accepts them again. @param to only of these */
  refuse(status: number | undefined, to?: RegExp): void
  close(): Promise<void>
}

/** @param port 0 chooses a free one */
export async function startMailServer(t: Test, port = 0, more: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  let refusal: number | undefined
  let refused = /^/
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'], disableReverseLookup: true },
    onRcptTo: ({ address }, _session, done) => {
      if (refusal === undefined || !refused.test(address)) done()
      else done(Object.assign(new Error('refused'), { responseCode: refusal }))
    },
    onData: (stream, { envelope }, done) => {
      let raw = ''
      stream.setEncoding('utf8').on('data', part => (raw += part))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw, ...parsed(raw) })
        done()
      })
    },
    ...more,
  })
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const close = () => new Promise<void>(resolve => server.close(() => resolve()))
  t.teardown(close)
  const { port: own } = server.server.address() as AddressInfo
  const refuse = (status: number | undefined, to = /^/) => {
    refusal = status
    refused = to
  }
  return { url: `smtp://127.0.0.1:${own}`, mails, refuse, close }
}

function parsed(raw: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n')
  const headers = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const body = raw.slice(end + 4)
  const encoding = headers.find(line => /^content-transfer-encoding:/i.test(line))?.split(': ')[1]
  if (encoding === 'base64') return { headers, text: Buffer.from(body, 'base64').toString('utf8') }
  const isFlowed = headers.some(line => /format=flowed/i.test(line))
  if (encoding !== 'quoted-printable') return { headers, text: isFlowed ? body.replaceAll(' \r\n', ' ') : body }
  const escaped = body.replaceAll('=\r\n', '').replaceAll('%', '%25')
  return { headers, text: decodeURIComponent(escaped.replaceAll(/=([0-9A-F]{2})/g, '%$1')) }
}
