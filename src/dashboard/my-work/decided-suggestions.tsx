/** What became of the reader's own suggestions, also after the reader has read it in the inbox. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import { InboxList } from './inbox-list.tsx'
import { useDecided } from './inbox-reads.ts'

/** A button, and what it shows. */
export function DecidedSuggestions() {
  const { t } = useTranslation('work')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div>
        <Button small aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {t('decided')}
        </Button>
      </div>
      {isOpen && <DecidedList />}
    </>
  )
}

function DecidedList() {
  const { t } = useTranslation('work')
  return <InboxList read={useDecided()} none={t('noneDecided')} />
}
