/** The different files of two states. Equal folders are never opened. */
import type { Steps } from '../scheduling/steps.ts'
import { type BundleName, languagePath, localesPath, ownFile } from './project.ts'
import type { PathEntry, State } from './state.ts'

/** A differing file; ids are git blob ids, null where absent. */
export interface ChangedFile {
  path: string
  before: string | null
  after: string | null
}

/** Every differing file below `folder` (`''` is the root), in path order. */
export function changedFiles(from: Pick<State, 'list'>, to: Pick<State, 'list'>, folder = ''): ChangedFile[] {
  const before = new Map(from.list(folder).map(entry => [entry.name, entry]))
  const after = new Map(to.list(folder).map(entry => [entry.name, entry]))
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  return names.flatMap(name => {
    const [a, b] = [before.get(name), after.get(name)]
    if (a?.id === b?.id && a?.kind === b?.kind) return []
    const path = folder === '' ? name : `${folder}/${name}`
    const file = { path, before: a?.kind === 'blob' ? a.id : null, after: b?.kind === 'blob' ? b.id : null }
    const below = a?.kind === 'tree' || b?.kind === 'tree' ? changedFiles(from, to, path) : []
    return file.before === null && file.after === null ? below : [file, ...below]
  })
}

/** All of a project, or the named language and namespace. */
export interface ProjectPart {
  slug: string
  language?: string | undefined
  namespace?: string | undefined
}

/** A bundle with a different file. */
export interface ChangedBundle extends BundleName, ChangedFile {}

/** The differing bundles of a part, by language and namespace. */
export function changedBundles(from: State, to: State, { slug, language, namespace }: ProjectPart): ChangedBundle[] {
  const folder = language === undefined ? localesPath(slug) : languagePath(slug, language)
  return changedFiles(from, to, folder)
    .flatMap(file => {
      const own = ownFile(file.path)
      return own?.kind === 'bundle' && (namespace ?? own.namespace) === own.namespace ? [{ ...file, ...own }] : []
    })
    .sort((a, b) => order(a.language, b.language) || order(a.namespace, b.namespace))
}

/** The languages of a part with different folders, in code-unit order. */
export function changedLanguages(from: State, to: State, { slug, language }: ProjectPart): string[] {
  const names = namesThatDiffer(from, to, localesPath(slug))
  return names.filter(name => language === undefined || name === language).sort()
}

/** The differing bundles of a part, by language and namespace, one step a language. */
export function* changedInSteps(from: State, to: State, part: ProjectPart): Steps<ChangedBundle[]> {
  const changed: ChangedBundle[] = []
  for (const language of changedLanguages(from, to, part)) {
    changed.push(...changedBundles(from, to, { ...part, language }))
    yield
  }
  return changed
}

/** An entry of a folder that differs, undefined in the state without it. */
interface ChangedEntry {
  name: string
  before: PathEntry | undefined
  after: PathEntry | undefined
}

/** The entries of a folder that differ in two states. */
export function entriesThatDiffer(from: Pick<State, 'list'>, to: Pick<State, 'list'>, folder: string): ChangedEntry[] {
  const entriesIn = (state: Pick<State, 'list'>) => new Map(state.list(folder).map(entry => [entry.name, entry]))
  const [before, after] = [entriesIn(from), entriesIn(to)]
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return names
    .filter(name => before.get(name)?.id !== after.get(name)?.id)
    .map(name => ({ name, before: before.get(name), after: after.get(name) }))
}

/** The names of {@link entriesThatDiffer}. */
export const namesThatDiffer = (from: Pick<State, 'list'>, to: Pick<State, 'list'>, folder: string): string[] =>
  entriesThatDiffer(from, to, folder).map(({ name }) => name)

/** Code-unit order. */
export const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
