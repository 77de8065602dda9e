/** A state's projects with their languages, namespaces and bundles. */
import { EMPTY_BUNDLE_BYTES, EMPTY_BUNDLE_ID } from '../bundle/canonical.ts'
import { quoteSome } from '../bundle/complaints.ts'
import { Failure } from '../bundle/errors.ts'
import type { SourceFile } from '../bundle/file-change.ts'
import { checkSlug, isLanguage, shortKey } from '../bundle/names.ts'
import { isFlat } from '../bundle/resource.ts'
import { byteCache } from '../scheduling/byte-cache.ts'
import { atOnce, type Steps } from '../scheduling/steps.ts'
import {
  type BundleName,
  bundlePath,
  languagePath,
  localesPath,
  namespaceOf,
  type Project,
  parseProject,
  projectPath,
} from './project.ts'
import type { State } from './state.ts'

/** A project, if any. @throws Failure `unfit` when a person's commit broke its file */
export function findProject(state: State, slug: string): Project | undefined {
  const bytes = state.read(projectPath(slug))
  return bytes && parseProject(slug, bytes)
}

/** Those of the slugs that name no project. */
export const missingProjects = (state: State, slugs: readonly string[]): string[] =>
  slugs.filter(slug => state.entry(projectPath(checkSlug(slug))) === undefined)

/** The sentence about such slugs in a body. @param member of the body */
export const noProjects = (member: string, slugs: readonly string[]): string =>
  `The body does not fit: "${member}" names what is no project: ${quoteSome(slugs)}.`

/** As {@link findProject}, but undefined when its file cannot be read. */
export function projectIn(state: State, slug: string): Project | undefined {
  try {
    return findProject(state, slug)
  } catch (error) {
    if (error instanceof Failure && error.code === 'unfit') return undefined
    throw error
  }
}

/** The slugs of projects, valid or not, that are in the state after and not in the one before. */
export function addedSlugs({ before, after }: { before: State; after: State }): string[] {
  const isAdded = (slug: string) => after.entry(projectPath(slug)) && !before.entry(projectPath(slug))
  return after.list('').flatMap(({ name }) => (isAdded(name) ? [name] : []))
}

/** @throws Failure `not-found`, in the same words for other organizations' projects */
export function requireProject(state: State, slug: string): Project {
  const project = findProject(state, slug)
  if (project === undefined) throw noProject(slug)
  return project
}

/** The failure for a project that there is not, or not for the caller. */
export const noProject = (slug: string) => new Failure('not-found', `There is no project "${slug}".`)

/** A project's languages: those with bundles, and its source language. In code-unit order. */
export function languagesOf(state: State, { slug, sourceLanguage }: Project): string[] {
  const withBundles = state
    .list(localesPath(slug))
    .map(({ name }) => name)
    .filter(language => hasBundles(state, slug, language))
  return [...new Set([...withBundles, sourceLanguage])].sort()
}

/** Whether a project has a language. */
export function hasLanguage(state: State, { slug, sourceLanguage }: Project, language: string): boolean {
  return language === sourceLanguage || hasBundles(state, slug, language)
}

/** Whether a language has a bundle. */
export function hasBundles(state: State, slug: string, language: string): boolean {
  return namespacesOf(state, slug, language).length > 0
}

/** By organization and folder id: checking thousands of names costs milliseconds, and most folders stay. */
const known = byteCache<string[]>(4 * 2 ** 20)

/** The namespaces of a language's bundles, in code-unit order. */
export function namespacesOf(state: State, slug: string, language: string): string[] {
  const path = languagePath(slug, language)
  const folder = isLanguage(language) ? state.entry(path) : undefined
  if (folder?.kind !== 'tree') return []
  const key = `${state.organization}/${folder.id}`
  const found = known.get(key)
  if (found) return found
  const namespaces = state
    .list(path)
    .map(({ kind, name }) => (kind === 'blob' ? namespaceOf(name) : undefined))
    .filter(name => name !== undefined)
    .sort()
  const size = namespaces.reduce((sum, name) => sum + name.length + 24, 200)
  if (folder.id !== '') known.set(key, namespaces, { size })
  return namespaces
}

/** A project's namespaces in any language, in code-unit order. */
export function allNamespaces(state: State, { slug }: Project): string[] {
  return [...atOnce(namespacesInSteps(state, slug))].sort()
}

/** As {@link allNamespaces}, one step a language, in no order. */
export function* namespacesInSteps(state: State, slug: string): Steps<Set<string>> {
  const found = new Set<string>()
  for (const { name } of state.list(localesPath(slug))) {
    for (const namespace of namespacesOf(state, slug, name)) found.add(namespace)
    yield
  }
  return found
}

/**
 * The languages with a bundle of each namespace, in code-unit order. One step a language. Several namespaces are read
 * from its list: with a thousand of both, to look for each in each language would be a million lookups.
 */
export function* languagesByNamespace(
  state: State,
  slug: string,
  namespaces: ReadonlySet<string>,
): Steps<Map<string, string[]>> {
  const found = new Map(Array.from(namespaces, namespace => [namespace, [] as string[]]))
  if (namespaces.size === 0) return found
  const [only] = namespaces.size === 1 ? namespaces : []
  const languages = state.list(localesPath(slug)).map(({ name }) => name)
  for (const language of languages.sort()) {
    yield
    if (only === undefined) {
      for (const namespace of namespacesOf(state, slug, language)) found.get(namespace)?.push(language)
    } else if (isLanguage(language) && hasBundle(state, { slug, language, namespace: only })) {
      found.get(only)!.push(language)
    }
  }
  return found
}

/** Every bundle of a project, by language and namespace. */
export function bundlesOf(state: State, slug: string): BundleName[] {
  const languages = state.list(localesPath(slug)).map(({ name }) => name)
  return languages
    .sort()
    .flatMap(language => namespacesOf(state, slug, language).map(namespace => ({ slug, language, namespace })))
}

/** @throws Failure `not-found` */
export function requireLanguage(state: State, project: Project, language: string): void {
  if (hasLanguage(state, project, language)) return
  throw new Failure('not-found', `Project "${project.slug}" has no language "${language}".`)
}

/** @throws Failure `not-found` naming the first that is missing */
export function requireNamespaces(state: State, project: Project, wanted: Iterable<string>): void {
  const { slug, sourceLanguage: language } = project
  const others = [...wanted].filter(namespace => !hasBundle(state, { slug, language, namespace }))
  if (others.length === 0) return
  const found = atOnce(languagesByNamespace(state, slug, new Set(others)))
  const unknown = others.find(namespace => found.get(namespace)!.length === 0)
  if (unknown === undefined) return
  throw new Failure('not-found', `Project "${project.slug}" has no namespace "${unknown}".`)
}

/** Whether any language has a bundle of this namespace. */
export function hasNamespace(state: State, slug: string, namespace: string): boolean {
  return state.list(localesPath(slug)).some(({ name }) => hasBundle(state, { slug, language: name, namespace }))
}

/** Whether there is a bundle of this name. */
export const hasBundle = (state: State, bundle: BundleName): boolean => idOf(state, bundle) !== null

/** A bundle's blob id, null without one. */
export function idOf(state: State, bundle: BundleName): string | null {
  const entry = state.entry(bundlePath(bundle))
  return entry?.kind === 'blob' ? entry.id : null
}

/** @param instead what is possible, as the end of a sentence @throws Failure `invalid` for the source language */
export function refuseSource({ slug, sourceLanguage }: Project, language: string, instead: string): void {
  if (language !== sourceLanguage) return
  throw new Failure('invalid', `"${language}" is the source language of project "${slug}": ${instead}.`)
}

/** The failure for a missing bundle. */
export function missingBundle({ slug, language, namespace }: BundleName): Failure {
  return new Failure('not-found', `Project "${slug}" has no bundle "${namespace}" in "${language}".`)
}

/** The failure for a key or form that a bundle lacks, as one does that is not there. */
export function missingKey(name: string, { language, namespace }: BundleName): Failure {
  const what = `key or form ${JSON.stringify(shortKey(name))}`
  return new Failure('not-found', `The bundle "${namespace}" in "${language}" has no ${what}.`)
}

/**
 * The source language's file of a bundle's namespace, read when needed. Undefined if it is missing, for the source
 * language itself, and for flat projects: there a name is a place.
 */
export function sourceBeside(state: State, project: Project, bundle: BundleName): SourceFile | undefined {
  const { sourceLanguage: language, defaultFormat } = project
  if (isFlat(defaultFormat) || bundle.language === language) return undefined
  const { id, exists, bytes } = bundleAt(state, { ...bundle, language })
  if (!exists) return undefined
  return {
    id,
    get bytes() {
      return bytes()
    },
  }
}

/** A stored bundle; a missing one is empty. */
export function bundleAt(state: State, bundle: BundleName): { id: string; exists: boolean; bytes: () => Buffer } {
  const id = idOf(state, bundle)
  if (id === null) return { id: EMPTY_BUNDLE_ID, exists: false, bytes: () => EMPTY_BUNDLE_BYTES }
  return { id, exists: true, bytes: () => state.read(bundlePath(bundle))! }
}
