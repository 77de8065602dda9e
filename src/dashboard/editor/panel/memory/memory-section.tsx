/** How similar texts were translated, in all projects that the reader reaches. */
import { useQuery } from '@tanstack/react-query'
import { memo, useEffect, useLayoutEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../../../api/answer.ts'
import { searchMemory } from '../../../api/late-client.ts'
import { late } from '../../../ui/late.tsx'
import { Failed } from '../../../ui/state.tsx'
import { useEditor } from '../../editor-context.ts'
import { leafAt, modelText } from '../../model/leaves.ts'
import { MoreOfSection, type PanelSubject, Section, useInField } from '../section.tsx'
import { type FoundMatch, foundMatches, MOST_MATCHES, searchedPart } from './found-matches.ts'
import { MatchItem } from './match-item.tsx'
import styles from './memory.module.css'
import { offerMatches } from './offered-matches.ts'

const PastTranslations = late(() => import('./past-translations.tsx'), 'shown')

/** Ms that a row stays in hand before the memory is searched: moving through the grid searches nothing. */
const SETTLES_AFTER = 400
/** Ms that an answer is reused. Events do not outdate it: each save anywhere would search for all open editors. */
const REUSED_FOR = 60_000

const NONE: readonly FoundMatch[] = []

/** Nothing for the source language and for a key without a source. Typing does not rerender it. */
export const MemorySection = memo(function MemorySection(subject: PanelSubject) {
  const { row, target, ending } = subject
  const { t } = useTranslation('context')
  const { slug, columns } = useEditor()
  const { namespace, key } = row
  const language = columns.targets[target]!
  const source = modelText(row.source, leafAt(ending))
  const [isSettled, settle] = useState(false)
  const inField = useInField(subject)
  useEffect(() => {
    const timer = setTimeout(settle, SETTLES_AFTER, true)
    return () => clearTimeout(timer)
  }, [])
  const isSearched = language !== columns.source && source.trim() !== ''
  const searched = searchedPart(source)
  // One more than are listed, since the row's own pair is left out.
  const asked = { source: searched, $from: columns.source, to: language, limit: String(MOST_MATCHES + 1) }
  const { data, error, refetch } = useQuery({
    queryKey: ['memory', columns.source, language, searched],
    enabled: isSearched && isSettled,
    staleTime: REUSED_FOR,
    queryFn: ({ signal }) => answer(searchMemory(asked, { signal })),
  })
  const matches = useMemo(
    () => (data ? foundMatches(data, { slug, namespace, key, ending }) : NONE),
    [data, slug, namespace, key, ending],
  )
  useLayoutEffect(() => {
    const texts = matches.map(({ text }) => text)
    return offerMatches({ language, namespace, key, ending }, texts)
  }, [matches, language, namespace, key, ending])
  if (!isSearched) return null
  return (
    <Section title={t('memory')}>
      {!data && error ? (
        <Failed error={error} again={refetch} />
      ) : matches.length === 0 ? (
        // Its place stays reserved while the memory is searched.
        <p className={data ? 'quiet' : styles.coming}>{t('noMatches')}</p>
      ) : (
        <ol className={styles.matches}>
          {matches.map((match, at) => (
            <MatchItem
              key={`${match.project} ${match.namespace} ${match.key} ${match.source}`}
              match={match}
              number={at + 1}
              source={source}
              language={language}
              onUse={() => inField(field => field.replaceAll(match.text))}
            />
          ))}
        </ol>
      )}
      {data?.complete === false && <p className="quiet">{t('memoryIncomplete')}</p>}
      {data && data.matches.length > 0 && (
        <MoreOfSection label={t('past')}>
          {close => <PastTranslations asked={asked} ending={ending} onClose={close} />}
        </MoreOfSection>
      )}
    </Section>
  )
})
