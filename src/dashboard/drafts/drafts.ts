/**
 * Unsaved texts of one user, in the browser's local storage: only it is writable while a tab closes, and it notifies
 * other tabs. They survive reload, crash and sign-out, each under its user.
 *
 * A draft belongs to the tab that it was typed in. No other tab changes it, saves it or discards it. Drafts of closed
 * tabs pass to the tab that is opened next ({@link Drafts.adopt}).
 */

export interface DraftAddress {
  organization: string
  project: string
  language: string
  namespace: string
  key: string
  /** `few`, `ordinal_few`; absent of a text. */
  form?: string
}

/** Where a note belongs: to its key in all languages. It was typed in one of them. */
export interface NoteAddress extends DraftAddress {
  isNote: true
}

export interface Draft {
  text: string
  /** The text when the typing began; null is none. */
  before: string | null
  /** Of the last key, in ms since 1970. */
  time: number
}

export interface AddressedDraft extends Draft {
  address: DraftAddress
}

/** A draft that another tab holds, or left when it was closed. */
export interface OtherDraft extends AddressedDraft {
  /** Of its item in the storage. */
  name: string
  /** Id of the tab; empty if an older version stored it, which knew no tabs. */
  tab: string
  /** Whether the tab is known to be closed. */
  isClosed: boolean
}

export type DraftStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

/** Maximum ms until typed text is on the disk. */
const FLUSH_MS = 250
const PREFIX = 'parlance draft '
const NOTES = 'parlance note '

export class Drafts {
  readonly #storage: DraftStorage | undefined
  /** Ids of the user and of the tab. */
  readonly #owner: { user: string; tab: string }
  /** Drafts of this tab, by the name of their address. */
  readonly #drafts = new Map<string, AddressedDraft>()
  /** Drafts of other tabs, by the name of their item. */
  readonly #others = new Map<string, OtherDraft>()
  /** Addresses with a draft that is not in the storage yet. */
  readonly #dirty = new Set<string>()
  /** Running saves, by the name of their address. */
  readonly #saving = new Map<string, number>()
  readonly #listeners = new Set<() => void>()
  #all: readonly AddressedDraft[] | undefined
  #otherTabs: readonly OtherDraft[] | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param storage undefined where the browser has none: drafts then live until the tab closes */
  constructor(storage: DraftStorage | undefined, owner: { user: string; tab: string }) {
    this.#storage = storage
    this.#owner = owner
    for (const name of namesIn(storage)) this.#load(name)
  }

  get(address: DraftAddress): Draft | undefined {
    return this.#drafts.get(this.#nameOf(address))
  }

  /** The drafts of this tab, in every organization, newest first. The same array until one changes. */
  get all(): readonly AddressedDraft[] {
    this.#all ??= [...this.#drafts.values()].sort(newestFirst)
    return this.#all
  }

  /** The drafts of other tabs, newest first. The same array until one changes. */
  get others(): readonly OtherDraft[] {
    this.#otherTabs ??= [...this.#others.values()].sort(newestFirst)
    return this.#otherTabs
  }

  /** The keys with an unsaved note of the user, in all tabs. The panel of the editor stores them. */
  get notes(): NoteAddress[] {
    const noteOf = (name: string): NoteAddress | undefined => {
      const [user, organization, project, namespace, key] = JSON.parse(name.slice(NOTES.length))
      const { language = '' } = JSON.parse(this.#storage!.getItem(name)!)
      return user === this.#owner.user ? { organization, project, language, namespace, key, isNote: true } : undefined
    }
    const names = namesIn(this.#storage).filter(name => name.startsWith(NOTES))
    return names.flatMap(name => attempt(() => noteOf(name)) ?? [])
  }

  /** Whether a crash would lose nothing but the last moment: false when there is no room for all of them. */
  get areStored(): boolean {
    return this.#dirty.size === 0 || this.#timer !== undefined
  }

  /** Stores a text. A text equal to the one before is deleted, unless another save runs at its address. */
  set(address: DraftAddress, draft: Draft): void {
    const name = this.#nameOf(address)
    if (draft.text === draft.before && !this.#saving.has(name)) this.discard(address)
    else {
      this.#drafts.set(name, { ...draft, address })
      this.#write(name)
      this.#notify()
    }
  }

  /** Marks a text as being saved: its base is about to change. @returns ends the mark */
  saving(address: DraftAddress): () => void {
    const name = this.#nameOf(address)
    this.#saving.set(name, (this.#saving.get(name) ?? 0) + 1)
    return () => {
      const others = this.#saving.get(name)! - 1
      this.#saving.set(name, others)
      if (others > 0) return
      this.#saving.delete(name)
      const draft = this.#drafts.get(name)
      if (draft?.text === draft?.before) this.discard(address)
    }
  }

  /** Deletes a draft of this tab after it was saved or discarded. */
  discard(address: DraftAddress): void {
    const name = this.#nameOf(address)
    if (!this.#drafts.delete(name)) return
    this.#dirty.delete(name)
    this.#remove(this.#itemOf(name))
  }

  /** Lets a text go that a closed tab left; that of an open one stays. */
  discardOther({ name }: OtherDraft): void {
    if (!this.#others.get(name)?.isClosed) return
    this.#others.delete(name)
    this.#remove(name)
  }

  /** Stores a text of a closed tab again, after {@link discardOther}. */
  restoreOther(other: OtherDraft): void {
    const { name, tab: _, isClosed: __, ...draft } = other
    attempt(() => this.#storage?.setItem(name, JSON.stringify(draft)))
    this.#others.set(name, other)
    this.#notify()
  }

  /**
   * Learns which tabs are open.
   * @param isOpen whether a tab may still be open
   * @param adopts whether this tab adopts drafts of closed tabs where it has none of its own
   */
  sweep(isOpen: (tab: string) => boolean, adopts: boolean): void {
    for (const other of this.others) {
      const { name, tab, isClosed: _, ...draft } = other
      if (tab !== '' && isOpen(tab)) {
        this.#others.set(name, { ...other, isClosed: false })
        continue
      }
      const at = this.#nameOf(draft.address)
      const own = this.#drafts.get(at)
      if (!adopts || (own && own.text !== draft.text)) {
        this.#others.set(name, { ...other, isClosed: true })
        continue
      }
      if (!own) {
        this.#drafts.set(at, draft)
        this.#write(at)
        // Written before the other item is deleted: a crash between the two leaves both.
        this.flush()
        if (this.#dirty.has(at)) continue
      }
      this.#others.delete(name)
      this.#remove(name)
    }
    this.#notify()
  }

  flush(): void {
    clearTimeout(this.#timer)
    const wasStored = this.areStored
    this.#timer = undefined
    for (const name of this.#dirty) {
      const value = JSON.stringify(this.#drafts.get(name))
      attempt(() => {
        this.#storage!.setItem(this.#itemOf(name), value)
        this.#dirty.delete(name)
      })
    }
    if (this.areStored !== wasStored) this.#notify()
  }

  /** Another tab changed an item (`StorageEvent.key`), or all of them (null). */
  changed(item: string | null): void {
    const known = [...this.#others.keys(), ...[...this.#drafts.keys()].map(name => this.#itemOf(name))]
    for (const one of item === null ? [...known, ...namesIn(this.#storage)] : [item]) {
      if (!one.startsWith(this.#prefix)) continue
      this.#others.delete(one)
      this.#load(one)
      // A text typed here wins over a change of its item.
      for (const name of this.#drafts.keys()) if (this.#itemOf(name) === one) this.#write(name)
    }
    this.#notify()
  }

  /** @returns ends it */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get #prefix(): string {
    return `${PREFIX}${JSON.stringify(this.#owner.user)} `
  }

  #nameOf({ organization, project, language, namespace, key, form = '' }: DraftAddress): string {
    return this.#prefix + JSON.stringify([organization, project, language, namespace, key, form])
  }

  /** The item of this tab's draft. Of an older version's drafts the name of the address is the item. */
  #itemOf(name: string): string {
    return `${name} ${this.#owner.tab}`
  }

  #write(name: string): void {
    this.#dirty.add(name)
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS)
  }

  #remove(item: string): void {
    attempt(() => this.#storage?.removeItem(item))
    // There may be room now for what had none.
    if (this.#dirty.size > 0) this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS)
    this.#notify()
  }

  #load(item: string): void {
    if (!item.startsWith(this.#prefix)) return
    attempt(() => {
      const value = this.#storage!.getItem(item)
      const draft = value === null ? undefined : (JSON.parse(value) as AddressedDraft)
      if (typeof draft?.text !== 'string') return
      const name = this.#nameOf(draft.address)
      if (item !== name && !item.startsWith(`${name} `)) return
      const tab = item.slice(name.length + 1)
      if (tab !== this.#owner.tab) this.#others.set(item, { ...draft, name: item, tab, isClosed: tab === '' })
      else if (!this.#drafts.has(name)) this.#drafts.set(name, draft)
    })
  }

  #notify(): void {
    this.#all = this.#otherTabs = undefined
    for (const listener of this.#listeners) listener()
  }
}

const newestFirst = (a: Draft, b: Draft): number => b.time - a.time

const namesIn = (storage: DraftStorage | undefined): string[] =>
  Array.from({ length: storage?.length ?? 0 }, (_, index) => storage!.key(index)!)

/** Storage may be forbidden, full, or written by others. @returns undefined if the act failed */
export function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
