import t from 'tap'
import { workIn, workOf } from '../../src/bundle/work.ts'
import { LARGE } from '../../src/http/writing/change-runner.ts'

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const keys = (count: number, name: (at: number) => string) =>
  json(Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), 'x'])))

t.test('gives to the worker what is small in bytes and much in keys, segments, forms or escapes', async t => {
  const deep = Array.from({ length: 32 }, () => 'a').join('.')
  const shapes = {
    keys: keys(8_000, at => `${at}k`),
    segments: keys(400, at => `${at}.${deep}`),
    forms: keys(7_000, at => `${Math.floor(at / 6)}_${['zero', 'one', 'two', 'few', 'many', 'other'][at % 6]}`),
    escapes: keys(5_000, at => `${at}"`),
    items: json({ a: Array.from({ length: 20_000 }, () => 'x') }),
  }
  for (const [name, bytes] of Object.entries(shapes)) {
    t.ok(bytes.length < 2 ** 17, `${name}: ${bytes.length} bytes`)
    t.ok(workOf(bytes) > LARGE, `${name}: ${workOf(bytes)}`)
  }
})

t.test('leaves a bundle of usual size, or one long text, to the main thread', async t => {
  t.ok(workOf(keys(1_000, at => `section.key${at}`)) < LARGE)
  t.ok(workOf(json({ a: 'x '.repeat(2 ** 18) })) < LARGE)
})

t.test('adds up all texts of a task', async t => {
  const bytes = keys(3_000, at => `${at}k`)
  t.ok(workOf(bytes) < LARGE)
  t.ok(workIn({ targets: [{ before: bytes, after: Buffer.from(bytes) }], notes: null }) > LARGE)
})
