/** A port for a program that needs one before it listens. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** A free port of 127.0.0.1 outside the ephemeral ports (RFC 6335: from 49152; Linux: from 32768). */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768)
    const probe = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise(resolve => probe.close(resolve))
    return port
  }
}
