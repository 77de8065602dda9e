/** Judges the content of a file that someone changed in the work tree, or by a commit, by the rules that every write obeys. */
import { Failure } from '../bundle/errors.ts'
import { checkLanguage, checkNamespace } from '../bundle/names.ts'
import { refuseSlugTwin, refuseTwins } from './case-twins.ts'
import { bundlesOf, idOf, projectIn } from './layout.ts'
import { judgeEdit, type OutsideEdit } from './outside-edit.ts'
import { bundlePath, type OwnFile, ownFile, type Project, parseProject, projectPath, renderProject } from './project.ts'
import type { State } from './state.ts'

/** A file as it should stand in HEAD; null removes it. */
export interface JudgedFile {
  path: string
  bytes: Buffer | null
  /** The blob id in HEAD that it was judged against; null for none. */
  over: string | null
}

/** A file of the work tree that is left as it is, and why. Never quotes translations. */
export interface Problem {
  path: string
  error: string
}

/** Computes {@link judgeEdit}, so that nobody waits for it. @throws Failure as it does, `unavailable` when it cannot */
export type JudgeEdit = (edit: OutsideEdit) => Promise<Buffer>

/** Within this turn of the event loop. */
export const judgeAtOnce: JudgeEdit = async edit => judgeEdit(edit)

/** Bytes of a file that is taken in, at most. */
export const FILE_LIMIT = 8 * 1024 * 1024

/**
 * What Parlance would make of a path: a file of ours, a bad name where a bundle would stand, or nothing of ours (notes, dot files, an
 * editor's temporary and backup names, none of which end in `.json` or all of which begin with a dot).
 */
export function classify(path: string): OwnFile | { kind: 'misnamed'; error: string } | undefined {
  const names = path.split('/')
  if (names.some(name => name.startsWith('.'))) return undefined
  const own = ownFile(path)
  if (own) return own
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
 * Judges the content of a project file or a bundle: the canonical bytes that should stand in HEAD.
 *
 * @param state with what is being adopted beside it
 * @param options `base` is the version that the file started from, if the state has another one by now: then it is both
 * @throws Failure when the file breaks the rules; its message names the culprit
 */
export async function judgeFile(
  file: OwnFile,
  bytes: Buffer,
  state: State,
  { base = null, judge = judgeAtOnce }: { base?: Buffer | null; judge?: JudgeEdit } = {},
): Promise<Buffer> {
  if (bytes.length > FILE_LIMIT) {
    throw new Failure('too-large', `The file has ${bytes.length} bytes; at most ${FILE_LIMIT} are taken in.`)
  }
  if (file.kind === 'project') {
    if (!state.entry(projectPath(file.slug))) refuseSlugTwin(state, file.slug)
    return renderProject(parseProject(file.slug, bytes))
  }
  const project = projectIn(state, file.slug)
  if (!project) {
    throw new Failure('unfit', `The folder ${file.slug} has no valid project.json; add one, or remove the folder.`)
  }
  const stored = state.read(bundlePath(file)) ?? null
  if (stored === null) refuseTwins(state, project, file)
  return judge({ mine: bytes, stored, base, format: project.defaultFormat, language: file.language })
}

/** The bundles of a project that are not written in its present format, as they should be. */
export async function reformat(state: State, project: Project, judge: JudgeEdit): Promise<JudgedFile[]> {
  const { defaultFormat: format, sourceLanguage: language, slug } = project
  const changes: JudgedFile[] = []
  for (const bundle of bundlesOf(state, slug)) {
    const path = bundlePath(bundle)
    const old = state.read(path)!
    // A version that brings nothing breaks no rule, and comes back in the form that it should have.
    const bytes = await judge({ mine: old, stored: old, base: null, format, language })
    if (!bytes.equals(old)) changes.push({ path, bytes, over: idOf(state, bundle) })
  }
  return changes
}

/** Why a file was refused, fit for a log: a Failure's own sentence, nothing of another error but its name. */
export function reason(error: unknown): string {
  return error instanceof Failure
    ? error.message
    : `The file cannot be judged (${error instanceof Error ? error.name : 'unknown'}).`
}

/** A project's own file before its bundles, so that they are judged by its format. */
export function inOrder(paths: Iterable<string>): string[] {
  const depth = (path: string) => path.split('/').length
  return [...paths].sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
}
