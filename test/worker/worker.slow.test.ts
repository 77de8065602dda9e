/** The worker computes large tasks one at a time, with the results of the main thread, and can die alone. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { blobId } from '../../src/bundle/canonical.ts'
import { Failure } from '../../src/bundle/errors.ts'
import type { FileChange, Stored } from '../../src/bundle/file-change.ts'
import type { Format } from '../../src/bundle/names.ts'
import { compute, type TaskInput, type TaskName } from '../../src/worker/tasks.ts'
import { BundleWorker } from '../../src/worker/worker.ts'
import { FLAT, file, NESTED, pushed } from '../bundle/pushing.ts'
import { keyName, resource, text } from '../bundle/resources.ts'
import { eventually } from '../contract/server.ts'

const SILENT = { error: () => undefined }
const folder = new URL('../cases/', import.meta.url)
const cases = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))

/** An answer, or the failure in its place, in words that can be compared. */
async function told(run: () => unknown): Promise<unknown> {
  try {
    return plain(await run())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, data } = error
    return { code, message, data }
  }
}

/** Bytes as text: those that came from the thread are no Buffer. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, value]) => [name, plain(value)]))
}

interface Given {
  body: string | Buffer
  stored?: string
  format?: Format
  language?: string
  overwrites?: boolean
  prunes?: boolean
  detailed?: boolean
}

const storedAs = (text: string | Uint8Array, format: Format = NESTED): Stored => {
  const bytes = Uint8Array.from(Buffer.from(text as string))
  return { id: blobId(bytes), bytes, format }
}

/** A new task for each call: its bytes move to the thread. */
function task(given: Given): TaskInput<'push'> {
  const { stored = '{}\n', format, language = 'en', overwrites = true, prunes = false, detailed = false } = given
  const rules = { language, overwrites, prunes }
  return { stored: storedAs(stored, format), body: Uint8Array.from(Buffer.from(given.body as string)), rules, detailed }
}

const worker = new BundleWorker(SILENT)
t.teardown(() => worker.close())

/** What the worker says, which must be what is computed here. */
async function same<N extends TaskName>(t: Test, name: N, make: () => TaskInput<N>, message: string): Promise<unknown> {
  const there = await told(() => worker.run(name, make))
  t.strictSame(there, await told(() => compute(name, make())), message, { diagnostic: false })
  return there
}

const renaming = (from: string, to: string) => {
  return { language: 'en', texts: Buffer.from('{}'), removes: [], renames: [{ from, to }] }
}

t.test('returns the results of the main thread for the case files', async t => {
  for (const { name, file, format, lang: language } of cases('index.json')) {
    const body = readFileSync(new URL(file, folder))
    for (const overwrites of [true, false]) {
      const given = { body, language, overwrites, format: format === 'flat' ? FLAT : NESTED, detailed: true }
      await same(t, 'push', () => task(given), name)
    }
  }
  for (const { resource, lang: language, why } of cases('refuse-accept.json'))
    await same(t, 'push', () => task({ body: JSON.stringify(resource), language }), why)
})

t.test('returns the failures of the main thread for invalid bodies and files', async t => {
  const kinds = { invalid: ['{', '', 'nonsense', Buffer.from([0x7b, 0xff])], unfit: ['[]', '5', '{"a":5}', 'null'] }
  for (const [code, bodies] of Object.entries(kinds)) {
    for (const body of bodies) t.match(await same(t, 'push', () => task({ body }), `${code} ${body}`), { code })
  }
  const damaged = () => task({ body: '{}', stored: '[]' })
  t.match(await same(t, 'push', damaged, 'a stored file that is damaged'), { code: 'unfit' })
  const read = (body: string) => () => ({ body: Uint8Array.from(Buffer.from(body)) })
  t.equal(await same(t, 'read', read('{"a":5}'), 'a body is only read'), undefined)
  t.match(await same(t, 'read', read('{"a":'), 'and refused'), { code: 'invalid' })
})

t.test('computes pushes of arbitrary resources', async t => {
  let changed = 0
  const flags = fc.record({ overwrites: fc.boolean(), prunes: fc.boolean(), detailed: fc.boolean() })
  const property = fc.asyncProperty(resource, resource, flags, async (before, body, rules) => {
    let stored = '{}\n'
    try {
      stored = file(pushed(before))
    } catch {
      // One that is refused is not stored.
    }
    const given = { body: JSON.stringify(body), stored, ...rules }
    const answer = await same(t, 'push', () => task(given), 'push')
    if ((answer as { file?: FileChange }).file?.kind === 'written') changed++
  })
  await fc.assert(property, { numRuns: 150 })
  t.ok(changed > 30, `${changed} changed something`)
})

t.test(
  'a task for one bundle is the same here and there: keys, removals, renaming, another format, counts, rows',
  async t => {
    const stored = '{\n  "a": "A",\n  "item_one": "one",\n  "list": [\n    "x",\n    "y"\n  ]\n}\n'
    const bundle = () => ({ stored: storedAs(stored) })
    for (const [name, value] of [
      ['a', 'B'],
      ['a', 'A'],
      ['item', { one: 'x', other: 'y' }],
      ['item', 'text'],
      ['item_other', '{n, plural, other {x}}'],
      ['new.key', 'N'],
    ] as const)
      await same(t, 'key', () => ({ ...bundle(), name, value }), `key ${name}`)
    for (const name of ['a', 'item_one', 'none', 'list.0', 'list.1'])
      await same(t, 'remove', () => ({ ...bundle(), name }), `remove ${name}`)
    t.equal(await same(t, 'remove', () => ({ ...bundle(), name: 'none' }), 'what is not there'), null)
    for (const [from, to, expected] of [
      ['a', 'b', { renamed: ['a'], taken: [], file: { kind: 'written' } }],
      ['a', 'item', { renamed: ['a'], taken: ['item'], file: { kind: 'unchanged' } }],
      ['none', 'a', { renamed: [], taken: ['a'], file: { kind: 'unchanged' } }],
      ['list.0', 'b', { refused: /list/ }],
    ] as const)
      t.match(
        await same(t, 'changeTexts', () => ({ ...bundle(), ...renaming(from, to) }), `rename ${from} to ${to}`),
        expected,
      )
    await same(t, 'reformat', () => ({ ...bundle(), format: FLAT }), 'flat')
    t.equal(await same(t, 'count', bundle, 'count'), 4)
    await same(t, 'rows', () => ({ ...bundle(), namespace: 'ns' }), 'rows')
    const damaged = () => ({ stored: storedAs('[]'), namespace: 'ns' })
    t.match(await same(t, 'rows', damaged, 'a damaged file'), { code: 'unfit' })
  },
)

t.test('refuses a task of too much memory, and starts another thread after a death', async t => {
  const logged: string[] = []
  const small = new BundleWorker({ error: (_, message) => logged.push(message) }, { heapMegabytes: 32 })
  t.teardown(() => small.close())
  const many = (keys: number) => `{${Array.from({ length: keys }, (_, n) => `"${n}":""`).join()}}`
  const push = (on: BundleWorker, body: string) => on.run('push', () => task({ body }))
  await t.rejects(push(small, many(400_000)), { code: 'too-large', message: /more memory/ }, 'by its bytes')
  t.same(logged, [], 'and not begun')
  await t.rejects(push(small, many(180_000)), { code: 'too-large', message: /more memory/ }, 'out of memory')
  t.equal(logged.length, 1, 'which the log has')
  t.match(await push(small, '{"a":"x"}'), { counts: { added: 1 } }, 'the next one')

  const started = new Promise<Worker>(resolve => process.once('worker', resolve))
  const other = new BundleWorker(SILENT)
  t.teardown(() => other.close())
  const refused = t.rejects(
    push(other, many(400_000)),
    { code: 'unavailable', data: { retryAfter: 1 } },
    'one that is ended from outside',
  )
  await (await started).terminate()
  await refused
  t.match(await push(other, '{"a":"x"}'), { counts: { added: 1 } })
})

t.test('starts its thread on demand, ends it when idle, and starts it again', async t => {
  const seen = { started: 0, ended: 0 }
  const count = (thread: Worker) => {
    seen.started++
    thread.once('exit', () => seen.ended++)
  }
  process.on('worker', count)
  t.teardown(() => process.off('worker', count))
  const idle = new BundleWorker(SILENT, { idleMs: 20 })
  t.teardown(() => idle.close())
  t.equal(seen.started, 0)
  for (let round = 1; round <= 2; round++) {
    await idle.run('push', () => task({ body: '{}' }))
    t.equal(seen.started, round)
    t.ok(await eventually(() => seen.ended === round))
  }
})

t.test('runs tasks in order, and skips a caller that leaves', async t => {
  const begun: string[] = []
  let atOnce = 0
  const left = new AbortController()
  const run = async (name: string, signal?: AbortSignal) => {
    const prepare = async () => {
      begun.push(name)
      t.equal(++atOnce, 1, `${name} is alone`)
      await pause(10)
      atOnce--
      return task({ body: '{}' })
    }
    await worker.run('push', prepare, signal)
  }
  const [first, second, third] = [run('first'), run('second', left.signal), run('third')]
  const gone = new Failure('invalid', 'The client has left.')
  left.abort(gone)
  await t.rejects(second, gone)
  await Promise.all([first, third])
  t.strictSame(begun, ['first', 'third'])
  await t.rejects(run('late', left.signal), gone, 'nor is one begun that had left before')
  const refusing = () => {
    throw new Failure('unavailable', 'no room')
  }
  await t.rejects(worker.run('push', refusing), { message: 'no room' }, 'what says what to compute may refuse')
  t.equal(await worker.run('push', () => undefined), undefined, 'or find that there is nothing to compute')
  t.match(await worker.run('push', () => task({ body: '{}' })), { counts: { added: 0 } }, 'and the next has its turn')
})

t.test('refuses tasks past the maximum of waiting ones', async t => {
  const busy = new BundleWorker(SILENT, { maxWaiting: 3 })
  t.teardown(() => busy.close())
  const runs = Array.from({ length: 8 }, () => busy.run('push', () => task({ body: '{}' })))
  const outcomes = await Promise.allSettled(runs)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  t.equal(refused.length, 4, 'one runs and three wait')
  for (const outcome of refused) t.match(outcome, { reason: { code: 'unavailable', data: { retryAfter: 1 } } })
})

t.test('computes change after change of one file with the cached last version', async t => {
  const value = fc.oneof(text, fc.constant({ one: 'x', other: 'y' }))
  const change = fc.oneof(
    fc.record({ name: keyName, value }),
    fc.record({ name: fc.constantFrom('a', 'b', 'c.d', 'item'), value }),
    fc.record({ removed: fc.constantFrom('a', 'b', 'c.d', 'item') }),
    fc.record({ from: fc.constantFrom('a', 'b'), to: fc.constantFrom('c.d', 'e') }),
    fc.record({ body: resource.map(body => JSON.stringify(body)), prunes: fc.boolean() }),
  )
  for (const format of [NESTED, FLAT] as const) {
    for (const changes of fc.sample(fc.array(change, { minLength: 10, maxLength: 30 }), 20)) {
      let stored = '{}\n'
      for (const change of changes) {
        const bundle = () => ({ stored: storedAs(stored, format) })
        let answer: unknown
        if ('name' in change) answer = await same(t, 'key', () => ({ ...bundle(), ...change }), 'key')
        else if ('removed' in change)
          answer = await same(t, 'remove', () => ({ ...bundle(), name: change.removed }), 'remove')
        else if ('from' in change)
          answer = await same(t, 'changeTexts', () => ({ ...bundle(), ...renaming(change.from, change.to) }), 'rename')
        else answer = await same(t, 'push', () => task({ ...change, stored, format }), 'push')
        const made = (answer as { file?: FileChange } | null)?.file
        if (made?.kind === 'written') stored = String(made.bytes)
        else if (made?.kind === 'removed') stored = '{}\n'
      }
    }
  }
})

t.test('refuses waiting tasks and ends the thread when it closes', async t => {
  const closing = new BundleWorker({ error: (_, message) => t.fail(message) })
  const threads: Promise<number>[] = []
  process.once('worker', thread => threads.push(new Promise(resolve => thread.once('exit', resolve))))
  await closing.run('push', () => task({ body: '{}' }))
  const many = `{${Array.from({ length: 100_000 }, (_, n) => `"${n}":""`).join()}}`
  const left = [many, '{}'].map(body => closing.run('push', () => task({ body })))
  const refused = Promise.all(left.map(run => t.rejects(run, { code: 'unavailable', message: /shutting down/ })))
  await closing.close()
  await refused
  t.equal(threads.length, 1)
  await threads[0]
  await t.rejects(
    closing.run('push', () => task({ body: '{}' })),
    { code: 'unavailable' },
    'and no task is accepted after it',
  )
})
