/** A part of the panel, and what its parts share. */
import { type ComponentProps, type ReactNode, useCallback, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { afterFocus } from '../../ui/focus.ts'
import { useEditor } from '../editor-context.ts'
import type { TranslationFieldHandle } from '../field/translation-field.tsx'
import type { EditorRow } from '../model/rows.ts'
import styles from './panel.module.css'

/** The props of each section: the text that the panel is about. */
export interface PanelSubject {
  row: EditorRow
  /** The number of the language among the targets. */
  target: number
  /** The ending of the form in hand. */
  ending: string
}

/** A named region with its heading. */
export const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.section} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
)

/** A button that shows more of a section. @param children gets what hides it again */
export function MoreOfSection({ label, children }: { label: string; children: (close: () => void) => ReactNode }) {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className={styles.link}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        {label}
      </button>
      {isOpen && <div id={id}>{children(() => setIsOpen(false))}</div>}
    </>
  )
}

/** Puts something into the field, which stays focused: its caret stays, and it can undo that. */
export const UseButton = (props: ComponentProps<typeof Button>) => <Button {...props} small preventFocusOnPress />

/** @returns does something in the field of the text; opens its row first */
export function useInField({ row: { id }, target, ending }: PanelSubject) {
  const { columns, fields, actions } = useEditor()
  const language = columns.targets[target]!
  return useCallback(
    (act: (field: TranslationFieldHandle) => void) => {
      const field = fields.get(id, language, ending)
      if (field) return act(field)
      actions.go(id, target, { isEditing: true, ending })
      afterFocus(() => {
        const opened = fields.get(id, language, ending)
        if (opened) act(opened)
      })
    },
    [fields, actions, id, language, target, ending],
  )
}
