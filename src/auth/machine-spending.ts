/** What machine translators spent in a calendar month (UTC), in the tables of the accounts: the same on all nodes. */
import type { Engine } from './engine.ts'

export class MachineSpending {
  readonly #engine
  readonly #now: () => number

  /** @param now milliseconds since 1970 */
  constructor(engine: Pick<Engine, 'query' | 'change'>, now: () => number = Date.now) {
    this.#engine = engine
    this.#now = now
  }

  /**
   * Adds an amount to a meter's count of this month, unless it would pass the limit. One statement decides, so parallel
   * requests of all nodes stay within the limit. Counts of past months are replaced, those of a year ago deleted.
   * @param amount a whole number @param limit undefined for none
   * @returns undefined where the amount would pass the limit
   */
  async reserve(meter: string, amount: number, limit?: number) {
    const most = limit ?? Number.MAX_SAFE_INTEGER
    if (amount > most) return undefined
    const now = monthOf(this.#now())
    const month = await this.#engine.change(async run => {
      await run`delete from machine_spent where month < ${monthOf(this.#now() - YEAR)}`
      // The clock of another node may already show the next month: its month counts.
      const { rows } = await run<{ month: string }>`
        insert into machine_spent (id, month, spent) values (${meter}, ${now}, cast(${amount} as bigint))
        on conflict (id) do update set
          spent = case when machine_spent.month < excluded.month then 0 else machine_spent.spent end + excluded.spent,
          month = case when machine_spent.month < excluded.month then excluded.month else machine_spent.month end
        where machine_spent.month < excluded.month or machine_spent.spent + excluded.spent <= cast(${most} as bigint)
        returning month`
      return rows[0]?.month
    })
    if (month === undefined) return undefined
    return {
      /** Replaces the reserved amount by what was spent. Without this call the whole amount counts. */
      settle: async (spent: number): Promise<void> => {
        if (spent === amount) return
        await this.#engine.change(
          run => run`update machine_spent set spent = spent + cast(${spent - amount} as bigint)
            where id = ${meter} and month = ${month}`,
        )
      },
    }
  }

  /** What each meter counts this month. */
  async spent(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#engine.query(
      run => run<{ id: string; spent: number }>`
        select id, spent from machine_spent where month >= ${monthOf(this.#now())}`,
    )
    return new Map(rows.map(({ id, spent }) => [id, Number(spent)]))
  }
}

const YEAR = 365 * 86_400_000

const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7)
