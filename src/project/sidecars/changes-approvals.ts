/** Finds out whether a change of marks needs the right to review, by bytes alone, for the worker. */
import { bundleIn } from '../../bundle/canonical.ts'
import type { TextMark } from '../../bundle/mark.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import { marksIn } from './marks-file.ts'

/** A file of marks in a change, and the texts that it belongs to. Null for a missing file. */
export interface ChangesApprovalsTask {
  before: Uint8Array | null
  after: Uint8Array | null
  texts: { before: TextFiles; after: TextFiles }
  /** Whether the change brings back an earlier state, or moves whole bundles. */
  returns: boolean
}

/** A translation with its source. */
export interface TextFiles {
  source: Uint8Array | null
  target: Uint8Array | null
}

/**
 * - An approval that goes needs the right while it fits the texts. Marks that fit no more go with any write.
 * - A new approval needs the right, except where it moves with its key. A restore, an undo or a moved bundle brings
 *   back approvals with their texts: only one of a text that stayed needs the right.
 */
export function changesApprovals({ before, after, texts, returns }: ChangesApprovalsTask): boolean {
  const [was, is] = [approvalsIn(before), approvalsIn(after)]
  const keys = [...new Set([...was.keys(), ...is.keys()])].filter(key => nameOf(was.get(key)) !== nameOf(is.get(key)))
  if (keys.length === 0) return false
  const [then, now] = [digestsIn(texts.before), digestsIn(texts.after)]
  const gone = new Set(keys.map(key => nameOf(was.get(key))))
  return keys.some(key => {
    const [old, given] = [was.get(key), is.get(key)]
    if (old !== undefined && now(key) === old.of) return true
    if (given === undefined || gone.has(nameOf(given))) return false
    return !returns || then(key) === given.of
  })
}

function approvalsIn(bytes: Uint8Array | null): Map<string, TextMark> {
  const found = new Map<string, TextMark>()
  for (const [key, { approved }] of marksIn(bytes)) if (approved !== undefined) found.set(key, approved)
  return found
}

const nameOf = (mark: TextMark | undefined) => mark && JSON.stringify(mark)

/** The digest of a key's text, undefined without one. */
function digestsIn(files: TextFiles): (key: string) => string | undefined {
  const [source, target] = [bundleIn(files.source), bundleIn(files.target)]
  return key => {
    const message = target.message(key)
    return message && textDigest(source.message(key) ?? null, message)
  }
}
