/** The state of a save, below its text. */
import { Notice } from '../../ui/notice.tsx'
import { useEditor } from '../editor-context.ts'
import type { SaveState } from './save-state.ts'

/** That it is running, or why it failed. */
export function StateOfSave({ state }: { state: SaveState }) {
  const { t } = useEditor()
  if (!('why' in state)) return <span className="quiet">{t('saving')}</span>
  return (
    <Notice kind="bad" announced>
      {t('notSavedWhy', { why: state.why })}
    </Notice>
  )
}
