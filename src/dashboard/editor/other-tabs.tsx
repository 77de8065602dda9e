/** Unsaved texts of the reader's other tabs for the same text; the reader chooses one. */
import { useTranslation } from 'react-i18next'
import type { DraftAddress } from '../drafts/drafts.ts'
import { useDiscardOther } from '../drafts/use-discard.ts'
import { useDraftStore, useOtherDrafts } from '../drafts/use-drafts.tsx'
import { Button } from '../ui/button.tsx'
import { Diff } from '../ui/diff.tsx'
import { Notice } from '../ui/notice.tsx'
import { useAnnouncement } from '../ui/use-announcement.ts'
import styles from './cell.module.css'
import { useKeyTasks } from './keys/key-tasks.ts'

interface Props {
  address: DraftAddress
  /** The field's text. */
  text: string
  /** Puts words into the field, as if typed. */
  onUse: (text: string) => void
}

/** A notice for each other text, beside the one in the field. */
export function OtherTabs({ address, text, onUse }: Props) {
  const { t } = useTranslation('editor')
  const { showDone } = useKeyTasks()
  const drafts = useDraftStore()
  const others = useOtherDrafts(address).filter(other => other.text !== text)
  useAnnouncement(others.length > 0 ? t('otherTabKey', { key: address.key }) : '')
  const discard = useDiscardOther(showDone)
  return others.map(other => (
    <Notice
      key={other.name}
      kind="warn"
      action={
        <span className={styles.actions}>
          <Button small onPress={() => onUse(other.text)}>
            {t('useOtherTab')}
          </Button>
          {other.isClosed && (
            <Button
              small
              onPress={() =>
                discard(
                  () => drafts?.discardOther(other),
                  () => drafts?.restoreOther(other),
                )
              }
            >
              {t('common:discard')}
            </Button>
          )}
        </span>
      }
    >
      {t(other.isClosed ? 'otherTabClosed' : 'otherTab')}{' '}
      <Diff before={text} after={other.text} language={address.language} />
    </Notice>
  ))
}
