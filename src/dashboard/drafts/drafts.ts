/**
 * Unsaved texts of one user, in the browser's local storage: it alone can be written at the moment a page goes away,
 * and tells other tabs. They stay across reload, crash and sign-out, each under its user.
 */

/** Where a text belongs. */
export interface DraftAddress {
  organization: string
  project: string
  language: string
  namespace: string
  key: string
  /** `few`, `ordinal_few`; absent of a text. */
  form?: string
}

/** What was typed. */
export interface Draft {
  text: string
  /** What stood there when the typing began; null is none. */
  before: string | null
  /** The `ETag` of the bundle then. */
  etag?: string
  /** Of the last key, in ms since 1970. */
  time: number
}

export interface AddressedDraft extends Draft {
  address: DraftAddress
}

/** A `Storage`, as far as it is needed. */
export interface DraftStorage {
  readonly length: number
  key(index: number): string | null
  getItem(name: string): string | null
  setItem(name: string, value: string): void
  removeItem(name: string): void
}

/** What is typed is on the disk after so many ms at the latest. */
export const FLUSH_MS = 250
/** Characters of all drafts of a user: browsers give an origin about five million. */
const MOST_CHARACTERS = 2_000_000
const PREFIX = 'parlance draft '

/** See the top of the file. */
export class Drafts {
  readonly #storage: DraftStorage | undefined
  readonly #user: string
  readonly #most: number
  readonly #drafts = new Map<string, AddressedDraft>()
  readonly #sizes = new Map<string, number>()
  /** What the disk does not have yet. */
  readonly #dirty = new Set<string>()
  /** How many saves of a text are under way. */
  readonly #saving = new Map<string, number>()
  readonly #listeners = new Set<() => void>()
  #all: readonly AddressedDraft[] | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param storage undefined where the browser has none: then drafts live as long as the page
   * @param most characters that are kept
   */
  constructor(storage: DraftStorage | undefined, user: string, most = MOST_CHARACTERS) {
    this.#storage = storage
    this.#user = user
    this.#most = most
    for (const name of namesIn(storage)) this.#load(name)
  }

  get(address: DraftAddress): Draft | undefined {
    return this.#drafts.get(this.#nameOf(address))
  }

  /** All of the user's, in every organization, the newest first. The same array until one changes. */
  get all(): readonly AddressedDraft[] {
    this.#all ??= [...this.#drafts.values()].sort((a, b) => b.time - a.time)
    return this.#all
  }

  /** Whether a crash would lose nothing but the last moment: false when there is no room for all of them. */
  get areKept(): boolean {
    return this.#dirty.size === 0 || this.#timer !== undefined
  }

  /** Keeps a text; one that is again what it was before is none, but while another one is being saved there. */
  set(address: DraftAddress, draft: Draft): void {
    const name = this.#nameOf(address)
    if (draft.text === draft.before && !this.#saving.has(name)) {
      this.discard(address)
      return
    }
    this.#drafts.set(name, { ...draft, address })
    this.#dirty.add(name)
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS)
    this.#tell()
  }

  /** Says that a text is being saved: what it is over will be another one. @returns says that it is done */
  saving(address: DraftAddress): () => void {
    const name = this.#nameOf(address)
    this.#saving.set(name, (this.#saving.get(name) ?? 0) + 1)
    return () => {
      const others = this.#saving.get(name)! - 1
      if (others > 0) {
        this.#saving.set(name, others)
        return
      }
      this.#saving.delete(name)
      const draft = this.#drafts.get(name)
      if (draft?.text === draft?.before) this.discard(address)
    }
  }

  /** Lets a text go, as it was saved or is not wanted. */
  discard(address: DraftAddress): void {
    const name = this.#nameOf(address)
    if (!this.#drafts.delete(name)) return
    this.#dirty.delete(name)
    this.#sizes.delete(name)
    attempt(() => this.#storage?.removeItem(name))
    // There may be room now for what had none.
    if (this.#dirty.size > 0) this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS)
    this.#tell()
  }

  /** Writes what is not written yet, at once. */
  flush(): void {
    clearTimeout(this.#timer)
    const kept = this.areKept
    this.#timer = undefined
    for (const name of this.#dirty) {
      const value = JSON.stringify(this.#drafts.get(name))
      const size = name.length + value.length
      const others = [...this.#sizes].reduce((sum, [other, size]) => (other === name ? sum : sum + size), 0)
      if (!this.#storage || others + size > this.#most || !attempt(() => this.#storage!.setItem(name, value))) continue
      this.#sizes.set(name, size)
      this.#dirty.delete(name)
    }
    if (this.areKept !== kept) this.#tell()
  }

  /** Another tab changed an item (`StorageEvent.key`), or all of them (null). */
  changed(name: string | null): void {
    const names = name === null ? [...this.#drafts.keys(), ...namesIn(this.#storage)] : [name]
    for (const one of names) {
      // What is being typed here counts for more.
      if (this.#dirty.has(one) || !one.startsWith(this.#prefix)) continue
      this.#drafts.delete(one)
      this.#sizes.delete(one)
      this.#load(one)
    }
    this.#tell()
  }

  /** @returns ends it */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get #prefix(): string {
    return `${PREFIX}${JSON.stringify(this.#user)} `
  }

  #nameOf({ organization, project, language, namespace, key, form = '' }: DraftAddress): string {
    return this.#prefix + JSON.stringify([organization, project, language, namespace, key, form])
  }

  #load(name: string): void {
    if (!name.startsWith(this.#prefix)) return
    attempt(() => {
      const value = this.#storage!.getItem(name)
      const draft = value === null ? undefined : (JSON.parse(value) as AddressedDraft)
      if (typeof draft?.text !== 'string' || this.#nameOf(draft.address) !== name) return
      this.#drafts.set(name, draft)
      this.#sizes.set(name, name.length + value!.length)
    })
  }

  #tell(): void {
    this.#all = undefined
    for (const listener of this.#listeners) listener()
  }
}

function namesIn(storage: DraftStorage | undefined): string[] {
  return Array.from({ length: storage?.length ?? 0 }, (_, index) => storage!.key(index)!)
}

/** Storage refuses when it is full or forbidden, and anybody may have written to it. @returns whether it went well */
function attempt(act: () => void): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}
