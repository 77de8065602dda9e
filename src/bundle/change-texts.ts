/** Renames, removes and sets keys of one bundle, from bytes to bytes. */
import { parseBody } from './body.ts'
import { type KeyChange, sameMessage } from './diff.ts'
import { type KeyRenaming, renameKeys } from './edit-key.ts'
import { Failure } from './errors.ts'
import { type FileChange, fileChangeOf, parseStored, placesOf, type Stored } from './file-change.ts'
import { peel } from './message.ts'
import { pushInto } from './push.ts'
import { setMessages } from './set-messages.ts'

/** What becomes of the keys of a stored file. No key is in more than one of the lists. */
export interface ChangeTextsTask {
  stored: Stored
  language: string
  /** A resource as JSON, with names at its top alone. */
  texts: Uint8Array
  /** Keys that go with all their forms. */
  removes: readonly string[]
  renames: readonly KeyRenaming[]
}

/** What became of a file. */
export interface ChangedTexts {
  /** Each key that is set or removed, changed or not, and each earlier item of an array that comes with a later one. */
  changes: KeyChange[]
  /** Renamed keys that it has, and new names that other keys have: with one of these, no key moves. */
  renamed: string[]
  taken: string[]
  file: FileChange
}

/** Follows the rules of a push that overwrites. */
export function changeTexts({
  stored,
  language,
  texts,
  removes,
  renames,
}: ChangeTextsTask): ChangedTexts | { refused: string } {
  try {
    const body = parseBody(texts)
    const named = new Set([...Object.keys(body.resource as object).map(name => peel(name).key), ...removes])
    const before = parseStored(stored)
    // Read before the change: it may modify the tree itself.
    const was = new Map([...named].map(key => [key, before.message(key) ?? null]))
    const has = (key: string) => before.tree.get(key) !== undefined
    const mayBringItems = [...named, ...renames.map(({ to }) => to)].some(key => /(?:^|\.)\d+(?:\.|$)/.test(key))
    const known = mayBringItems ? new Set(before.rows().map(({ key }) => key)) : undefined
    const held = renames.filter(({ from }) => has(from))
    const taken = renames.flatMap(({ to }) => (has(to) ? [to] : []))
    const places = placesOf(stored.source)
    const moved = taken.length > 0 ? before : renameKeys(before, held, places)
    const going = removes.filter(key => was.get(key) !== null)
    const rest = going.length === 0 ? moved : setMessages(moved, new Map(going.map(key => [key, null])), {})
    const rules = { language, overwrites: true, prunes: false }
    const { bundle } = pushInto(rest, body, rules, places)
    const changes = [...was].map(([key, before]) => ({ key, before, after: bundle.message(key) ?? null }))
    if (known) {
      for (const key of [...was.keys(), ...held.map(({ to }) => to)]) known.add(key)
      const items = bundle.rows().filter(({ key }) => !known.has(key))
      changes.push(...items.map(({ key, message }) => ({ key, before: null, after: message })))
    }
    const changed = moved !== before || changes.some(({ before, after }) => !sameMessage(before, after))
    return {
      changes,
      renamed: held.map(({ from }) => from),
      taken,
      file: fileChangeOf(bundle, stored, changed),
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'too-large') throw error
    return { refused: error.message }
  }
}
