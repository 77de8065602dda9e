/** A push into a bundle: on the model, and from bytes to bytes. */
import { type ParsedBody, parseBody } from './body.ts'
import { Failure } from './errors.ts'
import { type FileChange, fileChangeOf, parseStored, placesOf, type Stored } from './file-change.ts'
import { type Detail, fill, type MergeOutcome, overwrite, prune } from './merge.ts'
import { type Bundle, readFragment } from './resource.ts'
import type { SourcePlaces } from './source-places.ts'

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
  { resource, escapes }: ParsedBody,
  rules: PushRules,
  source?: SourcePlaces,
): MergeOutcome {
  const fragment = readFragment(resource, { format: bundle.format, language: rules.language, escapes })
  const policy = rules.overwrites ? overwrite : fill
  return rules.prunes ? prune(bundle, fragment, policy, source) : policy(bundle, fragment, source)
}

/** A push into a stored file. */
export interface PushTask {
  stored: Stored
  /** Bytes of the request, or parsed. */
  body: Uint8Array | ParsedBody
  rules: PushRules
  /** Whether to return the result of each key. */
  detailed: boolean
}

/** A push's result. */
export interface PushedFile {
  /** In keys. `details` has the only change, for the commit to name. */
  counts: Pick<MergeOutcome, 'added' | 'updated' | 'unchanged' | 'skipped' | 'removed' | 'details'>
  file: FileChange
  /** The result of each key, as JSON: objects are slow to clone. Undefined if not asked for. */
  details: Uint8Array | undefined
  /** As JSON, see {@link MergeOutcome}. */
  changes?: Uint8Array | undefined
}

/** As {@link pushInto}, on bytes. @throws Failure `invalid` for a body that is no JSON, else as `pushInto` */
export function computePush({ stored, body, rules, detailed }: PushTask): PushedFile {
  const parsed = body instanceof Uint8Array ? parseBody(body) : body
  const before = parseStored(stored)
  const outcome = pushInto(before, parsed, rules, placesOf(stored.source))
  const { bundle, added, updated, unchanged, skipped, removed, changes } = outcome
  const details = detailed ? asJson(outcome.details) : undefined
  const only = added + updated + removed === 1 ? outcome.details.filter(isChange) : []
  const counts = { added, updated, unchanged, skipped, removed, details: only }
  return {
    counts,
    file: fileChangeOf(bundle, stored, bundle !== before),
    details,
    changes: changes && asJson(changes),
  }
}

const asJson = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** As {@link computePush}, but returns a refusal, so that a push of many can name all refused bundles. */
export function tryPush(task: PushTask): PushedFile | { refused: Pick<Failure, 'code' | 'message'> } {
  try {
    return computePush(task)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { refused: { code: error.code, message: error.message } }
  }
}

const isChange = ({ result }: Detail): boolean => result !== 'skipped'
