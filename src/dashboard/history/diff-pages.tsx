/** The differences between two states, a page at a time. */
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getDiff } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Loaded } from '../ui/state.tsx'
import { ChangeList } from './change-list.tsx'
import { Counted } from './counted.tsx'
import { ProjectChange } from './project-change.tsx'

interface Props {
  slug: string
  /** Revisions, releases, times; `to` is now without it. */
  from: string
  to?: string
  language?: string
  namespace?: string
  /** Of headings. */
  level?: 2 | 3
  /** The counts stand elsewhere. */
  isCounted?: boolean
  /** Shown where the project exists in the earlier state. */
  children?: ReactNode
}

/** Counts of all changes, and the changes of the loaded pages. */
export function DiffPages({ slug, from, to, language, namespace, level = 3, isCounted = false, children }: Props) {
  const { t } = useTranslation('history')
  const pages = useInfiniteQuery({
    queryKey: ['project', slug, 'history', 'diff', from, to, language, namespace],
    queryFn: ({ pageParam, signal }) =>
      answer(
        getDiff(
          {
            slug,
            $from: from,
            ...(to !== undefined && { to }),
            ...(language !== undefined && { language }),
            ...(namespace !== undefined && { $namespace: namespace }),
            ...(pageParam !== null && { cursor: pageParam }),
            limit: 100,
          },
          { signal },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  return (
    <Loaded read={pages} lines={3}>
      {({ pages: [first, ...more] }) => (
        <>
          {!isCounted && <Counted counts={first!.counts} />}
          {first!.project && <ProjectChange of={first!.project} />}
          {first!.changes.length === 0 && !first!.project && <Notice>{t('nothingDiffers')}</Notice>}
          <ChangeList slug={slug} level={level} changes={[first!, ...more].flatMap(({ changes }) => changes)} />
          {pages.hasNextPage && (
            <Button isPending={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
              {t('showMore')}
            </Button>
          )}
          {first!.project?.before !== null && children}
        </>
      )}
    </Loaded>
  )
}
