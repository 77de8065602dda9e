/** What keys ask for, on each kind of machine and layout. */
import t from 'tap'
import { BINDINGS, commandOf, type KeyPress, keysOf } from '../../../../src/dashboard/editor/model/keyboard.ts'

const press = (key: string, changes: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...changes,
})

t.test('keys of a field', async t => {
  const asked = (pressed: KeyPress, isMac = false) => commandOf(pressed, 'field', isMac)
  t.strictSame(asked(press('Enter', { ctrlKey: true })), { command: 'saveNext' })
  t.strictSame(asked(press('Enter', { metaKey: true }), true), { command: 'saveNext' })
  t.equal(asked(press('Enter')), undefined, 'a line end')
  t.strictSame(asked(press('3', { altKey: true, code: 'Digit3' })), { command: 'placeholder', number: 3 })
  const shifted = { altKey: true, shiftKey: true }
  t.strictSame(asked(press('#', { ...shifted, code: 'Digit3' })), { command: 'useMatch', number: 3 })
  t.equal(asked(press('&', { ...shifted, code: 'Digit6' })), undefined, 'there are five matches')
  const control = { ctrlKey: true, shiftKey: true, code: 'Digit1' }
  t.strictSame(asked(press('!', control), true), { command: 'useMatch', number: 1 }, 'on a Mac')
  t.equal(asked(press('a')), undefined)
  t.equal(asked(press('?')), undefined, 'letters and signs are text')
})

t.test('no shortcut hides a character of a layout', async t => {
  const altGr = { altKey: true, ctrlKey: true, getModifierState: () => true }
  t.equal(commandOf(press('ś', { ...altGr, code: 'KeyS' }), 'field', false), undefined, 'Polish by AltGr')
  t.equal(commandOf(press('ć', { altKey: true, code: 'KeyC' }), 'field', true), undefined, 'Polish by Option')
  const composing = press('Enter', { ctrlKey: true, isComposing: true })
  t.equal(commandOf(composing, 'field', false), undefined, 'an input method')
  const cyrillic = press('с', { altKey: true, code: 'KeyC' })
  t.strictSame(commandOf(cyrillic, 'field', false), { command: 'copySource' }, 'by place where letters are others')
})

t.test('letters are keys of the grid alone', async t => {
  t.strictSame(commandOf(press('?', { shiftKey: true }), 'grid', false), { command: 'help' })
  t.strictSame(commandOf(press('/', { shiftKey: true }), 'grid', false), { command: 'search' }, 'German has / on 7')
  t.equal(commandOf(press('r', { ctrlKey: true }), 'grid', false), undefined, 'the browser’s own')
})

t.test('no two commands share a key', async t => {
  for (const isMac of [false, true]) {
    for (const where of ['field', 'grid'] as const) {
      const all = BINDINGS.filter(binding => binding.where.includes(where)).flatMap(binding => keysOf(binding, isMac))
      t.strictSame(all, [...new Set(all)])
    }
  }
})
