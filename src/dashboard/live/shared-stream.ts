/**
 * One stream for all tabs of a browser: HTTP/1.1 allows six connections a host, and each stream holds one. The tab
 * with the lock listens and forwards events. When it closes, the lock goes to the next tab, which continues at the
 * last id.
 */
import type { LiveEvent } from './changes.ts'
import type { LiveState, StreamListener } from './listen.ts'

type Message = { is: 'ask' } | { is: 'heard'; heard: LiveEvent } | { is: 'state'; state: LiveState; last?: string }

export interface Channel {
  postMessage(message: unknown): void
  onmessage: ((event: MessageEvent) => unknown) | null
  close(): void
}

/** The browser's services for sharing, which tests replace. */
export interface Sharing {
  channel: Channel
  /** Runs `lead` while this tab holds the lock. Rejects if the signal fires first. */
  turn(signal: AbortSignal, lead: () => Promise<void>): Promise<unknown>
  listen(listener: StreamListener, signal: AbortSignal, last: string | undefined): Promise<void>
}

/** Number of recent events to compare with: two leaders may forward the same commit. */
const MOST_HEARD = 200

/** One tab's part of it, from construction to {@link close}. */
export class SharedStream {
  readonly #sharing: Sharing
  readonly #listener: Omit<StreamListener, 'moved'>
  readonly #end = new AbortController()
  readonly #heard = new Set<string>()
  #state: LiveState = 'reconnecting'
  #last: string | undefined
  #leads = false
  #waits = false

  constructor(sharing: Sharing, listener: Omit<StreamListener, 'moved'>) {
    this.#sharing = sharing
    this.#listener = listener
    sharing.channel.onmessage = ({ data }) => this.#receive(data as Message)
    this.#post({ is: 'ask' })
    this.#queue()
  }

  get state(): LiveState {
    return this.#state
  }

  get leads(): boolean {
    return this.#leads
  }

  close(): void {
    this.#end.abort()
    this.#sharing.channel.onmessage = null
    this.#sharing.channel.close()
  }

  #queue(): void {
    if (this.#waits) return
    this.#waits = true
    const { signal } = this.#end
    const lead = async () => {
      // The server refused the previous leader.
      if (this.#state === 'ended' || signal.aborted) return
      this.#leads = true
      const listener: StreamListener = {
        heard: heard => {
          this.#post({ is: 'heard', heard })
          this.#hear(heard)
        },
        moved: last => {
          this.#last = last
          this.#postState()
        },
        state: state => {
          this.#change(state)
          this.#postState()
        },
      }
      await this.#sharing.listen(listener, signal, this.#last)
    }
    const end = () => {
      this.#leads = this.#waits = false
    }
    this.#sharing.turn(signal, lead).then(end, end)
  }

  #receive(message: Message): void {
    if (message.is === 'ask') {
      if (this.#leads) this.#postState()
    } else if (message.is === 'heard') {
      this.#last = message.heard.id
      this.#hear(message.heard)
    } else {
      this.#last = message.last ?? this.#last
      this.#change(message.state)
      // The user signed in again in another tab.
      if (message.state !== 'ended') this.#queue()
    }
  }

  #postState(): void {
    this.#post({ is: 'state', state: this.#state, ...(this.#last !== undefined && { last: this.#last }) })
  }

  #post(message: Message): void {
    if (!this.#end.signal.aborted) this.#sharing.channel.postMessage(message)
  }

  #hear(heard: LiveEvent): void {
    if (heard.event === 'change') {
      if (this.#heard.has(heard.id)) return
      this.#heard.add(heard.id)
      if (this.#heard.size > MOST_HEARD) this.#heard.delete(this.#heard.values().next().value!)
    }
    this.#listener.heard(heard)
  }

  #change(state: LiveState): void {
    if (state === this.#state || this.#end.signal.aborted) return
    this.#state = state
    this.#listener.state(state)
  }
}
