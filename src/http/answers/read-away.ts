/** What to do with the rest of a body that is refused: its client is still writing, and would miss the answer. */
import type { IncomingMessage } from 'node:http'

/** How much of a refused body is read, so that its client sees the answer; `quiet`: without a byte. */
const READ_AWAY = { bytes: 64 * 2 ** 20, milliseconds: 15_000, quietMilliseconds: 1_000 }

/**
 * Reads an unwanted body within bounds, then cuts. Closing with bytes unread resets the connection, and a client still
 * writing would miss the answer.
 */
export function readAway(raw: IncomingMessage): void {
  const { socket } = raw
  raw.on('error', () => {})
  // A gone connection brings nothing more, and the timer would hold its memory.
  if (raw.destroyed || socket.destroyed) return
  const most = socket.bytesRead + READ_AWAY.bytes
  const timer = setTimeout(() => socket.destroy(), READ_AWAY.milliseconds).unref()
  // Node closes an unkept connection once the answer is out: not while more is coming, either.
  let quiet: NodeJS.Timeout | undefined
  socket.destroySoon = () => {
    quiet = setTimeout(() => socket.destroy(), READ_AWAY.quietMilliseconds).unref()
  }
  const onData = () => {
    quiet?.refresh()
    if (socket.bytesRead > most) socket.destroy()
  }
  const through = () => {
    raw.off('data', onData).off('close', through).off('end', through)
    clearTimeout(timer)
    clearTimeout(quiet)
    Reflect.deleteProperty(socket, 'destroySoon')
    if (quiet) socket.destroySoon()
  }
  raw.on('data', onData).on('close', through).on('end', through)
  raw.resume()
}
