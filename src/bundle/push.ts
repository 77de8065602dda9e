/** A push into a bundle: on the model, and from bytes to bytes. */
import { type Body, isObject, parseBody } from './body.ts'
import { blobId, parseResource, renderPlain } from './canonical.ts'
import { Failure } from './errors.ts'
import { fileTooLarge, mostBytes } from './file-size.ts'
import { fileOf, type MadeFile, NO_TREES, type Stored, type Trees } from './made-file.ts'
import { type Detail, fill, type Outcome, overwrite } from './merge.ts'
import { pushPlain } from './plain-push.ts'
import { prune } from './prune.ts'
import { type Bundle, isFlat, readFragment } from './resource.ts'
import { placesOf } from './source-file.ts'
import type { SourcePlaces } from './source-places.ts'

/** Bytes of a file, and texts of a body. */
const LARGE_FILE = 16 * 1024
const FEW_TEXTS = 8

/** What a push does with what is stored. */
export interface PushRules {
  language: string
  /** Whether pushed values win, or only fill. */
  overwrites: boolean
  /** Whether keys and forms missing in the body go. */
  prunes: boolean
}

/** @throws Failure `unfit` naming the keys that a write may not bring or cannot remove */
export function pushInto(
  bundle: Bundle,
  { resource, escapes }: Body,
  rules: PushRules,
  source?: SourcePlaces,
): Outcome {
  const fragment = readFragment(resource, { format: bundle.format, language: rules.language, escapes })
  const policy = rules.overwrites ? overwrite : fill
  return rules.prunes ? prune(bundle, fragment, policy, source) : policy(bundle, fragment, source)
}

/** A push into a stored file. */
export interface PushTask {
  stored: Stored
  /** As it came, or parsed. */
  body: Uint8Array | Body
  rules: PushRules
  /** Whether to tell what became of each key. */
  detailed: boolean
}

/** A push's result. */
export interface Pushed {
  /** In keys. `details` has the only change, for the commit to name. */
  counts: Pick<Outcome, 'added' | 'updated' | 'unchanged' | 'skipped' | 'removed' | 'details'>
  file: MadeFile
  /** What became of each key, as JSON (objects are slow to hand over), if asked for. */
  details: Uint8Array | undefined
  /** As JSON, see {@link Outcome}. */
  changes?: Uint8Array | undefined
}

/** As {@link pushInto}, on bytes. @throws Failure `invalid` for a body that is no JSON, else as `pushInto` */
export function computePush({ stored, body, rules, detailed }: PushTask, trees: Trees): Pushed {
  const parsed = body instanceof Uint8Array ? parseBody(body) : body
  const isPlain = !detailed && !(trees !== NO_TREES && isSmall(parsed, stored))
  const plain = isPlain ? plainPush(stored, parsed, rules) : undefined
  if (plain) return plain
  const before = trees.take(stored)
  const outcome = pushInto(before, parsed, rules, placesOf(stored.source))
  const { bundle, added, updated, unchanged, skipped, removed, changes } = outcome
  const details = detailed ? asJson(outcome.details) : undefined
  const only = added + updated + removed === 1 ? outcome.details.filter(isChange) : []
  const counts = { added, updated, unchanged, skipped, removed, details: only }
  return {
    counts,
    file: fileOf(bundle, stored, { changed: bundle !== before, trees }),
    details,
    changes: changes && asJson(changes),
  }
}

const asJson = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** Whether a kept tree saves more than it costs: few texts into a large file, as apps send what they miss. */
function isSmall({ resource }: Body, { bytes }: Stored): boolean {
  if (bytes.length < LARGE_FILE || !isObject(resource)) return false
  const texts = Object.values(resource)
  return texts.length <= FEW_TEXTS && texts.every(text => typeof text === 'string')
}

/** The same where both are plain. */
function plainPush(stored: Stored, { resource, escapes }: Body, { overwrites, prunes }: PushRules): Pushed | undefined {
  if (prunes || !isObject(resource)) return undefined
  const rules = { flat: isFlat(stored.format), escapes, overwrites }
  const outcome = pushPlain(parseResource(stored.bytes), resource, rules)
  if (outcome === undefined || (outcome.added > 0 && !isFlat(stored.format) && !isPlain(stored))) return undefined
  const { resource: made, ...counts } = outcome
  const bytes = made && renderPlain(made)
  if (bytes && bytes.length > mostBytes(stored.bytes)) throw fileTooLarge()
  return { counts: { ...counts, removed: 0 }, file: bytes && { id: blobId(bytes), bytes }, details: undefined }
}

/** Whether the source has no place for a key that its name does not tell. */
const isPlain = ({ source }: Stored): boolean => placesOf(source)?.isPlain ?? true

/** As {@link computePush}; a refusal is an answer too, so that a push of many can name all of them. */
export function tryPush(task: PushTask, trees: Trees): Pushed | { refused: Pick<Failure, 'code' | 'message'> } {
  try {
    return computePush(task, trees)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { refused: { code: error.code, message: error.message } }
  }
}

const isChange = ({ result }: Detail): boolean => result !== 'skipped'
