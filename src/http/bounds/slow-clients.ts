/** A least rate for clients: slower ones are cut after a while, and hold nothing any more. */
import { readFile, readlink } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { Failure } from '../../bundle/errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    slowClients: SlowClients
  }
}

/** Bytes a second: a quarter of GPRS, the slowest mobile network. */
const LEAST_RATE = 1024
/**
 * How much longer readers get where the system does not tell what they took: its send buffer takes more only when a
 * third is free, up to a megabyte.
 */
const BLINDLY = 8

/** libuv's socket: bytes given to it, and those not yet taken by the system. */
type Handle = { bytesWritten: number; writeQueueSize: number; fd: number }

interface Sender {
  arrived: () => number
  cut: (failure: Failure) => void
  seen: number
  slowFor: number
}

interface Reader {
  /** What the system and the client had taken at the last look. */
  handedOn: number
  taken: number | undefined
  slowFor: number
}

export class SlowClients {
  readonly #sockets: Iterable<Socket>
  readonly #slow: number
  readonly #senders = new Set<Sender>()
  readonly #readers = new WeakMap<Socket, Reader>()
  #looked = performance.now()

  /** @param patience `slow`: after how many milliseconds below the rate a client is cut */
  constructor(sockets: Iterable<Socket>, { slow }: { slow: number }) {
    this.#sockets = sockets
    this.#slow = slow
  }

  /**
   * Watches a body being read, until the function returned is called.
   * @param arrived bytes so far
   * @param cut called once, when it comes too slowly
   */
  watch(arrived: () => number, cut: (failure: Failure) => void): () => void {
    const sender: Sender = { arrived, cut, seen: 0, slowFor: 0 }
    this.#senders.add(sender)
    return () => this.#senders.delete(sender)
  }

  /** Cuts those that are too slow. */
  async look(): Promise<void> {
    const now = performance.now()
    const elapsed = now - this.#looked
    this.#looked = now
    this.#lookAtSenders(elapsed)
    await this.#lookAtReaders(elapsed)
  }

  #lookAtSenders(elapsed: number): void {
    for (const sender of this.#senders) {
      const arrived = sender.arrived()
      sender.slowFor = isTooLittle(arrived - sender.seen, elapsed) ? sender.slowFor + elapsed : 0
      sender.seen = arrived
      if (sender.slowFor < this.#slow) continue
      this.#senders.delete(sender)
      sender.cut(
        new Failure('too-slow', `The body came at less than ${LEAST_RATE} bytes a second; send it on a better line.`),
      )
    }
  }

  async #lookAtReaders(elapsed: number): Promise<void> {
    const suspects: [socket: Socket, reader: Reader, handle: Handle][] = []
    for (const socket of this.#sockets) {
      const { _handle: handle } = socket as unknown as { _handle: Handle | null }
      // The system has taken everything.
      if (!handle || handle.writeQueueSize === 0) {
        this.#readers.delete(socket)
        continue
      }
      const handedOn = handle.bytesWritten - handle.writeQueueSize
      const reader = this.#readers.get(socket)
      if (reader && isTooLittle(handedOn - reader.handedOn, elapsed)) suspects.push([socket, reader, handle])
      else this.#readers.set(socket, { handedOn, taken: undefined, slowFor: 0 })
    }
    if (suspects.length === 0) return
    const waiting = await sendQueues()
    for (const [socket, reader, handle] of suspects) {
      const queue = waiting?.get(await inodeOf(handle.fd))
      if (socket.destroyed) continue
      const taken = queue === undefined ? undefined : handle.bytesWritten - handle.writeQueueSize - queue
      const moved = taken === undefined || reader.taken === undefined ? 0 : taken - reader.taken
      reader.slowFor = isTooLittle(moved, elapsed) ? reader.slowFor + elapsed : 0
      reader.handedOn = handle.bytesWritten - handle.writeQueueSize
      reader.taken = taken
      if (reader.slowFor >= this.#slow * (taken === undefined ? BLINDLY : 1)) socket.destroy()
    }
  }
}

const isTooLittle = (bytes: number, milliseconds: number) => bytes * 1000 < LEAST_RATE * milliseconds

/** Bytes in the system's send buffers by socket inode (Linux, proc(5)). */
async function sendQueues(): Promise<Map<string, number> | undefined> {
  const tables = await Promise.all(['tcp', 'tcp6'].map(name => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')))
  const queues = new Map<string, number>()
  // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
  for (const [, queue, inode] of tables.join('').matchAll(/ ([0-9A-F]{8}):[0-9A-F]{8} \S+ \S+ +\d+ +\d+ (\d+) /g)) {
    if (queue !== '00000000') queues.set(inode!, Number.parseInt(queue!, 16))
  }
  return queues.size === 0 ? undefined : queues
}

async function inodeOf(descriptor: number): Promise<string> {
  const target = await readlink(`/proc/self/fd/${descriptor}`).catch(() => '')
  return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? ''
}
