/** Changes of keys and of a project's own fields, each with a word diff. */
import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { BundleChange } from '../../bundle/diff.ts'
import { changedTexts } from '../../bundle/message.ts'
import { answer } from '../api/answer.ts'
import { type Counts, getDiff, type ProjectFields, type Reverted } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { CHANGES, Diff } from '../ui/diff.tsx'
import { projectAddress } from '../ui/location.ts'
import { Badge, Notice } from '../ui/notice.tsx'
import { Loaded } from '../ui/page.tsx'
import styles from './history.module.css'
import type { HistoryFilter } from './use-history.ts'

const kindOf = ({ before, after }: BundleChange) => (before === null ? 'added' : after === null ? 'removed' : 'updated')

interface ListProps {
  slug: string
  changes: readonly BundleChange[]
  /** The level of the headings: one below the heading above them. */
  level?: 2 | 3
}

/** By language and namespace, in the order given; each key leads to the editor. */
export function ChangeList({ slug, changes, level = 3 }: ListProps) {
  const Heading = `h${level}` as const
  const { t } = useTranslation('history')
  const groups = Map.groupBy(changes, ({ language, namespace }) => `${language}/${namespace}`)
  return [...groups].map(([place, changes]) => (
    <section key={place} className="stack2">
      <Heading className={styles.place}>
        <code>{place}</code>
      </Heading>
      <ul className="stack3">
        {changes.map(change => (
          <li key={change.key}>
            <p className="row2">
              <Badge {...CHANGES[kindOf(change)]}>{t(kindOf(change))}</Badge>
              <a href={`#${projectAddress(slug, change.language, change.namespace, change.key)}`}>
                <code>{change.key}</code>
              </a>
            </p>
            <ChangedTexts {...change} />
          </li>
        ))}
      </ul>
    </section>
  ))
}

/** A line for each changed text and form of a key, with the form's name. */
export function ChangedTexts({ before, after, language }: Partial<BundleChange> & { language: string }) {
  return changedTexts(before, after).map(({ ending, before, after }) => (
    <p key={ending} className={styles.part}>
      {ending !== '' && <code className={styles.form}>{ending.slice(1)}</code>}
      <Diff before={before ?? ''} after={after ?? ''} language={language} />
    </p>
  ))
}

function fieldWords(fields: ProjectFields | null): string {
  if (fields === null) return ''
  const { name, sourceLanguage, defaultFormat, interpolation } = fields
  const placeholder = interpolation ? [`${interpolation.prefix}…${interpolation.suffix}`] : []
  return [name, sourceLanguage, defaultFormat, ...placeholder].join(' · ')
}

/** Its name, source language, format and own interpolation, with a word diff. */
export function ProjectChange({ of: { before, after, reason } }: { of: NonNullable<Reverted['project']> }) {
  const { t, i18n } = useTranslation('history')
  return (
    <p className="row2">
      {t('theProject')}
      <Diff before={fieldWords(before)} after={fieldWords(after)} language={i18n.language} />
      {reason}
    </p>
  )
}

const COUNTS = [
  ['added', 'countAdded'],
  ['updated', 'countUpdated'],
  ['removed', 'countRemoved'],
] as const

/** The numbers of added, updated and removed keys, without zeros. */
export function Counted({ counts }: { counts: Counts }) {
  const { t } = useTranslation('history')
  return (
    <span className="row1">
      {COUNTS.map(
        ([kind, words]) =>
          counts[kind] > 0 && (
            <Badge key={kind} {...CHANGES[kind]}>
              {t(words, { count: counts[kind] })}
            </Badge>
          ),
      )}
    </span>
  )
}

interface MoreProps {
  of: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
  small?: boolean
}

/** Reads the next page of a list, if there is one. */
export function ShowMore({ of, small }: MoreProps) {
  const { t } = useTranslation('history')
  if (!of.hasNextPage) return null
  return (
    <Button small={small} isPending={of.isFetchingNextPage} onPress={() => void of.fetchNextPage()}>
      {t('showMore')}
    </Button>
  )
}

interface DiffProps {
  slug: string
  /** Revisions, releases, times; `to` is now without it. */
  from: string
  to?: string | undefined
  /** A language, a namespace or both. Absent: the whole project. */
  part?: HistoryFilter
  /** Of headings. */
  level?: 2 | 3
  /** The counts stand elsewhere. */
  isCounted?: boolean
  /** Shown where the project exists in the earlier state. */
  children?: ReactNode
}

/** The differences between two states: the counts of all changes, and the changes of the loaded pages. */
export function DiffPages({ slug, from, to, part = {}, level, isCounted, children }: DiffProps) {
  const { language, namespace } = part
  const { t } = useTranslation('history')
  const read = useInfiniteQuery({
    queryKey: ['project', slug, 'history', 'diff', from, to, language, namespace],
    queryFn: ({ pageParam: cursor, signal }) =>
      answer(getDiff({ slug, $from: from, to, language, $namespace: namespace, cursor, limit: 100 }, { signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  })
  return (
    <Loaded read={read} lines={3}>
      {({ pages }) => {
        const { counts, project } = pages[0]!
        const changes = pages.flatMap(page => page.changes)
        return (
          <>
            {!isCounted && <Counted counts={counts} />}
            {project && <ProjectChange of={project} />}
            {changes.length === 0 && !project && <Notice>{t('nothingDiffers')}</Notice>}
            <ChangeList slug={slug} level={level} changes={changes} />
            <ShowMore of={read} />
            {project?.before !== null && children}
          </>
        )
      }}
    </Loaded>
  )
}
