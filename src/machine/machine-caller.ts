/** Calls machines: a few requests at once, pauses that a machine asks for, and a month's spending within its limit. */
import { setTimeout as pause } from 'node:timers/promises'
import { busy, Failure } from '../bundle/errors.ts'
import type { Claimant } from '../scheduling/fair-shares.ts'
import { FairSlots } from '../scheduling/fair-slots.ts'
import { amountOf, limitOf, type Machine, type MachineUsage, meterOf, unitOf } from './machine.ts'
import { type MachineReply, type MachineRequest, sendRequest } from './send-request.ts'

/** A part of a month's limit that belongs to one request. */
export interface SpendingReservation {
  /** Replaces the reserved amount by what was spent. Without this call the whole amount counts. */
  settle(spent: number): Promise<void>
}

/** Counts what machines spend in a calendar month (UTC), durably and for all nodes. Amounts are whole numbers. */
export interface SpendingLedger {
  /** @returns undefined where the amount would pass the limit */
  reserve(meter: string, amount: number, limit: number | undefined): Promise<SpendingReservation | undefined>
  /** What each meter counts this month. */
  spent(): Promise<ReadonlyMap<string, number>>
}

/** A request with the most that it may use. */
export interface PaidRequest {
  request: MachineRequest
  most: MachineUsage
  /** What an answer says that it used; undefined where it does not say. */
  usageIn: (json: unknown) => MachineUsage | undefined
}

/** Requests that wait for a machine. */
const MOST_WAITING = 50
/** Attempts while a machine is busy. */
const ATTEMPTS = 3
/** Seconds that a request waits when a machine asks for a pause; a longer pause fails it. */
const LONGEST_PAUSE = 10
/** Too many requests, unavailable, overloaded (Anthropic). */
const BUSY = new Set([429, 503, 529])

interface MachineLoad {
  concurrency: number
  slots: FairSlots
  /** The end of a pause, by `performance.now()`. */
  pausedUntil: number
}

export class MachineCaller {
  readonly #ledger: SpendingLedger
  readonly #loads = new Map<string, MachineLoad>()

  constructor(ledger: SpendingLedger) {
    this.#ledger = ledger
  }

  /**
   * Reserves the most that a request may cost, sends it, and counts what it used. A request without an answer, which
   * the machine may have counted, costs all that was reserved.
   * @param claimant shares the machine evenly with others
   * @throws Failure `unavailable` or `bad-gateway` naming the machine, the reason of `left`
   */
  call(machine: Machine, paid: PaidRequest, claimant: Claimant, left: AbortSignal): Promise<unknown> {
    const load = this.#loadOf(machine)
    const crowded = () => busy(`Too many requests wait for the machine "${machine.name}"; try again.`, 5)
    return load.slots.inTurn(left, crowded, () => this.#attempt(machine, paid, load, left), { claimant })
  }

  async #attempt(machine: Machine, paid: PaidRequest, load: MachineLoad, left: AbortSignal): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      await outlastPause(machine, load, left)
      const reservation = await this.#ledger.reserve(meterOf(machine), amountOf(machine, paid.most), limitOf(machine))
      if (reservation === undefined) throw limitReached(machine)
      const reply = await sendRequest(paid.request, machine.timeoutMs, left)
      if (reply.is === 'answer') {
        // Without it the count is too high. A paid text is not lost for that.
        await reservation.settle(amountOf(machine, paid.usageIn(reply.json) ?? paid.most)).catch(() => {})
        return reply.json
      }
      if (reply.is !== 'broken') await reservation.settle(0)
      const isBusy = reply.is === 'refused' && BUSY.has(reply.status)
      if (isBusy) load.pausedUntil = performance.now() + 1000 * (reply.retryAfter ?? 2 ** (attempt - 1))
      if (!isBusy || attempt === ATTEMPTS) throw failureOf(machine, reply)
    }
  }

  #loadOf({ name, concurrency }: Machine): MachineLoad {
    const known = this.#loads.get(name)
    if (known?.concurrency === concurrency) return known
    const load = { concurrency, slots: new FairSlots(concurrency, MOST_WAITING), pausedUntil: known?.pausedUntil ?? 0 }
    this.#loads.set(name, load)
    return load
  }
}

async function outlastPause({ name }: Machine, load: MachineLoad, left: AbortSignal): Promise<void> {
  const rest = load.pausedUntil - performance.now()
  if (rest <= 0) return
  const seconds = Math.ceil(rest / 1000)
  if (seconds > LONGEST_PAUSE) throw busy(`The machine "${name}" wants no request for ${seconds} seconds.`, seconds)
  await pause(rest, undefined, { signal: left }).catch(() => left.throwIfAborted())
}

function limitReached(machine: Machine): Failure {
  const now = new Date()
  const seconds = (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime()) / 1000
  const limit = `${machine.monthlyLimit!.toLocaleString('en')} ${unitOf(machine)}`
  return busy(`The machine "${machine.name}" has no room left in its limit of ${limit} for this month.`, seconds)
}

function failureOf({ name }: Machine, reply: Exclude<MachineReply, { is: 'answer' }>): Failure {
  const sentence = (why: string) => `The machine "${name}" ${why}.`
  if (reply.is !== 'refused') {
    const isMomentary = reply.is === 'unreached' || reply.isLate
    return new Failure(isMomentary ? 'unavailable' : 'bad-gateway', sentence(reply.why))
  }
  const { status, retryAfter = 5 } = reply
  if (BUSY.has(status)) return busy(sentence(`is busy (status ${status})`), retryAfter)
  if (status >= 300 && status < 400)
    return new Failure('bad-gateway', sentence('answers with a redirect, which is not followed'))
  if (status === 401 || status === 403)
    return new Failure('bad-gateway', sentence(`refuses its key (status ${status})`))
  if (status === 404)
    return new Failure('bad-gateway', sentence('finds nothing at its URL, or not its model (status 404)'))
  if (status === 456) return new Failure('unavailable', sentence('has used up its quota at the provider (status 456)'))
  return new Failure('bad-gateway', sentence(`answers with status ${status}`))
}
