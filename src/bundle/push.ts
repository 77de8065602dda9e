/** What a push makes of a bundle: on the model, where that is at hand, or from bytes to bytes, as another thread can compute it. */
import { type Body, parseBody } from './body.ts'
import { Failure } from './errors.ts'
import { fileOf, type MadeFile, NO_TREES, type Trees } from './made-file.ts'
import { type Detail, fill, type Outcome, overwrite, prune } from './merge.ts'
import type { Format } from './names.ts'
import { type Bundle, readFragment } from './resource.ts'

/** What a push does with what is stored. */
export interface PushRules {
  language: string
  /** Whether pushed values win over stored ones; otherwise they only fill what is missing or empty. */
  overwrites: boolean
  /** Whether keys and forms that the body lacks are removed. */
  prunes: boolean
}

/** @throws Failure `unfit` naming the keys that a write may not bring, or cannot remove */
export function pushInto(bundle: Bundle, { resource, escapes }: Body, rules: PushRules): Outcome {
  const fragment = readFragment(resource, { format: bundle.format, language: rules.language, escapes })
  const policy = rules.overwrites ? overwrite : fill
  return rules.prunes ? prune(bundle, fragment, policy) : policy(bundle, fragment)
}

/** A file that is to be changed, and its blob id. */
export interface Stored {
  id: string
  stored: Uint8Array
  format: Format
}

/** As {@link fileOf} takes it: the bytes of a message are no Buffer. */
export const asFile = ({ id, stored }: Stored) => ({ id, bytes: () => inPlace(stored) })

/** A push told in bytes and words alone. */
export interface PushTask {
  body: Uint8Array
  /** What it is pushed into: a stored file, and how. Without it the body is only read. */
  onto: (Stored & { rules: PushRules }) | undefined
  /** Whether it is asked what became of each key. */
  details: boolean
}

/** What came of a {@link PushTask}: `unread` is a failure of the body alone, `refused` one of what it brings to the bundle. */
export type PushAnswer =
  | { kind: 'unread' | 'refused'; failure: Failure }
  | { kind: 'read' }
  | { kind: 'pushed'; pushed: Pushed }

/** What a push made. */
export interface Pushed {
  /** In keys. `details` has the change when it is one, for the commit to name. */
  counts: Pick<Outcome, 'added' | 'updated' | 'unchanged' | 'skipped' | 'removed' | 'details'>
  file: MadeFile
  /** What became of each key, as JSON: a hundred thousand objects would take long to hand over. Undefined when nobody asked. */
  details: Buffer | undefined
}

/** Computes a push by the same steps as one on the model. */
export function computePush({ body, onto, details }: PushTask, trees: Trees = NO_TREES): PushAnswer {
  let parsed: Body
  try {
    parsed = parseBody(inPlace(body))
  } catch (error) {
    return { kind: 'unread', failure: failureOf(error) }
  }
  if (onto === undefined) return { kind: 'read' }
  try {
    return { kind: 'pushed', pushed: pushOnto(onto, parsed, { details, trees }) }
  } catch (error) {
    return { kind: 'refused', failure: failureOf(error) }
  }
}

function pushOnto(
  onto: NonNullable<PushTask['onto']>,
  body: Body,
  { details: detailed, trees }: { details: boolean; trees: Trees },
): Pushed {
  const stored = asFile(onto)
  const before = trees.take(stored.id, onto.format, stored.bytes)
  const outcome = pushInto(before, body, onto.rules)
  const { bundle, added, updated, unchanged, skipped, removed } = outcome
  const details = detailed ? Buffer.from(JSON.stringify(outcome.details)) : undefined
  const only = added + updated + removed === 1 ? outcome.details.filter(isChange) : []
  const counts = { added, updated, unchanged, skipped, removed, details: only }
  return { counts, file: fileOf(bundle, stored, { changed: bundle !== before, trees }), details }
}

const isChange = ({ result }: Detail): boolean => result !== 'skipped'

const inPlace = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)

/** A mistake in the program is not an answer. */
function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  throw error
}
