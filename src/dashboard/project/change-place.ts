/** Renames and deletes a language or a namespace: one commit each, which the project's history undoes. */
import { answer } from '../api/answer.ts'
import { deleteLanguage, type Manifest, pushBundles, renameLanguage, renameNamespace } from '../api/client.ts'
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

/** Gives a language or a namespace another name that the project lacks. @throws ApiProblem */
export const renamePlace = (slug: string, { language, namespace }: MatrixPlace, to: string) =>
  namespace === undefined
    ? answer(renameLanguage({ slug, body: { from: language!, to } }))
    : answer(renameNamespace({ slug, body: { from: namespace, to } }))
