/** In the place of the editor: a language or namespace that the project does not have. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { useMember } from '../api/session.ts'
import type { DraftAddress } from '../drafts/drafts.ts'
import { isInPlace, movePlaceDrafts, type PlaceRename, placeRenameIn } from '../drafts/move-drafts.ts'
import { TypedTexts } from '../drafts/typed-texts.tsx'
import { useDraftStore, useDrafts } from '../drafts/use-drafts.tsx'
import { announce } from '../ui/announce.ts'
import { ButtonLink } from '../ui/button.tsx'
import { go, projectAddress } from '../ui/location.ts'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/state.tsx'

interface Props {
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

/** Follows a renamed place with its unsaved texts. Those of a deleted place are shown. */
export default function Nowhere({ slug, part, name, others, addressOf, children }: Props) {
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
    queryFn: ({ signal }) => endOf(slug, part, name, name => others.includes(name), signal),
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
          to === undefined ? (
            <ButtonLink to={projectAddress(slug)}>{t('common:toProject')}</ButtonLink>
          ) : (
            <ButtonLink to={addressOf(to)}>{to}</ButtonLink>
          )
        }
      />
      <TypedTexts isShown={isHere} />
    </Page>
  )
}

/** Maximum number of renames to follow. */
const MOST_RENAMES = 10

/** The last commit of a place, in ms since 1970. */
interface EndOfPlace {
  date: number
  /** The present name of a renamed place. */
  to?: string
}

/** @param isThere whether the project has a place of this name @returns null for a place that never existed */
async function endOf(
  slug: string,
  part: PlaceRename['part'],
  name: string,
  isThere: (name: string) => boolean,
  signal: AbortSignal,
): Promise<EndOfPlace | null> {
  let end: EndOfPlace | null = null
  let here = name
  for (let times = 0; times < MOST_RENAMES; times++) {
    const of = part === 'language' ? { language: here } : { $namespace: here }
    const last = await answer(getHistory({ slug, ...of, limit: 1 }, { signal })).then(
      ({ revisions }) => revisions[0],
      error => {
        // An address may hold any name.
        if (error instanceof ApiProblem && (error.status === 404 || error.status === 400)) return undefined
        throw error
      },
    )
    if (!last) return end
    // Commits have whole seconds: a text of the same second counts as typed before.
    end ??= { date: Date.parse(last.date) + 999 }
    const rename = placeRenameIn(last.subject, slug)
    if (rename?.part !== part || rename.from !== here) return end
    if (isThere(rename.to)) return { ...end, to: rename.to }
    here = rename.to
  }
  return end
}
