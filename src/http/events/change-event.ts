/** A commit as a server-sent event, rendered once for all streams. */
import { Failure } from '../../bundle/errors.ts'
import { order } from '../../project/changed-files.ts'
import { glossaryFile } from '../../project/glossary-file.ts'
import { type OwnFile, ownFile } from '../../project/project.ts'
import { SIDECAR_NAMES } from '../../project/sidecars/sidecars.ts'
import { ownBytes } from '../../scheduling/byte-cache.ts'
import { inSlices, type Steps } from '../../scheduling/steps.ts'
import { type MainLineCommit, NO_REVISION } from '../../store/store.ts'
import { entityTag } from '../answers/conditional.ts'

/** The rendered forms of a commit; `size` is their memory in bytes. */
export interface ChangeEvent {
  revision: string
  /** For streams of the whole organization. */
  whole: Buffer
  /** For streams of each changed project. */
  projects: ReadonlyMap<string, Buffer>
  /** Projects that the commit deletes. */
  gone: ReadonlySet<string>
  size: number
}

interface Row {
  language: string
  namespace: string
  etag: string | null
}

/** The bytes of an event's object and maps. */
const OVERHEAD = 600
const STEP = 32

/** Renders a commit, in slices when it has many files. */
export function renderChange(commit: MainLineCommit): Promise<ChangeEvent> {
  return inSlices(rendering(commit))
}

function* rendering({ revision, author, time, subject, files }: MainLineCommit): Steps<ChangeEvent> {
  const bundles = new Map<string, Row[]>()
  const gone = new Set<string>()
  for (const [at, { path, after }] of files.entries()) {
    if (at % STEP === STEP - 1) yield
    const own = ownFile(path)
    const slug = own?.slug ?? slugOfSidecar(path)
    if (slug === undefined) continue
    const rows = bundles.get(slug) ?? []
    bundles.set(slug, rows)
    if (own?.kind === 'bundle') rows.push(rowOf(own, after))
    if (own?.kind === 'project' && after === null) gone.add(slug)
  }
  const slugs = [...bundles.keys()].sort()
  for (const rows of bundles.values()) {
    yield
    rows.sort((a, b) => order(a.language, b.language) || order(a.namespace, b.namespace))
  }
  const date = new Date(time * 1000).toISOString()
  const textFor = (project: string | null, bundles: object[]) =>
    eventText(revision, 'change', { revision, project, author, date, subject, bundles })
  const projects = new Map<string, Buffer>()
  for (const slug of slugs) {
    yield
    projects.set(slug, textFor(slug, bundles.get(slug)!))
  }
  const only = slugs.length === 1 ? projects.get(slugs[0]!) : undefined
  const all = () => slugs.flatMap(project => bundles.get(project)!.map(row => ({ project, ...row })))
  const whole = only ?? textFor(null, all())
  const size = [whole, ...projects.values()].reduce((sum, bytes) => sum + bytes.length, OVERHEAD)
  return { revision, whole, projects, gone, size }
}

/** The project of a sidecar's file, or of a glossary. */
function slugOfSidecar(path: string): string | undefined {
  const glossary = glossaryFile(path)
  if (glossary) return glossary.slug
  const [slug, folder, file] = path.split('/')
  return slug !== '' && file !== undefined && SIDECAR_NAMES.some(name => name === folder) ? slug : undefined
}

function rowOf({ language, namespace }: OwnFile & { kind: 'bundle' }, id: string | null): Row {
  return { language, namespace, etag: id === null ? null : entityTag(id) }
}

/** The event that asks a client to reload everything. */
export function resetText(revision: string): Buffer {
  return eventText(revision, 'reset', { revision: revision === NO_REVISION ? null : revision })
}

/** Advances a client's last id without an event (HTML Living Standard, 9.2.6: no data, nothing dispatched). */
export const idText = (revision: string): Buffer => Buffer.from(`id: ${revision}\n\n`)

/** An event that is no commit: it has no id, and is not repeated. */
export const noticeText = (event: string, data: object): Buffer =>
  Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

/** JSON has no line breaks of its own. */
function eventText(id: string, event: string, data: object): Buffer {
  return ownBytes(Buffer.from(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
}

const FULL_ID = /^[0-9a-f]{40}$/i

/** The revision in a client's `since`. @throws Failure `invalid` */
export function checkSince(since: string): string {
  if (FULL_ID.test(since)) return since.toLowerCase()
  throw new Failure(
    'invalid',
    'The query parameter since must be the full id of a revision, as events and the history have it.',
  )
}
