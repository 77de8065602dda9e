/** Judges files changed in the work tree or by a commit, by the rules of every write. */
import { Failure } from '../bundle/errors.ts'
import { MAX_FILE } from '../bundle/file-size.ts'
import { checkLanguage, checkNamespace } from '../bundle/names.ts'
import { refuseOwnTwins, refuseSlugTwin, refuseTwins, refuseTwinsOfSidecar } from './case-twins.ts'
import { type GlossaryFile, glossaryFile, glossaryPath } from './glossary-file.ts'
import { bundlesOf, idOf, projectIn, sourceBeside } from './layout.ts'
import { computeHere, type Offload } from './offload.ts'
import type { OutsideEdit } from './outside-edit.ts'
import { bundlePath, type OwnFile, ownFile, type Project, parseProject, projectPath, renderProject } from './project.ts'
import { refuseEdit } from './refuse-checks.ts'
import { SIDECARS, type SidecarFile, sidecarFile, sidecarPath } from './sidecars/sidecars.ts'
import type { State } from './state.ts'

/** A file as it should be in HEAD; null removes it. */
export interface JudgedFile {
  path: string
  bytes: Buffer | null
  /** The blob id in HEAD when it was judged; null for none. */
  over: string | null
}

/** A file of the work tree that stays as it is, and why. Never quotes translations. */
export interface RefusedFile {
  path: string
  error: string
}

/** A file that people may edit. */
export type JudgeableFile = OwnFile | SidecarFile | GlossaryFile

/**
 * Classifies a path: a file of ours, a bad name where a bundle would be, or undefined for a foreign file. Dot files,
 * the temporary files of editors, and sidecars that the server alone writes are foreign.
 */
export function classify(path: string): JudgeableFile | { kind: 'misnamed'; error: string } | undefined {
  // Most files that are not ours are found out here: a name that breaks a rule costs an error.
  if (!path.endsWith('.json')) return undefined
  const names = path.split('/')
  if (names.some(name => name.startsWith('.'))) return undefined
  const own = ownFile(path)
  if (own) return own
  const sidecar = sidecarFile(path)
  if (sidecar) return SIDECARS[sidecar.sidecar].isEdited ? sidecar : undefined
  const glossary = glossaryFile(path)
  if (glossary) return glossary
  const [, locales, language, file] = names
  if (names.length !== 4 || locales !== 'locales' || !file!.endsWith('.json')) return undefined
  try {
    checkLanguage(language)
    checkNamespace(file!.slice(0, -'.json'.length))
  } catch (error) {
    return { kind: 'misnamed', error: reason(error) }
  }
  return undefined
}

/**
 * Judges a file: the canonical bytes for HEAD, null for a sidecar without entries.
 * @param state includes what is being adopted beside it
 * @param options `base` is the version the file started from, if the state has another by now: both are merged
 * @throws Failure naming the culprit when the file breaks the rules
 */
export async function judgeFile(
  file: JudgeableFile,
  bytes: Buffer,
  state: State,
  { base = null, compute = computeHere }: { base?: Buffer | null; compute?: Offload } = {},
): Promise<Buffer | null> {
  if (bytes.length > MAX_FILE) {
    throw new Failure('too-large', `The file has ${bytes.length} bytes; at most ${MAX_FILE} are accepted.`)
  }
  if (file.kind === 'project') {
    if (!state.entry(projectPath(file.slug))) refuseSlugTwin(state, file.slug)
    const project = parseProject(file.slug, bytes)
    refuseOwnTwins(state, project)
    return renderProject(project)
  }
  const { slug } = file
  const project = slug === undefined ? undefined : projectIn(state, slug)
  if (slug !== undefined && !project) {
    throw new Failure('unfit', `The folder ${slug} has no valid project.json; add one, or remove the folder.`)
  }
  if (file.kind === 'glossary') {
    const stored = state.read(glossaryPath(slug)) ?? null
    const judged = await compute('edit', glossaryEdit({ mine: bytes, stored, base }))
    return judged.length > 0 ? judged : null
  }
  return judgeWithin(project!, file, bytes, state, { base, compute })
}

/** Judges a file of a project. */
async function judgeWithin(
  project: Project,
  file: Exclude<JudgeableFile, { kind: 'project' | 'glossary' }>,
  bytes: Buffer,
  state: State,
  { base, compute }: { base: Buffer | null; compute: Offload },
): Promise<Buffer | null> {
  if (file.kind === 'sidecar') {
    const path = sidecarPath(file)
    const stored = state.read(path) ?? null
    if (stored === null) refuseTwinsOfSidecar(state, project, file)
    const judged = await compute('edit', sidecarEdit(file, { mine: bytes, stored, base }, project))
    return judged.length > 0 ? judged : null
  }
  const stored = state.read(bundlePath(file)) ?? null
  if (stored === null) refuseTwins(state, project, file)
  const source = sourceBeside(state, project, file)
  const edit = { mine: bytes, stored, base, format: project.defaultFormat, language: file.language, source }
  const judged = await compute('edit', edit)
  await refuseEdit(file, judged, { state, project, compute })
  return judged
}

/** The edit of a sidecar. The fields of a bundle mean nothing there. */
export function sidecarEdit(
  { sidecar }: SidecarFile,
  versions: Pick<OutsideEdit, 'mine' | 'stored' | 'base'>,
  { defaultFormat, sourceLanguage }: Project,
): OutsideEdit {
  return { ...versions, format: defaultFormat, language: sourceLanguage, source: undefined, sidecar }
}

/** The edit of a glossary, likewise. */
export const glossaryEdit = (versions: Pick<OutsideEdit, 'mine' | 'stored' | 'base'>): OutsideEdit => ({
  ...versions,
  ...{ format: 'i18next-json', language: '', source: undefined, sidecar: 'glossary' },
})

/** A project's bundles that are not in its format, rewritten. */
export async function reformat(state: State, project: Project, compute: Offload): Promise<JudgedFile[]> {
  const { defaultFormat: format, sourceLanguage: language, slug } = project
  const changes: JudgedFile[] = []
  for (const bundle of bundlesOf(state, slug)) {
    const path = bundlePath(bundle)
    const old = state.read(path)!
    // A version that brings nothing breaks no rule, and comes back in its proper form.
    const bytes = await compute('edit', { mine: old, stored: old, base: null, format, language, source: undefined })
    if (!bytes.equals(old)) changes.push({ path, bytes, over: idOf(state, bundle) })
  }
  return changes
}

/** Why a file was refused, for a log: a Failure's sentence, or another error's name. */
export function reason(error: unknown): string {
  return error instanceof Failure
    ? error.message
    : `The file cannot be judged (${error instanceof Error ? error.name : 'unknown'}).`
}

/** A project's file before its bundles, which are judged by its format. */
export function inOrder(paths: Iterable<string>): string[] {
  const depth = (path: string) => path.split('/').length
  return [...paths].sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
}

/** As {@link inOrder}, with the source languages before their translations, which are judged beside them. */
export function sourceFirst(state: State, paths: Iterable<string>): string[] {
  const sources = new Map<string, string | undefined>()
  const rank = (path: string) => {
    const file = classify(path)
    if (file?.kind !== 'bundle') return file?.kind === 'project' ? 0 : 2
    if (!sources.has(file.slug)) sources.set(file.slug, projectIn(state, file.slug)?.sourceLanguage)
    return sources.get(file.slug) === file.language ? 1 : 2
  }
  return inOrder(paths)
    .map(path => [rank(path), path] as const)
    .sort(([a], [b]) => a - b)
    .map(([, path]) => path)
}
