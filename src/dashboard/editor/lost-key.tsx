/** A key that the address names and the project no longer has: where it went, by the history. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, Problem } from '../api/answer.ts'
import { getDiff, getHistory } from '../api/client.ts'
import { announce } from '../shell/announce.ts'
import { go, projectAddress } from '../shell/location.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { same } from './model/leaves.ts'

interface Name {
  namespace: string
  key: string
}

interface Props {
  slug: string
  /** That of the editor, and the source's, where every key has a history. */
  language: string
  source: string
  namespace: string
  name: string
  isThere: (name: Name) => boolean
  onClose: () => void
}

/** So often a key may have been renamed. */
const MOST_RENAMES = 10

/** Follows a key that was renamed; says of any other that it is gone, with its history. */
export function LostKey({ slug, language, source, namespace, name, isThere, onClose }: Props) {
  const { t } = useTranslation('editor')
  const found = useQuery({
    queryKey: ['project', slug, 'history', 'renamed', namespace, name],
    queryFn: async ({ signal }) => {
      let here: Name = { namespace, key: name }
      for (let times = 0; times < MOST_RENAMES; times++) {
        const next = await renamedTo(slug, source, here, signal)
        if (!next || isThere(next)) return next
        here = next
      }
      return null
    },
  })
  const to = found.data
  useEffect(() => {
    if (!to) return
    announce(t('renamed', { from: name, to: to.key }))
    go(projectAddress(slug, language, to.namespace, to.key), { replace: true })
  }, [to, slug, language, name, t])
  if (to || found.isPending) return null
  const history = new URLSearchParams({ language: source, namespace, key: name })
  return (
    <Notice
      kind="warn"
      action={
        <>
          <ButtonLink small to={`/projects/${encodeURIComponent(slug)}/history?${history}`}>
            {t('common:history')}
          </ButtonLink>
          <Button small look="quiet" onPress={onClose}>
            {t('common:close')}
          </Button>
        </>
      }
    >
      {t('keyGone', { key: name, namespace })}
    </Notice>
  )
}

/** The key that came with the same texts in the commit with which this one went. */
async function renamedTo(slug: string, language: string, { namespace, key }: Name, signal: AbortSignal) {
  const last = await answer(getHistory({ slug, language, $namespace: namespace, key, limit: 1 }, { signal })).then(
    ({ revisions }) => revisions[0],
    error => {
      if (error instanceof Problem && error.status === 404) return undefined
      throw error
    },
  )
  if (!last || last.after !== null || !last.before) return null
  const range = { slug, language, $from: `${last.revision}^`, to: last.revision }
  const { changes } = await answer(getDiff(range, { signal }))
  const alike = changes.filter(change => change.before === null && same(change.after, last.before))
  return alike.length === 1 ? { namespace: alike[0]!.namespace, key: alike[0]!.key } : null
}
