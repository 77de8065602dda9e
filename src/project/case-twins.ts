/** Refuses names that differ only in case. Some file systems do not distinguish them. */
import { EMPTY_BUNDLE_BYTES } from '../bundle/canonical.ts'
import { Failure } from '../bundle/errors.ts'
import { isLanguage, sameIgnoringCase } from '../bundle/names.ts'
import type { Steps } from '../scheduling/steps.ts'
import { hasBundle, hasBundles, hasLanguage, hasNamespace, namespacesInSteps, projectIn } from './layout.ts'
import { type BundleName, bundlePath, languagePath, localesPath, namespaceOf, type Project } from './project.ts'
import { type SidecarFile, sidecarFolder } from './sidecars/sidecars.ts'
import { Overlay, type State } from './state.ts'

/** Refuses a new project. @throws Failure `conflict` naming the project that has its slug, in any case */
export function refuseSlugTwin(state: State, slug: string): void {
  const twin = state.namesLike('', slug).find(name => projectIn(state, name))
  if (twin !== undefined) throw new Failure('conflict', `Project "${twin}" has the slug "${slug}" already.`)
}

/** Refuses a new bundle. @throws Failure `conflict` naming the language or namespace that differs only in case */
export function refuseTwins(state: State, project: Project, { language, namespace }: Omit<BundleName, 'slug'>): void {
  refuseLanguageTwin(state, project, language)
  refuseNamespaceTwin(state, project, namespace)
}

/**
 * Refuses new bundles of one change: beside what there is without `gone`, and beside each other. In steps.
 * @param gone paths of bundles that go in the same change
 * @param isOwn whether the project's own file changes, too, and with it perhaps the source language
 * @throws Failure `conflict`
 */
export function* refuseTwinsAmong(
  state: State,
  project: Project,
  created: BundleName[],
  gone: string[],
  isOwn = false,
): Steps<void> {
  if (created.length === 0 && !isOwn) return
  const after = new Overlay(state)
  for (const path of gone) after.remove(path)
  if (isOwn) refuseOwnTwins(after, project)
  const languages = new Set<string>()
  const namespaces = yield* namespacesInSteps(after, project.slug)
  const like = new Map(Array.from(namespaces, name => [name.toLowerCase(), name]))
  for (const bundle of created) {
    const { language, namespace } = bundle
    if (!languages.has(language)) refuseLanguageTwin(after, project, language)
    languages.add(language)
    const twin = like.get(namespace.toLowerCase())
    if (twin !== undefined && !namespaces.has(namespace)) throw conflict('namespace', namespace, twin, project)
    namespaces.add(namespace)
    like.set(namespace.toLowerCase(), namespace)
    after.put(bundlePath(bundle), EMPTY_BUNDLE_BYTES)
    yield
  }
}

/** Refuses a language beside one, or beside a review of one, that differs only in case. @throws Failure `conflict` */
export function refuseLanguageTwin(state: State, project: Project, language: string): void {
  if (hasLanguage(state, project, language)) return
  const twin = reviewedTwin(project, language) ?? languageTwin(state, project, language)
  if (twin !== undefined) throw conflict('language', language, twin, project)
}

function languageTwin(state: State, project: Project, language: string): string | undefined {
  const like = [project.sourceLanguage, ...state.namesLike(localesPath(project.slug), language)]
  return like.find(name => name !== language && sameIgnoringCase(name, language) && hasLanguage(state, project, name))
}

const reviewedTwin = ({ review = {} }: Project, language: string): string | undefined =>
  Object.keys(review).find(name => name !== language && sameIgnoringCase(name, language))

/** Refuses a review that would hold no text: its language differs only in case. @throws Failure `conflict` */
export function refuseReviewTwins(state: State, project: Project): void {
  for (const language of Object.keys(project.review ?? {})) {
    const twin = languageTwin(state, project, language) ?? reviewedTwin(project, language)
    if (twin !== undefined) throw conflict('language', language, twin, project)
  }
}

/** Refuses a source language or review beside bundles of a language in another case. @throws Failure `conflict` */
export function refuseOwnTwins(state: State, project: Project): void {
  refuseReviewTwins(state, project)
  const { slug, sourceLanguage } = project
  const twin = state
    .namesLike(localesPath(slug), sourceLanguage)
    .find(name => name !== sourceLanguage && hasBundles(state, slug, name))
  if (twin !== undefined) throw conflict('language', sourceLanguage, twin, project)
}

/** The same for namespaces of all languages. @throws Failure `conflict` */
export function refuseNamespaceTwin(state: State, project: Project, namespace: string): void {
  const { slug } = project
  const has = (language: string) => hasBundle(state, { slug, language, namespace })
  if (has(project.sourceLanguage) || hasNamespace(state, slug, namespace)) return
  for (const { name: language } of state.list(localesPath(slug))) {
    for (const file of state.namesLike(languagePath(slug, language), `${namespace}.json`)) {
      const twin = namespaceOf(file)
      if (twin === undefined || !hasBundle(state, { slug, language, namespace: twin })) continue
      throw conflict('namespace', namespace, twin, project)
    }
  }
}

/** The same for a new file of a sidecar, beside bundles and the sidecar's other files. @throws Failure `conflict` */
export function refuseSidecarTwin(state: State, project: Project, folder: string, namespace: string): void {
  refuseNamespaceTwin(state, project, namespace)
  const twins = state.namesLike(folder, `${namespace}.json`).flatMap(file => namespaceOf(file) ?? [])
  const twin = twins.find(name => name !== namespace)
  if (twin !== undefined) throw conflict('namespace', namespace, twin, project)
}

/** The same for a new file of a sidecar by language. @throws Failure `conflict` */
export function refuseSidecarLanguageTwin(state: State, project: Project, folder: string, language: string): void {
  refuseLanguageTwin(state, project, language)
  const hasFiles = (name: string) => state.list(`${folder}/${name}`).length > 0
  const twin = state.namesLike(folder, language).find(name => name !== language && isLanguage(name) && hasFiles(name))
  if (twin !== undefined) throw conflict('language', language, twin, project)
}

/** Both, for a new file of any sidecar. @throws Failure `conflict` */
export function refuseTwinsOfSidecar(
  state: State,
  project: Project,
  { slug, sidecar, language, namespace }: Omit<SidecarFile, 'kind'>,
): void {
  if (language !== undefined) refuseSidecarLanguageTwin(state, project, sidecarFolder(slug, sidecar), language)
  refuseSidecarTwin(state, project, sidecarFolder(slug, sidecar, language), namespace)
}

function conflict(what: string, name: string, twin: string, { slug }: Project): Failure {
  return new Failure(
    'conflict',
    `The ${what} "${name}" differs only in case from "${twin}", which project "${slug}" has.`,
  )
}
