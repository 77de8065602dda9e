/** A missing key that the address or a draft names: the history says where it went. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, answer } from '../api/answer.ts'
import { getDiff, getHistory } from '../api/client.ts'
import { useDiscard } from '../drafts/use-discard.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { announce } from '../ui/announce.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { go, projectAddress, setSearch } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { CopyButton } from '../ui/snippet.tsx'
import { useKeyTasks } from './keys/key-tasks.ts'
import { same } from './model/leaves.ts'
import type { NamespacedKey } from './model/rows.ts'
import { endingOf, useKeyDrafts } from './saving/unsaved-texts.ts'
import { useMoveDrafts } from './saving/use-move-drafts.ts'

interface Props {
  slug: string
  /** The editor's languages, the main one first. */
  targets: readonly string[]
  namespace: string
  name: string
  isThere: (name: NamespacedKey) => boolean
  /** The address names it: it is followed there. */
  isAsked: boolean
}

/** Maximum number of renames to follow. */
const MOST_RENAMES = 10

/**
 * Follows a renamed key, with its drafts. Shows any other missing key with its history and drafts.
 */
export function LostKey({ slug, targets, namespace, name, isThere, isAsked }: Props) {
  const { t, i18n } = useTranslation('editor')
  const moveDrafts = useMoveDrafts(slug)
  const { showDone } = useKeyTasks()
  const discard = useDiscard(showDone)
  const typed = useKeyDrafts(slug, { namespace, key: name }).filter(({ address }) => targets.includes(address.language))
  const found = useQuery({
    queryKey: ['project', slug, 'history', 'renamed', namespace, name],
    queryFn: async ({ signal }) => {
      let here: NamespacedKey = { namespace, key: name }
      for (let times = 0; times < MOST_RENAMES; times++) {
        const next = await renamedTo(slug, here, signal)
        // The texts that are shown may be older than the history: the last name may be there in a moment.
        if (!next) return times === 0 ? null : here
        if (isThere(next)) return next
        here = next
      }
      return null
    },
  })
  // An older rename may lead to a key that is missing by now.
  const to = found.data && isThere(found.data) ? found.data : undefined
  const language = targets[0]!
  useEffect(() => {
    if (!to) return
    moveDrafts({ namespace, key: name }, to)
    announce(t('renamed', { from: name, to: to.key }))
    if (isAsked) go(projectAddress(slug, language, to.namespace, to.key), { replace: true })
  }, [to, slug, language, namespace, name, isAsked, moveDrafts, t])
  if ((to && typed.length === 0) || found.isPending) return null
  const history = new URLSearchParams({ namespace, key: name })
  return (
    <Notice
      kind="warn"
      action={
        <>
          <ButtonLink small to={`/projects/${encodeURIComponent(slug)}/history?${history}`}>
            {t('common:history')}
          </ButtonLink>
          {typed.length > 0 && (
            <Button small look="quiet" onPress={() => discard(typed)}>
              {t('discard')}
            </Button>
          )}
          {isAsked && typed.length === 0 && (
            <Button small look="quiet" onPress={() => setSearch({ key: null, in: null })}>
              {t('common:close')}
            </Button>
          )}
        </>
      }
    >
      {t('keyGone', { key: name, namespace })}
      {typed.map(({ address, text }) => (
        <p key={address.language + endingOf(address)}>
          {t('typedForGone', { language: languageName(address.language, i18n.language) })}{' '}
          <q lang={address.language} dir={directionOf(address.language)} translate="no">
            <Isolated text={text} />
          </q>{' '}
          <CopyButton text={text} label={t('common:copyOf', { key: name })} />
        </p>
      ))}
    </Notice>
  )
}

/** The key that appeared with the same texts in the commit that removed this one, in any language. */
async function renamedTo(slug: string, { namespace, key }: NamespacedKey, signal: AbortSignal) {
  const last = await answer(getHistory({ slug, $namespace: namespace, key, limit: 1 }, { signal })).then(
    ({ revisions }) => revisions[0],
    error => {
      if (error instanceof ApiProblem && error.status === 404) return undefined
      throw error
    },
  )
  if (!last?.language || last.after !== null || last.before === null) return null
  const range = { slug, language: last.language, $from: `${last.revision}^`, to: last.revision }
  const { changes } = await answer(getDiff(range, { signal }))
  const alike = changes.filter(change => change.before === null && same(change.after, last.before))
  return alike.length === 1 ? { namespace: alike[0]!.namespace, key: alike[0]!.key } : null
}
