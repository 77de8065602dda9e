/** The state of a save, below its text. */
import { Notice } from '../ui/notice.tsx'
import { useEditor } from './editor-context.ts'
import type { SaveState } from './use-saves.ts'

/** That it is running, or why it was refused. */
export function StateOfSave({ state }: { state: SaveState }) {
  const { t } = useEditor()
  if (state.is === 'saving') return <span className="quiet">{t('saving')}</span>
  return (
    <Notice kind="bad" announced>
      {t('notSavedWhy', { why: state.why })}
    </Notice>
  )
}
