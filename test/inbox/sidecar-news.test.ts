/** What a new version of a file of comments reports, within limits. */
import t from 'tap'
import { sidecarNews } from '../../src/inbox/sidecar-news.ts'

const AT = Date.parse('2026-11-20T10:00:00.000Z')
/** Comments on one key, each by another author. */
const comments = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    return { id: `c${at}`, by: { id: `u${at}`, name: 'Ann' }, at: new Date(AT + at).toISOString(), text: 'x' }
  })
const file = (entries: object) => Buffer.from(JSON.stringify(entries))
const news = (before: object, after: object) =>
  sidecarNews({ sidecar: 'comments', before: file(before), after: file(after) })

t.test('has the thread of each added comment', async t => {
  const [one, two, three] = comments(3)
  const other = { ...three, id: 'd0' }
  const { added } = news({ a: [one] }, { a: [one, two, three], b: [other] })
  t.strictSame(
    added.map(({ key, id, thread }) => [key, id, thread]),
    [
      ['a', 'c1', ['u0']],
      ['a', 'c2', ['u0', 'u1']],
      ['b', 'd0', []],
    ],
  )
})

t.test('reports as many comments as a commit has rows, with threads of bounded length', async t => {
  const { added } = news({}, { a: comments(3_000) })
  t.equal(added.length, 200)
  const last = news({ a: comments(2_999) }, { a: comments(3_000) }).added
  t.match(last, [{ id: 'c2999', thread: { length: 500 } }])
})
