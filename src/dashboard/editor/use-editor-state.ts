/** Where one is in the editor, and what its keys and buttons do. */
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../ui/announce.ts'
import { setSearch } from '../ui/location.ts'
import type { Column, EditorActions, EditorPosition } from './editor-context.ts'
import type { Item } from './model/items.ts'
import type { EditorCommand } from './model/keyboard.ts'
import type { EditorRow } from './model/rows.ts'
import type { Saving } from './saving/use-saving.ts'

/** The input of the editor's state. */
interface EditorStateInput {
  items: readonly Item[]
  order: readonly Column[]
  targets: readonly string[]
  /** Whether a row matches the filter now. */
  matches: (row: EditorRow) => boolean
  saves: Saving
  /** Whether the reader may approve texts of a target. */
  mayApprove: (target: number) => boolean
  /** The address names the namespace already. */
  namesNamespace: boolean
  toggle: (id: string) => void
  renew: () => void
  search: () => void
  panel: () => void
  /** Asks machines for a text. */
  machine: (row: EditorRow, target: number) => void
  help: () => void
}

/** The number of rows for Page Up and Page Down. */
const PAGE = 10

/** @param start the row that the address names */
export function useEditorState(
  over: EditorStateInput,
  start: EditorPosition | undefined,
): { at: EditorPosition | undefined; actions: EditorActions } {
  const { t } = useTranslation('editor')
  const [at, setAt] = useState(start)
  // Actions are created once, so rows do not rerender; they read the newest state.
  const now = useRef({ over, at, t })
  now.current = { over, at, t }
  const actions = useMemo(() => actionsOver(now, setAt), [])
  return { at, actions }
}

type Now = { readonly current: { over: EditorStateInput; at: EditorPosition | undefined; t: (key: string) => string } }

function actionsOver(
  now: Now,
  setAt: (change: (at: EditorPosition | undefined) => EditorPosition | undefined) => void,
): EditorActions {
  let moves = 1
  const show = (id: string, isEditing: boolean) => {
    const item = itemOf(id)
    if (item?.kind !== 'row' || !isEditing) return
    setSearch({ key: item.row.key, in: now.current.over.namesNamespace ? null : item.row.namespace })
  }
  const itemOf = (id: string) => now.current.over.items.find(item => item.id === id)
  const go: EditorActions['go'] = (id, column, { isEditing = false, ...rest } = {}) => {
    const move = ++moves
    setAt(() => ({ id, column, isEditing, ...rest, move }))
    show(id, isEditing)
  }
  const here: EditorActions['here'] = (id, column, { isEditing = false, ending } = {}) => {
    setAt(at => {
      const isSame = at?.id === id && at.column === column && at.isEditing === isEditing && at.ending === ending
      if (at && isSame) return at
      return { id, column, isEditing, ...(ending !== undefined && { ending }), move: 0 }
    })
    if (now.current.at?.id !== id) show(id, isEditing)
  }
  /** Moves by this number of lines; skips headings while a text is edited. */
  const step = (by: number) => {
    const { over, at } = now.current
    const { items } = over
    const from = at ? items.findIndex(({ id }) => id === at.id) : -1
    let index = Math.min(items.length - 1, Math.max(0, from + by))
    if (at?.isEditing) while (items[index] && items[index]!.kind === 'group') index += Math.sign(by)
    const item = items[index]
    if (item && index !== from) go(item.id, at?.column ?? 'key', { isEditing: at?.isEditing === true })
  }
  /** The next row behind this one that the filter asks for. */
  const next = (id: string, column: Column, pointer?: number) => {
    const { items, matches } = now.current.over
    const from = items.findIndex(item => item.id === id)
    const item = items.slice(from + 1).find(item => item.kind === 'row' && matches(item.row))
    if (item) go(item.id, column, { isEditing: true, ...(pointer !== undefined && { pointer }) })
    else {
      announce(now.current.t('noneLeft'))
      go(id, column)
    }
  }
  const enter = () => {
    const first = now.current.over.items[0]
    if (first) go(first.id, first.kind === 'row' ? 0 : 'key')
  }
  const saveStay: EditorActions['saveStay'] = (row, target) =>
    void now.current.over.saves.save(row, now.current.over.targets[target]!)
  const saveNext: EditorActions['saveNext'] = (row, target, pointer) => {
    const { saves, targets } = now.current.over
    const isInConflict = saves.isInConflict(row, targets[target]!)
    saveStay(row, target)
    // A person decides first.
    if (!isInConflict) next(row.id, target, pointer)
  }
  const confirm: EditorActions['confirm'] = (row, target) =>
    void now.current.over.saves.confirm(row, now.current.over.targets[target]!)
  const approve: EditorActions['approve'] = (row, target, approves) =>
    void now.current.over.saves.approve(row, now.current.over.targets[target]!, approves)
  const toggle: EditorActions['toggle'] = id => now.current.over.toggle(id)

  function command(asked: EditorCommand): void {
    const { over, at } = now.current
    const item = at && itemOf(at.id)
    const column = at?.column ?? 'key'
    const target = typeof column === 'number' ? column : 0
    const across = (by: number) => {
      if (!item) return
      const isBack = by < 0
      if (item.kind === 'group') {
        if (item.isOpen === isBack) toggle(item.id)
        return
      }
      const to = over.order[over.order.indexOf(column) + by]
      if (to !== undefined) go(item.id, to)
    }
    const isRightToLeft = document.documentElement.dir === 'rtl'
    const on: Partial<Record<EditorCommand, () => void>> = {
      saveNext: () => item?.kind === 'row' && saveNext(item.row, target),
      saveStay: () => item?.kind === 'row' && saveStay(item.row, target),
      confirm: () => item?.kind === 'row' && confirm(item.row, target),
      approve: () => item?.kind === 'row' && over.mayApprove(target) && approve(item.row, target, true),
      leave: () => at && go(at.id, column),
      previousRow: () => step(-1),
      nextRow: () => step(1),
      up: () => step(-1),
      down: () => step(1),
      pageUp: () => step(-PAGE),
      pageDown: () => step(PAGE),
      first: () => step(-over.items.length),
      last: () => step(over.items.length),
      left: () => across(isRightToLeft ? 1 : -1),
      right: () => across(isRightToLeft ? -1 : 1),
      rowStart: () => item?.kind === 'row' && go(item.id, over.order[0]!),
      rowEnd: () => item?.kind === 'row' && go(item.id, over.order.at(-1)!),
      edit: () => {
        if (item?.kind === 'group') toggle(item.id)
        else if (item) go(item.id, typeof column === 'number' ? column : 0, { isEditing: true })
      },
      undoSave: () => void over.saves.undo(),
      renew: over.renew,
      search: over.search,
      panel: over.panel,
      machine: () => item?.kind === 'row' && over.machine(item.row, target),
      help: over.help,
    }
    on[asked]?.()
  }
  return { go, here, enter, saveNext, saveStay, confirm, approve, toggle, command }
}
