/** The messages of one language of an organization, and the index of their texts. */
import { bundleIn } from '../bundle/canonical.ts'
import { linesOf, type Message, partsOf } from '../bundle/message.ts'
import type { Interpolation } from '../bundle/placeholders.ts'
import { LONGEST_COMPARED, maskText } from './mask-text.ts'
import { TrigramIndex } from './trigram-index.ts'

/** Bytes of a message, and of an indexed text, beside its characters. Measured on Node 24. */
const MESSAGE_BYTES = 160
const ITEM_BYTES = 112

/** Syntaxes of placeholders that a searched text is read with. */
const MOST_SYNTAXES = 8

/** A bundle in the memory. */
export interface RememberedBundle {
  project: string
  namespace: string
  /** Of its content, and of what else its texts depend on. */
  id: string
  interpolation: Interpolation | undefined
  /** Without those that have no text. */
  messages: ReadonlyMap<string, Message>
}

/** Where a text of the index stands. */
export interface TextPlace {
  bundle: RememberedBundle
  key: string
  /** Of the name: nothing of a text, `_few`, `_ordinal_few`. */
  ending: string
  /** See {@link MaskedText}. */
  exact: string
}

/** Texts that are equal once folded. */
interface SimilarTexts {
  id: number
  places: Set<TextPlace>
}

export class LanguageTexts {
  /** By project and namespace. */
  readonly #bundles = new Map<string, Map<string, RememberedBundle>>()
  /** Undefined until a search is from this language. */
  #index: TrigramIndex | undefined
  readonly #byFolded = new Map<string, SimilarTexts>()
  readonly #byId = new Map<number, SimilarTexts>()
  readonly #placesOf = new Map<RememberedBundle, [folded: string, place: TextPlace][]>()
  #bytes = 0

  /** An estimate. */
  get bytes(): number {
    return this.#bytes + (this.#index?.bytes ?? 0)
  }

  bundle(project: string, namespace: string): RememberedBundle | undefined {
    return this.#bundles.get(project)?.get(namespace)
  }

  bundlesOf(project: string): RememberedBundle[] {
    return [...(this.#bundles.get(project)?.values() ?? [])]
  }

  projects(): string[] {
    return [...this.#bundles.keys()]
  }

  /** The syntaxes of placeholders. @param projects of these; null: of all */
  syntaxes(projects: readonly string[] | null): (Interpolation | undefined)[] {
    const found = new Map<string, Interpolation | undefined>([['', undefined]])
    for (const project of projects ?? this.#bundles.keys()) {
      const [first] = this.#bundles.get(project)?.values() ?? []
      if (found.size === MOST_SYNTAXES) break
      if (first?.interpolation) found.set(JSON.stringify(first.interpolation), first.interpolation)
    }
    return [...found.values()]
  }

  /** Replaces a bundle. @param bytes its file; a broken one, or null, has no messages */
  put(bundle: Omit<RememberedBundle, 'messages'>, bytes: Uint8Array | null): void {
    this.remove(bundle.project, bundle.namespace)
    const rows = bytes === null ? [] : bundleIn(bytes).rows()
    const filled = rows.filter(({ message }) => linesOf(partsOf(message)).some(([, text]) => text !== ''))
    const messages = new Map(filled.map(({ key, message }) => [key, message]))
    const remembered = { ...bundle, messages }
    const bundles = this.#bundles.get(bundle.project) ?? new Map<string, RememberedBundle>()
    this.#bundles.set(bundle.project, bundles.set(bundle.namespace, remembered))
    this.#bytes += bytesOf(remembered)
    if (this.#index) this.#addToIndex(this.#index, remembered)
  }

  remove(project: string, namespace: string): void {
    const bundle = this.bundle(project, namespace)
    if (!bundle) return
    const bundles = this.#bundles.get(project)!
    bundles.delete(namespace)
    if (bundles.size === 0) this.#bundles.delete(project)
    this.#bytes -= bytesOf(bundle)
    this.#removeFromIndex(bundle)
  }

  /** The index. The first call creates it, which lasts a second for 150,000 texts. */
  index(): TrigramIndex {
    if (this.#index && !this.#index.isWorn) return this.#index
    for (const placed of this.#placesOf.values()) this.#bytes -= placed.length * ITEM_BYTES
    for (const map of [this.#byFolded, this.#byId, this.#placesOf]) map.clear()
    const all = [...this.#bundles.values()].flatMap(bundles => [...bundles.values()])
    const index = new TrigramIndex(all.reduce((sum, bundle) => sum + unitsOf(bundle), 0))
    for (const bundle of all) this.#addToIndex(index, bundle)
    this.#index = index
    return index
  }

  /** The places of a text of the index. */
  placesOf(id: number): Iterable<TextPlace> {
    return this.#byId.get(id)?.places ?? []
  }

  #addToIndex(index: TrigramIndex, bundle: RememberedBundle): void {
    const placed: [string, TextPlace][] = []
    for (const [key, message] of bundle.messages) {
      for (const [ending, text] of linesOf(partsOf(message))) {
        if (text === '') continue
        const { exact, folded } = maskText(text, [bundle.interpolation])
        const place = { bundle, key, ending, exact }
        const known = this.#byFolded.get(folded)
        const similar = known ?? { id: index.add(folded), places: new Set() }
        if (!known) this.#byFolded.set(folded, similar)
        if (!known) this.#byId.set(similar.id, similar)
        similar.places.add(place)
        placed.push([folded, place])
      }
    }
    this.#bytes += placed.length * ITEM_BYTES
    this.#placesOf.set(bundle, placed)
  }

  #removeFromIndex(bundle: RememberedBundle): void {
    const placed = this.#placesOf.get(bundle) ?? []
    this.#placesOf.delete(bundle)
    this.#bytes -= placed.length * ITEM_BYTES
    for (const [folded, place] of placed) {
      const similar = this.#byFolded.get(folded)!
      similar.places.delete(place)
      if (similar.places.size > 0) continue
      this.#byFolded.delete(folded)
      this.#byId.delete(similar.id)
      this.#index!.remove(similar.id)
    }
  }
}

/** The compared length of all texts, before their placeholders are masked. */
function unitsOf({ messages }: RememberedBundle): number {
  let units = 0
  for (const message of messages.values()) {
    for (const [, text] of linesOf(partsOf(message))) units += Math.min(text.length, LONGEST_COMPARED) + 1
  }
  return units
}

function bytesOf({ messages }: RememberedBundle): number {
  let bytes = 500
  for (const [key, message] of messages) {
    bytes += MESSAGE_BYTES + key.length * 2
    for (const [, text] of linesOf(partsOf(message))) bytes += text.length * 2
  }
  return bytes
}
