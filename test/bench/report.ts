/** The results of a benchmark: a table on the screen, and JSON for the chart. */
import fs from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { median, QUICK } from './harness.ts'

/** One comparison: the medians of ours and the other, their ratio per round, and its limit. */
export interface Row {
  name: string
  ours: number
  other: number
  unit: string
  /** The median of `ratios`. */
  ratio: number
  ratios: number[]
  /** The ratio to reach. */
  limit: number
  /** Whether the ratio has to stay below the limit instead. */
  atMost?: boolean
}

export const RESULTS = join(import.meta.dirname, 'results')

/** A stored part of the suite. */
export interface Part {
  name: string
  what: string
  date: string
  machine: string
  rows: Row[]
}

/** A row of how ours compares with the other, measured in the same rounds: `ours / other`. */
export function compared(
  name: string,
  ours: readonly number[],
  other: readonly number[],
  { unit, limit, atMost = false }: Pick<Row, 'unit' | 'limit' | 'atMost'>,
): Row {
  const ratios = ours.map((value, round) => value / other[round]!)
  return { name, ours: median(ours), other: median(other), unit, ratio: median(ratios), ratios, limit, atMost }
}

/** A row of what must stay below a fixed limit. */
export function bounded(name: string, values: readonly number[], most: number, unit: string): Row {
  const limits = values.map(() => most)
  return compared(name, values, limits, { unit, limit: 1, atMost: true })
}

/** How far a row reaches what it has to: 1 is just enough, 2 is twice as good. */
export const reached = ({ ratio, limit, atMost }: Row): number => (atMost ? limit / ratio : ratio / limit)

export const isMet = ({ ratio, limit, atMost }: Row) => (atMost ? ratio <= limit : ratio >= limit)

/**
 * Prints the rows, and stores those of a full run in `results/<name>.json`.
 * @returns the exit code: 1 for a missed limit
 */
export function report(name: string, what: string, rows: Row[]): number {
  console.log(`\n${name}: ${what}`)
  const width = Math.max(...rows.map(row => row.name.length))
  for (const row of rows) {
    const spread = `${Math.min(...row.ratios).toFixed(2)}-${Math.max(...row.ratios).toFixed(2)}`
    const verdict = isMet(row) ? 'ok' : 'MISSED'
    console.log(
      `${row.name.padEnd(width)}  ${figure(row.ours)} / ${figure(row.other)} ${row.unit.padEnd(3)}` +
        `  ${row.ratio.toFixed(2).padStart(6)}  (${spread})  at ${row.atMost ? 'most' : 'least'} ${row.limit}: ${verdict}`,
    )
  }
  if (!QUICK) {
    fs.mkdirSync(RESULTS, { recursive: true })
    const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.version}`
    const kept: Part = { name, what, date: new Date().toISOString().slice(0, 10), machine, rows }
    fs.writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`)
  }
  return rows.every(isMet) ? 0 : 1
}

const figure = (value: number) => (value < 100 ? value.toFixed(1) : Math.round(value).toString()).padStart(7)
