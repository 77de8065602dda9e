/** The time of the check of a write, by the number of refused texts: a caller's size. */
import t from 'tap'
import { refusedTexts } from '../../../src/bundle/checks/refused-texts.ts'
import { cost } from '../../processor-time.ts'

const bundleOf = (count: number, text: string) =>
  Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, text]))))

t.test('needs linear time for many refused texts', async t => {
  const [few, many] = [1000, 10_000].map(count => {
    const [source, after] = [bundleOf(count, 'a'), bundleOf(count, 'a ')]
    const rest = { notes: null, marks: null, keys: null, renamed: [], sourceLanguage: 'en', language: 'de' }
    const task = { source, before: null, after, ...rest }
    const check = () => refusedTexts({ ...task, rules: { checks: { space: 'refuse' } } })
    t.match(check(), [['space', { length: count }]])
    return cost(check)
  }) as [number, number]
  // A copy of the list for each text needed 400 times as long.
  t.ok(many < 100 * few, `${few} ${many} ms`)
})
