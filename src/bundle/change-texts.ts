/** Sets and removes keys of one bundle, from bytes to bytes. */
import { parseBody } from './body.ts'
import { type KeyChange, sameMessage } from './diff.ts'
import { Failure } from './errors.ts'
import { type FileChange, fileChangeOf, type ParsedCache, placesOf, type Stored } from './file-change.ts'
import { peel } from './message.ts'
import { pushInto } from './push.ts'
import { setMessages } from './set-messages.ts'

/** What becomes of the keys of a stored file. */
export interface ChangeTextsTask {
  stored: Stored
  language: string
  /** A resource as JSON, with names at its top alone. */
  texts: Uint8Array
  /** Keys that go with all their forms. */
  removes: readonly string[]
}

/** Each named key, changed or not, and the file. */
export interface ChangedTexts {
  changes: KeyChange[]
  file: FileChange
}

/** Follows the rules of a push that overwrites. */
export function changeTexts(
  { stored, language, texts, removes }: ChangeTextsTask,
  cache: ParsedCache,
): ChangedTexts | { refused: string } {
  try {
    const body = parseBody(texts)
    const named = new Set([...Object.keys(body.resource as object).map(name => peel(name).key), ...removes])
    const before = cache.checkOut(stored)
    // Read before the change: it may modify the tree itself.
    const was = new Map([...named].map(key => [key, before.message(key) ?? null]))
    const going = removes.filter(key => was.get(key) !== null)
    const rest = going.length === 0 ? before : setMessages(before, new Map(going.map(key => [key, null])), {})
    const rules = { language, overwrites: true, prunes: false }
    const { bundle } = pushInto(rest, body, rules, placesOf(stored.source))
    const changes = [...was].map(([key, before]) => ({ key, before, after: bundle.message(key) ?? null }))
    const changed = changes.some(({ before, after }) => !sameMessage(before, after))
    return { changes, file: fileChangeOf(bundle, stored, { changed, cache }) }
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'too-large') throw error
    return { refused: error.message }
  }
}
