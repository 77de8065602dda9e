/** An act on shared accounts is done as a whole or not at all, when its connection is lost at any statement. */

import type pg from 'pg'
import t from 'tap'
import type { EngineOptions } from '../../../src/auth/options.ts'
import type { SharedClient, SharedPool } from '../../../src/cluster/accounts/options.ts'
import { SharedAccounts } from '../../../src/cluster/accounts/shared-accounts.ts'
import { ACTS, WRITTEN } from '../../auth/acts.ts'
import type { Visitor } from '../../auth/visitor.ts'
import { noPostgres } from '../postgres.ts'
import { accountsOnPostgres, type Nodes, openNode } from './nodes.ts'

const READS = /^\s*select\b/i

/** A pool with connections that the server ends at a statement of an act. The process behind them goes on. */
class Cutting {
  /** Statements until then; reads are none. */
  left = Number.POSITIVE_INFINITY
  readonly #known = new WeakMap<SharedClient, SharedClient>()
  readonly #nodes
  readonly #pool

  constructor(nodes: Nodes, pool: SharedPool) {
    this.#nodes = nodes
    this.#pool = pool
  }

  async connect(): Promise<SharedClient> {
    const client = await this.#pool.connect()
    const known = this.#known.get(client)
    if (known) return known
    const { processID, on } = client as unknown as { processID: number; on: pg.Client['on'] }
    on.call(client, 'error', () => {})
    const query: SharedClient['query'] = async asked => {
      if (!READS.test(asked.text) && --this.left === 0) {
        await this.#nodes.ask(`select pg_terminate_backend(${processID}, 5000)`)
      }
      return client.query(asked)
    }
    const cut = { query, release: (broken?: boolean) => client.release(broken) }
    this.#known.set(client, cut)
    return cut
  }
}

/** All rows, by table. */
const contents = (nodes: Nodes) =>
  Promise.all(WRITTEN.map(table => nodes.ask(`select * from "${table}" as one order by one.id`)))

type Contents = Awaited<ReturnType<typeof contents>>

const sameText = (one: Contents, other: Contents) => JSON.stringify(one) === JSON.stringify(other)

/** The rows without random values and times. */
const shape = (tables: Contents) =>
  tables.map(rows => rows.map(row => JSON.stringify(row, (key, value) => (isPlain(key, value) ? value : '-'))).sort())

const isPlain = (key: string, value: unknown) =>
  key !== 'number' && (typeof value !== 'string' || (value.length < 12 && !value.startsWith('2fa-')))

t.test('an act that is cut off at any of its statements', { skip: noPostgres() }, async t => {
  const { newNodes } = await accountsOnPostgres(t)
  for (const [name, scene] of Object.entries(ACTS)) {
    await t.test(name, async t => {
      const twin = await newNodes(t)
      // The first act of all looks at the tables, too.
      const warm = async (visitor: () => Visitor) => void (await visitor().signIn('nobody'))
      const uncut = (await openNode(t, twin)).visitor
      await warm(uncut)
      const [whole, status] = await scene(uncut)
      t.match(await whole(), { status })
      const nodes = await newNodes(t)
      const shared = nodes.options()
      const pool = new Cutting(nodes, shared.pool)
      const openEngine = (given: EngineOptions) => SharedAccounts.open({ ...shared, pool }, given)
      const { visitor } = await openNode(t, nodes, { openEngine })
      await warm(visitor)
      const [act] = await scene(visitor)
      const before = await contents(nodes)
      let at = 0
      do {
        pool.left = ++at
        const answer = await act()
        pool.left = Number.POSITIVE_INFINITY
        if (answer.status === status) break
        t.equal(answer.status, 503, `cut off at statement ${at}`)
      } while (sameText(await contents(nodes), before))
      t.ok(at > 2, `something is done after ${at - 1} statements`)
      t.strictSame(shape(await contents(nodes)), shape(await contents(twin)), 'and nothing is missing')
    })
  }
})
