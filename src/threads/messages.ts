/** What is said between the server and its thread: bytes change hands instead of being copied, failures keep what they are. */
import { Failure, type FailureCode } from '../bundle/errors.ts'

/** A message, and the memory that changes hands with it: whoever posts it has those bytes no more. */
export interface Packed {
  message: unknown
  transfer: ArrayBuffer[]
}

/** Stands for a {@link Failure}, of which a message would keep the sentence alone. */
interface PlainFailure {
  failureCode: FailureCode
  message: string
  data: Record<string, unknown>
}

/** @param value of objects, arrays, texts, numbers, flags, bytes and failures; what it holds of bytes is taken away, and is in no other value */
export function pack(value: unknown): Packed {
  const transfer: ArrayBuffer[] = []
  const plain = (value: unknown): unknown => {
    if (value instanceof Uint8Array) {
      const bytes = own(value)
      transfer.push(bytes.buffer as ArrayBuffer)
      return bytes
    }
    if (value instanceof Failure) {
      const { code, message, data } = value
      return { failureCode: code, message, data } satisfies PlainFailure
    }
    return mapped(value, plain)
  }
  return { message: plain(value), transfer }
}

/** The value that was packed. */
export function unpack(message: unknown): unknown {
  if (message instanceof Uint8Array)
    return Buffer.from(message.buffer as ArrayBuffer, message.byteOffset, message.byteLength)
  if (isObject(message) && 'failureCode' in message) {
    const { failureCode, message: sentence, data } = message as unknown as PlainFailure
    return new Failure(failureCode, sentence, data)
  }
  return mapped(message, unpack)
}

/** Errors are kept by messages as they are. */
function mapped(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change)
  if (!isObject(value) || value instanceof Error) return value
  return Object.fromEntries(Object.entries(value).map(([name, value]) => [name, change(value)]))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Bytes that share their memory with no others, as those in Node's slab of small buffers do. */
const own = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
