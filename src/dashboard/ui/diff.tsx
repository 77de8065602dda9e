/** The differences between two texts, word by word. */
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { wordDiff } from '../../bundle/word-diff.ts'
import { directionOf } from '../i18n/languages.ts'
import styles from './diff.module.css'
import { Isolated } from './isolated.tsx'

interface Props {
  before: string
  after: string
  /** The language of the texts (BCP 47), for word boundaries and pronunciation. */
  language: string
}

/** Removed words are struck through, added ones underlined; screen readers hear which is which. */
export function Diff({ before, after, language }: Props) {
  const { t } = useTranslation()
  // Beside a field it is drawn at each key press.
  const pieces = useMemo(() => wordDiff(before, after, language), [before, after, language])
  return (
    <span className={styles.diff} lang={language} dir={directionOf(language)}>
      {pieces.map(({ is, text }, at) => {
        if (is === 'same')
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name than their place
            <span key={at}>
              <Isolated text={text} />
            </span>
          )
        const Tag = is === 'removed' ? 'del' : 'ins'
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <Tag key={at}>
            <span className="hidden">{t(is === 'removed' ? 'diffRemoved' : 'diffAdded')} </span>
            {text.trim() === '' ? <span className={styles.spaces}>{visibly(text)}</span> : <Isolated text={text} />}
            <span className="hidden"> {t('diffEnd')}</span>
          </Tag>
        )
      })}
    </span>
  )
}

/** A change of spaces alone would be invisible. */
const visibly = (spaces: string): string =>
  spaces.replaceAll('\n', '↵\n').replaceAll(' ', '·').replaceAll('\u00a0', '⍽').replaceAll('\t', '⇥')
