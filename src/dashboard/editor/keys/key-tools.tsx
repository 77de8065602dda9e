/** The buttons above the grid for tasks on keys and on several texts. */
import { Plus, Replace } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { isAtLeast } from '../../api/language-permit.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/state.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { useEditor } from '../editor-context.ts'
import styles from '../toolbar.module.css'
import { useKeyTasks } from './key-tasks.ts'

/** In the place of keys where there are none. */
export function NoKeys() {
  const { t } = useTranslation('keys')
  return (
    <Empty title={t('editor:noKeys')} action={<AddButton>{t('add')}</AddButton>}>
      {t('editor:noKeysWhy')}
    </Empty>
  )
}

function AddButton({ children }: { children: ReactNode }) {
  const { begin } = useKeyTasks()
  const { sourcePermit } = useEditor()
  if (!isAtLeast(sourcePermit, 'translate')) return null
  return (
    <Button icon={<Plus aria-hidden />} onPress={() => begin({ is: 'add' })}>
      {children}
    </Button>
  )
}

/** The buttons that the reader's rights allow. */
export function KeyTools() {
  const { t } = useTranslation('keys')
  const { begin } = useKeyTasks()
  const { permits } = useEditor()
  return (
    <>
      <AddButton>
        <span className={styles.words}>{t('add')}</span>
      </AddButton>
      {permits.some(permit => isAtLeast(permit, 'translate')) && (
        <Tooltip words={t('replaceIn')}>
          <Button
            look="quiet"
            icon={<Replace aria-hidden />}
            aria-label={t('replaceIn')}
            onPress={() => begin({ is: 'replace' })}
          >
            <span className={styles.wide}>{t('replaceShort')}</span>
          </Button>
        </Tooltip>
      )}
    </>
  )
}
