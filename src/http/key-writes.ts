/** Writes of one key: made in the write itself, in a large bundle beside it. */
import { type Put, putKey } from '../bundle/put-key.ts'
import { describe, open, putFile, save, short } from './changes.ts'
import { LARGE, type LargeChanges, NOTHING, type Target } from './large-changes.ts'
import type { ParsedBundles } from './parsed-bundles.ts'

/** A value for a key, as they came. */
export interface KeyWrite extends Target {
  name: string
  value: unknown
}

/** What came of it: the blob id of the bundle, and the key of the model with its message. */
export interface KeyResult extends Pick<Put, 'key' | 'message'> {
  id: string
}

/** See the top of the file. */
export class KeyWrites {
  readonly #large: LargeChanges
  readonly #kept: ParsedBundles

  constructor(large: LargeChanges, kept: ParsedBundles) {
    this.#large = large
    this.#kept = kept
  }

  /** @throws Failure as `putKey` does, and for what refuses any write */
  async take(write: KeyWrite): Promise<KeyResult> {
    // What is neither is refused, wherever that is.
    const fits = typeof write.value === 'string' || hasTexts(write.value)
    const most = fits ? LARGE : Number.POSITIVE_INFINITY
    return (
      (await this.#atOnce(write, most)) ??
      (await this.#aside(write)) ??
      (await this.#atOnce(write, Number.POSITIVE_INFINITY))!
    )
  }

  #atOnce(write: KeyWrite, most: number): Promise<KeyResult | undefined> {
    const { place, name, value } = write
    return this.#large.turn(write, (snapshot, tx) => {
      const opened = open(snapshot, place, write.request, this.#kept, most)
      if (opened === undefined) return NOTHING
      const { present, bundle } = opened
      const { result, key, message, ...change } = putKey(bundle, name, value)
      const changed = result !== 'unchanged'
      const id = save(tx!, place, { present, bundle: change.bundle, changed }, this.#kept)
      return { result: { key, message, id }, message: said(write, result) }
    })
  }

  #aside(write: KeyWrite): Promise<KeyResult | undefined> {
    const { place, name, value } = write
    return this.#large.aside<'key', KeyResult>(write, {
      name: 'key',
      task: found => ({ name, value, onto: found && { id: found.id, stored: found.stored, format: found.format } }),
      put: (answer, tx, present) => {
        if (answer === undefined) return NOTHING
        if ('failure' in answer) throw answer.failure
        const { key, message, result, file } = answer
        const id = putFile(tx!, place, file, present)
        return { result: { key, message, id }, message: said(write, result) }
      },
    })
  }
}

function said({ place, name }: KeyWrite, result: Put['result']) {
  const counts = { added: result === 'added' ? 1 : 0, updated: result === 'updated' ? 1 : 0 }
  return describe(place, `${result === 'added' ? 'add' : 'update'} ${short(name)}`, counts)
}

const hasTexts = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(text => typeof text === 'string')
