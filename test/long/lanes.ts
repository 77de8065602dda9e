/** Actions of the soak clients: each changes its own bundle, with known content, and shared bundles. */
import type { Organization } from '../contract/server.ts'
import type { Client } from './client.ts'

export const PROJECT = '/api/projects/web'
/** Those of the bundles that many write. */
export const SHARED = ['shared0', 'shared1', 'shared2']
const LANGUAGES = ['en', 'de', 'fr']
const KEYS = 20

type Texts = Map<string, string>

/** The same numbers from 0 to below `below` in every run. */
export function chooser(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761
  return below => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0
    return (((state ^ (state >>> 13)) >>> 0) % 1_000_003) % below
  }
}

/** A client that reads and writes until it is stopped. */
export class Lane {
  readonly organization: Organization
  /** Half of them: fewer than the server lets wait for git's history at once, however slow it is. */
  readonly #readsHistory: boolean
  /** Writes that were acknowledged and changed something, each a commit. */
  commits = 0
  readonly #client: Client
  readonly #name: string
  readonly #choose: (below: number) => number
  /** What its own bundle holds, by language. */
  readonly #own: Record<'en' | 'de', Texts> = { en: new Map(), de: new Map() }
  /** States of its own German bundle that it may go back to. */
  readonly #past: { revision: string; texts: Texts }[] = []
  #tag: string | undefined
  #serial = 0

  constructor(number: number, organization: Organization, client: Client) {
    this.organization = organization
    this.#client = client
    this.#name = `own${number}`
    this.#readsHistory = number % 2 === 0
    this.#choose = chooser(number + 1)
  }

  /** Does one thing. */
  async step(): Promise<void> {
    const all = Object.values(this.#works)
    let at = this.#choose(all.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, work] of all) {
      if (at < weight) return void (await work())
      at -= weight
    }
  }

  /** Reads its own bundles again and compares them with its writes. */
  async check(): Promise<void> {
    for (const language of ['en', 'de'] as const) {
      const reply = await this.#client.ask([200], 'GET', this.#path(language))
      if (reply) this.#same(reply.json, this.#own[language], `${language}/${this.#name} at the end`)
    }
  }

  /** How often something is done, and what. */
  readonly #works: Record<string, [weight: number, work: () => Promise<unknown>]> = {
    read: [20, () => this.#client.ask([200], 'GET', this.#shared())],
    unchanged: [20, () => this.#unchanged()],
    manifest: [6, () => this.#client.ask([200], 'GET', PROJECT)],
    language: [1, () => this.#client.ask([200], 'GET', `${PROJECT}/bundles/${this.#language()}`)],
    history: [3, () => this.#history()],
    past: [5, () => this.#readPast()],
    diff: [1, () => this.#diff()],
    putKey: [14, () => this.#putKey()],
    putShared: [6, () => this.#putShared()],
    register: [5, () => this.#register()],
    push: [5, () => this.#push()],
    pushMany: [3, () => this.#pushMany()],
    confirm: [2, () => this.#confirm()],
    dryRun: [1, () => this.#dryRun()],
    deleteKey: [4, () => this.#deleteKey()],
    deleteShared: [3, () => this.#deleteShared()],
    deleteBundle: [1, () => this.#deleteBundle()],
    rename: [3, () => this.#rename()],
    restore: [2, () => this.#restore()],
    release: [1, () => this.#release()],
  }

  #path(language: string, key?: string): string {
    return `${PROJECT}/bundles/${language}/${this.#name}${key === undefined ? '' : `/${key}`}`
  }

  #language(): string {
    return LANGUAGES[this.#choose(LANGUAGES.length)]!
  }

  #shared(key = ''): string {
    return `${PROJECT}/bundles/${this.#language()}/${SHARED[this.#choose(SHARED.length)]}${key}`
  }

  /** A text that was never there before, of one of several lengths and scripts. */
  #text(): string {
    const more = ['', ' …', ' Zażółć gęślą jaźń', ' 翻訳サービス 🙂', ' lorem ipsum dolor sit amet'.repeat(8)]
    return `${this.#name} ${this.#serial++}${more[this.#choose(more.length)]}`
  }

  #same(found: unknown, wanted: Texts, what: string): void {
    const order = (entries: [string, unknown][]) => JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
    const [is, must] = [order(Object.entries(Object(found))), order([...wanted])]
    this.#client.expect(is === must, () => `${what}: ${is.slice(0, 500)} instead of ${must.slice(0, 500)}`)
  }

  /** One of its German keys, or undefined. */
  #anyKey(): string | undefined {
    return [...this.#own.de.keys()][this.#choose(this.#own.de.size || 1)]
  }

  async #unchanged(): Promise<void> {
    if (this.#tag === undefined) {
      const reply = await this.#client.ask([200], 'GET', this.#path('de'))
      if (reply === undefined) return
      this.#same(reply.json, this.#own.de, `de/${this.#name}`)
      this.#tag = reply.headers.etag!
    }
    await this.#client.ask([304], 'GET', this.#path('de'), { headers: { 'if-none-match': this.#tag } })
  }

  async #history(): Promise<void> {
    if (!this.#readsHistory) return
    const query = `language=de&namespace=${this.#name}&limit=${1 + this.#choose(10)}`
    // What never was has no history.
    const reply = await this.#client.ask([200, 404], 'GET', `${PROJECT}/history?${query}`)
    if (reply?.status === 200) this.#note(reply.json.revisions[0].revision)
  }

  /** Notes the present state as one to go back to. */
  #note(revision: string): void {
    if (this.#own.de.size === 0) return
    this.#past.push({ revision, texts: new Map(this.#own.de) })
    if (this.#past.length > 5) this.#past.shift()
  }

  async #readPast(): Promise<void> {
    const then = this.#past[this.#choose(this.#past.length || 1)]
    if (then === undefined) return
    const reply = await this.#client.ask([200], 'GET', `${this.#path('de')}?at=${then.revision}`)
    if (reply) this.#same(reply.json, then.texts, `de/${this.#name} at ${then.revision}`)
  }

  async #diff(): Promise<void> {
    const then = this.#past[0]
    if (then === undefined) return
    await this.#client.ask([200], 'GET', `${PROJECT}/diff?from=${then.revision}&language=de&namespace=${this.#name}`)
  }

  async #putKey(): Promise<void> {
    const [key, value] = [`k${this.#choose(KEYS)}`, this.#text()]
    const reply = await this.#client.ask([200], 'PUT', this.#path('de', key), { body: { value } })
    if (reply === undefined) return
    this.commits++
    this.#own.de.set(key, value)
    this.#tag = reply.headers.etag!
  }

  async #putShared(): Promise<void> {
    const body = { value: this.#text() }
    const reply = await this.#client.ask([200], 'PUT', this.#shared(`/k${this.#choose(KEYS)}`), { body })
    if (reply) this.commits++
  }

  async #register(): Promise<void> {
    const body = { [`m${this.#choose(KEYS)}`]: this.#text(), [`m${this.#choose(KEYS)}`]: this.#text() }
    const reply = await this.#client.ask([200], 'POST', this.#shared(), { body })
    if (reply && reply.json.added + reply.json.updated > 0) this.commits++
  }

  async #push(): Promise<void> {
    const size = 1 + this.#choose(KEYS)
    const texts: Texts = new Map(Array.from({ length: size }, (_, n) => [`k${n}`, this.#text()]))
    const body = Object.fromEntries(texts)
    const reply = await this.#client.ask([200], 'PUT', `${this.#path('en')}?prune=true`, { body })
    if (reply === undefined) return
    this.commits++
    this.#own.en = texts
  }

  /** Both of its bundles in one commit, which is undone again now and then. */
  async #pushMany(): Promise<void> {
    const before = { en: this.#own.en, de: this.#own.de }
    const pushed = { en: new Map(before.en), de: new Map(before.de) }
    for (const texts of Object.values(pushed)) texts.set(`k${this.#choose(KEYS)}`, this.#text())
    const bundles = Object.fromEntries(
      Object.entries(pushed).map(([language, texts]) => [language, { [this.#name]: Object.fromEntries(texts) }]),
    )
    const reply = await this.#client.ask([200], 'POST', `${PROJECT}/push?overwrite=true`, { body: { bundles } })
    if (reply === undefined) return
    this.commits++
    Object.assign(this.#own, pushed)
    this.#tag = undefined
    if (this.#choose(2) === 0) return
    const { revision } = reply.json
    const undone = await this.#client.ask([200], 'POST', `${PROJECT}/revert`, { body: { revision } })
    if (undone === undefined) return
    this.#client.expect(undone.json.undoneBy !== null, () => `nothing of ${revision} was undone: ${undone.text}`)
    this.commits++
    Object.assign(this.#own, before)
  }

  /** The German keys that are older than their source, with what that said then; undefined when there was no answer. */
  async #stale(): Promise<{ key: string }[] | undefined> {
    const query = `language=de&namespace=${this.#name}&is=stale`
    // What has no key left, in any language, is no namespace.
    const reply = await this.#client.ask([200, 404], 'GET', `${PROJECT}/status/keys?${query}`)
    return reply && (reply.json.keys ?? [])
  }

  async #confirm(): Promise<void> {
    const keys = (await this.#stale())?.map(({ key }) => key) ?? []
    if (keys.length === 0) return
    const body = { language: 'de', namespace: this.#name, keys }
    const reply = await this.#client.ask([200], 'POST', `${PROJECT}/confirm`, { body })
    if (reply === undefined) return
    this.commits++
    this.#client.expect(reply.json.confirmed === keys.length, () => `${keys} were stale: ${reply.text}`)
  }

  async #dryRun(): Promise<void> {
    await this.#client.ask([200], 'PUT', `${this.#path('en')}?dryRun=true&details=true`, { body: { k0: this.#text() } })
  }

  async #deleteKey(): Promise<void> {
    const key = this.#anyKey()
    if (key === undefined) return
    const reply = await this.#client.ask([200], 'DELETE', this.#path('de', key))
    if (reply === undefined) return
    this.commits++
    this.#own.de.delete(key)
    this.#tag = undefined
  }

  async #deleteShared(): Promise<void> {
    const key = `/m${this.#choose(KEYS)}`
    const reply = await this.#client.ask([200, 404], 'DELETE', this.#shared(key))
    if (reply?.status === 200) this.commits++
  }

  async #deleteBundle(): Promise<void> {
    if (this.#own.de.size === 0) return
    const reply = await this.#client.ask([204], 'DELETE', this.#path('de'))
    if (reply === undefined) return
    this.commits++
    this.#own.de = new Map()
    this.#tag = undefined
  }

  async #rename(): Promise<void> {
    const from = this.#anyKey()
    const to = `k${this.#choose(KEYS)}`
    if (from === undefined || this.#own.de.has(to) || this.#own.en.has(to)) return
    const body = { namespace: this.#name, from, to }
    const reply = await this.#client.ask([200], 'POST', `${PROJECT}/rename-key`, { body })
    if (reply === undefined) return
    this.commits++
    for (const texts of [this.#own.de, this.#own.en]) {
      const text = texts.get(from)
      if (text !== undefined) texts.set(to, text)
      texts.delete(from)
    }
    this.#tag = undefined
  }

  async #restore(): Promise<void> {
    const then = this.#past[this.#choose(this.#past.length || 1)]
    if (then === undefined) return
    const body = { at: then.revision, language: 'de', namespace: this.#name }
    const reply = await this.#client.ask([200], 'POST', `${PROJECT}/restore`, { body })
    if (reply === undefined) return
    // Texts that are as they were then may be stale again, as they were: a commit too.
    if (reply.json.restoredBy !== null) this.commits++
    else
      this.#same(
        Object.fromEntries(this.#own.de),
        then.texts,
        `de/${this.#name} restored to ${then.revision} by nothing`,
      )
    this.#own.de = new Map(then.texts)
    this.#tag = undefined
  }

  async #release(): Promise<void> {
    const name = `${this.#name}.${this.#serial++}`
    const made = await this.#client.ask([201], 'POST', `${PROJECT}/releases`, { body: { name } })
    if (made === undefined) return
    this.#note(made.json.revision)
    const reply = await this.#client.ask([200], 'GET', `${this.#path('de')}?at=${name}`)
    if (reply) this.#same(reply.json, this.#own.de, `de/${this.#name} of release ${name}`)
    await this.#client.ask([204], 'DELETE', `${PROJECT}/releases/${name}`)
  }
}
