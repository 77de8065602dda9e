/** Commits judged edits, each file as its own commit, through the queue of all writes. */

import { EMPTY_BUNDLE_BYTES } from '../../bundle/canonical.ts'
import { subjectText } from '../../bundle/commit-subject.ts'
import { Failure } from '../../bundle/errors.ts'
import { glossaryFile } from '../../project/glossary-file.ts'
import { glossaryEdit, type JudgedFile, sidecarEdit } from '../../project/judge.ts'
import { projectIn, sourceBeside } from '../../project/layout.ts'
import { type Offload, runWithSidecars } from '../../project/offload.ts'
import { judgeEdit, type OutsideEdit } from '../../project/outside-edit.ts'
import { ownFile } from '../../project/project.ts'
import { sidecarFile } from '../../project/sidecars/sidecars.ts'
import { updateSidecars } from '../../project/sidecars/update-sidecars.ts'
import type { ComputeSidecars } from '../../project/stale-tasks.ts'
import type { State } from '../../project/state.ts'
import type { Author } from '../objects/commit.ts'
import type { WriteFunction } from '../write/batch.ts'

/** The author in the history. The server does not know who edited the file. */
const OUTSIDE: Author = { name: 'External edit', email: 'outside@parlance.invalid' }
/** Edits queued at once; few enough to leave room for requests. */
const AT_ONCE = 500
/** Attempts to judge an overtaken edit before its commit. The last one runs inside the commit, where others wait. */
const TRIES = 3

interface Target {
  write(author: Author, use: WriteFunction<undefined>): Promise<unknown>
  blob(id: string): Buffer
  compute: Offload
  /** Called before a project is added. */
  adding(slug: string): Promise<void>
  /** Whether the sidecars are among the changes already. */
  hasSidecars: boolean
}

/** Commits the changes; resolves when all are durable. @throws Failure as the writes do */
export async function commitEdits(changes: JudgedFile[], target: Target): Promise<void> {
  for (let at = 0; at < changes.length; at += AT_ONCE) {
    await Promise.all(changes.slice(at, at + AT_ONCE).map(change => commit(change, target)))
  }
}

/** After a write in between, the edit is judged again over that write. Both remain. */
async function commit({ path, ...change }: JudgedFile, target: Target): Promise<void> {
  let { bytes, over } = change
  const place = ownFile(path)
  let wasCalled = false
  for (let tries = 1; ; tries++) {
    let isAdded = false
    let overtaken = undefined as { edit: OutsideEdit; over: string | null } | undefined
    const write = (compute: ComputeSidecars): WriteFunction<undefined> =>
      function* (transaction) {
        const now = transaction.entry(path)?.id ?? null
        const base = over === null ? EMPTY_BUNDLE_BYTES : target.blob(over)
        const edit = now === over || bytes === null ? undefined : editOver(transaction, path, bytes, base)
        if (edit && tries <= TRIES) {
          overtaken = { edit, over: now }
          return { result: undefined, message: { subject: '' } }
        }
        const both = edit ? bothOrMine(edit) : bytes
        const put = both?.length === 0 ? null : both
        isAdded = place?.kind === 'project' && put !== null && now === null && !wasCalled
        if (isAdded) return { result: undefined, message: { subject: '' } }
        if (put !== null) transaction.put(path, put)
        // A file that a person removed and others wrote since stays as they wrote it.
        else if (now === over || edit) transaction.remove(path)
        yield* updateSidecars(transaction, { hasSidecars: target.hasSidecars }, compute)
        return {
          result: undefined,
          message: { subject: subjectText({ slug: '', kind: 'external-edit', path }), trailers: trailersOf(path) },
        }
      }
    await runWithSidecars(target.compute, compute => target.write(OUTSIDE, write(compute)))
    if (isAdded) {
      await target.adding(place!.slug)
      wasCalled = true
      continue
    }
    if (overtaken === undefined) return
    const { edit } = overtaken
    over = overtaken.over
    bytes = Buffer.from(await target.compute('edit', edit).catch(error => unlessUnfit(error, edit.mine)))
    if (bytes.length === 0) bytes = null
  }
}

/** A bundle's or sidecar's edit over what is stored now; undefined for other files and unstored paths. */
function editOver(state: State, path: string, mine: Buffer, base: Buffer): OutsideEdit | undefined {
  if (glossaryFile(path)) {
    const stored = state.read(path)
    return stored && glossaryEdit({ mine, stored, base })
  }
  const place = ownFile(path) ?? sidecarFile(path)
  const stored = state.read(path)
  if (place === undefined || place.kind === 'project' || stored === undefined) return undefined
  const project = projectIn(state, place.slug)
  if (project === undefined) return undefined
  if (place.kind === 'sidecar') return sidecarEdit(place, { mine, stored, base }, project)
  const { defaultFormat: format } = project
  return { mine, stored, base, format, language: place.language, source: sourceBeside(state, project, place) }
}

function bothOrMine(edit: OutsideEdit): Buffer {
  try {
    return judgeEdit(edit)
  } catch (error) {
    return Buffer.from(unlessUnfit(error, edit.mine))
  }
}

/** An edit that does not fit what came between stands alone: it was judged before. */
function unlessUnfit(error: unknown, mine: Uint8Array): Uint8Array {
  if (error instanceof Failure && (error.code === 'unfit' || error.code === 'invalid')) return mine
  throw error
}

function trailersOf(path: string): [string, string][] {
  const place = ownFile(path) ?? sidecarFile(path) ?? glossaryFile(path)
  if (place?.slug === undefined) return []
  const project: [string, string] = ['Parlance-Project', place.slug]
  if (place.kind === 'project' || place.kind === 'glossary') return [project]
  const namespace: [string, string] = ['Parlance-Namespace', place.namespace]
  const { language } = place
  return language === undefined ? [project, namespace] : [project, ['Parlance-Language', language], namespace]
}
