/** Where one is in the editor, and what its keys and buttons do. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LanguagePermit } from '../api/rights.ts'
import { announce } from '../ui/announce.ts'
import { setSearch } from '../ui/location.ts'
import type { Column, EditorActions, EditorPlace, EditorPosition } from './editor-context.ts'
import type { Item } from './model/items.ts'
import type { EditorCommand } from './model/keyboard.ts'
import type { EditorRow } from './model/rows.ts'
import type { Saving } from './saving/use-saving.ts'

interface EditorStateInput {
  place: EditorPlace
  items: readonly Item[]
  order: readonly Column[]
  permits: readonly LanguagePermit[]
  /** Whether a row matches the filter now. */
  matches: (row: EditorRow) => boolean
  saves: Saving
  toggle: (id: string) => void
  machine: (row: EditorRow, target: number) => void
  /** What the other parts of the editor do. */
  commands: Partial<Record<EditorCommand, () => void>>
}

/** The number of rows for Page Up and Page Down. */
const PAGE = 10

/** @param start the row that the address names */
export function useEditorState(over: EditorStateInput, start: EditorPosition | undefined) {
  const { t } = useTranslation('editor')
  const [at, setAt] = useState(start)
  // Actions are created once, so rows do not rerender; they read the newest state.
  const now = useRef({ over, at, t })
  now.current = { over, at, t }
  const actions = useMemo(() => actionsOver(now, setAt), [])
  return { at, actions }
}

function actionsOver(
  now: { readonly current: { over: EditorStateInput; at: EditorPosition | undefined; t: (key: string) => string } },
  setAt: (change: (at: EditorPosition | undefined) => EditorPosition) => void,
): EditorActions {
  let moves = 1
  const itemOf = (id: string) => now.current.over.items.find(item => item.id === id)
  const languageOf = (target: number) => now.current.over.place.columns.targets[target]!
  const show = (id: string, isEditing: boolean) => {
    const item = itemOf(id)
    if (item?.kind !== 'row' || !isEditing) return
    const { namespace } = now.current.over.place
    setSearch({ key: item.row.key, in: namespace === undefined ? item.row.namespace : null })
  }
  const go: EditorActions['go'] = (id, column, { isEditing = false, ...rest } = {}) => {
    const move = ++moves
    setAt(() => ({ id, column, isEditing, ...rest, move }))
    show(id, isEditing)
  }
  const here: EditorActions['here'] = (id, column, { isEditing = false, ending } = {}) => {
    setAt(at => {
      const isSame = at?.id === id && at.column === column && at.isEditing === isEditing && at.ending === ending
      return isSame ? at : { id, column, isEditing, ...(ending !== undefined && { ending }), move: 0 }
    })
    if (now.current.at?.id !== id) show(id, isEditing)
  }
  /** Moves by this number of lines; skips headings while a text is edited. */
  const step = (by: number) => {
    const { over, at } = now.current
    const { items } = over
    const from = at ? items.findIndex(({ id }) => id === at.id) : -1
    let index = Math.min(items.length - 1, Math.max(0, from + by))
    if (at?.isEditing) while (items[index]?.kind === 'group') index += Math.sign(by)
    const item = items[index]
    if (item && index !== from) go(item.id, at?.column ?? 'key', { isEditing: at?.isEditing === true })
  }
  /** Goes to the next row behind this one that the filter asks for. */
  const next = (id: string, column: Column, pointer?: number) => {
    const { items, matches } = now.current.over
    const from = items.findIndex(item => item.id === id)
    const item = items.slice(from + 1).find(item => item.kind === 'row' && matches(item.row))
    if (item) return go(item.id, column, { isEditing: true, ...(pointer !== undefined && { pointer }) })
    announce(now.current.t('noneLeft'))
    go(id, column)
  }
  const actions: EditorActions = {
    go,
    here,
    enter() {
      const first = now.current.over.items[0]
      if (first) go(first.id, first.kind === 'row' ? 0 : 'key')
    },
    saveStay: (row, target) => void now.current.over.saves.save(row, languageOf(target)),
    saveNext(row, target, pointer) {
      const isInConflict = now.current.over.saves.isInConflict(row, languageOf(target))
      actions.saveStay(row, target)
      // A person decides first.
      if (!isInConflict) next(row.id, target, pointer)
    },
    confirm: (row, target) => void now.current.over.saves.confirm(row, languageOf(target)),
    approve: (row, target, approves) => void now.current.over.saves.approve(row, languageOf(target), approves),
    toggle: id => now.current.over.toggle(id),
    command: asked => commands()[asked]?.(),
  }

  function commands(): EditorStateInput['commands'] {
    const { over, at } = now.current
    const { order, items, permits } = over
    const item = at && itemOf(at.id)
    const row = item?.kind === 'row' ? item.row : undefined
    const column = at?.column ?? 'key'
    const target = typeof column === 'number' ? column : 0
    const across = (by: number) => {
      const isBack = by < 0
      if (item?.kind === 'group' && item.isOpen === isBack) actions.toggle(item.id)
      const to = order[order.indexOf(column) + by]
      if (row && to !== undefined) go(row.id, to)
    }
    const forward = document.documentElement.dir === 'rtl' ? -1 : 1
    return {
      ...over.commands,
      saveNext: () => row && actions.saveNext(row, target),
      saveStay: () => row && actions.saveStay(row, target),
      confirm: () => row && actions.confirm(row, target),
      approve: () => row && permits[target]!.mayApprove && actions.approve(row, target, true),
      leave: () => at && go(at.id, column),
      previousRow: () => step(-1),
      nextRow: () => step(1),
      up: () => step(-1),
      down: () => step(1),
      pageUp: () => step(-PAGE),
      pageDown: () => step(PAGE),
      first: () => step(-items.length),
      last: () => step(items.length),
      left: () => across(-forward),
      right: () => across(forward),
      rowStart: () => row && go(row.id, order[0]!),
      rowEnd: () => row && go(row.id, order.at(-1)!),
      edit: () => {
        if (item?.kind === 'group') actions.toggle(item.id)
        else if (row) go(row.id, target, { isEditing: true })
      },
      undoSave: () => void over.saves.undo(),
      machine: () => row && over.machine(row, target),
    }
  }
  return actions
}

/** Places where a key types a letter or belongs to an overlay. */
const OWN_KEYS =
  'input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** `/` searches wherever the focus is, except in a field or a dialog. The grid handles its own keys. */
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
