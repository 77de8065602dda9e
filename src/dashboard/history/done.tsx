/** The last undo or restore, and a button to undo it. */
import { Undo2 } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { type LastRevert, lastRevert, showLastRevert, watch } from './last-revert.ts'
import { Undo } from './undo.tsx'

/** The last thing done in a project since this was mounted; it can be undone itself. */
export function Done({ slug }: { slug: string }) {
  const { t } = useTranslation('history')
  const done = useSyncExternalStore(watch, lastRevert)
  const [undoing, undo] = useState<LastRevert | null>(null)
  // The notice ends when its page closes.
  useEffect(() => () => showLastRevert(null), [])
  return (
    <>
      {done?.slug === slug && (
        <Notice
          kind="good"
          action={
            <Button small icon={<Undo2 aria-hidden />} onPress={() => undo(done)}>
              {t('undoThis')}
            </Button>
          }
        >
          {done.sentence}
        </Notice>
      )}
      {undoing && (
        <Undo
          slug={slug}
          revisions={[undoing.revision]}
          subject={undoing.sentence}
          title={t('undoThis')}
          said={t('backAgain')}
          onClose={() => undo(null)}
        />
      )}
    </>
  )
}
