/** The menus and buttons of a translation that is edited. */
import { Check, CornerDownLeft, PanelBottom } from 'lucide-react'
import { memo, type RefObject, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { isAtLeast } from '../api/language-permit.ts'
import { Button } from '../ui/button.tsx'
import styles from './cell.module.css'
import { useEditor } from './editor-context.ts'
import type { TranslationFieldHandle } from './field/translation-field.tsx'
import { Invisible, More } from './field-menus.tsx'
import { hasMark, isFilled, type RowMark } from './model/filter.ts'
import type { EditorRow } from './model/rows.ts'

interface ToolsProps {
  row: EditorRow
  target: number
  isStale: boolean
  fields: RefObject<ReadonlyMap<string, TranslationFieldHandle>>
  /** The ending of the field that is written in. */
  active: string
  /** Whether the menu of characters is open. */
  inserts: boolean
  onInserts: (inserts: boolean) => void
}

/** The actions on a text. Its menus are the most expensive part of the cell, so typing never rerenders them. */
export const CellTools = memo(function CellTools({
  row,
  target,
  isStale,
  fields,
  active,
  inserts,
  onInserts,
}: ToolsProps) {
  const { t } = useTranslation('editor')
  const { actions, permits, marks } = useEditor()
  const permit = permits[target]!
  const has = (mark: RowMark) => hasMark(mark, row.id, row.cells[target]!, marks[target])
  const approvable = permit.mayApprove && isFilled(row.cells[target]!)
  const isApproved = has('approved')
  const suggests = permit.mode === 'suggest'
  const pressedAt = useRef<number>(undefined)
  return (
    <>
      {/* They stand beside the marks: after the buttons one of them would be left over for a line of its own. */}
      <span className={styles.menus}>
        <span className={styles.sheet}>
          <Button
            small
            look="quiet"
            icon={<PanelBottom aria-hidden />}
            aria-label={t('command.panel')}
            onPress={() => actions.command('panel')}
          />
        </span>
        {permit.mode !== 'read' && (
          <Invisible
            isOpen={inserts}
            onOpenChange={onInserts}
            insert={text => fields.current.get(active)?.insert(text)}
          />
        )}
        <More
          row={row}
          target={target}
          approves={approvable ? !isApproved : undefined}
          copy={text => fields.current.get(active)?.replaceAll(text)}
          ending={() => active}
        />
      </span>
      <div className={styles.actions}>
        {isStale && isAtLeast(permit, 'translate') && (
          <Button small icon={<Check aria-hidden />} onPress={() => actions.confirm(row, target)}>
            {t('stillRight')}
          </Button>
        )}
        {approvable && !isApproved && (permit.isReviewed || has('machine')) && (
          <Button small onPress={() => actions.approve(row, target, true)}>
            {t('approve')}
          </Button>
        )}
        {permit.mode !== 'read' && (
          <>
            <Button small onPress={() => actions.saveStay(row, target)}>
              {t(suggests ? 'suggest' : 'common:save')}
            </Button>
            <Button
              small
              look="primary"
              icon={<CornerDownLeft aria-hidden />}
              data-next
              onPointerDown={event => (pressedAt.current = event.currentTarget.getBoundingClientRect().top)}
              onPress={() => actions.saveNext(row, target, pressedAt.current)}
            >
              {t(suggests ? 'suggestNext' : 'saveNext')}
            </Button>
          </>
        )}
      </div>
    </>
  )
})
