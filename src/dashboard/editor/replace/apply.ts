/** Writes replacements as one commit, only if the previewed texts are still current. */
import type { Message } from '../../../bundle/message.ts'
import { ApiProblem, answer, response } from '../../api/answer.ts'
import { getBundle, getLanguage, pushBundles } from '../../api/client.ts'
import { textsOf } from '../model/leaves.ts'
import { idOf } from '../model/rows.ts'
import { bundlesOf, type TextReplacement } from './changes.ts'

/** Maximum attempts while other users write to the same bundles. */
const ATTEMPTS = 5

/** Another user changed a text since the preview. */
export class PreviewOutdated extends Error {}

/**
 * A stale text stays stale: the replacement does not compare it with its source. @throws PreviewOutdated, ApiProblem
 */
export async function apply(
  slug: string,
  changes: readonly TextReplacement[],
  message: string,
): Promise<{ revision: string }> {
  const bundles = bundlesOf(changes)
  for (let attempt = 1; ; attempt++) {
    const expected = await tagsOf(slug, bundles)
    // Read after the tags: with these tags, the server refuses any later change.
    await compare(slug, changes)
    try {
      return await answer(
        pushBundles({ slug, overwrite: 'true', keepStale: 'true', manyPush: { bundles, message, expected } }),
      )
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 412 || attempt === ATTEMPTS) throw error
    }
  }
}

async function tagsOf(slug: string, bundles: ReturnType<typeof bundlesOf>): Promise<Record<string, string>> {
  const names = Object.entries(bundles).flatMap(([language, namespaces]) =>
    Object.keys(namespaces).map(namespace => ({ language, namespace })),
  )
  return Object.fromEntries(
    await Promise.all(
      names.map(async ({ language, namespace }) => {
        const { headers } = await response(getBundle({ slug, language, $namespace: namespace }, { method: 'HEAD' }))
        return [`${language}/${namespace}`, headers.get('etag')!]
      }),
    ),
  )
}

async function compare(slug: string, changes: readonly TextReplacement[]): Promise<void> {
  for (const language of new Set(changes.map(change => change.language))) {
    const { keys } = await answer(getLanguage({ slug, language }))
    const now = new Map(keys.map(({ namespace, key, message }) => [idOf(namespace, key), message as Message]))
    for (const change of changes) {
      if (change.language !== language) continue
      const text = textsOf(now.get(idOf(change.namespace, change.key)))[change.ending]
      if (text !== change.text) throw new PreviewOutdated(change.key)
    }
  }
}
