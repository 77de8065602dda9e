/** One request to a machine: no redirects, within a time, and with an answer of bounded size. */

import type { MachineFault } from './machine-fault.ts'

/** A request as a provider builds it. The body is JSON, or a form. */
export interface MachineRequest {
  url: string
  headers: Record<string, string>
  body: string
}

/**
 * The outcome of a request.
 * - `answer`: a success, as JSON
 * - `refused`: another status; the machine did no work
 * - `unreached`: nothing was sent
 * - `broken`: the machine may have done its work, but the answer is of no use
 */
export type MachineReply =
  | { is: 'answer'; json: unknown }
  | { is: 'refused'; status: number; retryAfter?: number }
  | { is: 'unreached'; detail: string }
  | { is: 'broken'; fault: { code: 'late' | 'cut' | 'no-json' | 'long' | 'status' } & Omit<MachineFault, 'code'> }

/** Bytes of an answer, decompressed. */
const MOST_ANSWER = 4 * 2 ** 20

/** A proxy gave up waiting (504, Cloudflare's 524): the machine behind it may have done its work. */
const LATE = new Set([504, 524])

/** Errors before the first byte of a request leaves. */
const UNREACHED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/**
 * Sends a request by POST. Nothing of an answer with another status is read: it may quote the key.
 * @throws the reason of `left` when it aborts
 */
export async function sendRequest(
  request: MachineRequest,
  timeoutMs: number,
  left: AbortSignal,
): Promise<MachineReply> {
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const { url, body } = request
    // Sent over an idle connection that the machine is closing, a request would fail, and count as spent.
    const headers = { ...request.headers, connection: 'close' }
    const signal = AbortSignal.any([left, late])
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    const { status } = response
    if (status === 200) return await readAnswer(response)
    await response.body?.cancel()
    if (LATE.has(status)) return { is: 'broken', fault: { code: 'status', status } }
    const seconds = retryAfterOf(response.headers.get('retry-after'))
    return { is: 'refused', status, ...(seconds !== undefined && { retryAfter: seconds }) }
  } catch (error) {
    left.throwIfAborted()
    if (late.aborted) return { is: 'broken', fault: { code: 'late', seconds: timeoutMs / 1000 } }
    const code = codeOf(error)
    if (UNREACHED.test(code)) return { is: 'unreached', detail: code }
    return { is: 'broken', fault: { code: 'cut' } }
  }
}

async function readAnswer(response: Response): Promise<MachineReply> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  if (response.body) {
    for await (const chunk of response.body) {
      bytes += chunk.length
      // Leaving the loop cancels the rest.
      if (bytes > MOST_ANSWER) return { is: 'broken', fault: { code: 'long', limit: MOST_ANSWER } }
      chunks.push(chunk)
    }
  }
  try {
    // Unlike `toString`, the decoder drops a byte order mark.
    const json = JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)))
    // Gateways answer so where the model behind them fails: no text was at fault.
    if (json?.error) return { is: 'broken', fault: { code: 'status', status: statusIn(json.error) } }
    return { is: 'answer', json }
  } catch {
    return { is: 'broken', fault: { code: 'no-json' } }
  }
}

/** The status that an error in an answer with status 200 names. */
const statusIn = ({ code }: { code?: unknown }): number =>
  Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600 ? Number(code) : 200

/** Maximum of seconds for `Retry-After`: a mistake there does not stop a machine for days. */
const MOST_RETRY_AFTER = 3600

/** Seconds by the header `Retry-After` (RFC 9110 §10.2.3): a number, which some write with a fraction, or a date. */
export function retryAfterOf(header: string | null, now: number = Date.now()): number | undefined {
  const value = header?.trim() ?? ''
  if (!/^(\d+(\.\d+)?$|[a-z])/i.test(value)) return undefined
  const seconds = /^\d/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(MOST_RETRY_AFTER, Math.max(0, Math.ceil(seconds)))
}

const codeOf = (error: unknown): string => {
  const { cause } = error as { cause?: { code?: unknown; errors?: { code?: unknown }[] } }
  return String(cause?.code ?? cause?.errors?.[0]?.code ?? '')
}
