/** Judges a person's version of a file, and merges it with HEAD's, by bytes and words alone, for the worker. */
import { isObject } from '../bundle/body.ts'
import { parseBundle, renderBundle } from '../bundle/canonical.ts'
import { placesOf, type SourceFile } from '../bundle/file-change.ts'
import { mostBytes } from '../bundle/file-size.ts'
import type { Format } from '../bundle/names.ts'
import { withPlaces } from '../bundle/place-by-source.ts'
import { Bundle, readFragment } from '../bundle/resource.ts'
import { checkGlossary } from '../glossary/glossary.ts'
import { editedJson } from './edited-json.ts'
import { glossaryBytes, parseGlossary, termsIn } from './glossary-file.ts'
import { mergeJson, ownMember, sameJson } from './merge-json.ts'
import { mergeKeyFiles } from './sidecars/merge-entry.ts'
import { SIDECARS, type SidecarName } from './sidecars/sidecars.ts'

/** Versions of one file. */
export interface OutsideEdit {
  /** The person's version as found. */
  mine: Uint8Array
  /** The stored version, null without one. */
  stored: Uint8Array | null
  /** Where the person's version started, if another is stored by now; else null. */
  base: Uint8Array | null
  format: Format
  language: string
  /** Has the places of keys that are new; undefined for the source language itself. */
  source: SourceFile | undefined
  /** The sidecar of the file, undefined for a bundle. */
  sidecar?: SidecarName | 'glossary'
}

/**
 * The canonical bytes to store, none for a sidecar without entries: the person's version, merged by key with other
 * writes since. If the merge breaks a rule, the person's version alone.
 * @throws Failure naming the culprit when the person's version breaks the rules
 */
export function judgeEdit({ mine, stored, base, ...target }: OutsideEdit): Buffer {
  const good = canonical(mine, stored, target)
  if (base === null || stored === null) return good
  try {
    if (target.sidecar === 'glossary') return mergeGlossaries(base, stored, good)
    const merge = target.sidecar ? mergeKeyFiles : mergeJson
    const both = merge(editedJson(base), editedJson(stored), good.length > 0 ? editedJson(good) : {})
    return canonical(Buffer.from(JSON.stringify(both)), stored, target)
  } catch {
    return good
  }
}

/** Merges term by term. @throws Failure when the merge breaks a rule */
function mergeGlossaries(...versions: [base: Uint8Array, stored: Uint8Array, mine: Uint8Array]): Buffer {
  const [base, stored, mine] = versions.map(bytes => {
    return Object.fromEntries(termsIn(bytes).map(one => [`term ${one.term}`, one]))
  }) as [Members, Members, Members]
  const terms = Object.values(mergeJson(base, stored, mine) as Members)
  return glossaryBytes(checkGlossary({ terms })) ?? Buffer.alloc(0)
}

type Target = Pick<OutsideEdit, 'format' | 'language' | 'source' | 'sidecar'>

function followPlaces(bundle: Bundle, stored: Uint8Array | null, { format, source }: Target): Bundle {
  const places = placesOf(source)
  if (places === undefined) return bundle
  const present = stored === null ? undefined : parseBundle(stored, format).tree
  return new Bundle(
    format,
    withPlaces(bundle.tree, places, ({ key }) => present?.get(key) === undefined),
  )
}

function canonical(bytes: Uint8Array, stored: Uint8Array | null, target: Target): Buffer {
  if (target.sidecar === 'glossary') return glossaryBytes(parseGlossary(bytes)) ?? Buffer.alloc(0)
  if (target.sidecar) return SIDECARS[target.sidecar].canonical(bytes) ?? Buffer.alloc(0)
  const resource = editedJson(bytes)
  try {
    readFragment(resource, target)
  } catch (error) {
    // The rules are for edits: they may refuse as a whole what separate writes have stored.
    if (stored === null) throw error
    readFragment(changedPart(editedJson(stored), resource), target)
  }
  // Read as a stored file: keys stay in their places, and new keys stand where the source has them.
  const bundle = parseBundle(bytes, target.format)
  return renderBundle(followPlaces(bundle, stored, target), mostBytes(stored))
}

type Json = unknown
type Members = Record<string, Json>

/** The members of `after` that are missing or different in `before`. */
export function changedPart(before: Json, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after
  const part: Members = Object.create(null)
  for (const [name, value] of Object.entries(after)) {
    const old = ownMember(before, name)
    if (!sameJson(old, value)) part[name] = changedPart(old, value)
  }
  return part
}
