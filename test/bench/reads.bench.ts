/**
 * Measures what a read costs the server beside the least that Node can do, and beside what teams use instead; exits
 * with 1 when a limit is missed.
 */
import { alternate } from './harness.ts'
import { readCases } from './read-cases.ts'
import { compared, report } from './report.ts'

const { cases, stop } = await readCases()
const results = await alternate(cases.flatMap(({ ours, theirs }) => [theirs, ours]))
await stop()
const rows = cases.map(({ name, limit }, index) => {
  const [theirs = [], ours = []] = results.slice(index * 2, index * 2 + 2)
  return compared(name, theirs, ours, { unit: 'us', limit })
})
process.exitCode = report(
  'reads',
  'Processor time of theirs and of ours per read; the ratio is how many of ours fit into one of theirs.',
  rows,
)
