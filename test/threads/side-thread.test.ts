/** The thread that computes large pushes: it answers what is computed without it, one at a time, and dies alone. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { blobId } from '../../src/bundle/canonical.ts'
import { Failure } from '../../src/bundle/errors.ts'
import { computeKey } from '../../src/bundle/key-task.ts'
import type { MadeFile } from '../../src/bundle/made-file.ts'
import type { Format } from '../../src/bundle/names.ts'
import { computePush, type PushAnswer, type PushTask } from '../../src/bundle/push.ts'
import { renderRows } from '../../src/bundle/rows.ts'
import { SideThread } from '../../src/threads/side-thread.ts'
import { FLAT, file, NESTED, pushed } from '../bundle/pushing.ts'
import { keyName, resource, text } from '../bundle/resources.ts'
import { eventually } from '../contract/server.ts'

const SILENT = { error: () => undefined }
const folder = new URL('../cases/', import.meta.url)
const cases = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))

/** An answer in words that can be compared. */
function told(answer: PushAnswer): unknown {
  if ('failure' in answer) {
    const { code, message, data } = answer.failure
    return { kind: answer.kind, failure: answer.failure instanceof Failure, code, message, data }
  }
  if (answer.kind === 'read') return answer
  const { counts, file, details } = answer.pushed
  return { counts, file: file && { id: file.id, text: file.bytes.toString() }, details: details?.toString() }
}

interface Given {
  body: string | Buffer
  stored?: string
  format?: Format
  language?: string
  overwrites?: boolean
  prunes?: boolean
  details?: boolean
}

/** A task, made anew each time: its bytes change hands. */
function task(given: Given): PushTask {
  const { stored = '{}\n', format = NESTED, language = 'en', overwrites = true, prunes = false } = given
  const bytes = Buffer.from(stored)
  const onto = { id: blobId(bytes), stored: bytes, format, rules: { language, overwrites, prunes } }
  return { body: Buffer.from(given.body), onto, details: given.details ?? false }
}

const onThread = new SideThread(SILENT)
t.teardown(() => onThread.close())

/** Has a push computed. */
const ask = (thread: SideThread, prepare: () => PushTask | Promise<PushTask>, left?: AbortSignal) =>
  thread.run('push', prepare, { finish: computed => computed, ...(left && { left }) })

/** What the thread says, beside what is computed here. */
async function both(given: Given): Promise<{ aside: unknown; here: unknown; body: Buffer }> {
  const { answer, task: back } = await ask(onThread, () => task(given))
  return { aside: told(answer), here: told(computePush(task(given))), body: back.body as Buffer }
}

async function same(t: Test, given: Given, name: string): Promise<unknown> {
  const { aside, here, body } = await both(given)
  t.strictSame(aside, here, name)
  t.ok(body.equals(Buffer.from(given.body)), `${name}: the body is given back`)
  return aside
}

t.test('the case files', async t => {
  for (const { name, file, format, lang: language } of cases('index.json')) {
    const body = readFileSync(new URL(file, folder))
    for (const overwrites of [true, false])
      await same(t, { body, language, overwrites, format: format === 'flat' ? FLAT : NESTED, details: true }, name)
  }
  for (const { resource, lang: language, why } of cases('refuse-accept.json'))
    await same(t, { body: JSON.stringify(resource), language }, why)
})

t.test('bodies that are no resource, and files that are none', async t => {
  const kinds = { unread: ['{', '', 'nonsense', Buffer.from([0x7b, 0xff])], refused: ['[]', '5', '{"a":5}', 'null'] }
  for (const [kind, bodies] of Object.entries(kinds))
    for (const body of bodies) t.match(await same(t, { body }, `${kind} ${body}`), { kind, failure: true })
  t.match(await same(t, { body: '{}', stored: '[]' }, 'a stored file that is damaged'), { kind: 'refused' })
  const { answer } = await ask(onThread, () => ({
    body: Buffer.from('{"a":5}'),
    onto: undefined,
    details: false,
  }))
  t.strictSame(answer, { kind: 'read' }, 'where nothing is to be pushed into, it is only read')
})

t.test('whatever is pushed into whatever', async t => {
  let changed = 0
  const flags = fc.record({ overwrites: fc.boolean(), prunes: fc.boolean(), details: fc.boolean() })
  const property = fc.asyncProperty(resource, resource, flags, async (before, body, rules) => {
    let stored = '{}\n'
    try {
      stored = file(pushed(before))
    } catch {
      // One that is refused is not stored.
    }
    const { aside, here } = await both({ body: JSON.stringify(body), stored, ...rules })
    if ((here as { file?: unknown }).file) changed++
    t.strictSame(aside, here, { diagnostic: false })
  })
  await fc.assert(property, { numRuns: 150 })
  t.ok(changed > 30, `${changed} changed something`)
})

t.test('a thread that dies: its push fails, the next one has another', async t => {
  const logged: string[] = []
  const thread = new SideThread({ error: (_, message) => logged.push(message) }, { heapMegabytes: 32 })
  t.teardown(() => thread.close())
  const many = `{${Array.from({ length: 400_000 }, (_, n) => `"${n}":""`).join()}}`
  await t.rejects(
    ask(thread, () => task({ body: many })),
    { code: 'unavailable', message: /more memory/ },
    'out of memory',
  )
  t.equal(logged.length, 1, 'which the log has')
  t.match((await ask(thread, () => task({ body: '{"a":"x"}' }))).answer, { kind: 'pushed' }, 'the next one')

  const started = new Promise<Worker>(resolve => process.once('worker', resolve))
  const other = new SideThread(SILENT)
  t.teardown(() => other.close())
  const dying = ask(other, () => task({ body: many }))
  const refused = t.rejects(dying, { code: 'unavailable', data: { retryAfter: 1 } }, 'one that is ended from outside')
  await (await started).terminate()
  await refused
  t.match((await ask(other, () => task({ body: '{"a":"x"}' }))).answer, { kind: 'pushed' })
})

t.test('it starts when it is needed, ends when it is not, and starts again', async t => {
  const thread = new SideThread(SILENT, { idleMs: 20 })
  t.teardown(() => thread.close())
  t.notOk(thread.running)
  for (let round = 0; round < 2; round++) {
    await ask(thread, () => task({ body: '{}' }))
    t.ok(thread.running)
    t.ok(await eventually(() => !thread.running))
  }
})

t.test('one after the other, in the order they came; who leaves meanwhile is not waited for', async t => {
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
    await ask(onThread, prepare, signal)
  }
  const [first, second, third] = [run('first'), run('second', left.signal), run('third')]
  const gone = new Failure('invalid', 'The client has left.')
  left.abort(gone)
  await t.rejects(second, gone)
  await Promise.all([first, third])
  t.strictSame(begun, ['first', 'third'])
  await t.rejects(run('late', left.signal), gone, 'nor is one begun that had left before')
  await t.rejects(
    ask(onThread, () => {
      throw new Failure('unavailable', 'no room')
    }),
    { message: 'no room' },
    'what says what to compute may refuse',
  )
  t.match((await ask(onThread, () => task({ body: '{}' }))).answer, { kind: 'pushed' }, 'and the next has its turn')
})

t.test('no more than so many wait', async t => {
  const thread = new SideThread(SILENT, { mostWaiting: 3 })
  t.teardown(() => thread.close())
  const runs = Array.from({ length: 8 }, () => ask(thread, () => task({ body: '{}' })))
  const outcomes = await Promise.allSettled(runs)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  t.equal(refused.length, 5)
  for (const outcome of refused) t.match(outcome, { reason: { code: 'unavailable', data: { retryAfter: 1 } } })
})

t.test('what is to be done with an answer belongs to its turn', async t => {
  const seen: string[] = []
  const begin = (name: string) => {
    seen.push(`${name} begins`)
    return task({ body: '{}' })
  }
  const run = (name: string) =>
    onThread.run('push', () => begin(name), {
      finish: async () => {
        await pause(10)
        seen.push(`${name} is through`)
        return name
      },
    })
  t.strictSame(await Promise.all([run('one'), run('two')]), ['one', 'two'])
  t.strictSame(seen, ['one begins', 'one is through', 'two begins', 'two is through'])
})

t.test('one key, and rows', async t => {
  const file = '{\n  "a": "A",\n  "item_one": "one"\n}\n'
  const onto = () => ({ id: blobId(Buffer.from(file)), stored: Buffer.from(file), format: NESTED })
  for (const [name, value] of [
    ['a', 'B'],
    ['a', 'A'],
    ['item', { one: 'x', other: 'y' }],
    ['item', 'text'],
    ['item_other', '{n, plural, other {x}}'],
    ['new.key', 'N'],
  ] as const) {
    const aside = await onThread.run('key', () => ({ name, value, onto: onto() }), { finish: ({ answer }) => answer })
    t.strictSame(aside, computeKey({ name, value, onto: onto() }), name)
  }
  const rows = await onThread.run('rows', () => ({ format: NESTED, files: [{ ...onto(), namespace: 'ns' }] }), {
    finish: ({ answer }) => answer,
  })
  t.strictSame(rows, { rows: [renderRows(Buffer.from(file), NESTED, 'ns')] })
  const damaged = { format: NESTED, files: [{ stored: Buffer.from('[]'), namespace: 'ns' }] }
  t.match(await onThread.run('rows', () => damaged, { finish: ({ answer }) => answer }), { failure: { code: 'unfit' } })
})

t.test('change after change of one file, of which the thread has the last version', async t => {
  const value = fc.oneof(text, fc.constant({ one: 'x', other: 'y' }))
  const change = fc.oneof(
    fc.record({ name: keyName, value }),
    fc.record({ name: fc.constantFrom('a', 'b', 'c.d', 'item'), value }),
    fc.record({ body: resource.map(body => JSON.stringify(body)), prunes: fc.boolean() }),
  )
  for (const format of [NESTED, 'i18next-json-flat'] as const) {
    for (const changes of fc.sample(fc.array(change, { minLength: 10, maxLength: 30 }), 20)) {
      let stored = Buffer.from('{}\n')
      for (const change of changes) {
        const onto = () => ({ id: blobId(stored), stored: Buffer.from(stored), format: format as Format })
        let file: MadeFile
        if ('name' in change) {
          const of = () => ({ ...change, onto: onto() })
          const aside = await onThread.run('key', of, { finish: ({ answer }) => answer })
          t.strictSame(aside, computeKey(of()))
          if (aside && 'file' in aside) file = aside.file
        } else {
          const given = { ...change, stored: `${stored}`, format: format as Format }
          t.strictSame(...(await both(given).then(({ aside, here }) => [aside, here] as const)))
          const answer = computePush(task(given))
          if (answer.kind === 'pushed') file = answer.pushed.file
        }
        if (file !== undefined) stored = Buffer.from(file?.bytes ?? '{}\n')
      }
    }
  }
})

t.test('closing refuses what is left, and ends the thread', async t => {
  const thread = new SideThread({ error: (_, message) => t.fail(message) })
  await ask(thread, () => task({ body: '{}' }))
  const many = `{${Array.from({ length: 100_000 }, (_, n) => `"${n}":""`).join()}}`
  const left = [many, '{}'].map(body => ask(thread, () => task({ body })))
  const refused = Promise.all(left.map(run => t.rejects(run, { code: 'unavailable', message: /shutting down/ })))
  await pause(20)
  await thread.close()
  await refused
  t.notOk(thread.running)
  await t.rejects(
    ask(thread, () => task({ body: '{}' })),
    { code: 'unavailable' },
    'and nothing is taken after it',
  )
})
