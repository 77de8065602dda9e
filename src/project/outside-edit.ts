/** What a person's version of a bundle's file comes to, told in bytes and words alone: the worker does it for large ones. */
import { parseBundle, renderBundle } from '../bundle/canonical.ts'
import { Failure } from '../bundle/errors.ts'
import type { Format } from '../bundle/names.ts'
import { readFragment } from '../bundle/resource.ts'
import { brought, merge } from './three-way.ts'

/** Versions of one file. */
export interface OutsideEdit {
  /** The person's, as it was found. */
  mine: Uint8Array
  /** What is stored, null where there is none. */
  stored: Uint8Array | null
  /** What the person's version started from, if something else is stored by now; else null. */
  base: Uint8Array | null
  format: Format
  language: string
}

/**
 * The canonical bytes that should be stored: the person's version, or where others wrote meanwhile both, key by key. Where the two
 * do not make a bundle together it is the person's.
 * @throws Failure when the person's version breaks the rules; its message names the culprit
 */
export function judgeEdit({ mine, stored, base, ...target }: OutsideEdit): Buffer {
  const good = canonical(mine, stored, target)
  if (base === null || stored === null) return good
  try {
    const both = merge(parseJson(base), parseJson(stored), parseJson(good))
    return canonical(Buffer.from(JSON.stringify(both)), stored, target)
  } catch {
    return good
  }
}

function canonical(bytes: Uint8Array, stored: Uint8Array | null, target: { format: Format; language: string }): Buffer {
  const resource = parseJson(bytes)
  try {
    readFragment(resource, target)
  } catch (error) {
    // The rules look at what an edit brings: what separate writes have stored already may be refused as a whole.
    if (stored === null) throw error
    readFragment(brought(parseJson(stored), resource), target)
  }
  // The file is read as a stored one, not as a body: a key keeps the place in which it stands.
  return renderBundle(parseBundle(bytes, target.format))
}

/** A byte order mark is skipped, as in a body. */
function parseJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('invalid', 'The file is not UTF-8; save it as UTF-8.')
  }
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the file, and what is translated does not belong in a log.
    throw new Failure('invalid', 'The file is not valid JSON; correct it or take the last version from git.')
  }
}
