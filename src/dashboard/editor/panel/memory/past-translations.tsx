/** Replaced translations of the similar texts, which load when they are asked for: git reads several histories. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../../bundle/message.ts'
import { answer } from '../../../api/answer.ts'
import { searchMemory } from '../../../api/late-client.ts'
import { Diff } from '../../../ui/diff.tsx'
import { scrollIntoViewNow } from '../../../ui/focus.ts'
import { projectAddress } from '../../../ui/location.ts'
import { Loaded } from '../../../ui/state.tsx'
import { When } from '../../../ui/when.tsx'
import { useEditor } from '../../editor-context.ts'
import { leafAt, modelText } from '../../model/leaves.ts'
import { ShownText } from '../../shown-text.tsx'
import panel from '../panel.module.css'
import styles from './memory.module.css'

/** Characters of two sources that are compared: about as many as are visible. */
const MOST_COMPARED = 1000

interface Props {
  id: string
  /** The search that found the matches. */
  asked: { source: string; $from: string; to: string; limit: string }
  ending: string
  onClose: () => void
}

/** Each with who replaced it and when, and how its source differs from the one in hand. */
export default function PastTranslations({ id, asked, ending }: Props) {
  const { t } = useTranslation('context')
  const { slug, columns } = useEditor()
  const { $from, to, source } = asked
  const read = useQuery({
    queryKey: ['memory', 'past', $from, to, source],
    // A replaced translation is listed when its section is opened again.
    gcTime: 0,
    queryFn: ({ signal }) => answer(searchMemory({ ...asked, past: 'true' }, { signal })),
  })
  return (
    <div ref={scrollIntoViewNow} id={id}>
      <Loaded read={read} lines={2}>
        {({ past = [], pastComplete }) => (
          <>
            {past.length === 0 && <p className="quiet">{t('noPast')}</p>}
            <ul className={styles.matches} aria-label={t('past')}>
              {past.map(({ project, namespace, key, until, replacedBy, ...pair }) => {
                // The answer's types know no order of forms; the server's messages have it.
                const [before, text] = [pair.source, pair.message].map(one => modelText(one as Message, leafAt(ending)))
                return (
                  <li key={JSON.stringify([project, namespace, key, until, pair])} className={styles.match}>
                    <p className={styles.text}>
                      <ShownText text={text!} language={to} interpolation={columns.interpolation} />
                    </p>
                    <p className="quiet">
                      {t('replaced')} · <bdi>{replacedBy}</bdi> · <When date={until} />
                    </p>
                    {before !== source && (
                      <p className={styles.source}>
                        <Diff
                          before={before!.slice(0, MOST_COMPARED)}
                          after={source.slice(0, MOST_COMPARED)}
                          language={columns.source}
                        />
                      </p>
                    )}
                    <a className={panel.link} href={`#${projectAddress(project, to, namespace, key)}`}>
                      <code dir="ltr">{[...(project === slug ? [] : [project]), namespace, key].join(' / ')}</code>
                    </a>
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
