/** A translation with its fields and tools, while its row is open. */
import { Check, CornerDownLeft, Ellipsis, PanelBottom, Space } from 'lucide-react'
import { memo, useLayoutEffect, useRef, useState } from 'react'
import { isAtLeast } from '../api/rights.ts'
import { Button } from '../ui/button.tsx'
import { afterFocus } from '../ui/focus.ts'
import { late } from '../ui/late.tsx'
import { Menu, OpenerContext, Trigger, useOpener } from '../ui/menu.tsx'
import styles from './cell.module.css'
import { type EditorPosition, useEditor, useMove } from './editor-context.ts'
import { INSERTABLE, nameOfInvisible } from './field/invisible.ts'
import { LeafField, UnderField } from './leaf-field.tsx'
import { hasMark, isFilled, problemName, type RowMark } from './model/filter.ts'
import { leavesFor, textsOf, withTexts } from './model/leaves.ts'
import { cellOf, type EditorRow, rulesFor } from './model/rows.ts'
import type { MoreProps } from './more-rows.tsx'
import { Marks, marksOf, StateOfSave, type TranslationCellProps } from './read-cell.tsx'
import { textsIn, useOwnDrafts } from './saving/unsaved-texts.ts'

const MoreRows = late(() => import('./more-rows.tsx'))

/** Its fields, one for each form of the language. @param props `at` is the focus target, if it is in this cell */
export function EditCell(props: TranslationCellProps & { at: EditorPosition | undefined }) {
  const { row, target, isGone, state, at } = props
  const editor = useEditor()
  const { columns, slug, actions, fields, t } = editor
  const language = columns.targets[target]!
  const cell = row.cells[target]!
  const drafts = useOwnDrafts(slug, row, language)
  const isTyped = drafts.length > 0
  const message = isTyped ? withTexts(cell.message, textsIn(drafts)) : cell.message
  // Includes drafts of a form that the source has lost.
  const rules = rulesFor(columns, language)
  const leaves = leavesFor(row.source, message, rules)
  const now = isTyped ? cellOf(row.source, message, cell.sourceThen, rules) : cell
  const focus = (ending: string) => fields.get(row.id, language, ending)?.focus()
  const first = leaves[0]!.ending
  const [active, setActive] = useState(first)
  useMove(at, () => {
    // The first field that waits for a text, else the first.
    const texts = textsOf(message)
    const open = leaves.find(({ ending }) => !texts[ending])?.ending ?? first
    focus(at?.ending ?? open)
  })
  const isActiveThere = leaves.some(({ ending }) => ending === active)
  // A form that the source lost exists as long as it has a draft. Emptying it removes it and its focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves once
  useLayoutEffect(() => {
    if (isActiveThere) return
    setActive(first)
    if (document.activeElement === document.body) focus(first)
  }, [isActiveThere, first])
  const [inserts, setInserts] = useState(false)
  const hasProblems = cell.problems.length + cell.dismissed.length > 0
  return (
    <div className={`stack2 ${styles.stays}`}>
      {leaves.map(leaf => (
        <LeafField
          key={leaf.ending}
          row={row}
          target={target}
          leaf={leaf}
          leaves={leaves}
          onFocus={() => {
            setActive(leaf.ending)
            actions.here(row.id, target, { isEditing: true, ending: leaf.ending })
          }}
          onInsert={() => setInserts(true)}
        />
      ))}
      {!isTyped && hasProblems && isAtLeast(editor.permits[target]!, 'translate') && (
        <div className="row2">
          <UnderField
            place={{ language, namespace: row.namespace, key: row.key }}
            cell={cell}
            nameOf={kind => problemName(kind, t)}
            onClose={() => focus(active)}
          />
        </div>
      )}
      {state && <StateOfSave state={state} />}
      <div className={`row2 ${styles.bar}`}>
        <Marks is={now.is} marked={marksOf(editor, row, target, true)} unsaved={isTyped} gone={isGone} />
        <CellTools row={row} target={target} active={active} inserts={inserts} onInserts={setInserts} />
      </div>
    </div>
  )
}

interface ToolsProps {
  row: EditorRow
  target: number
  /** The ending of the field that is written in. */
  active: string
  inserts: boolean
  onInserts: (inserts: boolean) => void
}

/** The actions on a text. Its menus are the most expensive part of the cell, so typing never rerenders them. */
const CellTools = memo(function CellTools({ row, target, active, inserts, onInserts }: ToolsProps) {
  const { actions, columns, fields, permits, marks, t } = useEditor()
  const language = columns.targets[target]!
  const permit = permits[target]!
  const cell = row.cells[target]!
  const has = (mark: RowMark) => hasMark(mark, row.id, cell, marks[target])
  const mayApprove = permit.mayApprove && isFilled(cell)
  const isApproved = has('approved')
  const isWritable = permit.mode !== 'read'
  const suggests = permit.mode === 'suggest'
  const pressedAt = useRef<number>(undefined)
  return (
    <>
      {/* They stand beside the marks: after the buttons one of them would be left over for a line of its own. */}
      <span className="row1">
        <span className={styles.sheet}>
          <Button
            small
            look="quiet"
            icon={<PanelBottom aria-hidden />}
            aria-label={t('command.panel')}
            onPress={() => actions.command('panel')}
          />
        </span>
        {isWritable && (
          <Menu
            label={t('command.invisible')}
            isOpen={inserts}
            onOpenChange={onInserts}
            rows={INSERTABLE.map(character => ({
              id: character,
              label: t(`character.${nameOfInvisible(character)}`),
              note: nameOfInvisible(character),
              onAction: () => afterFocus(() => fields.get(row.id, language, active)?.insert(character)),
            }))}
            button={<Trigger small look="quiet" icon={<Space aria-hidden />} aria-label={t('command.invisible')} />}
          />
        )}
        <More row={row} target={target} approves={mayApprove ? !isApproved : undefined} ending={active} />
      </span>
      <div className={`row2 ${styles.buttons}`}>
        {cell.is.includes('stale') && isAtLeast(permit, 'translate') && (
          <Button small icon={<Check aria-hidden />} onPress={() => actions.confirm(row, target)}>
            {t('stillRight')}
          </Button>
        )}
        {mayApprove && !isApproved && (permit.isReviewed || has('machine')) && (
          <Button small onPress={() => actions.approve(row, target, true)}>
            {t('approve')}
          </Button>
        )}
        {isWritable && (
          <Button small onPress={() => actions.saveStay(row, target)}>
            {t(suggests ? 'suggest' : 'common:save')}
          </Button>
        )}
        {isWritable && (
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
        )}
      </div>
    </>
  )
})

function More(props: MoreProps) {
  const { t } = useEditor()
  const { opener, opened } = useOpener('menu')
  return (
    <>
      <OpenerContext value={opener}>
        <Trigger small look="quiet" icon={<Ellipsis aria-hidden />} aria-label={t('moreOf', { key: props.row.key })} />
      </OpenerContext>
      {opened && <MoreRows {...opened} {...props} />}
    </>
  )
}
