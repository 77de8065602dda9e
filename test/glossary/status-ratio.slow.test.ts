/** What a glossary adds to the counts of a status. */
import t from 'tap'
import { countBundle } from '../../src/project/status.ts'

/** Maximum processor time of 10,000 keys with 1,000 terms, in times of that without. Measured: 3. */
const LIMIT = 8

t.test('counts 10,000 keys with 1,000 terms in a small multiple of the time without', async t => {
  const words = ['save', 'open', 'user', 'file', 'list', 'page', 'item', 'name', 'word', 'sale']
  const text = (n: number) => `${words[n % 10]}${n % 1_500} of the ${words[(n * 7) % 10]} number ${n} is ready {{name}}`
  const file = (ending: string) =>
    Buffer.from(
      JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key${n}`, text(n) + ending]))),
    )
  const [source, target] = [file(''), file(' da')]
  const terms = Array.from({ length: 1_000 }, (_, n) => {
    const term = `${words[n % 10]}${n}`
    return { term, translations: { de: { use: [term], avoid: [`Wort${n}`] } } }
  })
  const project = Buffer.from(JSON.stringify({ terms }))
  const count = (glossaries: { name: string; organization: null; project: Buffer } | undefined) => {
    const begun = process.threadCpuUsage()
    countBundle({
      source,
      target,
      noted: [],
      maxima: [],
      marks: null,
      suggestions: null,
      sourceLanguage: 'en',
      language: 'de',
      rules: { glossaries },
    })
    const { user, system } = process.threadCpuUsage(begun)
    return (user + system) / 1000
  }
  const best = (glossaries: Parameters<typeof count>[0]) =>
    Math.min(...Array.from({ length: 5 }, () => count(glossaries)))
  const [without, with1000] = [best(undefined), best({ name: 'x', organization: null, project })]
  const says = `${(with1000 / without).toFixed(2)} times ${without.toFixed(0)} ms`
  t.comment(says)
  t.ok(with1000 < LIMIT * without, says)
})
