/** How a text of the other direction reads, below its field. */
import { useTranslation } from 'react-i18next'
import { placedIn } from '../../bundle/placeholders.ts'
import { directionOf } from '../i18n/languages.ts'
import styles from './cell.module.css'
import { useEditor } from './editor-context.ts'
import { ShownText } from './shown-text.tsx'

/**
 * The field holds plain text. Browsers reorder `</1>` between Arabic words there. Renders nothing for a text without
 * placeholders or one from left to right.
 */
export function Reading({ text, language }: { text: string; language: string }) {
  const { t } = useTranslation('editor')
  const { interpolation } = useEditor().columns
  if (directionOf(language) === 'ltr' || placedIn(text, interpolation).length === 0) return null
  return (
    <figure className={styles.reading}>
      <figcaption className="quiet">{t('reading')}</figcaption>
      <ShownText text={text} language={language} interpolation={interpolation} />
    </figure>
  )
}
