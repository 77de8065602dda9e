/** A match of the translation memory. */
import { useTranslation } from 'react-i18next'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Diff } from '../../../ui/diff.tsx'
import { projectAddress } from '../../../ui/location.ts'
import { useEditor } from '../../editor-context.ts'
import { ShownText } from '../../shown-text.tsx'
import panel from '../panel.module.css'
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

/** Its score, its translation, and how its source differs from the one in hand. */
export function MatchItem({ match, number, source, language, onUse }: Props) {
  const { t, i18n } = useTranslation('context')
  const { slug, columns } = useEditor()
  const { score, project, namespace, key } = match
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(score / 100)
  const name = [...(project === slug ? [] : [project]), namespace, key]
  return (
    <li className={styles.match}>
      <Badge {...(score === 100 && { kind: 'good' as const })}>{percent}</Badge>
      <Button
        small
        aria-label={t('useMatch', { number, key })}
        // The field stays focused, so an inserted text can be undone there.
        preventFocusOnPress
        onPress={onUse}
      >
        <span className={styles.number} data-number={number}>
          {t('editor:use')}
        </span>
      </Button>
      <p className={styles.text}>
        <ShownText text={match.text} language={language} interpolation={columns.interpolation} />
      </p>
      {match.source !== source && (
        <p className={styles.source}>
          <Diff
            before={match.source.slice(0, MOST_COMPARED)}
            after={source.slice(0, MOST_COMPARED)}
            language={columns.source}
          />
        </p>
      )}
      <a className={panel.link} href={`#${projectAddress(project, language, namespace, key)}`}>
        <code dir="ltr">{name.join(' / ')}</code>
      </a>
    </li>
  )
}
