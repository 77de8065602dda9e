/**
 * The keys that `docs/translators.md` lists are those of the editor, without the moves in the list. `UPDATE=1` writes
 * its table.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BINDINGS, keysOf } from '../../../src/dashboard/editor/model/keyboard.ts'

const root = join(import.meta.dirname, '../../..')
const guide = join(root, 'docs/translators.md')
const { command: words } = JSON.parse(readFileSync(join(root, 'src/dashboard/locales/en/editor.json'), 'utf8'))

t.test('the table of keys', async t => {
  const moves = /^(?:Control\+)?(?:Arrow|Home$|End$|Page)/
  const shown = BINDINGS.filter(binding => !keysOf(binding, false).every(key => moves.test(key)))
  const rows = shown.map(binding => {
    const keys = keysOf(binding, false).map(key => `\`${key.replace('Control', 'Ctrl').replace('Escape', 'Esc')}\``)
    const where = binding.where.map(where => (where === 'grid' ? 'list' : where)).join(', ')
    return `| ${keys.join(', ').replace('Arrow', '')} | ${where} | ${words[binding.command]} |`
  })
  const table = ['| key | where | does |', '|---|---|---|', ...rows].join('\n')
  const text = readFileSync(guide, 'utf8')
  if (process.env.UPDATE) writeFileSync(guide, text.replace(/@@TABLE@@|\| key \| where [\s\S]*?(?=\n\n)/, table))
  t.ok(readFileSync(guide, 'utf8').includes(table), 'UPDATE=1 writes it')
})
