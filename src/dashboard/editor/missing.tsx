/** What the address or a typed text names and the project lacks: the history says where it went. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, answer } from '../api/answer.ts'
import { getDiff, getHistory } from '../api/client.ts'
import { useMember } from '../api/session.ts'
import type { DraftAddress } from '../drafts/drafts.ts'
import { isInPlace, movePlaceDrafts, type PlaceRename, placeRenameIn } from '../drafts/move-drafts.ts'
import { TypedTexts, useDiscard } from '../drafts/typed-texts.tsx'
import { useDraftStore, useDrafts } from '../drafts/use-drafts.tsx'
import { directionOf, languageName } from '../i18n/languages.ts'
import { announce } from '../ui/announce.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { go, projectAddress, setSearch } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { CopyButton } from '../ui/snippet.tsx'
import { useKeyTasks } from './keys/key-tasks.ts'
import { same } from './model/leaves.ts'
import type { NamespacedKey } from './model/rows.ts'
import { endingOf, useKeyDrafts } from './saving/unsaved-texts.ts'
import { useMoveDrafts } from './saving/use-move-drafts.ts'

/** Maximum number of renames to follow. */
const MOST_RENAMES = 10

/** The last revision of a key, a language or a namespace; undefined where there is none: an address may hold any. */
async function lastRevision(asked: Omit<Parameters<typeof getHistory>[0], 'limit'>, signal: AbortSignal) {
  try {
    return (await answer(getHistory({ ...asked, limit: 1 }, { signal }))).revisions[0]
  } catch (error) {
    if (error instanceof ApiProblem && (error.status === 404 || error.status === 400)) return undefined
    throw error
  }
}

interface KeyProps {
  slug: string
  /** The editor's languages, the main one first. */
  targets: readonly string[]
  namespace: string
  name: string
  isThere: (name: NamespacedKey) => boolean
  /** The address names it: it is followed there. */
  isAsked: boolean
}

/** Follows a renamed key, with its drafts. Shows any other missing key with its history and drafts. */
export function MissingKey({ slug, targets, namespace, name, isThere, isAsked }: KeyProps) {
  const { t, i18n } = useTranslation('editor')
  const moveDrafts = useMoveDrafts(slug)
  const { showDone } = useKeyTasks()
  const discard = useDiscard(showDone)
  const typed = useKeyDrafts(slug, { namespace, key: name }).filter(({ address }) => targets.includes(address.language))
  const found = useQuery({
    queryKey: ['project', slug, 'history', 'renamed', namespace, name],
    queryFn: async ({ signal }) => {
      let here: NamespacedKey | null = null
      for (let times = 0; times < MOST_RENAMES; times++) {
        const next = await renamedTo(slug, here ?? { namespace, key: name }, signal)
        // The texts that are shown may be older than the history: the last name may be there in a moment.
        if (!next) return here
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
  return (
    <Notice
      kind="warn"
      action={
        <>
          <ButtonLink
            small
            to={`/projects/${encodeURIComponent(slug)}/history?${new URLSearchParams({ namespace, key: name })}`}
          >
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
  const last = await lastRevision({ slug, $namespace: namespace, key }, signal)
  if (!last?.language || last.after !== null || last.before === null) return null
  const range = { slug, language: last.language, $from: `${last.revision}^`, to: last.revision }
  const { changes } = await answer(getDiff(range, { signal }))
  const alike = changes.filter(change => change.before === null && same(change.after, last.before))
  return alike.length === 1 ? { namespace: alike[0]!.namespace, key: alike[0]!.key } : null
}

interface PlaceProps {
  slug: string
  part: PlaceRename['part']
  name: string
  /** Of the project: its languages or its namespaces. */
  others: readonly string[]
  /** The address of the editor with another name in place of this one. */
  addressOf: (name: string) => string
  /** The editor, where the first text creates a new language. */
  children?: ReactNode
}

/** A language or namespace: follows a rename with its unsaved texts. Those of a deleted place are shown. */
export default function MissingPlace({ slug, part, name, others, addressOf, children }: PlaceProps) {
  const { t } = useTranslation('editor')
  const organization = useMember().who.organization.id
  const drafts = useDraftStore()
  const all = useDrafts()
  const place = { organization, project: slug, part, name }
  const isHere = (address: DraftAddress) => isInPlace(address, place)
  // As it opened: what is typed from then on belongs to the new language.
  const [firstTyped] = useState(() => {
    const here = [...(drafts?.all ?? []), ...(drafts?.others ?? [])].filter(({ address }) => isHere(address))
    return Math.min(...here.map(({ time }) => time))
  })
  const isNew = children !== undefined && firstTyped === Number.POSITIVE_INFINITY
  const found = useQuery({
    // Not below `project`: the commit of a new language is no end of an old one.
    queryKey: ['end-of-place', slug, part, name],
    queryFn: ({ signal }) => endOf({ slug, part, name, others }, signal),
    enabled: !isNew,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { to, date = 0 } = found.data ?? {}
  const isOfEditor = isNew || (children !== undefined && !found.isPending && date < firstTyped)
  const isTypedHere = all.some(({ address }) => isHere(address))
  // biome-ignore lint/correctness/useExhaustiveDependencies: texts of closed tabs may come later
  useEffect(() => {
    if (to === undefined || isOfEditor) return
    if (drafts) movePlaceDrafts(drafts, place, to)
    if (drafts?.all.some(({ address }) => isHere(address))) return
    announce(t('renamed', { from: name, to }))
    go(addressOf(to), { replace: true })
  }, [to, isOfEditor, isTypedHere])
  if (isOfEditor) return children
  if (found.isPending || (to !== undefined && !isTypedHere)) return <Page title={name}>{null}</Page>
  return (
    <Page title={name}>
      <Empty
        title={to === undefined ? t('notInProject', { what: name }) : t('renamed', { from: name, to })}
        action={
          <ButtonLink to={to === undefined ? projectAddress(slug) : addressOf(to)}>
            {to ?? t('common:toProject')}
          </ButtonLink>
        }
      />
      <TypedTexts isShown={isHere} />
    </Page>
  )
}

/** @returns when a place had its last commit, in ms since 1970, and the name of a renamed one; null if it never was */
async function endOf(
  { slug, part, name, others }: Pick<PlaceProps, 'slug' | 'part' | 'name' | 'others'>,
  signal: AbortSignal,
): Promise<{ date: number; to?: string } | null> {
  let date: number | undefined
  let here = name
  for (let times = 0; times < MOST_RENAMES; times++) {
    const of = part === 'language' ? { language: here } : { $namespace: here }
    const last = await lastRevision({ slug, ...of }, signal)
    if (!last) break
    // Commits have whole seconds: a text of the same second counts as typed before.
    date ??= Date.parse(last.date) + 999
    const rename = placeRenameIn(last.subject, slug)
    if (rename?.part !== part || rename.from !== here) break
    if (others.includes(rename.to)) return { date, to: rename.to }
    here = rename.to
  }
  return date === undefined ? null : { date }
}
