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

  async #send(left: AbortSignal): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (performance.now() - next.since < LONGEST_WAIT) {
        try {
          await this.#mailer.send(next.mail, left)
        } catch (error) {
          if (!(error instanceof MailRefused)) throw error
          this.#log.warn({ err: error }, 'a mail is dropped: the mail server refuses it')
        }
      }
      this.#waiting.shift()
    }
  }
}
