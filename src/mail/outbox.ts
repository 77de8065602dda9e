/** Mails that wait for the mail server, in memory: what asks for one never waits, and a restart loses them. */
import type { Background, BackgroundTask, Log } from '../scheduling/background.ts'
import { type Mail, type Mailer, MailRefused } from './mailer.ts'

/** Mails that may wait; further ones are dropped. */
const MAX_WAITING = 1_000
/** Milliseconds until a waiting mail is dropped. */
const LONGEST_WAIT = 86_400_000
/** Milliseconds until the first retry, and the longest pause between two. */
const RETRY = [10_000, 600_000] as const

export class Outbox {
  readonly #mailer: Mailer
  readonly #log: Log
  readonly #sending: BackgroundTask
  #waiting: { mail: Mail; since: number }[] = []

  /** @param retry as {@link RETRY}; for tests */
  constructor(
    mailer: Mailer,
    { background, log, retry = RETRY }: { background: Background; log: Log; retry?: readonly [number, number] },
  ) {
    this.#mailer = mailer
    this.#log = log
    this.#sending = background.task({ name: 'sending mail', level: 'warn', retry, run: left => this.#send(left) })
  }

  /** Sends a mail soon. */
  add(mail: Mail): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#log.warn({}, 'a mail is dropped: too many wait for the mail server')
      return
    }
    this.#waiting.push({ mail, since: performance.now() })
    this.#sending.in(0)
  }

  /** A mail that the server refuses for now does not delay the others. */
  async #send(left: AbortSignal): Promise<void> {
    let delayed: MailRefused | undefined
    for (let at = 0; at < this.#waiting.length; ) {
      const { mail, since } = this.#waiting[at]!
      const isLate = performance.now() - since >= LONGEST_WAIT
      try {
        await this.#mailer.send(mail, left)
      } catch (error) {
        if (!(error instanceof MailRefused) && !isLate) throw error
        if (error instanceof MailRefused && !error.isFinal && !isLate) {
          delayed = error
          at++
          continue
        }
        this.#log.warn(
          { err: error },
          `a mail is dropped: the mail server ${isLate ? 'failed for a day' : 'refuses it'}`,
        )
      }
      this.#waiting.splice(at, 1)
    }
    if (delayed) throw delayed
  }
}
