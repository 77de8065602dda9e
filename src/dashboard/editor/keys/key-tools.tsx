/** What is done to keys and to many texts, as buttons above the grid. */
import { Plus, Replace } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { Trigger } from '../../ui/trigger.tsx'
import styles from '../toolbar.module.css'
import { useWork } from './work.ts'

/** Two buttons. */
export function KeyTools() {
  const { t } = useTranslation('keys')
  const { begin } = useWork()
  return (
    <>
      <Button small icon={<Plus aria-hidden />} onPress={() => begin({ is: 'add' })}>
        <span className={styles.words}>{t('add')}</span>
      </Button>
      <Tooltip words={t('replaceIn')}>
        <Trigger
          look="quiet"
          icon={<Replace aria-hidden />}
          aria-label={t('replaceIn')}
          onPress={() => begin({ is: 'replace' })}
        />
      </Tooltip>
    </>
  )
}
