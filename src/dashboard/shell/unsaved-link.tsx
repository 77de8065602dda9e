/** The number of unsaved texts in the header. */
import { PencilLine } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useUnsavedCounts } from '../drafts/use-unsaved-counts.ts'
import { projectAddress } from '../ui/location.ts'
import styles from './unsaved-link.module.css'

/** Leads to the text that waits longest. Nothing while all is saved. */
export function UnsavedLink() {
  const { t, i18n } = useTranslation()
  const { first, countIn } = useUnsavedCounts()
  if (!first) return null
  const count = countIn()
  const { project, language, namespace, key } = first
  return (
    <a className={styles.link} href={`#${projectAddress(project, language, namespace, key)}`} title={t('unsavedFirst')}>
      <PencilLine aria-hidden />
      <span className={styles.words}>{t('unsaved', { count })}</span>
      <span className={styles.number} aria-hidden>
        {new Intl.NumberFormat(i18n.language).format(count)}
      </span>
    </a>
  )
}
