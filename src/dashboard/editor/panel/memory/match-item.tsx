/** A match of the translation memory. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../../ui/badge.tsx'
import { Diff } from '../../../ui/diff.tsx'
import { projectAddress } from '../../../ui/location.ts'
import { useEditor } from '../../editor-context.ts'
import { ShownText } from '../../shown-text.tsx'
import panel from '../panel.module.css'
import { UseButton } from '../section.tsx'
import type { FoundMatch } from './found-matches.ts'
import styles from './memory.module.css'

/** Characters of two sources that are compared: about as many as are visible. */
const MOST_COMPARED = 1000

interface Props {
  match: FoundMatch
  /** The digit that inserts it. */
  number: number
  /** The source text in hand. */
  source: string
  /** Of the translation. */
  language: string
  onUse: () => void
}

/** Its score, and the pair. */
export function MatchItem({ match, number, source, language, onUse }: Props) {
  const { t, i18n } = useTranslation('context')
  const { score, key } = match
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(score / 100)
  return (
    <li className={styles.match}>
      <Badge {...(score === 100 && { kind: 'good' as const })}>{percent}</Badge>
      <UseButton aria-label={t('useMatch', { number, key })} onPress={onUse}>
        <span className={styles.number} data-number={number}>
          {t('editor:use')}
        </span>
      </UseButton>
      <MatchedPair pair={match} source={source} language={language} />
    </li>
  )
}

interface PairProps {
  pair: Pick<FoundMatch, 'source' | 'text' | 'project' | 'namespace' | 'key'>
  /** The source text in hand. */
  source: string
  /** Of the translation. */
  language: string
  children?: ReactNode
}

/** A translation, how its source differs from the one in hand, and its key. */
export function MatchedPair({ pair, source, language, children }: PairProps) {
  const { slug, columns } = useEditor()
  const { project, namespace, key } = pair
  return (
    <>
      <p className={styles.text}>
        <ShownText text={pair.text} language={language} interpolation={columns.interpolation} />
      </p>
      {children}
      {pair.source !== source && (
        <p className={styles.source}>
          <Diff
            before={pair.source.slice(0, MOST_COMPARED)}
            after={source.slice(0, MOST_COMPARED)}
            language={columns.source}
          />
        </p>
      )}
      <a className={panel.link} href={`#${projectAddress(project, language, namespace, key)}`}>
        <code dir="ltr">{[...(project === slug ? [] : [project]), namespace, key].join(' / ')}</code>
      </a>
    </>
  )
}
