/** What became of the reader's own suggestions, also after the reader has read it in the inbox. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import { Loaded } from '../ui/state.tsx'
import { useDecided } from './inbox-reads.ts'
import { InboxRow } from './inbox-row.tsx'
import styles from './work.module.css'

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
  const decided = useDecided()
  const read = { ...decided, data: decided.data?.pages.flatMap(({ items }) => items) }
  return (
    <>
      <Loaded read={read}>
        {items =>
          items.length === 0 && !decided.hasNextPage ? (
            <p className="quiet">{t('noneDecided')}</p>
          ) : (
            <ul className={styles.list}>
              {items.map(item => (
                <InboxRow key={item.id} item={item} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {decided.hasNextPage && (
        <div>
          <Button small isPending={decided.isFetchingNextPage} onPress={() => decided.fetchNextPage()}>
            {t('older')}
          </Button>
        </div>
      )}
    </>
  )
}
