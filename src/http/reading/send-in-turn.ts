/** Long answers as streams: a few at a time, paced by their readers. */
import { pipeline, Readable } from 'node:stream'
import zlib from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { busy } from '../../bundle/errors.ts'
import type { FairSlots } from '../../scheduling/fair-slots.ts'
import { PacedOutput } from '../../scheduling/paced-output.ts'
import { chosen } from '../answers/encoding.ts'
import { claimantOf } from '../bounds/body-memory.ts'
import { whenGone } from '../bounds/when-gone.ts'
import { clientGone } from '../requests/client-gone.ts'

/** What waits in memory for the client. */
const AHEAD = 64 * 1024

/** Compressed as the client wants it. */
export function compressed(reply: FastifyReply, plain: Readable): Readable {
  const coding = chosen(reply.request.headers['accept-encoding'])
  if (coding === undefined) return plain
  reply.header('content-encoding', coding)
  const quality = { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 }
  const coder = coding === 'br' ? zlib.createBrotliCompress({ params: quality }) : zlib.createGzip()
  return pipeline(plain, coder, () => {})
}

/**
 * Sends an output when a slot is free, and creates it then. A slow client loses its slot to waiting ones.
 * @throws Failure `unavailable` when too many wait; as `make`
 */
export async function sendInTurn(reply: FastifyReply, slots: FairSlots, make: () => Promise<Readable>) {
  const output = new PacedOutput('others wait for an export')
  const left = clientGone(reply)
  const holder = { claimant: claimantOf(reply.request), cut: () => output.cut(), pace: () => output.pace() }
  const done = await slots.acquire(left, holder)
  if (!done) throw busy('Too many exports are waiting; try again in a moment.', 5)
  whenGone(reply.raw, done)
  const made = await make()
  if (left.aborted) made.destroy()
  else reply.send(output.of(counted(made)))
}

/** The same bytes, counted as they come. */
function counted(source: Readable): Readable & { bytesRead: number } {
  const bytes = async function* () {
    for await (const part of source as AsyncIterable<Buffer>) {
      output.bytesRead += part.length
      yield part
    }
  }
  const output = Object.assign(Readable.from(bytes(), { objectMode: false, highWaterMark: AHEAD }), { bytesRead: 0 })
  return output
}
