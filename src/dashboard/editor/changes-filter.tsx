/** The filter by who changed a text, and since when. */
import { ListFilter } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { stateOf } from '../api/states.ts'
import { Button } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Select } from '../ui/select.tsx'
import { useEditor } from './context.ts'
import type { Filter } from './model/filter.ts'
import styles from './toolbar.module.css'
import { useAuthors } from './use-changed.ts'

/** Anybody; no e-mail address is so. */
const ANYBODY = '*'

/** A button that says what is asked for, and the dialog behind it. */
export function ChangesFilter({ filter, ask }: { filter: Filter; ask: (changed: Partial<Filter>) => void }) {
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
        <Form filter={filter} ask={ask} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  )
}

interface FormProps {
  filter: Filter
  ask: (changed: Partial<Filter>) => void
  onClose: () => void
}

function Form({ filter, ask, onClose }: FormProps) {
  const { t } = useTranslation('editor')
  const { slug, columns } = useEditor()
  const authors = useAuthors(slug, columns.targets[0]!)
  const [by, setBy] = useState(filter.by)
  const [since, setSince] = useState(filter.since)
  const known = authors.data ?? []
  const others = by !== '' && !known.some(([email]) => email === by) ? [{ id: by, label: by }] : []
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        ask({ by, since: stateOf(since) })
        onClose()
      }}
    >
      <Select
        label={t('byWhom')}
        choices={[
          { id: ANYBODY, label: t('anybody') },
          ...others,
          ...known.map(([email, name]) => ({ id: email, label: name, note: email })),
        ]}
        value={by || ANYBODY}
        onChange={chosen => setBy(chosen === ANYBODY ? '' : chosen)}
      />
      <TextField label={t('since')} hint={t('sinceHint')} value={since} onChange={setSince} />
      <Actions>
        <Button
          onPress={() => {
            ask({ by: '', since: '' })
            onClose()
          }}
        >
          {t('showAll')}
        </Button>
        <Button look="primary" type="submit">
          {t('showThese')}
        </Button>
      </Actions>
    </form>
  )
}
