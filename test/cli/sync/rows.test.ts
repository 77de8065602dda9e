/** Lists of changed keys. */
import t from 'tap'
import type { Context } from '../../../src/cli/context.ts'
import { type KeyChangeRow, listed } from '../../../src/cli/sync/rows.ts'

const context = { terminal: { columns: 80, style: (_: unknown, text: string) => text } } as unknown as Context

function lineOf(key: string, before: string, after: string): string {
  const place = { language: 'de', namespace: 'shop', path: 'locales/de/shop.json' }
  const row: KeyChangeRow = { ...place, key, result: 'updated', before: { [key]: before }, after: { [key]: after } }
  return listed(context, [row]).split('\n')[1]!
}

t.test('an updated key shows both of its texts', async t => {
  t.equal(lineOf('home', 'Home', 'Start'), '  ~ home  "Home" → "Start"')
  const long = 'Check that you have the right to do it, and then go on and do it at once'
  t.match(lineOf('home', long, 'Edited'), /^ {2}~ home {2}"Check that .*… → "Edited"$/)
  t.match(lineOf('features.itWallet.issuance.notEntitledCredentialError.body', long, 'Edited'), /… → "Edited"$/)
})

t.test('long texts begin shortly before what differs', async t => {
  const same = 'The same beginning of a text, which goes on, and on, and on 👩‍👩‍👧'
  t.equal(lineOf('a', `${same} now`, `${same} later`), '  ~ a  "…nd on 👩‍👩‍👧 now" → "…nd on 👩‍👩‍👧 later"')
  t.equal(lineOf('a', same, `${same}!`), '  ~ a  "…and on 👩‍👩‍👧" → "…and on 👩‍👩‍👧!"')
})
