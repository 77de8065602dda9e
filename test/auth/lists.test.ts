/**
 * What better-auth lists, it lists whole: its default of 100 rows hid sessions, invitations, members and organizations.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openAuth } from './open.ts'
import { askable, listsAreWhole } from './whole-lists.ts'

/** Each table that better-auth lists without a limit of its own, and what bounds the list. */
const LISTED: Record<string, string> = {
  session: 'MOST_SESSIONS',
  account: 'a password and a provider',
  member: 'MOST_MEMBERS, MOST_ORGANIZATIONS',
  invitation: 'MOST_INVITATIONS',
  organizationRole: 'unused: no dynamic roles',
  team: 'unused: no teams',
  teamMember: 'unused: no teams',
  model: 'what a deletion hands to hooks; there are none',
}
/** The folders of better-auth that run here. */
const RUN = ['api/routes', 'db', 'plugins/organization', 'plugins/two-factor', 'plugins/generic-oauth', 'oauth2']

t.test('each list of better-auth without a limit has a bound here', async t => {
  const root = join(import.meta.dirname, '../../node_modules/better-auth/dist')
  const found = new Set<string>()
  for (const folder of RUN) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.mjs')) continue
      const calls = readFileSync(join(root, folder, file), 'utf8').split(/findMany\(\{/)
      for (const call of calls.slice(1)) {
        const asked = call.slice(0, call.search(/^\t*\}\)/m))
        if (!/^\t*limit\b/m.test(asked)) found.add(/model: "(\w+)"/.exec(asked)?.[1] ?? 'model')
      }
    }
  }
  t.ok(found.size >= 5, [...found].join(' '))
  t.strictSame([...found].filter(model => LISTED[model] === undefined).sort(), [])
})

t.test('lists are whole, and what expired is deleted', async t => {
  const { background, expire } = askable()
  const { auth, sql } = await openAuth(t, { background })
  await listsAreWhole(t, { auth, run: async statement => sql(statement.replace('false', '0')), expire })
})
