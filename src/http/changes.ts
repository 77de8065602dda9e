/** One change of one bundle: opening it under the request's preconditions, putting what came of it, and what its commit says. */
import type { FastifyRequest } from 'fastify'
import { EMPTY_BUNDLE_ID, parseBundle } from '../bundle/canonical.ts'
import { fileOf, type MadeFile, NO_TREES, type Trees } from '../bundle/made-file.ts'
import type { Outcome } from '../bundle/merge.ts'
import { bundlePath, type Project } from '../bundle/project.ts'
import type { Bundle } from '../bundle/resource.ts'
import type { CommitMessage, Snapshot, Transaction } from '../store/store.ts'
import { checkPreconditions } from './conditional.ts'
import { bundleAt, type Place, refuseCaseVariants, requireProject } from './layout.ts'
import type { ParsedBundles } from './parsed-bundles.ts'

/**
 * The bundle that a write is about, for one change of it, once project, names and preconditions have let the write through.
 * @param most bytes that may have to be parsed for it: undefined when it is a larger file, and not kept
 */
export function open(snapshot: Snapshot, place: Place, request: FastifyRequest, kept: ParsedBundles, most: number) {
  const { project, present } = admit(snapshot, place, request)
  const { defaultFormat } = project
  if (present.exists && !kept.has(present.id, defaultFormat) && present.bytes().length > most) return undefined
  return { project, present, bundle: kept.take(present.id, defaultFormat, present.bytes) }
}

/** The project and the bundle that a write is about, once names and preconditions have let it through. @throws Failure `not-found`, `conflict`, `stale` */
export function admit(snapshot: Snapshot, place: Place, request: FastifyRequest) {
  const project = requireProject(snapshot, place.slug)
  const present = bundleAt(snapshot, place)
  if (!present.exists) refuseCaseVariants(snapshot, project, place)
  checkPreconditions(request.headers, present)
  return { project, present }
}

/** A stored bundle read as the model. */
export function parsed(present: { bytes: () => Buffer }, { defaultFormat }: Project): Bundle {
  return parseBundle(present.bytes(), defaultFormat)
}

/**
 * Puts the bundle when it changed.
 * @param trees where it is kept for the next write
 * @returns its blob id, old or new
 */
export function save(
  tx: Transaction,
  place: Place,
  change: { present: { id: string; bytes: () => Buffer }; bundle: Bundle; changed: boolean },
  trees: Trees = NO_TREES,
): string {
  const { present, bundle, changed } = change
  return putFile(tx, place, fileOf(bundle, present, { changed, trees }), present.id)
}

/** Puts what a change made; a bundle that lost its last key loses its file, as if it had never been. @param id of what is stored @returns the blob id, old or new */
export function putFile(tx: Transaction, { slug, language, namespace }: Place, file: MadeFile, id: string): string {
  if (file === undefined) return id
  const path = bundlePath(slug, language, namespace)
  if (file !== null) return tx.put(path, file.bytes, file.id)
  tx.remove(path)
  return EMPTY_BUNDLE_ID
}

/** What the commit of a push says: the key when it is one, else how many were added, updated and removed. */
export function describePush(
  place: Place,
  outcome: Pick<Outcome, 'added' | 'updated' | 'removed' | 'details'>,
): CommitMessage {
  const { added, updated, removed } = outcome
  const counts = { added, updated, removed }
  if (added + updated + removed === 1) {
    for (const { key, result } of outcome.details) {
      if (result !== 'skipped') return describe(place, `${verbs[result]} ${short(key)}`, counts)
    }
  }
  const parts = (['added', 'updated', 'removed'] as const).filter(result => counts[result] > 0)
  const list = parts.map(result => `${verbs[result]} ${counts[result]}`).join(', ')
  return describe(place, `${list} ${parts.length > 0 && counts[parts.at(-1)!] === 1 ? 'key' : 'keys'}`, counts)
}

const verbs = { added: 'add', updated: 'update', removed: 'remove' }

/** The message of a commit to one bundle, with its counts of keys; what removes nothing says nothing of it. */
export function describe(
  { slug, language, namespace }: Place,
  what: string,
  counts: { added?: number; updated?: number; removed?: number },
): CommitMessage {
  return {
    subject: `${slug} ${language}/${namespace}: ${what}`,
    trailers: [
      ['Parlance-Project', slug],
      ['Parlance-Language', language],
      ['Parlance-Namespace', namespace],
      ['Parlance-Added', String(counts.added ?? 0)],
      ['Parlance-Updated', String(counts.updated ?? 0)],
      ...(counts.removed ? [['Parlance-Removed', String(counts.removed)] as [string, string]] : []),
    ],
  }
}

/** A key as it stands in a subject, where a long one would push out the rest. */
export function short(key: string): string {
  const characters = [...key]
  return characters.length > 72 ? `${characters.slice(0, 71).join('')}…` : key
}
