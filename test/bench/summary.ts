/**
 * The end of a run of all parts: one table of what was reached, and the same as a chart, from what the parts left in
 * `results/`.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { drawChart } from './chart.ts'
import { isMet, type Part, RESULTS, reached } from './report.ts'

const parts = fs
  .readdirSync(RESULTS)
  .filter(file => file.endsWith('.json'))
  .map((file): Part => JSON.parse(fs.readFileSync(join(RESULTS, file), 'utf8')))
const rows = parts.flatMap(({ name, rows }) => rows.map(row => ({ part: name, row })))
const width = Math.max(...rows.map(({ part, row }) => `${part}: ${row.name}`.length))
console.log('\nHow far each goal is reached; 1 is just enough, 2 is twice as good.')
for (const { part, row } of rows) {
  console.log(
    `${`${part}: ${row.name}`.padEnd(width)}  ${reached(row).toFixed(2).padStart(7)}  ${isMet(row) ? 'ok' : 'MISSED'}`,
  )
}
console.log(`${rows.filter(({ row }) => isMet(row)).length} of ${rows.length} goals reached`)
fs.writeFileSync(join(RESULTS, 'bench.svg'), drawChart(parts))
