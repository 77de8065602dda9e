/** What was just undone or restored, and the way back from it. */
import { Undo2 } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../shell/announce.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Undo } from './undo.tsx'

/** A commit that this page made. */
export interface Made {
  slug: string
  /** Its full id. */
  revision: string
  sentence: string
}

let made: Made | null = null
const watchers = new Set<() => void>()

/** Shows what was done, and says it. Null shows nothing any more. */
export function tellDone(done: Made | null): void {
  made = done
  if (done) announce(done.sentence)
  for (const watcher of watchers) watcher()
}

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** The last thing done in a project since this was mounted; it can be undone itself. */
export function Done({ slug }: { slug: string }) {
  const { t } = useTranslation('history')
  const done = useSyncExternalStore(watch, () => made)
  const [undoing, undo] = useState<Made | null>(null)
  // What was done elsewhere is told there.
  useEffect(() => () => tellDone(null), [])
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
