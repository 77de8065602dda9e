/** The content of the panel: what is known about the text in hand. */
import { X } from 'lucide-react'
import { memo, Suspense, useCallback, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button.tsx'
import { afterFocus } from '../../ui/focus.ts'
import { type EditorPosition, useEditor } from '../editor-context.ts'
import { leavesFor } from '../model/leaves.ts'
import { type EditorRow, rulesFor } from '../model/rows.ts'
import { useNotes } from './note/use-notes.ts'
import styles from './panel.module.css'
import { PANEL_SECTIONS } from './panel-sections.ts'
import type { PanelSubject } from './panel-subject.ts'

interface Props {
  /** The row in hand, and the position in it. */
  row: EditorRow | undefined
  at: EditorPosition | undefined
  onClose: () => void
}

/** A moved position is rendered first, the panel after it. */
export default function Panel({ onClose, ...now }: Props) {
  const { t } = useTranslation('editor')
  const { columns } = useEditor()
  const row = useDeferredValue(now.row)
  const at = useDeferredValue(now.at)
  const close = <Button look="quiet" small icon={<X aria-hidden />} aria-label={t('common:close')} onPress={onClose} />
  if (row === undefined || at === undefined) {
    return (
      <header className={styles.header}>
        <p className="quiet">{t('panelEmpty')}</p>
        {close}
      </header>
    )
  }
  const target = typeof at.column === 'number' ? at.column : 0
  const language = columns.targets[target]!
  const leaves = leavesFor(row.source, row.cells[target]?.message, rulesFor(columns, language))
  const ending = at.ending ?? leaves[0]!.ending
  return (
    <>
      <header className={styles.header}>
        <p>
          <code>{row.key}</code> <span className="quiet">{row.namespace}</span>
        </p>
        {close}
      </header>
      <Suspense fallback={null}>
        <Sections row={row} target={target} ending={ending} />
      </Suspense>
    </>
  )
}

/**
 * All at once, when the notes of the namespace are read: a note that came later would move the rest. A save renders the
 * panel several times, and these only when their text is another one.
 */
const Sections = memo(function Sections({ row, target, ending }: Omit<PanelSubject, 'use'>) {
  const { slug, columns, fields, actions } = useEditor()
  const { isPending, failureCount } = useNotes(slug, row.namespace)
  const language = columns.targets[target]!
  const use = useCallback(
    (text: string) => {
      const field = fields.get(row.id, language, ending)
      if (field) return field.replaceAll(text)
      actions.go(row.id, target, { isEditing: true, ending })
      afterFocus(() => fields.get(row.id, language, ending)?.replaceAll(text))
    },
    [fields, actions, row.id, language, target, ending],
  )
  if (isPending && failureCount === 0) return null
  return PANEL_SECTIONS.map(({ id, Part }) => (
    <Part key={`${id} ${row.id}`} row={row} target={target} ending={ending} use={use} />
  ))
})
