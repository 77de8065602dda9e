/** Sends mails by the operator's mail server. Names of users are one line of a subject or a body, never a header. */
import { once } from 'node:events'
import type { Transporter } from 'nodemailer'

/** A mail in plain text. */
export interface Mail {
  /** One address. */
  to: string
  subject: string
  text: string
}

/** The mail server, and the sender of all mails. */
export interface MailSettings {
  /** `smtp:` or `smtps:`, with the password. */
  url: string
  /** An address, with or without a name before it. */
  from: string
}

/** The server refuses this very mail, and may accept others. */
export class MailRefused extends Error {
  /** Whether a retry is useless. False for greylisting and full mailboxes. */
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean) {
    super(message)
    this.isFinal = isFinal
  }
}

/** Milliseconds for a connection and its greeting, and of silence in a conversation. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 }

export class Mailer {
  readonly #settings: MailSettings
  #transport: Promise<Transporter> | undefined

  constructor(settings: MailSettings) {
    this.#settings = settings
  }

  /**
   * Sends a mail. @param left aborts the wait: whether the mail was sent is unknown then
   * @throws MailRefused, Error when the server cannot be reached or refuses all mails
   */
  async send({ to, subject, text }: Mail, left: AbortSignal): Promise<void> {
    left.throwIfAborted()
    if (!isAddress(to)) throw new MailRefused('An address of a user is none that a mail server accepts.', true)
    const transport = await (this.#transport ??= this.#start())
    const { from } = this.#settings
    const message = { from, to: { name: '', address: to }, subject: oneLine(subject), text, headers: AUTOMATIC }
    const sent = transport.sendMail({ ...message, disableFileAccess: true, disableUrlAccess: true })
    const done = new AbortController()
    try {
      await Promise.race([sent, once(left, 'abort', { signal: done.signal })])
      left.throwIfAborted()
    } catch (error) {
      throw left.aborted ? left.reason : failureOf(error)
    } finally {
      done.abort()
    }
  }

  async #start(): Promise<Transporter> {
    // Most servers send no mail, so it is not loaded at their start.
    const { createTransport } = await import('nodemailer')
    const { protocol, hostname, port, username, password } = new URL(this.#settings.url)
    const secure = protocol === 'smtps:'
    const auth = username === '' ? {} : { auth: { user: decoded(username), pass: decoded(password) } }
    return createTransport({
      ...{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 465 : 587), secure },
      ...{ ...auth, ...TIMEOUTS },
    })
  }
}

/** No answer by a program that is away (RFC 3834). */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' }

/** An address without characters that separate addresses or end a header. */
const isAddress = (text: string) => /^[^\s<>"(),:;\\[\]@\p{Cc}]{1,64}@[^\s<>"(),:;\\[\]@\p{Cc}]{1,255}$/u.test(text)

/** A text as one line of a mail, such as a name. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ').trim()

const decoded = (text: string): string => decodeURIComponent(text)

/** What is wrong, without the address: the log is no place for addresses. */
function failureOf(error: unknown): Error {
  const {
    code = '',
    responseCode = 0,
    command = '',
  } = error as { code?: string; responseCode?: number; command?: string }
  // A refused sender concerns all mails, and so does 421: the server closes the connection.
  const isOfMail = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE'
  const words = `the mail server answered ${[code, responseCode || undefined, command].filter(Boolean).join(' ')}`
  if (!isOfMail || responseCode < 400 || responseCode === 421) return new Error(words)
  return new MailRefused(words, responseCode >= 500)
}
