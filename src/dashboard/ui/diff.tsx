/** Changes of texts: the differences word by word, and badges. */
import { Minus, Pencil, Plus, SkipForward } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { wordDiff } from '../../bundle/word-diff.ts'
import { directionOf } from '../i18n/languages.ts'
import styles from './diff.module.css'
import { Isolated } from './isolated.tsx'

/**
 * Removed words are struck through, added ones underlined; screen readers hear which is which.
 * @param language of the texts (BCP 47), for word boundaries and pronunciation
 */
export function Diff({ before, after, language }: { before: string; after: string; language: string }) {
  const { t } = useTranslation()
  // Beside a field it is drawn at each key press.
  const pieces = useMemo(() => wordDiff(before, after, language), [before, after, language])
  return (
    <span className={styles.diff} lang={language} dir={directionOf(language)}>
      {pieces.map(({ is, text }, at) => {
        const Tag = ({ same: 'span', removed: 'del', added: 'ins' } as const)[is]
        const isChange = is !== 'same'
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name than their place
          <Tag key={at}>
            {isChange && <span className="hidden">{t(is === 'removed' ? 'diffRemoved' : 'diffAdded')} </span>}
            {isChange && text.trim() === '' ? (
              <span className={styles.spaces}>{visibly(text)}</span>
            ) : (
              <Isolated text={text} />
            )}
            {isChange && <span className="hidden"> {t('diffEnd')}</span>}
          </Tag>
        )
      })}
    </span>
  )
}

/** A change of spaces alone would be invisible. */
const visibly = (spaces: string): string =>
  spaces.replaceAll('\n', '↵\n').replaceAll(' ', '·').replaceAll('\u00a0', '⍽').replaceAll('\t', '⇥')

/** The badge of a key's change. */
export const CHANGES = {
  added: { kind: 'good', mark: <Plus /> },
  updated: { kind: 'info', mark: <Pencil /> },
  removed: { kind: 'bad', mark: <Minus /> },
  skipped: { kind: 'warn', mark: <SkipForward /> },
} as const
