/** Compressed answers (RFC 9110 §8.4, §12.5.3): compressed once per content, bounded. */
import zlib from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ByteCache, byteCache, offer, ownBytes } from '../../scheduling/byte-cache.ts'
import { addVary } from './conditional.ts'

declare module 'fastify' {
  interface FastifyInstance {
    encodings: Encodings
  }
}

type Coding = 'br' | 'gzip'

const SMALLEST = 1024
/** Up to here compression needs 3 ms. Larger ones are compressed in a thread, and sent plain until then. */
const AT_ONCE = 256 * 1024
const LEAST_AT_A_TIME = 1024
const MOST_AT_A_TIME = 64 * 1024
/** Smaller ones are in the system's buffers before it matters. */
const SHARED = 64 * 1024

const inPlace: Record<Coding, 'brotliCompressSync' | 'gzipSync'> = { br: 'brotliCompressSync', gzip: 'gzipSync' }
type InThread = (bytes: Buffer, options: zlib.BrotliOptions, done: zlib.CompressCallback) => void
const inThread: Record<Coding, InThread> = { br: zlib.brotliCompress, gzip: zlib.gzip }
/** gzip ignores brotli's parameters. */
const optionsFor = (bytes: Buffer): zlib.BrotliOptions => ({
  // The size is a hint, lest brotli plan for more.
  params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  // zlib's output buffer: texts shrink to a quarter or so, and spare memory would wait for collection.
  chunkSize: Math.min(MOST_AT_A_TIME, Math.max(LEAST_AT_A_TIME, bytes.length >> 2)),
})

/** The sent bytes, and how to find them while cached; absent when the next gets another coding. */
export interface EncodedBody {
  bytes: Buffer
  again?: () => Buffer | undefined
}

export class Encodings {
  readonly #made: ByteCache<Buffer>
  readonly #making = new Set<string>()
  /** Large ones that are, or just were, being sent. */
  readonly #sent = new Map<string, WeakRef<Buffer>>()
  readonly #unread = new FinalizationRegistry<{ name: string; sent: WeakRef<Buffer> }>(({ name, sent }) => {
    if (this.#sent.get(name) === sent) this.#sent.delete(name)
  })

  /** @param limitBytes for the compressed bytes */
  constructor(limitBytes: number) {
    this.#made = byteCache(limitBytes)
  }

  /**
   * What to send for `bytes`, in the best coding accepted, noted in the headers of `reply`.
   * @param content names the bytes: equal names, equal bytes
   * @param plainAgain finds the bytes later, as they are
   */
  encode(reply: FastifyReply, content: string, bytes: () => Buffer, plainAgain: () => Buffer | undefined): EncodedBody {
    const coding = chosen(reply.request.headers['accept-encoding'])
    if (coding === undefined) return { bytes: bytes(), again: plainAgain }
    const name = `${coding} ${content}`
    const again = () => this.#made.get(name)
    const known = again()
    if (known !== undefined) return coded(reply, coding, { bytes: known, again })
    const plain = bytes()
    if (plain.length < SMALLEST) return { bytes: plain, again: plainAgain }
    if (plain.length > AT_ONCE) {
      this.#makeInThread(name, coding, plain)
      return { bytes: plain }
    }
    const compressed = zlib[inPlace[coding]](plain, optionsFor(plain))
    this.#keep(name, compressed)
    return coded(reply, coding, { bytes: compressed, again })
  }

  /** Has a 304 vary as the 200 in its place might (RFC 9110 §15.4.5). */
  spare(reply: FastifyReply): void {
    if (chosen(reply.request.headers['accept-encoding']) !== undefined) addVary(reply, 'Accept-Encoding')
  }

  /**
   * The result of `render`, rendered once while there is room for it or any client still reads it: slow ones share it.
   * @param content as for {@link encode}
   */
  rendered(content: string, render: () => Buffer): Buffer {
    const name = `identity ${content}`
    const known = this.#whole(name)
    if (known !== undefined) return known
    const bytes = render()
    this.#keep(name, bytes)
    if (bytes.length >= SHARED) {
      const sent = new WeakRef(bytes)
      this.#sent.set(name, sent)
      this.#unread.register(bytes, { name, sent })
    }
    return bytes
  }

  /** Whether {@link rendered} has something to send without rendering it. */
  has(request: FastifyRequest, content: string): boolean {
    const coding = chosen(request.headers['accept-encoding'])
    if (coding !== undefined && this.#made.get(`${coding} ${content}`) !== undefined) return true
    return this.#whole(`identity ${content}`) !== undefined
  }

  /** Finds what {@link rendered} cached. Created here, so that it holds no more than a name. */
  finding(content: string): () => Buffer | undefined {
    return () => this.#whole(`identity ${content}`)
  }

  #whole(name: string): Buffer | undefined {
    return this.#made.get(name) ?? this.#sent.get(name)?.deref()
  }

  #makeInThread(name: string, coding: Coding, bytes: Buffer): void {
    if (this.#making.has(name)) return
    this.#making.add(name)
    inThread[coding](bytes, optionsFor(bytes), (error, compressed) => {
      this.#making.delete(name)
      if (error === null) this.#keep(name, compressed)
    })
  }

  #keep(name: string, compressed: Buffer): void {
    offer(this.#made, name, ownBytes(compressed), compressed.length + name.length * 2 + 200)
  }
}

function coded(reply: FastifyReply, coding: Coding, sent: EncodedBody): EncodedBody {
  reply.header('content-encoding', coding)
  // Only here: private caches' one client accepts the same codings each time.
  addVary(reply, 'Accept-Encoding')
  return sent
}

/** The coding for an Accept-Encoding field: the favourite, brotli on a tie; undefined for plain bytes. */
export function chosen(accepted: string | undefined): Coding | undefined {
  if (accepted === undefined) return undefined
  // What browsers send, unparsed.
  if (!accepted.includes(';')) return /\bbr\b/i.test(accepted) ? 'br' : /\bgzip\b/i.test(accepted) ? 'gzip' : undefined
  const weights = new Map(accepted.split(',').map(weighed))
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? 0.001 : 0)
  const [br, gzip, identity] = [weight('br'), weight('gzip'), weight('identity')]
  if (br > 0 && br >= gzip && br >= identity) return 'br'
  return gzip > 0 && gzip >= identity ? 'gzip' : undefined
}

function weighed(part: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = part.split(';').map(word => word.trim().toLowerCase())
  const q = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
  return [coding === 'x-gzip' ? 'gzip' : coding, q === undefined ? 1 : Number(q) || 0]
}
