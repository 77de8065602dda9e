/** `/` searches wherever the focus is, except in a field or a dialog. */
import { useEffect } from 'react'
import type { EditorActions } from './editor-context.ts'

/** Places where a key types a letter or belongs to an overlay. */
const OWN_KEYS =
  'input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** The grid handles its own keys. */
export function useSearchKey({ command }: EditorActions): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event
      if (key !== '/' || event.defaultPrevented || event.isComposing || ctrlKey || metaKey || altKey) return
      if (target instanceof Element && target.closest(OWN_KEYS)) return
      // A dialog that is open may have lost the focus.
      if (document.querySelector('[role=dialog], [role=alertdialog]')) return
      event.preventDefault()
      command('search')
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [command])
}
