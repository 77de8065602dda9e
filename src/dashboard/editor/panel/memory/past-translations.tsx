/** Replaced translations of the similar texts, which load when they are asked for: git reads several histories. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../../bundle/message.ts'
import { answer } from '../../../api/answer.ts'
import { searchMemory } from '../../../api/late-client.ts'
import { scrollIntoViewNow } from '../../../ui/focus.ts'
import { Loaded } from '../../../ui/state.tsx'
import { When } from '../../../ui/when.tsx'
import { leafAt, modelText } from '../../model/leaves.ts'
import { MatchedPair } from './match-item.tsx'
import styles from './memory.module.css'

interface Props {
  /** The search that found the matches. */
  asked: { source: string; $from: string; to: string; limit: string }
  ending: string
  onClose: () => void
}

/** Each with who replaced it and when, and how its source differs from the one in hand. */
export default function PastTranslations({ asked, ending }: Props) {
  const { t } = useTranslation('context')
  const { $from, to, source } = asked
  const read = useQuery({
    queryKey: ['memory', 'past', $from, to, source],
    // A replaced translation is listed when its section is opened again.
    gcTime: 0,
    queryFn: ({ signal }) => answer(searchMemory({ ...asked, past: 'true' }, { signal })),
  })
  return (
    <div ref={scrollIntoViewNow}>
      <Loaded read={read} lines={2}>
        {({ past = [], pastComplete }) => (
          <>
            {past.length === 0 && <p className="quiet">{t('noPast')}</p>}
            <ul className={styles.matches} aria-label={t('past')}>
              {past.map(({ until, replacedBy, ...match }) => {
                // The answer's types know no order of forms; the server's messages have it.
                const [before = '', text = ''] = [match.source, match.message].map(one =>
                  modelText(one as Message, leafAt(ending)),
                )
                return (
                  <li key={JSON.stringify([match, until])} className={styles.match}>
                    <MatchedPair pair={{ ...match, source: before, text }} source={source} language={to}>
                      <p className="quiet">
                        {t('replaced')} · <bdi>{replacedBy}</bdi> · <When date={until} />
                      </p>
                    </MatchedPair>
                  </li>
                )
              })}
            </ul>
            {pastComplete === false && <p className="quiet">{t('pastIncomplete')}</p>}
          </>
        )}
      </Loaded>
    </div>
  )
}
