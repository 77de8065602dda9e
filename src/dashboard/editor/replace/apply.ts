/** Writes replacements as one commit, only if the previewed texts are still current. */
import type { Message } from '../../../bundle/message.ts'
import { answer, response } from '../../api/answer.ts'
import { getBundle, getLanguage, pushBundles } from '../../api/client.ts'
import { textsOf } from '../model/leaves.ts'
import { idOf } from '../model/rows.ts'
import { retried } from '../saving/write-key.ts'
import { bundlesOf, type TextReplacement } from './changes.ts'

/** Maximum attempts while other users write to the same bundles. */
const ATTEMPTS = 5

/** Another user changed a text since the preview. */
export class PreviewOutdated extends Error {}

/**
 * A stale text stays stale: the replacement does not compare it with its source. @throws PreviewOutdated, ApiProblem
 */
export function apply(
  slug: string,
  changes: readonly TextReplacement[],
  message: string,
): Promise<{ revision: string }> {
  const bundles = bundlesOf(changes)
  return retried(ATTEMPTS, async () => {
    const expected = await tagsOf(slug, bundles)
    // Read after the tags: with these tags, the server refuses any later change.
    await compare(slug, changes)
    return answer(pushBundles({ slug, overwrite: 'true', keepStale: 'true', manyPush: { bundles, message, expected } }))
  })
}

async function tagsOf(slug: string, bundles: ReturnType<typeof bundlesOf>): Promise<Record<string, string>> {
  const tags = Object.entries(bundles).flatMap(([language, namespaces]) =>
    Object.keys(namespaces).map(async $namespace => {
      const { headers } = await response(getBundle({ slug, language, $namespace }, { method: 'HEAD' }))
      return [`${language}/${$namespace}`, headers.get('etag')!] as const
    }),
  )
  return Object.fromEntries(await Promise.all(tags))
}

async function compare(slug: string, changes: readonly TextReplacement[]): Promise<void> {
  for (const [language, own] of Map.groupBy(changes, change => change.language)) {
    const { keys } = await answer(getLanguage({ slug, language }))
    const now = new Map(keys.map(({ namespace, key, message }) => [idOf(namespace, key), message as Message]))
    for (const { namespace, key, ending, text } of own) {
      if (textsOf(now.get(idOf(namespace, key)))[ending] !== text) throw new PreviewOutdated(key)
    }
  }
}
