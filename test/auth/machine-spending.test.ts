/** The count of a month that machines spend within: in SQLite, and on two nodes over one PostgreSQL. */
import t, { type Test } from 'tap'
import type { Auth } from '../../src/auth/auth.ts'
import { accountsOnPostgres, openNode } from '../cluster/accounts/nodes.ts'
import { noPostgres } from '../cluster/postgres.ts'
import { newFolder } from '../new-folder.ts'
import { openAuth } from './open.ts'

const NOVEMBER = Date.UTC(2026, 10, 30, 23, 59)
const DECEMBER = Date.UTC(2026, 11, 1)

/** @param open opens one more process over the same accounts, with its own clock */
async function spends(t: Test, open: (now: () => number) => Promise<Auth>, others: number): Promise<void> {
  const clock = { now: NOVEMBER }
  const all = [await open(() => clock.now)]
  for (let more = 0; more < others; more++) all.push(await open(() => clock.now))
  const [one] = all
  const shown = () => Promise.all(all.map(async ({ spending }) => Object.fromEntries(await spending.spent())))
  const everywhere = (counts: object) => all.map(() => counts)

  t.strictSame(await shown(), everywhere({}))
  const wanted = Array.from({ length: 60 }, (_, index) =>
    all[index % all.length]!.spending.reserve('deepl/USD', 7, 100),
  )
  const reserved = (await Promise.all(wanted)).filter(reservation => reservation !== undefined)
  t.equal(reserved.length, 14, 'parallel requests stay within the limit')
  t.strictSame(await shown(), everywhere({ 'deepl/USD': 98 }))
  t.equal(await one!.spending.reserve('deepl/USD', 3, 100), undefined)
  t.ok(await one!.spending.reserve('deepl/USD', 2, 100), 'up to the limit')
  await Promise.all(reserved.slice(0, 10).map((reservation, index) => reservation.settle(index)))
  t.strictSame(await shown(), everywhere({ 'deepl/USD': 100 - 70 + 45 }), 'what was spent, not what was reserved')
  t.equal(await one!.spending.reserve('other/characters', 101, 100), undefined, 'more than the limit at once')
  t.ok(await one!.spending.reserve('free/characters', 2 ** 40), 'without a limit')
  t.strictSame(await shown(), everywhere({ 'deepl/USD': 75, 'free/characters': 2 ** 40 }))

  clock.now = DECEMBER
  t.strictSame(await shown(), everywhere({}), 'a new month')
  t.ok(await one!.spending.reserve('deepl/USD', 100, 100))
  await reserved[10]!.settle(0)
  t.strictSame(await shown(), everywhere({ 'deepl/USD': 100 }), 'a request of the last month changes nothing')
  clock.now = NOVEMBER
  t.equal(await all.at(-1)!.spending.reserve('deepl/USD', 1, 100), undefined, 'a late clock counts in the new month')
  clock.now = DECEMBER + 2 * 365 * 86_400_000
  await one!.spending.reserve('new/USD', 1, 100)
  clock.now = 0
  t.strictSame(await shown(), everywhere({ 'new/USD': 1 }), 'old counts are deleted')
}

t.test('stays within a monthly limit in SQLite, also after a restart', async t => {
  const { auth, dataDir } = await openAuth(t)
  await auth.spending.reserve('kept/USD', 5, 10)
  await auth.close()
  const again = await openAuth(t, { dataDir })
  t.strictSame([...(await again.auth.spending.spent())], [['kept/USD', 5]])
  t.equal(await again.auth.spending.reserve('kept/USD', 6, 10), undefined)
  await spends(t, async now => (await openAuth(t, { now })).auth, 0)
})

t.test('stays within a monthly limit on all nodes of a cluster', { skip: noPostgres() }, async t => {
  const { newNodes } = await accountsOnPostgres(t)
  const nodes = await newNodes(t)
  await spends(t, async now => (await openNode(t, nodes, { now, dataDir: newFolder(t) })).auth, 2)
})
