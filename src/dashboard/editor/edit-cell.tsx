/** A translation with its fields, while its row is open. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { isAtLeast } from '../api/language-permit.ts'
import styles from './cell.module.css'
import { CellTools } from './cell-tools.tsx'
import { type EditorPosition, useAllRows, useEditor } from './editor-context.ts'
import type { TranslationFieldHandle } from './field/translation-field.tsx'
import { LeafField } from './leaf-field.tsx'
import { Marks, marksOf, StateOfSave } from './marks.tsx'
import { problemName } from './model/filter.ts'
import { leavesFor, modelText, textsOf, withTexts } from './model/leaves.ts'
import { cellOf, reportedAlone, rulesFor } from './model/rows.ts'
import type { TranslationCellProps } from './read-cell.tsx'
import { textsIn, useOwnDrafts } from './saving/unsaved-texts.ts'
import { UnderField } from './under-field.tsx'
import { useSameTexts } from './use-same-texts.ts'

/** Its fields, one for each form of the language. @param at the focus target, if it is in this cell */
export function EditCell({
  row,
  target,
  isGone,
  state,
  at,
}: TranslationCellProps & { at: EditorPosition | undefined }) {
  const editor = useEditor()
  const { columns, slug, actions, fields: openFields, permits, t } = editor
  const { alike } = useAllRows()
  const sameText = useSameTexts(row, target)
  const language = columns.targets[target]!
  const cell = row.cells[target]!
  const drafts = useOwnDrafts(slug, row, language)
  const message = drafts.length > 0 ? withTexts(cell.message, textsIn(drafts)) : cell.message
  // Includes drafts of a form that the source has lost.
  const rules = rulesFor(columns, language)
  const leaves = leavesFor(row.source, message, rules)
  const hasZero = leaves.some(({ ending }) => ending === '_zero')
  const now = drafts.length > 0 ? cellOf(row.source, message, cell.sourceThen, rules) : cell
  const fields = useRef(new Map<string, TranslationFieldHandle>())
  useLayoutEffect(() => openFields.add(row.id, language, fields.current), [openFields, row.id, language])
  const [active, setActive] = useState(leaves[0]!.ending)
  const wanted = at?.ending ?? firstOpen(leaves, textsOf(message))
  // biome-ignore lint/correctness/useExhaustiveDependencies: only `move` moves the focus, not a changed text
  useEffect(() => {
    if (at && at.move > 0) fields.current.get(wanted)?.focus()
  }, [at?.move])
  const first = leaves[0]!.ending
  const isActiveThere = leaves.some(({ ending }) => ending === active)
  // A form that the source lost exists as long as it has a draft. Emptying it removes it and its focus.
  useLayoutEffect(() => {
    if (isActiveThere) return
    setActive(first)
    if (document.activeElement === document.body) fields.current.get(first)?.focus()
  }, [isActiveThere, first])
  const [inserts, setInserts] = useState(false)
  const place = { language, namespace: row.namespace, key: row.key }
  const stored = textsOf(cell.message)
  const reported = reportedAlone(cell.problems)
  return (
    <div className={styles.stays}>
      {leaves.map(leaf => (
        <LeafField
          key={leaf.ending}
          place={place}
          leaf={leaf}
          stored={stored[leaf.ending] ?? null}
          model={modelText(row.source, leaf)}
          source={row.source}
          named={leaves.length > 1}
          hasZero={hasZero}
          mode={permits[target]!.mode}
          isFirst={leaf.ending === first}
          dismissed={cell.dismissed}
          reported={reported.filter(({ form }) => leaf.ending === (form === undefined ? '' : `_${form}`))}
          onFocus={() => {
            setActive(leaf.ending)
            actions.here(row.id, target, { isEditing: true, ending: leaf.ending })
          }}
          onInsert={() => setInserts(true)}
          sameText={() => sameText(alike, leaf.ending)[0]?.text ?? ''}
          ref={handle => {
            if (handle) fields.current.set(leaf.ending, handle)
            else fields.current.delete(leaf.ending)
          }}
        />
      ))}
      {drafts.length === 0 &&
        cell.problems.length + cell.dismissed.length > 0 &&
        isAtLeast(permits[target]!, 'translate') && (
          <div className={styles.actions}>
            <UnderField
              place={place}
              cell={cell}
              nameOf={kind => problemName(kind, t)}
              onClose={() => fields.current.get(active)?.focus()}
            />
          </div>
        )}
      {state && <StateOfSave state={state} />}
      <div className={styles.bar}>
        <Marks is={now.is} marked={marksOf(editor, row, target, true)} unsaved={drafts.length > 0} gone={isGone} />
        <CellTools
          row={row}
          target={target}
          isStale={cell.is.includes('stale')}
          fields={fields}
          active={active}
          inserts={inserts}
          onInserts={setInserts}
        />
      </div>
    </div>
  )
}

/** The first field that waits for a text, else the first. */
const firstOpen = (leaves: readonly { ending: string }[], texts: Readonly<Record<string, string>>) =>
  (leaves.find(({ ending }) => !texts[ending]) ?? leaves[0]!).ending
