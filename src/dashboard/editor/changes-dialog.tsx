/** A dialog that asks who changed a text, and since when. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { stateOf } from '../api/state-of.ts'
import { Button } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { Select } from '../ui/select.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useEditor } from './editor-context.ts'
import type { RowFilter } from './model/filter.ts'
import { useAuthors } from './use-changed.ts'

/** Anybody; no e-mail address is so. */
const ANYBODY = '*'

interface Props {
  filter: RowFilter
  ask: (changed: Partial<RowFilter>) => void
  onClose: () => void
}

/** Its values are part of the address. */
export default function ChangesDialog({ filter, ask, onClose }: Props) {
  const { t } = useTranslation('editor')
  const { slug, columns } = useEditor()
  const authors = useAuthors(slug, columns.targets[0]!)
  const [by, setBy] = useState(filter.by)
  const [since, setSince] = useState(filter.since)
  const known = authors.data ?? []
  const others = by !== '' && !known.some(([email]) => email === by) ? [{ id: by, label: by }] : []
  return (
    <Dialog title={t('changes')} isOpen onClose={onClose}>
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
    </Dialog>
  )
}
