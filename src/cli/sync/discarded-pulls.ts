/**
 * Finds texts that are again as before a pull. Either git discarded the pull, or a person edited the texts back: the
 * files are the same in both cases. A commit with the pulled text proves an edit.
 */
import { statSync } from 'node:fs'
import { blobId } from '../../bundle/canonical.ts'
import { join, peel } from '../../bundle/message.ts'
import type { LocalBundle, LocalFile } from '../local/local-bundle.ts'
import { at, commitOf, type GitReader, idsOf, type Repository, versionsOf } from './git-texts.ts'
import { type Merge, textOf } from './merge.ts'
import type { BeforePull, SyncState } from './state.ts'

/** A file with changes of texts that pulls wrote. `own` is its text, `last` the base; null for none. */
export interface DiscardSuspect {
  file: LocalFile
  bytes: Buffer
  before: BeforePull
  leaves: Map<string, { own: string | null; last: string | null }>
}

/** Maximum replaced texts of a leaf and leaves of a bundle in the state. */
const MAX = { texts: 4, leaves: 5000 }

const fingerprint = (text: string | null) => (text === null ? '' : blobId(Buffer.from(text)).slice(0, 12))

/** The leaves of each file that are as before a pull that no commit has. */
export async function findDiscardedPulls(
  repository: Repository,
  read: GitReader,
  suspects: readonly DiscardSuspect[],
): Promise<Set<string>[]> {
  if (suspects.length === 0) return []
  // git also restores files from its index.
  const places = ['HEAD', ''].map(commit => suspects.map(({ file }) => ({ file, name: at(commit, file) })))
  const tracked = await Promise.all(places.map(read))
  const ids = await Promise.all(
    places.map(named =>
      idsOf(
        repository,
        named.map(({ name }) => name),
      ),
    ),
  )
  const since = new Map<string, Map<string, string[]> | undefined>()
  for (const [commit, of] of Map.groupBy(suspects, ({ before }) => before.commit)) {
    const files = of.map(({ file }) => file)
    since.set(commit, await versionsOf(repository, `${commit}..HEAD`, files, false))
  }
  const found: Set<string>[] = []
  for (const [index, { file, bytes, before, leaves }] of suspects.entries()) {
    const here = tracked.map(side => side[index])
    const names = since.get(before.commit)?.get(file.path) ?? []
    const versions = await read(names.map(name => ({ file, name })))
    const has = (bundle: Awaited<ReturnType<GitReader>>[number], leaf: string, text: string | null) =>
      bundle != null && (textOf(bundle, peel(leaf)) ?? null) === text
    // git restores tracked files only.
    const isTracked = here.some(bundle => bundle !== undefined)
    const isClean = ids.some(side => side[index] === blobId(bytes))
    const asBefore = [...leaves].filter(([leaf, { own, last }]) => {
      const isAsBefore =
        here.some(bundle => has(bundle, leaf, own)) || before.leaves.get(leaf)!.includes(fingerprint(own))
      // An extractor removes keys that the code does not use, and the removal is then committed.
      if (own === null && (!isClean || names.length > 0)) return false
      return isTracked && isAsBefore && !versions.some(bundle => has(bundle, leaf, last))
    })
    found.push(new Set(asBefore.map(([leaf]) => leaf)))
  }
  return found
}

/** Records the texts that a pull is about to replace. */
export async function recordBeforePull(
  { beforePull }: SyncState,
  repository: Repository,
  bundles: readonly { name: string; file: LocalFile; local: LocalBundle | undefined; merged: Merge }[],
): Promise<void> {
  const noted = bundles.filter(({ local, merged }) => local !== undefined && merged.pull.length > 0)
  if (noted.length === 0) return
  const [commit, ids] = await Promise.all([
    commitOf(repository),
    idsOf(
      repository,
      noted.map(({ file }) => at('HEAD', file)),
    ),
  ])
  if (commit === undefined) return
  for (const [index, { name, local, merged }] of noted.entries()) {
    const before = beforePull.get(name)
    // A commit has all earlier pulls.
    const isNew = before === undefined || ids[index] === blobId(local!.bytes)
    const leaves = new Map(isNew ? [] : before.leaves)
    for (const leaf of merged.pull) {
      const own = fingerprint(textOf(merged.local, leaf) ?? null)
      const others = (leaves.get(join(leaf)) ?? []).filter(other => other !== own)
      leaves.delete(join(leaf))
      leaves.set(join(leaf), [...others, own].slice(-MAX.texts))
    }
    beforePull.set(name, {
      commit: isNew ? commit : before.commit,
      stamp: '',
      leaves: new Map([...leaves].slice(-MAX.leaves)),
    })
  }
}

/** Size and time of a file; empty for a missing file. */
export function stamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.size} ${stats.mtimeMs}` : ''
}
