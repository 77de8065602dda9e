/** Limits on requests and on wrong passwords, counted in memory and bounded in it. */
import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { Refusal } from './refusal.ts'
import type { LimitName } from './routes.ts'

const MINUTE = 60_000

/**
 * Requests a minute from one client address. Thirty people behind one address may sign up, sixty sign in, and any dashboard may read. Whoever founds
 * organizations or tries their slugs, or writes to a great many addresses, is a program.
 */
const PER_ADDRESS: Record<LimitName, number> = {
  'sign-up': 40,
  'sign-in': 80,
  password: 20,
  code: 80,
  // There and back are two.
  oidc: 160,
  found: 120,
  invite: 600,
  other: 6000,
}

/**
 * Wrong passwords a minute. Ten block the account for that address only, so that nobody can lock somebody else out from afar;
 * a hundred from many addresses block the account, so that a network of them cannot guess on (NIST SP 800-63B, 5.2.2, asks for a limit per account).
 */
const WRONG_FROM_ADDRESS = 10
const WRONG_FROM_ANYWHERE = 100

/** Counts events in windows of a minute, each beginning with its first event; at most `capacity` windows, the oldest go first. */
class Windows {
  readonly #windows = new Map<string, { start: number; count: number }>()
  readonly #now
  readonly #capacity

  constructor(now: () => number, capacity: number) {
    this.#now = now
    this.#capacity = capacity
  }

  /** Milliseconds to wait when `limit` events were counted in the present window, else 0. */
  wait(key: string, limit: number): number {
    const window = this.#windows.get(key)
    if (window === undefined || window.count < limit) return 0
    return Math.max(0, window.start + MINUTE - this.#now())
  }

  count(key: string): void {
    const now = this.#now()
    const window = this.#windows.get(key)
    if (window !== undefined && now < window.start + MINUTE) {
      window.count++
      return
    }
    this.#windows.delete(key)
    this.#makeRoom(now)
    this.#windows.set(key, { start: now, count: 1 })
  }

  /** Takes one event back. */
  uncount(key: string): void {
    const window = this.#windows.get(key)
    if (window !== undefined && window.count > 0) window.count--
  }

  forget(key: string): void {
    this.#windows.delete(key)
  }

  get size(): number {
    return this.#windows.size
  }

  /** Windows stand in the order of their start, so the first are those that end first. */
  #makeRoom(now: number): void {
    for (const [key, window] of this.#windows) {
      if (now < window.start + MINUTE && this.#windows.size < this.#capacity) return
      this.#windows.delete(key)
    }
  }
}

/** See the top of the file. */
export class RateLimit {
  readonly #windows: Windows

  /** @param now milliseconds that never go back; `capacity` windows held at most, of about 150 bytes each */
  constructor(now: () => number, capacity = 50_000) {
    this.#windows = new Windows(now, capacity)
  }

  /** Counts a request of a client. @throws Refusal 429 when it is one too many */
  request(name: LimitName, clientAddress: string): void {
    const key = `${name} ${network(clientAddress)}`
    refuseFor(this.#windows.wait(key, PER_ADDRESS[name]))
    this.#windows.count(key)
  }

  /**
   * Counts an attempt to sign in before its password is looked at, so that attempts made at the same time count too; the right password is
   * refused like a wrong one once the limit is reached, else the refusal would tell them apart. Unknown accounts are counted alike.
   * @returns what to call when the outcome is known
   * @throws Refusal 429
   */
  signIn(email: string, clientAddress: string): (outcome: 'right' | 'wrong' | 'neither') => void {
    const account = hash('sha256', email.toLowerCase(), 'base64url')
    const anywhere = `account ${account}`
    const here = `${anywhere} ${network(clientAddress)}`
    refuseFor(Math.max(this.#windows.wait(here, WRONG_FROM_ADDRESS), this.#windows.wait(anywhere, WRONG_FROM_ANYWHERE)))
    this.#windows.count(here)
    this.#windows.count(anywhere)
    return outcome => {
      if (outcome === 'wrong') return
      this.#windows.uncount(anywhere)
      if (outcome === 'right') this.#windows.forget(here)
      else this.#windows.uncount(here)
    }
  }

  /** Windows held at present. */
  get size(): number {
    return this.#windows.size
  }
}

function refuseFor(wait: number): void {
  if (wait === 0) return
  const seconds = Math.ceil(wait / 1000)
  throw new Refusal(
    429,
    'TOO_MANY_REQUESTS',
    `Too many attempts; try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    {
      'retry-after': String(seconds),
    },
  )
}

/** The address, or the /64 of an IPv6 one: a single client has all addresses of such a network (RFC 6177). */
export function network(address: string): string {
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return plain
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}
