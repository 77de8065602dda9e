/** Judges the content of a file that someone changed in the work tree, or by a commit, by the rules that every write obeys. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { Failure } from '../../bundle/errors.ts'
import { checkLanguage, checkNamespace, sameIgnoringCase } from '../../bundle/names.ts'
import { judgeEdit, type OutsideEdit } from '../../bundle/outside-edit.ts'
import {
  bundlePath,
  localesPath,
  type Place,
  type Project,
  parseProject,
  placeOf,
  projectPath,
  renderProject,
} from '../../bundle/project.ts'
import type { Snapshot } from '../snapshot.ts'
import { FILE_LIMIT } from './plain-file.ts'

/** A file as it should stand in HEAD; null removes it. */
export interface Change {
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

/** Computes {@link judgeEdit}; for a large file elsewhere, so that nobody waits for it. @throws Failure as it does, `unavailable` when it cannot */
export type JudgeEdit = (edit: OutsideEdit) => Promise<Uint8Array>

/** Within this turn of the event loop. */
export const judgeAtOnce: JudgeEdit = async edit => judgeEdit(edit)

/** What a state must offer for judging an edit against it. */
export type State = Pick<Snapshot, 'entry' | 'list' | 'read'>

type BundlePlace = Extract<Place, { kind: 'bundle' }>

/**
 * What Parlance would make of a path: a place, a bad name where a bundle would stand, or nothing of ours (notes, dot files, an
 * editor's temporary and backup names, none of which end in `.json` or all of which begin with a dot).
 */
export function classify(path: string): Place | { kind: 'misnamed'; error: string } | undefined {
  const names = path.split('/')
  if (names.some(name => name.startsWith('.'))) return undefined
  const place = placeOf(path)
  if (place) return place
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
 * Judges the content of a project file or a bundle: the canonical bytes that should stand in HEAD. Others have their turn in between.
 *
 * @param options `also` are paths that are being adopted beside it, for names that differ only in case; `base` is the version that
 *   the file started from, if HEAD has another one by now: then it is both
 * @throws Failure when the file breaks the rules; its message names the culprit
 */
export async function judgeFile(
  place: Place,
  bytes: Buffer,
  state: State,
  {
    also = [],
    base = null,
    judge = judgeAtOnce,
  }: { also?: Iterable<string>; base?: Buffer | null; judge?: JudgeEdit } = {},
): Promise<Buffer> {
  if (bytes.length > FILE_LIMIT) {
    throw new Failure('too-large', `The file has ${bytes.length} bytes; at most ${FILE_LIMIT} are taken in.`)
  }
  if (place.kind === 'project') {
    if (!state.entry(projectPath(place.slug)))
      refuseCaseVariant('project', place.slug, [...slugs(state), ...slugsOf(also)])
    return renderProject(parseProject(place.slug, bytes))
  }
  const project = projectIn(state, place.slug)
  if (!project) {
    throw new Failure('unfit', `The folder ${place.slug} has no valid project.json; add one, or remove the folder.`)
  }
  refuseCaseVariants(place, project, state, also)
  const stored = state.read(bundlePath(place.slug, place.language, place.namespace)) ?? null
  return take(judge, { mine: bytes, stored, base, format: project.defaultFormat, language: place.language })
}

async function take(judge: JudgeEdit, edit: OutsideEdit): Promise<Buffer> {
  const { buffer, byteOffset, byteLength } = await judge(edit)
  await yieldToOthers()
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** The project of a slug as `state` has it, undefined when there is none that can be read. */
export function projectIn(state: State, slug: string): Project | undefined {
  const bytes = state.read(projectPath(slug))
  try {
    return bytes && parseProject(slug, bytes)
  } catch {
    return undefined
  }
}

function refuseCaseVariants(place: BundlePlace, project: Project, state: State, also: Iterable<string>): void {
  const { slug, language, namespace } = place
  if (state.entry(bundlePath(slug, language, namespace))) return
  const beside = [...also]
    .map(placeOf)
    .filter(other => other?.kind === 'bundle' && other.slug === slug) as BundlePlace[]
  const languages = state.list(localesPath(slug)).map(entry => entry.name)
  refuseCaseVariant('language', language, [
    project.sourceLanguage,
    ...languages,
    ...beside.map(other => other.language),
  ])
  const file = `${namespace}.json`
  const has = (name: string) => state.entry(`${localesPath(slug)}/${name}/${file}`) !== undefined
  // A namespace that exists has been compared with all others when it came.
  if (has(project.sourceLanguage) || languages.some(has)) return
  const namespaces = languages.flatMap(name => state.list(`${localesPath(slug)}/${name}`)).map(entry => entry.name)
  refuseCaseVariant('namespace', file, [...namespaces, ...beside.map(other => `${other.namespace}.json`)])
}

function refuseCaseVariant(what: string, name: string, others: string[]): void {
  const other = others.find(candidate => candidate !== name && sameIgnoringCase(candidate, name))
  if (other !== undefined) {
    throw new Failure(
      'conflict',
      `The ${what} ${name} differs only in case from ${other}, which exists; use that name.`,
    )
  }
}

const slugs = (state: State) => state.list('').map(entry => entry.name)
const slugsOf = (paths: Iterable<string>) => [...paths].map(path => path.split('/')[0]!)

/** The bundles of a project in `state`, as paths. */
export function bundlesOf(state: State, slug: string): string[] {
  const locales = localesPath(slug)
  return state
    .list(locales)
    .flatMap(({ name }) => state.list(`${locales}/${name}`).map(file => `${locales}/${name}/${file.name}`))
    .filter(path => placeOf(path)?.kind === 'bundle')
}

/** The bundles of a project that are not written in its present format, as they should be. Others have their turn in between. */
export async function reformat(state: State, project: Project, judge: JudgeEdit): Promise<Change[]> {
  const { defaultFormat: format } = project
  const changes: Change[] = []
  for (const path of bundlesOf(state, project.slug)) {
    const old = state.read(path)!
    // A version that brings nothing breaks no rule, and comes back in the form that it should have.
    const bytes = await take(judge, { mine: old, stored: old, base: null, format, language: project.sourceLanguage })
    if (!bytes.equals(old)) changes.push({ path, bytes, over: state.entry(path)!.id })
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
