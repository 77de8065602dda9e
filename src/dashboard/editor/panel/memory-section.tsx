/** How similar texts were translated, in all projects that the reader reaches. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useLayoutEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../bundle/message.ts'
import { answer } from '../../api/answer.ts'
import { searchMemory } from '../../api/late-client.ts'
import { Diff } from '../../ui/diff.tsx'
import { scrollIntoViewNow } from '../../ui/focus.ts'
import { projectAddress } from '../../ui/location.ts'
import { Badge } from '../../ui/notice.tsx'
import { Failed, Loaded } from '../../ui/page.tsx'
import { When } from '../../ui/when.tsx'
import { useEditor } from '../editor-context.ts'
import { leafAt, modelText } from '../model/leaves.ts'
import { ShownText } from '../shown-text.tsx'
import styles from './panel.module.css'
import { type FoundMatch, foundMatches, MOST_MATCHES, offerMatches, searchedPart } from './panel-keys.ts'
import { MoreOfSection, type PanelSubject, Section, UseButton, useInField, useSettled } from './section.tsx'

/** Ms that a row stays in hand before the memory is searched. */
const SETTLES_AFTER = 400
/** Ms that an answer is reused. Events do not outdate it: each save anywhere would search for all open editors. */
const REUSED_FOR = 60_000
/** Characters of two sources that are compared: about as many as are visible. */
const MOST_COMPARED = 1000

/** Nothing for the source language and for a key without a source. */
export function MemorySection(subject: PanelSubject) {
  const { row, language, ending } = subject
  const { namespace, key } = row
  const { t, i18n } = useTranslation('context')
  const { slug, columns } = useEditor()
  const source = modelText(row.source, leafAt(ending))
  const isSettled = useSettled(SETTLES_AFTER)
  const inField = useInField(subject)
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
  const matches = data ? foundMatches(data, { slug, namespace, key, ending }) : []
  const texts = matches.map(({ text }) => text)
  useLayoutEffect(() => offerMatches({ language, namespace, key, ending }, texts))
  if (!isSearched) return null
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' })
  return (
    <Section title={t('memory')}>
      {!data && error ? (
        <Failed error={error} again={refetch} />
      ) : matches.length === 0 ? (
        // Its place stays reserved while the memory is searched.
        <p className={data ? 'quiet' : styles.coming}>{t('noMatches')}</p>
      ) : (
        <ol className="stack3">
          {matches.map((match, at) => (
            <li
              key={`${match.project} ${match.namespace} ${match.key} ${match.source}`}
              className={`${styles.offer} ${styles.match}`}
            >
              <Badge kind={match.score === 100 ? 'good' : undefined}>{percent.format(match.score / 100)}</Badge>
              <UseButton
                aria-label={t('useMatch', { number: at + 1, key: match.key })}
                onPress={() => inField(field => field.replaceAll(match.text))}
              >
                <span className={styles.number} data-number={at + 1}>
                  {t('editor:use')}
                </span>
              </UseButton>
              <MatchedPair pair={match} source={source} language={language} />
            </li>
          ))}
        </ol>
      )}
      {data?.complete === false && <p className="quiet">{t('memoryIncomplete')}</p>}
      {data && data.matches.length > 0 && (
        <MoreOfSection label={t('past')}>{() => <PastTranslations asked={asked} ending={ending} />}</MoreOfSection>
      )}
    </Section>
  )
}

interface PairProps {
  pair: Omit<FoundMatch, 'score'>
  /** The source text in hand. */
  source: string
  /** Of the translation. */
  language: string
  children?: ReactNode
}

/** A translation, how its source differs from the one in hand, and its key. */
function MatchedPair({ pair: { text, project, namespace, key, ...pair }, source, language, children }: PairProps) {
  const { slug, columns } = useEditor()
  const [before, after] = [pair.source, source].map(text => text.slice(0, MOST_COMPARED)) as [string, string]
  return (
    <>
      <p className={`${styles.words} ${styles.cut}`}>
        <ShownText text={text} language={language} interpolation={columns.interpolation} />
      </p>
      {children}
      {pair.source !== source && (
        <p className={`quiet ${styles.cut}`}>
          <Diff before={before} after={after} language={columns.source} />
        </p>
      )}
      <a className={styles.link} href={`#${projectAddress(project, language, namespace, key)}`}>
        <code dir="ltr">{[...(project === slug ? [] : [project]), namespace, key].join(' / ')}</code>
      </a>
    </>
  )
}

/**
 * Replaced translations of the similar texts, each with who replaced it and when. They load when they are asked for:
 * git reads several histories. @param asked the search that found the matches
 */
function PastTranslations({ asked, ending }: { asked: Parameters<typeof searchMemory>[0]; ending: string }) {
  const { t } = useTranslation('context')
  const { $from, to, source } = asked
  const read = useQuery({
    queryKey: ['memory', 'past', $from, to, source],
    // A replaced translation is listed when its section is opened again.
    gcTime: 0,
    queryFn: ({ signal }) => answer(searchMemory({ ...asked, past: 'true' }, { signal })),
  })
  // The answer's types know no order of forms; the server's messages have it.
  const inHand = (message: unknown) => modelText(message as Message, leafAt(ending))
  return (
    <div ref={scrollIntoViewNow}>
      <Loaded read={read} lines={2}>
        {({ past = [], pastComplete }) => (
          <>
            {past.length === 0 && <p className="quiet">{t('noPast')}</p>}
            <ul className="stack3" aria-label={t('past')}>
              {past.map(({ until, replacedBy, source: before, message, ...match }) => (
                <li key={JSON.stringify([before, message, match, until])} className={`${styles.offer} ${styles.match}`}>
                  <MatchedPair
                    pair={{ ...match, source: inHand(before), text: inHand(message) }}
                    source={source}
                    language={to}
                  >
                    <p className="quiet">
                      {t('replaced')} · <bdi>{replacedBy}</bdi> · <When date={until} />
                    </p>
                  </MatchedPair>
                </li>
              ))}
            </ul>
            {pastComplete === false && <p className="quiet">{t('pastIncomplete')}</p>}
          </>
        )}
      </Loaded>
    </div>
  )
}
