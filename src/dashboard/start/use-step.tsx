/** The first translation is there: how an app gets it, and what comes next. */
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../ui/button.tsx'
import { projectAddress } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Snippets } from './snippets.tsx'
import styles from './start.module.css'
import type { StartPlace } from './start-place.ts'

/** Lines with this server's address and these names. */
export function UseStep({ project: { slug, sourceLanguage }, language, namespace, name }: StartPlace) {
  const { t } = useTranslation('signIn')
  return (
    <div className={styles.use}>
      <Notice
        kind="good"
        action={
          <ButtonLink look="primary" to={projectAddress(slug)}>
            {t('common:toProject')}
          </ButtonLink>
        }
      >
        {t('translated')}
      </Notice>
      <Snippets names={{ project: slug, source: sourceLanguage, language, namespace, key: name }} />
    </div>
  )
}
