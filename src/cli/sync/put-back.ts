/**
 * Texts that are as before a pull again. That was thrown away with git, or somebody edited them back, which nobody can
 * tell, unless a commit since then has what was pulled: it was taken, and changed upon that.
 */
import { statSync } from 'node:fs'
import { blobId } from '../../bundle/canonical.ts'
import { join, peel } from '../../bundle/message.ts'
import type { LocalBundle, LocalFile } from '../local/types.ts'
import { at, commitOf, idsOf, type Read, type Repository, versionsOf } from './git-texts.ts'
import { type Merge, textOf } from './merge.ts'
import type { State, Wrote } from './state.ts'

/** A file with changed texts that pulls wrote: what it has, and what both sides had, null for nothing. */
export interface Suspect {
  file: LocalFile
  bytes: Buffer
  wrote: Wrote
  leaves: Map<string, { own: string | null; last: string | null }>
}

/** So many texts before a pull each leaf remembers, and so many leaves a bundle. */
const MOST = { texts: 4, leaves: 5000 }

const fingerprint = (text: string | null) => (text === null ? '' : blobId(Buffer.from(text)).slice(0, 12))

/** The leaves of each that are as before a pull that no commit has. */
export async function putBack(
  repository: Repository,
  read: Read,
  suspects: readonly Suspect[],
): Promise<Set<string>[]> {
  if (suspects.length === 0) return []
  // What is staged, git puts back as well.
  const places = ['HEAD', ''].map(commit => suspects.map(({ file }) => ({ file, name: at(commit, file) })))
  const kept = await Promise.all(places.map(read))
  const ids = await Promise.all(
    places.map(named =>
      idsOf(
        repository,
        named.map(({ name }) => name),
      ),
    ),
  )
  const since = new Map<string, Map<string, string[]> | undefined>()
  for (const [commit, of] of Map.groupBy(suspects, ({ wrote }) => wrote.at)) {
    const files = of.map(({ file }) => file)
    since.set(commit, await versionsOf(repository, `${commit}..HEAD`, files, false))
  }
  const found: Set<string>[] = []
  for (const [index, { file, bytes, wrote, leaves }] of suspects.entries()) {
    const here = kept.map(side => side[index])
    const names = since.get(wrote.at)?.get(file.path) ?? []
    const versions = await read(names.map(name => ({ file, name })))
    const has = (bundle: Awaited<ReturnType<Read>>[number], leaf: string, text: string | null) =>
      bundle != null && (textOf(bundle, peel(leaf)) ?? null) === text
    // Of a file that git does not keep it has put nothing back.
    const isKept = here.some(bundle => bundle !== undefined)
    const isClean = ids.some(side => side[index] === blobId(bytes))
    const back = [...leaves].filter(([leaf, { own, last }]) => {
      const isAsBefore =
        here.some(bundle => has(bundle, leaf, own)) || wrote.leaves.get(leaf)!.includes(fingerprint(own))
      // An extractor takes out again what it does not find in the code, which is then committed.
      if (own === null && (!isClean || names.length > 0)) return false
      return isKept && isAsBefore && !versions.some(bundle => has(bundle, leaf, last))
    })
    found.push(new Set(back.map(([leaf]) => leaf)))
  }
  return found
}

/** Notes, before they are written, what a pull writes over. */
export async function noteWriting(
  { wrote }: State,
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
    const before = wrote.get(name)
    // All that came before was committed.
    const isNew = before === undefined || ids[index] === blobId(local!.bytes)
    const leaves = new Map(isNew ? [] : before.leaves)
    for (const leaf of merged.pull) {
      const own = fingerprint(textOf(merged.local, leaf) ?? null)
      const others = (leaves.get(join(leaf)) ?? []).filter(other => other !== own)
      leaves.delete(join(leaf))
      leaves.set(join(leaf), [...others, own].slice(-MOST.texts))
    }
    wrote.set(name, { at: isNew ? commit : before.at, seen: '', leaves: new Map([...leaves].slice(-MOST.leaves)) })
  }
}

/** Size and time of a file; empty for none. */
export function stamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.size} ${stats.mtimeMs}` : ''
}
