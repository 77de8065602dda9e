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
    const { url, headers, body } = request
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
    return { is: 'answer', json: JSON.parse(Buffer.concat(chunks).toString('utf8')) }
  } catch {
    return { is: 'broken', fault: { code: 'no-json' } }
  }
}

/** Seconds by the header `Retry-After` (RFC 9110 §10.2.3): a number, or a date. */
export function retryAfterOf(header: string | null, now: number = Date.now()): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

const codeOf = (error: unknown): string => {
  const { cause } = error as { cause?: { code?: unknown; errors?: { code?: unknown }[] } }
  return String(cause?.code ?? cause?.errors?.[0]?.code ?? '')
}
