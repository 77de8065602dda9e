/** The keyboard shortcuts of the editor: the table for the handler and for the help. */

/** Where a key counts: in a text that is edited, or on a cell of the grid. */
export type KeyboardScope = 'field' | 'grid'

interface Shortcut {
  where: readonly KeyboardScope[]
  /** `Mod` is Control, on a Mac Command. */
  keys: readonly string[]
  /** On a Mac, where Option types letters, and Option with an arrow moves in the text. */
  mac?: readonly string[]
}

/**
 * No shortcut is one that a browser reserves, and none types a letter in any layout: AltGr is never Alt, and a Mac's
 * Option stays free.
 */
const TABLE = [
  { command: 'saveNext', where: ['field'], keys: ['Mod+Enter'] },
  { command: 'saveStay', where: ['field', 'grid'], keys: ['Mod+S'] },
  { command: 'leave', where: ['field'], keys: ['Escape'] },
  { command: 'previousRow', where: ['field'], keys: ['Alt+ArrowUp'], mac: ['Meta+Alt+ArrowUp'] },
  { command: 'nextRow', where: ['field'], keys: ['Alt+ArrowDown'], mac: ['Meta+Alt+ArrowDown'] },
  { command: 'copySource', where: ['field'], keys: ['Alt+C'], mac: ['Control+C'] },
  { command: 'useSame', where: ['field'], keys: ['Alt+U'], mac: ['Control+U'] },
  { command: 'placeholder', where: ['field'], keys: ['Alt+1…9'], mac: ['Control+1…9'] },
  { command: 'useMatch', where: ['field'], keys: ['Alt+Shift+1…5'], mac: ['Control+Shift+1…5'] },
  { command: 'confirm', where: ['field', 'grid'], keys: ['Alt+S'], mac: ['Control+S'] },
  { command: 'approve', where: ['field', 'grid'], keys: ['Alt+A'], mac: ['Meta+Alt+A'] },
  { command: 'invisible', where: ['field'], keys: ['Alt+I'], mac: ['Control+I'] },
  { command: 'undoSave', where: ['field', 'grid'], keys: ['Alt+Z'], mac: ['Control+Z'] },
  { command: 'panel', where: ['field', 'grid'], keys: ['Alt+P'], mac: ['Control+P'] },
  { command: 'machine', where: ['field', 'grid'], keys: ['Alt+M'], mac: ['Control+M'] },
  { command: 'up', where: ['grid'], keys: ['ArrowUp'] },
  { command: 'down', where: ['grid'], keys: ['ArrowDown'] },
  { command: 'left', where: ['grid'], keys: ['ArrowLeft'] },
  { command: 'right', where: ['grid'], keys: ['ArrowRight'] },
  { command: 'rowStart', where: ['grid'], keys: ['Home'] },
  { command: 'rowEnd', where: ['grid'], keys: ['End'] },
  { command: 'first', where: ['grid'], keys: ['Mod+Home'] },
  { command: 'last', where: ['grid'], keys: ['Mod+End'] },
  { command: 'pageUp', where: ['grid'], keys: ['PageUp'] },
  { command: 'pageDown', where: ['grid'], keys: ['PageDown'] },
  { command: 'edit', where: ['grid'], keys: ['Enter', 'F2'] },
  { command: 'search', where: ['grid'], keys: ['/'] },
  { command: 'renew', where: ['grid'], keys: ['R'] },
  { command: 'help', where: ['grid'], keys: ['?'] },
] as const satisfies readonly (Shortcut & { command: string })[]

/** A command; `placeholder` and `useMatch` have a number. */
export type EditorCommand = (typeof TABLE)[number]['command']

export const BINDINGS: readonly (Shortcut & { command: EditorCommand })[] = TABLE

export interface KeyPress {
  key: string
  code: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
  isComposing?: boolean
  getModifierState?: (name: 'AltGraph') => boolean
}

/**
 * The editor command of a key press; `number` (from 1) is a placeholder's or a match's. Undefined for the field's or
 * the browser's own keys.
 */
export function commandOf(
  pressed: KeyPress,
  where: KeyboardScope,
  isMac: boolean,
): { command: EditorCommand; number?: number } | undefined {
  if (pressed.isComposing || pressed.getModifierState?.('AltGraph')) return undefined
  for (const binding of BINDINGS) {
    if (!binding.where.includes(where)) continue
    for (const keys of keysOf(binding, isMac)) {
      const number = fits(pressed, keys)
      if (number !== undefined) return { command: binding.command, ...(number > 0 && { number }) }
    }
  }
  return undefined
}

/** The keys of a command on this kind of machine, as `Control+Enter`. */
export const keysOf = ({ keys, mac }: Shortcut, isMac: boolean): readonly string[] =>
  (isMac && mac ? mac : keys).map(key => key.replace('Mod', isMac ? 'Meta' : 'Control'))

/** @returns the number of `1…9` or `1…5`, 0 for other keys that fit, undefined for those that do not */
function fits(pressed: KeyPress, keys: string): number | undefined {
  const parts = keys.split('+')
  const key = parts.pop()!
  const held = (name: string) => parts.includes(name)
  const { ctrlKey, metaKey, altKey } = pressed
  if (ctrlKey !== held('Control') || metaKey !== held('Meta') || altKey !== held('Alt')) return undefined
  if (key.startsWith('1…')) {
    // By the place of the key: with Shift it types other characters.
    const digit = Number(/^(?:Digit|Numpad)([1-9])$/.exec(pressed.code)?.[1] ?? 0)
    return digit === 0 || digit > Number(key[2]) || pressed.shiftKey !== held('Shift') ? undefined : digit
  }
  if (/^[A-Z]$/.test(key)) {
    // By the letter; where the layout has other letters than Latin ones, by the place of the key.
    const letter = /^[a-z]$/i.test(pressed.key) ? pressed.key.toUpperCase() : pressed.code.replace(/^Key/, '')
    return letter === key && !pressed.shiftKey ? 0 : undefined
  }
  const shifts = key === '?' || key === '/'
  return pressed.key === key && (shifts || !pressed.shiftKey) ? 0 : undefined
}
