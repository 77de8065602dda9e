import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { judgeEdit } from '../../src/project/outside-edit.ts'
import { computeDiff } from '../../src/project/versions.ts'
import { eventually } from '../contract/server.ts'
import { watchTurns } from '../long/turns.ts'
import { cost } from '../processor-time.ts'
import { noGit } from './git-client.ts'
import { startServer } from './server.ts'

t.setTimeout(0)

const KEYS = 40_000

function resource(text: string): Record<string, string> {
  const entry = (n: number): [string, string] => [
    `section${n % 400}.key${n}`,
    `${text} ${n} ${'of a sentence '.repeat(5)}`,
  ]
  return Object.fromEntries(Array.from({ length: KEYS }, (_, n) => entry(n)))
}

/** The longest turn of the event loop while something runs, in milliseconds. */
async function longestTurn<T>(act: () => Promise<T>): Promise<{ longest: number; result: T }> {
  const turns = watchTurns()
  const result = await act()
  const longest = (await turns.longest()) / 1000
  turns.stop()
  return { longest, result }
}

t.test('does not block the event loop when it compares, restores or undoes large bundles', { skip: noGit }, async t => {
  const server = await startServer(t)
  const acme = await server.organization('Ann')
  const { key } = acme
  await server.project(key, 'web')
  const [old, now] = [resource('the old text'), resource('the new text')]
  const path = '/api/projects/web/bundles/en/common'
  await server.must('PUT', path, { key, body: old })
  const at = (await server.get('/api/projects/web/history?limit=1', key)).json.revisions[0].revision
  await server.must('PUT', path, { key, body: now })

  const file = (body: object) => Buffer.from(`${JSON.stringify(body, null, 2)}\n`)
  const all = { before: file(old), after: file(now), behind: null, most: 0, bytes: 0 }
  const { counts } = computeDiff(all)
  const inline = cost(() => computeDiff(all))
  t.strictSame(counts, { added: 0, updated: KEYS, removed: 0 })

  const diff = await longestTurn(() => server.get(`/api/projects/web/diff?from=${at}&limit=10`, key))
  t.strictSame(diff.result.json.counts, counts)
  t.equal(diff.result.json.changes.length, 10)
  const next = await server.get(`/api/projects/web/diff?from=${at}&limit=3&cursor=${diff.result.json.next}`, key)
  const names = [...diff.result.json.changes, ...next.json.changes].map((change: { key: string }) => change.key)
  t.strictSame(names, Object.keys(old).sort().slice(0, 13), 'the next page continues after the first')

  const name = 'section7.key7'
  const history = await longestTurn(() =>
    server.get(`/api/projects/web/history?language=en&namespace=common&key=${name}`, key),
  )
  t.match(history.result.json.revisions, [
    { before: old[name], after: now[name] },
    { before: null, after: old[name] },
  ])
  const restore = (body: object, dryRun = '') =>
    server.must('POST', `/api/projects/web/restore${dryRun}`, { key, body })
  const dry = await longestTurn(() => restore({ at }, '?dryRun=true'))
  t.match(dry.result.json, { ...counts, more: KEYS - 1000 })
  t.equal(dry.result.json.changes.length, 1000)
  const revision = (await server.get('/api/projects/web/history?limit=1', key)).json.revisions[0].revision
  const revert = () => server.must('POST', '/api/projects/web/revert?dryRun=true', { key, body: { revision } })
  const undo = await longestTurn(revert)
  t.match(undo.result.json, { reverted: KEYS, skipped: [], more: KEYS - 1000 })
  const one = await longestTurn(() => restore({ at, namespace: 'common', key: name }))
  t.match(one.result.json, { added: 0, updated: 1, removed: 0 })
  const undoRest = await longestTurn(revert)
  t.match(undoRest.result.json, { reverted: KEYS - 1, skipped: [{ key: name }] })
  const whole = await longestTurn(() => restore({ at }))
  t.match(whole.result.json, { added: 0, updated: KEYS - 1, removed: 0 })
  t.strictSame((await server.get(path, key)).json.section7.key7, old[name])

  for (const [what, { longest }] of Object.entries({ diff, history, dry, undo, one, undoRest, whole })) {
    // An undo reads three versions in one turn of the event loop.
    const part = what.startsWith('undo') ? 2 : 3
    t.comment(`${what}: ${longest} of ${inline} ms`)
    t.ok(longest < inline / part, `${what}: ${longest} ms in one turn, ${inline} to compare both versions`)
  }
})

t.test('does not block the event loop when it reads a large external edit', { skip: noGit }, async t => {
  const server = await startServer(t)
  const acme = await server.organization('Ann')
  const { key } = acme
  await server.project(key, 'web')
  const path = '/api/projects/web/bundles/en/common'
  await server.must('PUT', path, { key, body: resource('the old text') })
  const folder = server.repository(acme.id)
  const file = join(folder, 'web/locales/en/common.json')
  t.ok(await eventually(() => existsSync(file)))

  const stored = readFileSync(file)
  const edited = (text: string) => Buffer.from(stored.toString().replaceAll('the old text', text))
  const edit = { stored, base: null, format: 'i18next-json', language: 'en', source: undefined } as const
  const mine = edited('an edited text')
  const inline = cost(() => judgeEdit({ ...edit, mine }))

  const etag = async () => (await server.call('HEAD', path, { key })).headers.etag
  const turns: number[] = []
  for (const text of ['an edited text', 'a second text', 'a third text']) {
    const [before, bytes] = [await etag(), edited(text)]
    const { longest } = await longestTurn(async () => {
      writeFileSync(file, bytes)
      t.ok(await eventually(async () => (await etag()) !== before))
    })
    t.match((await server.get(path, key)).json.section7, { key7: new RegExp(`^${text}`) })
    turns.push(longest)
  }
  // A judgement here would lengthen each of them. Another turn is long now and then: a start of git needs 40 ms on
  // systems where new memory is dear, and an edit has several.
  const longest = Math.min(...turns)
  t.comment(`${turns.join(', ')} of ${inline} ms`)
  t.ok(longest < inline / 2, `${longest} ms in one turn, ${inline} to judge it`)
})
