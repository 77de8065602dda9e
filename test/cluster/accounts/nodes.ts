/** Nodes of one process over one database, which hear of each other by calls. */
import { inspect } from 'node:util'
import pg from 'pg'
import root, { type Test } from 'tap'
import { Auth, type AuthOptions } from '../../../src/auth/auth.ts'
import type { SharedAccountsOptions } from '../../../src/cluster/accounts/options.ts'
import { SharedAccounts } from '../../../src/cluster/accounts/shared-accounts.ts'
import { Visitor } from '../../auth/visitor.ts'
import '../../quick-passwords.ts'
import { newFolder } from '../../new-folder.ts'
import { type Postgres, startPostgres } from '../postgres.ts'

/** See the top of the file. */
export class Nodes {
  readonly #heard = new Set<(seq: number) => Promise<void>>()
  readonly #pool: pg.Pool
  /** Whether no node hears of others' changes. */
  deaf = false

  private constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** @param url of a database of their own */
  static on(t: Test, url: string): Nodes {
    const pool = new pg.Pool({ connectionString: url, max: 10 })
    pool.on('error', () => {})
    t.teardown(() => pool.end())
    return new Nodes(pool)
  }

  /** What one more of them is opened with. */
  options(): SharedAccountsOptions {
    return {
      pool: this.#pool as unknown as SharedAccountsOptions['pool'],
      types: pg.types,
      follow: heard => {
        this.#heard.add(heard)
        return () => this.#heard.delete(heard)
      },
      untilReplicated: async seq => {
        if (!this.deaf) await Promise.all([...this.#heard].map(heard => heard(seq)))
      },
    }
  }

  /** One statement behind the nodes' backs. */
  async ask(sql: string): Promise<Record<string, unknown>[]> {
    return (await this.#pool.query(sql)).rows
  }
}

/** One more of them. */
export async function openNode(t: Test, nodes: Nodes, options: Partial<AuthOptions> = {}) {
  const errors: unknown[] = []
  const auth = await Auth.open({
    dataDir: options.dataDir ?? newFolder(t),
    signUp: 'open',
    rateLimit: false,
    log: { warn: () => {}, error: (data, message) => errors.push([message, inspect(data)]) },
    openEngine: given => SharedAccounts.open(nodes.options(), given),
    ...options,
  })
  t.teardown(() => auth.close())
  return { auth, errors, visitor: () => new Visitor(auth) }
}

/** One for all test files of this process: to start it costs two seconds. */
let postgresOfProcess: Promise<Postgres> | undefined

/** A PostgreSQL, and nodes each time on a database of their own with its tables. */
export async function accountsOnPostgres(t: Test) {
  const postgres = await (postgresOfProcess ??= startPostgres(root, 'fsync=off'))
  const empty = await postgres.database()
  await t.test('creates the tables', async t => {
    const { auth, visitor } = await openNode(t, Nodes.on(t, empty))
    t.match(await visitor().signIn('ann'), { status: 401 })
    t.equal(auth.hasUsers(), false)
  })
  return { postgres, newNodes: async (t: Test) => Nodes.on(t, await postgres.database(empty)) }
}

/** Another client on another node, with the same cookies. */
export function elsewhere(auth: Auth, who: Visitor): Visitor {
  const visitor = new Visitor(auth)
  visitor.takeCookies(who)
  return visitor
}
