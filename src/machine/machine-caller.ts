/** Calls machines: a few requests at once, pauses that a machine asks for, and a month's spending within its limit. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Failure } from '../bundle/errors.ts'
import type { Claimant } from '../scheduling/fair-shares.ts'
import { FairSlots } from '../scheduling/fair-slots.ts'
import { amountOf, limitOf, type Machine, type MachineUsage, meterOf, unitOf } from './machine.ts'
import { machineFailure } from './machine-fault.ts'
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

/** How a request is sent. */
export interface CallOptions {
  /** Shares the machine evenly with others. */
  claimant: Claimant
  /** Ends the request. */
  left: AbortSignal
  /** Ends the wait before it; by default as `left`. */
  stop?: AbortSignal | undefined
  /** Hears what each request counted: those without an answer, too. */
  onSpent?: ((amount: number) => void) | undefined
}

/** Requests that wait for a machine. */
const MOST_WAITING = 50
/** Attempts while a machine is busy. */
const ATTEMPTS = 3
/** Seconds that a request waits when a machine asks for a pause; a longer pause fails it. */
const LONGEST_PAUSE = 10
/** Attempts of a job at a request that fails, and at one that the machine may have counted. */
const JOB_ATTEMPTS = { failing: 5, paid: 2 }
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
   * @throws Failure of `machineFailure`, the reason of `left` or `stop`
   */
  call(machine: Machine, paid: PaidRequest, options: CallOptions): Promise<unknown> {
    const load = this.#loadOf(machine)
    const crowded = () => machineFailure('unavailable', { code: 'crowded', machine: machine.name }, { retryAfter: 5 })
    const { claimant, left, stop = left } = options
    return load.slots.inTurn(stop, crowded, () => this.#attempt(machine, paid, load, options), { claimant })
  }

  async #attempt(machine: Machine, paid: PaidRequest, load: MachineLoad, options: CallOptions): Promise<unknown> {
    const { left, stop = left, onSpent } = options
    for (let attempt = 1; ; attempt++) {
      await outlastPause(machine, load, stop)
      const most = amountOf(machine, paid.most)
      const reservation = await this.#ledger.reserve(meterOf(machine), most, limitOf(machine))
      if (reservation === undefined) throw limitReached(machine)
      const reply = await sendRequest(paid.request, machine.timeoutMs, left).catch(error => {
        onSpent?.(most)
        throw error
      })
      if (reply.is === 'answer') {
        const spent = amountOf(machine, paid.usageIn(reply.json) ?? paid.most)
        onSpent?.(spent)
        // Without it the count is too high. A paid text is not lost for that.
        await reservation.settle(spent).catch(() => {})
        return reply.json
      }
      if (reply.is === 'broken') onSpent?.(most)
      else await reservation.settle(0)
      const isBusy = reply.is === 'refused' && BUSY.has(reply.status)
      if (isBusy) load.pausedUntil = performance.now() + 1000 * (reply.retryAfter ?? 2 ** (attempt - 1))
      if (!isBusy || attempt === ATTEMPTS) throw failureOf(machine.name, reply)
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

async function outlastPause({ name }: Machine, load: MachineLoad, stop: AbortSignal): Promise<void> {
  const rest = load.pausedUntil - performance.now()
  if (rest <= 0) return
  const seconds = Math.ceil(rest / 1000)
  const fault = { code: 'paused', machine: name, seconds } as const
  if (seconds > LONGEST_PAUSE) throw machineFailure('unavailable', fault, { retryAfter: seconds })
  await pause(rest, undefined, { signal: stop }).catch(() => stop.throwIfAborted())
}

function limitReached(machine: Machine): Failure {
  const now = new Date()
  const retryAfter = (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime()) / 1000
  const fault = { code: 'limit', machine: machine.name, limit: machine.monthlyLimit!, unit: unitOf(machine) } as const
  return machineFailure('unavailable', fault, { retryAfter })
}

function failureOf(machine: string, reply: Exclude<MachineReply, { is: 'answer' }>): Failure {
  if (reply.is === 'unreached') {
    const { detail } = reply
    return machineFailure('unavailable', { code: 'unreached', machine, detail }, { attempts: JOB_ATTEMPTS.failing })
  }
  if (reply.is === 'broken') {
    const retrying = { attempts: JOB_ATTEMPTS.paid, isOfTexts: true }
    const { fault } = reply
    return machineFailure(fault.code === 'late' ? 'unavailable' : 'bad-gateway', { ...fault, machine }, retrying)
  }
  const { status, retryAfter } = reply
  const fault = { machine, status }
  if (BUSY.has(status))
    return machineFailure('unavailable', { code: 'busy', ...fault }, { retryAfter: retryAfter ?? 5 })
  if (status >= 300 && status < 400) return machineFailure('bad-gateway', { code: 'redirect', machine })
  if (status === 401 || status === 403) return machineFailure('bad-gateway', { code: 'key', ...fault })
  if (status === 404) return machineFailure('bad-gateway', { code: 'address', ...fault })
  if (status === 456) return machineFailure('unavailable', { code: 'quota', ...fault })
  const attempts = status >= 500 ? JOB_ATTEMPTS.failing : undefined
  return machineFailure(
    'bad-gateway',
    { code: 'status', ...fault },
    { attempts, retryAfter, isOfTexts: true, isFree: true },
  )
}
