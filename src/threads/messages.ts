/** What is said between the server and its thread: bytes change hands instead of being copied, failures travel as what they hold. */
import { Failure, type FailureCode } from '../bundle/errors.ts'
import type { PushAnswer, PushTask } from '../bundle/push.ts'

/** A failure without its class, which no message keeps. */
interface PlainFailure {
  code: FailureCode
  message: string
  data: Record<string, unknown>
}

type PlainAnswer =
  | { kind: 'unread' | 'refused'; failure: PlainFailure }
  | Exclude<PushAnswer, { failure: Failure }>
  | { kind: 'mistake'; error: unknown }

/** What the thread answers; `body` is the task's, given back. */
export interface Reply {
  answer: PlainAnswer
  body: Uint8Array
}

/** A task with what changes hands with it; whoever posts it has its bytes no more. */
export function taskMessage({ body, onto, details }: PushTask): { message: PushTask; transfer: ArrayBuffer[] } {
  const sent = own(body)
  // The store keeps its files: a copy goes.
  const stored = onto && Uint8Array.from(onto.stored)
  const message = { body: sent, onto: onto && { ...onto, stored: stored! }, details }
  return { message, transfer: buffersOf([sent, stored]) }
}

/** An answer with what changes hands with it. */
export function replyMessage(answer: PushAnswer, body: Uint8Array): { message: Reply; transfer: ArrayBuffer[] } {
  if ('failure' in answer) {
    const { code, message, data } = answer.failure
    const plain = { kind: answer.kind, failure: { code, message, data } }
    return { message: { answer: plain, body }, transfer: buffersOf([body]) }
  }
  if (answer.kind === 'read') return { message: { answer, body }, transfer: buffersOf([body]) }
  const { counts, file, details } = answer.pushed
  const sent = { counts, file: file && { id: file.id, bytes: own(file.bytes) }, details: details && own(details) }
  const message = { answer: { kind: answer.kind, pushed: sent } as PlainAnswer, body }
  return { message, transfer: buffersOf([body, sent.file?.bytes, sent.details]) }
}

/** The answer as it was before it was sent. @throws what the thread met that is no answer: a mistake in the program */
export function answerOf({ answer }: Reply): PushAnswer {
  if (answer.kind === 'mistake') throw answer.error
  if ('failure' in answer) {
    const { code, message, data } = answer.failure
    return { kind: answer.kind, failure: new Failure(code, message, data) }
  }
  if (answer.kind === 'read') return answer
  const { counts, file, details } = answer.pushed
  const pushed = {
    counts,
    file: file && { id: file.id, bytes: asBuffer(file.bytes) },
    details: details && asBuffer(details),
  }
  return { kind: 'pushed', pushed }
}

/** Messages make plain arrays of Buffers. */
export const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)

/** Bytes that share their memory with no others, as those in Node's slab of small buffers do. */
const own = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)

const buffersOf = (arrays: (Uint8Array | undefined)[]): ArrayBuffer[] =>
  arrays.filter(array => array !== undefined).map(array => array.buffer as ArrayBuffer)
