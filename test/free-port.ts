/** A port for a program that must be told one before it listens. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** A port of 127.0.0.1 on which nobody listened a moment ago, and none that a system gives to who asks for any (RFC 6335: from 49152; Linux: from 32768). */
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
