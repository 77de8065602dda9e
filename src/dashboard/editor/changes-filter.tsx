/** The filter by who changed a text, and since when. */
import { ListFilter } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ChangesForm } from './changes-form.tsx'
import type { RowFilter } from './model/filter.ts'
import styles from './toolbar.module.css'

/** A button that says what is asked for, and the dialog behind it. */
export function ChangesFilter({ filter, ask }: { filter: RowFilter; ask: (changed: Partial<RowFilter>) => void }) {
  const { t } = useTranslation('editor')
  const [isOpen, setIsOpen] = useState(false)
  const asked = [filter.by && t('by', { who: filter.by }), filter.since && t('sinceWhen', { when: filter.since })]
  const words = asked.filter(Boolean).join(', ')
  return (
    <>
      <Button
        small
        look={words === '' ? 'quiet' : 'plain'}
        icon={<ListFilter aria-hidden />}
        onPress={() => setIsOpen(true)}
      >
        {words || <span className={styles.words}>{t('changes')}</span>}
      </Button>
      <Dialog title={t('changes')} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <ChangesForm filter={filter} ask={ask} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  )
}
