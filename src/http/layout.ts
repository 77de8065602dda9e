/** What a state of an organization's repository holds: its projects, their languages and namespaces, and one bundle's place among them. */
import { EMPTY_BUNDLE_BYTES, EMPTY_BUNDLE_ID } from '../bundle/canonical.ts'
import { Failure } from '../bundle/errors.ts'
import { sameIgnoringCase } from '../bundle/names.ts'
import { bundlePath, localesPath, type Project, parseProject, placeOf, projectPath } from '../bundle/project.ts'
import { byteCache } from '../byte-cache.ts'
import type { Snapshot } from '../store/store.ts'
import type { Present } from './conditional.ts'

/** Where a bundle is. */
export interface Place {
  slug: string
  language: string
  namespace: string
}

/** The namespaces of a language folder by its tree id: looking at thousands of names takes milliseconds, and most folders stay as they are. */
const namespacesOfFolder = byteCache<string[]>(4 * 2 ** 20)

/** Every project, by slug in code-unit order. */
export function projectsIn(snapshot: Snapshot): Project[] {
  return snapshot
    .list('')
    .map(({ name }) => findProject(snapshot, name))
    .filter(project => project !== undefined)
    .sort((a, b) => (a.slug < b.slug ? -1 : 1))
}

/** Projects by slug and the id of their file, since every request asks for one. */
const known = byteCache<Project>(2 ** 20)

/** A project, undefined when there is none of this slug. */
export function findProject(snapshot: Snapshot, slug: string): Project | undefined {
  const path = projectPath(slug)
  const entry = snapshot.entry(path)
  if (entry?.kind !== 'blob') return undefined
  const key = `${slug}/${entry.id}`
  const project = known.get(key)
  if (project) return project
  const read = parseProject(slug, snapshot.read(path)!)
  known.set(key, read, { size: 2 * (2 * slug.length + read.name.length) + 500 })
  return read
}

/** @throws Failure `not-found`, in the same words whether it is another organization's or nobody's */
export function requireProject(snapshot: Snapshot, slug: string): Project {
  const project = findProject(snapshot, slug)
  if (project === undefined) throw new Failure('not-found', `There is no project "${slug}".`)
  return project
}

/** The languages of a project: those with a bundle, and its source language. In code-unit order. */
export function languagesOf(snapshot: Snapshot, project: Project): string[] {
  const withBundles = snapshot
    .list(localesPath(project.slug))
    .map(({ name }) => name)
    .filter(language => namespacesOf(snapshot, project.slug, language).length > 0)
  return [...new Set([...withBundles, project.sourceLanguage])].sort()
}

/** The namespaces that a language has bundles of, in code-unit order; none for a language that the project lacks. */
export function namespacesOf(snapshot: Snapshot, slug: string, language: string): string[] {
  const path = `${localesPath(slug)}/${language}`
  const folder = snapshot.entry(path)
  if (folder?.kind !== 'tree') return []
  const key = `${language}/${folder.id}`
  const known = namespacesOfFolder.get(key)
  if (known) return known
  const namespaces: string[] = []
  for (const { name, kind } of snapshot.list(path)) {
    const place = kind === 'blob' ? placeOf(`${path}/${name}`) : undefined
    if (place?.kind === 'bundle') namespaces.push(place.namespace)
  }
  namespaces.sort()
  namespacesOfFolder.set(key, namespaces, { size: namespaces.reduce((sum, name) => sum + name.length + 24, 200) })
  return namespaces
}

/** The namespaces of a project in any language, in code-unit order. */
export function allNamespaces(snapshot: Snapshot, project: Project): string[] {
  const names = languagesOf(snapshot, project).flatMap(language => namespacesOf(snapshot, project.slug, language))
  return [...new Set(names)].sort()
}

/** Every bundle of a project, by language and namespace. */
export function bundlesOf(snapshot: Snapshot, project: Project): Place[] {
  const { slug } = project
  return languagesOf(snapshot, project).flatMap(language =>
    namespacesOf(snapshot, slug, language).map(namespace => ({ slug, language, namespace })),
  )
}

/** @throws Failure `not-found` */
export function requireLanguage(snapshot: Snapshot, project: Project, language: string): void {
  if (language === project.sourceLanguage || namespacesOf(snapshot, project.slug, language).length > 0) return
  throw new Failure('not-found', `Project "${project.slug}" has no language "${language}".`)
}

/** @throws Failure `not-found` naming the first that the project lacks */
export function requireNamespaces(snapshot: Snapshot, project: Project, wanted: string[]): void {
  const known = allNamespaces(snapshot, project)
  const unknown = wanted.find(name => !known.includes(name))
  if (unknown === undefined) return
  throw new Failure('not-found', `Project "${project.slug}" has no namespace "${unknown}".`)
}

/** The failure for a bundle that is not there. */
export function missingBundle({ slug, language, namespace }: Place): Failure {
  return new Failure('not-found', `Project "${slug}" has no bundle "${namespace}" in "${language}".`)
}

/** A bundle as stored; one that does not exist is the empty one. */
export function bundleAt(snapshot: Snapshot, { slug, language, namespace }: Place): Present & { bytes: () => Buffer } {
  const path = bundlePath(slug, language, namespace)
  const entry = snapshot.entry(path)
  if (entry?.kind !== 'blob') return { id: EMPTY_BUNDLE_ID, exists: false, bytes: () => EMPTY_BUNDLE_BYTES }
  return { id: entry.id, exists: true, bytes: () => snapshot.read(path)! }
}

/**
 * Refuses a new bundle whose language or namespace differs only in case from one of the project: on some file systems
 * they would be one file.
 *
 * @throws Failure `conflict` naming the one that is there
 */
export function refuseCaseVariants(snapshot: Snapshot, project: Project, { language, namespace }: Place): void {
  const refuse = (what: 'language' | 'namespace', name: string, present: string[]) => {
    const twin = present.includes(name) ? undefined : present.find(other => sameIgnoringCase(other, name))
    if (twin !== undefined) throw caseTwin(what, name, twin, project.slug)
  }
  refuse('language', language, languagesOf(snapshot, project))
  refuse('namespace', namespace, allNamespaces(snapshot, project))
}

/** The failure for a name that differs only in case from one that is there. */
export function caseTwin(what: 'language' | 'namespace', name: string, twin: string, slug: string): Failure {
  return new Failure(
    'conflict',
    `The ${what} "${name}" differs only in case from "${twin}", which project "${slug}" has.`,
  )
}
