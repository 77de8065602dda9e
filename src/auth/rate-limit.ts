/** Limits on requests and wrong passwords, counted in bounded memory. */
import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { Buckets, retryIn } from './buckets.ts'
import { Refusal } from './refusal.ts'
import type { LimitName } from './routes.ts'

/** Requests a minute from an address: enough for thirty sign-ups or sixty sign-ins behind one, and any dashboard. */
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
 * Wrong passwords a minute. Ten block the account for that address, so that a stranger cannot lock the user out; a
 * hundred from many addresses block it for all (NIST SP 800-63B, 5.2.2, asks for a limit per account).
 */
const WRONG_FROM_ADDRESS = 10
const WRONG_FROM_ANYWHERE = 100

export class RateLimit {
  readonly #buckets: Buckets

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#buckets = new Buckets('at once', now)
  }

  /** Counts a request of a client. @throws Refusal 429 when it is one too many */
  request(name: LimitName, clientAddress: string): void {
    refuseFor(this.#buckets.take(`${name} ${network(clientAddress)}`, PER_ADDRESS[name]))
  }

  /**
   * Counts a sign-in before its password is checked, for simultaneous ones. Past the limit right passwords are refused
   * too. Unknown accounts count alike.
   * @returns what to call with the outcome
   * @throws Refusal 429
   */
  signIn(email: string, clientAddress: string): (outcome: 'right' | 'wrong' | 'neither') => void {
    const anywhere = `account ${hash('sha256', email.toLowerCase(), 'base64url')}`
    const here = `${anywhere} ${network(clientAddress)}`
    const buckets = this.#buckets
    refuseFor(Math.max(buckets.wait(here, WRONG_FROM_ADDRESS), buckets.wait(anywhere, WRONG_FROM_ANYWHERE)))
    buckets.take(here, WRONG_FROM_ADDRESS)
    buckets.take(anywhere, WRONG_FROM_ANYWHERE)
    return outcome => {
      if (outcome === 'wrong') return
      buckets.refund(anywhere)
      if (outcome === 'right') buckets.forget(here)
      else buckets.refund(here)
    }
  }
}

function refuseFor(wait: number): void {
  if (wait === 0) return
  const { message, seconds } = retryIn('Too many attempts', wait)
  throw new Refusal(429, 'TOO_MANY_REQUESTS', message, { 'retry-after': String(seconds) })
}

/** The address, or the /64 of an IPv6 address: a single client has all of it (RFC 6177). */
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
