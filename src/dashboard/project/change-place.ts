/** Renames and deletes a language or a namespace: one commit each, which the project's history undoes. */
import { answer } from '../api/answer.ts'
import { deleteLanguage, exportProject, type Manifest, type ManyPush, pushBundles } from '../api/client.ts'
import type { MatrixPlace } from './matrix-axes.ts'

/** A push that replaces bundles; an empty one is deleted. */
const REPLACING = { overwrite: 'true', prune: 'true' } as const

/** @throws ApiProblem */
export async function removePlace(slug: string, { language, namespace }: MatrixPlace, { languages }: Manifest) {
  if (namespace === undefined) return answer(deleteLanguage({ slug, language: language! }))
  const bundles = Object.fromEntries(languages.map(each => [each, { [namespace]: {} }]))
  const message = `${slug} ${namespace}: delete the namespace`
  return answer(pushBundles({ slug, ...REPLACING, manyPush: { bundles, message } }))
}

/**
 * Moves all bundles to a new name that the project lacks.
 * @throws ApiProblem 412 if one of them changes meanwhile
 */
export async function renamePlace(slug: string, place: MatrixPlace, to: string, manifest: Manifest) {
  const bundles: ManyPush['bundles'] = {}
  const put = (language: string, namespace: string, resource: Record<string, unknown> = {}) => {
    ;(bundles[language] ??= {})[namespace] = resource
  }
  const move = (language: string, namespace: string, resource?: Record<string, unknown>) =>
    place.language === undefined ? put(language, to, resource) : put(to, namespace, resource)
  for (const language of place.language === undefined ? manifest.languages : [place.language])
    for (const namespace of place.namespace === undefined ? manifest.namespaces : [place.namespace]) {
      put(language, namespace)
      move(language, namespace)
    }
  // A dry run reports the tags and the revision of the state that the export then reads.
  const now = await answer(pushBundles({ slug, dryRun: 'true', ...REPLACING, manyPush: { bundles } }))
  const tags = now.bundles.map(({ language, namespace, etag }) => [`${language}/${namespace}`, etag])
  const { language, namespace: $namespace } = place
  const part = { ...(language !== undefined && { language }), ...($namespace !== undefined && { $namespace }) }
  // The generated type has the zip alone.
  const texts: unknown = await answer(exportProject({ slug, at: now.revision, format: 'json', ...part }))
  for (const [language, resources] of Object.entries(texts as ManyPush['bundles']))
    for (const [namespace, resource] of Object.entries(resources)) move(language, namespace, resource)
  // 200 characters are the maximum.
  const message = `${slug}: rename ${$namespace ?? language} to ${to}`.slice(0, 200)
  await answer(pushBundles({ slug, ...REPLACING, manyPush: { bundles, expected: Object.fromEntries(tags), message } }))
}
