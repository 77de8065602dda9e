/** What a past state may be named by, on real repositories that people tag, pack and rewrite. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Store } from '../../../src/store/store.ts'
import { git } from '../git-cli.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const PERSON = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.com', '-c', 'tag.gpgSign=false']
/** 2026-01-01T00:00:00Z; the nth commit follows n minutes later. */
const START = 1_767_225_600
const clock = { now: START * 1000 }

async function open(t: Test, directory = join(t.testdir(), 'organizations')) {
  const store = await Store.open({ watch: false, directory, now: () => clock.now })
  t.teardown(() => store.close())
  const put = async (text: string, organization = 'acme') => {
    clock.now += 60_000
    const message = { subject: `put ${text}` }
    const { revision } = await store.write(organization, ANN, tx => ({
      result: tx.put('a', Buffer.from(text)),
      message,
    }))
    return revision!
  }
  const read = async (at: string, slug?: string) => {
    const { revision } = await store.resolve('acme', at, slug)
    return store.read('acme', snapshot => snapshot.at(revision!).read('a')?.toString())
  }
  const workTree = join(directory, 'acme')
  return { store, put, read, directory, workTree }
}

const unknown = (at: string) => ({ code: 'not-found', message: `There is no revision ${JSON.stringify(at)}.` })

t.beforeEach(() => {
  clock.now = START * 1000
})

t.test('a full id, sealed or not, in either case', async t => {
  const { store, put, read } = await open(t)
  const first = await put('1')
  t.strictSame(await store.resolve('acme', first), { revision: first, exact: true }, 'acknowledged a moment ago')
  const second = await put('2')
  await store.flush()
  for (const at of [first, first.toUpperCase()]) {
    t.strictSame(await store.resolve('acme', at), { revision: first, exact: true })
    t.equal(await read(at), '1')
  }
  t.equal(await read(second), '2')
  const other = await put('3', 'other')
  const [tree, blob] = await store.read('acme', snapshot => [snapshot.root, snapshot.entry('a')!.id])
  for (const at of [other, tree, blob, '0'.repeat(40)]) await t.rejects(store.resolve('acme', at), unknown(at))
  await t.rejects(store.resolve('nobody', first), unknown(first))
})

t.test('tags', async t => {
  const { store, put, workTree } = await open(t)
  const first = await put('1')
  const second = await put('2')
  await store.flush()
  const tag = (...argv: string[]) => git(workTree, ...PERSON, 'tag', ...argv)
  tag('-a', '-m', 'm', 'web/v1', first)
  tag('v1', second)
  tag('web/light', first)
  tag('-a', '-m', 'm', 'nested', 'web/v1')
  tag('tree', `${first}^{tree}`)
  tag(second.slice(0, 6), first)
  tag('-a', '-m', 'm', 'web/2026-01-01', second)
  tag('-a', '-m', 'm', `web/${first}`, second)
  for (const where of ['loose', 'packed']) {
    const expected: [at: string, slug: string | undefined, revision: string][] = [
      ['web/v1', undefined, first],
      ['web/v1', 'web', first],
      ['v1', 'web', first],
      ['v1', 'ios', second],
      ['v1', undefined, second],
      ['web/light', 'web', first],
      ['nested', 'web', first],
      [second.slice(0, 6), 'web', first],
      [second.slice(0, 7), 'web', second],
      ['2026-01-01', 'web', second],
      [first, 'web', first],
    ]
    for (const [at, slug, revision] of expected) {
      t.strictSame(
        await store.resolve('acme', at, slug),
        { revision, exact: at.length === 40 },
        `${at} of ${slug}, ${where}`,
      )
    }
    for (const at of ['light', 'tree', 'web', 'main', 'HEAD', 'web/none']) {
      await t.rejects(store.resolve('acme', at, 'web'), unknown(at), `${at}, ${where}`)
    }
    fs.rmSync(join(workTree, '.git/refs/heads/main.lock'), { force: true })
    git(workTree, 'pack-refs', '--all', '--prune')
    t.notOk(fs.existsSync(join(workTree, '.git/refs/tags/v1')))
  }
})

t.test('abbreviations are of commits alone', async t => {
  const { store, put, workTree } = await open(t)
  const ids: string[] = []
  for (let n = 0; n < 800; n++) ids.push(await put(`${n}`))
  const alike = new Map<string, string[]>()
  for (const id of ids) alike.set(id.slice(0, 4), [...(alike.get(id.slice(0, 4)) ?? []), id])
  const find = (at: string) =>
    store.resolve('acme', at).then(
      ({ revision }) => revision,
      ({ message }) => message,
    )
  const few = ids.slice(-8)
  const prefixes = [...alike].flatMap(([prefix, { length }], n) => (length > 1 || n % 200 === 0 ? [prefix] : []))
  const check = async (where: string) => {
    const twelve = await Promise.all(few.map(id => find(id.slice(0, 12).toUpperCase())))
    t.strictSame(twelve, few, `twelve digits, ${where}`)
    const four = await Promise.all(prefixes.map(async prefix => [prefix, await find(prefix)] as const))
    for (const [prefix, found] of four) {
      const several = alike.get(prefix)!
      const right = several.length === 1 ? found === several[0] : /ambiguous/.test(found)
      if (!right) t.fail(`${prefix}, ${where}: ${found}`)
    }
    t.ok(alike.size < ids.length, 'some share four digits')
    const free = Array.from({ length: 65536 }, (_, n) => n.toString(16).padStart(4, '0')).find(hex => !alike.has(hex))!
    await t.rejects(store.resolve('acme', free), unknown(free))
    const tree = (await store.read('acme', snapshot => snapshot.root)).slice(0, 12)
    await t.rejects(store.resolve('acme', tree), unknown(tree), 'a tree does not count')
    await t.rejects(store.resolve('other', ids[0]!.slice(0, 12)), unknown(ids[0]!.slice(0, 12)))
  }
  t.strictSame(await store.resolve('acme', ids[0]!.slice(0, 39)), { revision: ids[0], exact: false })
  await check('some unsealed')
  await store.flush()
  await check('sealed')
  git(workTree, 'repack', '-adq')
  await check('repacked')
  const packs = join(workTree, '.git/objects/pack')
  const pack = fs.readdirSync(packs).find(name => name.endsWith('.pack'))!
  const bytes = fs.readFileSync(join(packs, pack))
  for (const name of fs.readdirSync(packs)) fs.rmSync(join(packs, name))
  execFileSync('git', ['-C', workTree, 'unpack-objects', '-q'], { input: bytes })
  await check('loose')
})

t.test('a time is the newest commit that is not later', async t => {
  const { store, put, read } = await open(t)
  for (let n = 1; n <= 300; n++) await put(`${n}`)
  const at = (seconds: number) => new Date((START + seconds) * 1000).toISOString()
  const check = async (where: string) => {
    t.strictSame(await store.resolve('acme', at(59)), { revision: null, exact: false }, 'before the first commit')
    t.strictSame(await store.resolve('acme', '1960-01-01'), { revision: null, exact: false })
    t.strictSame(await store.resolve('acme', '2026-01-01'), { revision: null, exact: false })
    for (const n of [1, 2, 100, 235, 236, 237, 299, 300]) {
      t.equal(await read(at(n * 60)), `${n}`, `the very second of ${n}, ${where}`)
      t.equal(await read(at(n * 60 + 59)), `${n}`, `later in that minute, ${where}`)
    }
    t.equal(await read('9999-12-31T23:59:59Z'), '300', 'the future is now')
    t.equal(await read('2026-01-01T02:00:00 01:00'), '60')
  }
  await check('unsealed')
  await store.flush()
  await check('kept in memory')
  await put('301')
  t.equal(await read('9999-12-31'), '301')
  t.equal(await read(at(300 * 60 + 1)), '300')
})

t.test('a time after a restart, when git searches', async t => {
  const { store, put, directory } = await open(t)
  for (let n = 1; n <= 300; n++) await put(`${n}`)
  await store.close()
  const again = await open(t, directory)
  const at = (seconds: number) => new Date((START + seconds) * 1000).toISOString()
  t.equal(await again.read(at(60)), '1')
  t.equal(await again.read(at(100 * 60 + 30)), '100')
  t.strictSame(await again.store.resolve('acme', at(0)), { revision: null, exact: false })
  const many = await Promise.all(Array.from({ length: 60 }, (_, n) => again.read(at((n + 1) * 60))))
  t.strictSame(
    many,
    Array.from({ length: 60 }, (_, n) => `${n + 1}`),
  )
})

t.test('an organization without commits', async t => {
  const { store } = await open(t)
  t.strictSame(await store.resolve('acme', '2026-01-01'), { revision: null, exact: false })
  for (const at of ['v1', '1234', '1'.repeat(40)]) await t.rejects(store.resolve('acme', at, 'web'), unknown(at))
  t.strictSame(fs.readdirSync(join(t.testdirName, 'organizations')), [], 'nothing was created by asking')
})

t.test('nonsense', async t => {
  const { store, put } = await open(t)
  await put('1')
  const words = /names no state: give a revision \(4 to 40 hex digits\), the name of a release or tag, or a time/
  for (const at of [
    '',
    ' ',
    'HEAD~1',
    'main..main',
    '^main',
    'a b',
    'a\n',
    'a\0',
    '../x',
    ':/foo',
    '@{1}',
    '@',
    '-x',
    'v1 ',
  ]) {
    await t.rejects(store.resolve('acme', at, 'web'), { code: 'invalid', message: words }, JSON.stringify(at))
  }
  for (const at of ['x'.repeat(251), 'x'.repeat(100_000)]) {
    await t.rejects(store.resolve('acme', at, 'web'), { code: 'invalid', message: /…/ })
  }
  await t.rejects(store.resolve('acme', '2026-02-31', 'web'), { code: 'invalid', message: /no such time/ })
  await t.rejects(store.resolve('acme', '2026-02-01T10:00', 'web'), { code: 'invalid', message: /Z or an offset/ })
  for (const at of ['123', '--all', '0'.repeat(41)]) {
    const failure = at.startsWith('-') ? { code: 'invalid' } : unknown(at)
    await t.rejects(store.resolve('acme', at), failure, at)
  }
})
