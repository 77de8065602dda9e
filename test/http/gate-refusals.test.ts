/** The refused texts that a request counts: those of the newest jobs, within limits. */
import t from 'tap'
import { GateRefusals, withinLimits } from '../../src/http/translating/gate-refusals.ts'

const place = { organization: 'acme', project: 'web' }
/** The refused texts of a job, as large as they are stored. */
const stored = (job: number) =>
  JSON.stringify(
    Array.from({ length: 4_000 }, (_, at) => {
      const names = ['count'.padEnd(300, 't')]
      return { namespace: 'common', key: `k${job}.${at}`, of: '0', config: '0', by: 'DeepL', refused: [{ names }] }
    }),
  )

t.test('reads the refused texts of a bounded number of jobs', async t => {
  let read = 0
  const jobs = {
    async *refused() {
      for (; read < 20; read++) yield stored(read)
    },
  }
  const refusals = await GateRefusals.read(jobs, place, 'de')
  t.ok(read <= 5, `${read} jobs`)
  t.equal(refusals.byNamespace().get('common')!.has('k0.0'), true, 'those of the newest job')
})

t.test('answers with the first refusals, fewer where they are long', t => {
  const refused = JSON.parse(stored(0))
  t.equal(withinLimits(refused, { texts: 1_000, characters: 1_000_000 }).length, 1_000)
  const few = withinLimits(refused, { texts: 1_000, characters: 100_000 }).length
  t.ok(few > 100 && few < 300, `${few}`)
  t.end()
})
