// It restores what it changes, so it shares its process (test/groups.mjs).
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import { Comparisons } from '../../../src/store/comparisons.ts'
import {
  type Cursor,
  HistoryReader,
  type HistoryScope,
  type PageRequest,
  type Revision,
} from '../../../src/store/git/history.ts'
import { Store } from '../../../src/store/store.ts'
import { eventually } from '../../contract/server.ts'
import { git } from '../git-cli.ts'
import { noProcesses, processesIn } from '../git-processes.ts'
import { slowGit } from '../slow-git.ts'

const run = promisify(execFile)
const ANN = { name: 'Ann', email: 'ann@example.com' }
const WEB = '{"defaultFormat":"i18next-json","name":"Web","sourceLanguage":"en"}\n'
const file = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

type Files = Record<string, string | null>

async function openStore(t: Test) {
  const folder = t.testdir({ bin: {} })
  const directory = join(folder, 'organizations')
  let store = await Store.open({ watch: false, directory })
  t.teardown(() => store.close())
  const workTree = join(directory, 'acme')
  const opened = {
    workTree,
    gitDir: join(workTree, '.git'),
    bin: join(folder, 'bin'),
    /** One commit of the server's. */
    async write(files: Files, trailers: [string, string][] = []): Promise<string> {
      const { revision } = await store.write('acme', ANN, tx => {
        for (const [path, text] of Object.entries(files))
          text === null ? tx.remove(path) : tx.put(path, Buffer.from(text))
        return { result: undefined, message: { subject: Object.keys(files).join(' '), trailers } }
      })
      return revision!
    },
    /** Lets a person work in the repository while no server runs. */
    async meanwhile(work: () => void): Promise<void> {
      await store.close()
      work()
      store = await Store.open({ watch: false, directory })
    },
    head: () => store.read('acme', ({ revision }) => revision!),
    page: async (reader: HistoryReader, request: Partial<PageRequest> & { scope: HistoryScope }) =>
      reader.page({ from: await opened.head(), limit: 100, signal: new AbortController().signal, ...request }, use =>
        store.readGit('acme', use),
      ),
    /** All pages of a history. */
    async all(reader: HistoryReader, scope: HistoryScope, limit = 100): Promise<Revision[]> {
      const from = await opened.head()
      const rows: Revision[] = []
      for (let cursor: Cursor | undefined; ; ) {
        const { revisions, next } = await opened.page(reader, { scope, from, cursor, limit })
        rows.push(...revisions)
        if (next === null) return rows
        cursor = next
      }
    },
  }
  return opened
}

const reader = (options: Partial<ConstructorParameters<typeof HistoryReader>[0]> = {}) =>
  new HistoryReader({ readers: 2, comparisons: new Comparisons(2 ** 20), ...options })

/** A row of a key's history, or of another, in short. */
const told = ({ subject, changes, message }: Revision) =>
  message
    ? `${subject} | ${message.language} ${JSON.stringify(message.before)} -> ${JSON.stringify(message.after)}`
    : `${subject} | ${changes && Object.values(changes).join(' ')}`

const common = (language: string) => `web/locales/${language}/common.json`

t.test('commits of people: links, merges, what breaks the rules, what is no UTF-8', async t => {
  const { write, meanwhile, all, workTree } = await openStore(t)
  await write({ 'web/project.json': WEB, [common('de')]: file({ a: 'x', b: 'x' }) })
  const commit = (message: string, options: string[] = []) => {
    git(workTree, 'add', '-A')
    git(workTree, '-c', 'user.name=Eve', '-c', 'user.email=eve@example.com', ...options, 'commit', '-q', '-m', message)
  }
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(workTree, path)), { recursive: true })
    writeFileSync(join(workTree, path), text)
  }
  await meanwhile(() => {
    git(workTree, 'config', 'core.symlinks', 'true')
    put(common('de'), '{"b":"x","a":"y"}')
    commit('compact')
    put('web/README.md', 'nothing of ours')
    commit('a foreign file')
    put(common('de'), '{"b": "x", "a": ')
    commit('broken')
    put(common('de'), file({ a: 'z', b: 'x' }))
    commit('mended\nin two lines\n\nand a body\n')
    rmSync(join(workTree, common('de')))
    symlinkSync('/etc/hostname', join(workTree, common('de')))
    commit('a link')
    rmSync(join(workTree, common('de')))
    put(common('de'), file({ a: 'z', b: 'x' }))
    commit('a file again')
    git(workTree, 'checkout', '-q', '-b', 'side', 'HEAD~1')
    put('web/locales/fr/common.json', file({ a: 'f' }))
    commit('on the side')
    git(workTree, 'checkout', '-q', 'main')
    git(
      workTree,
      '-c',
      'user.name=Eve',
      '-c',
      'user.email=eve@example.com',
      'merge',
      '-q',
      '--no-ff',
      '-m',
      'merge',
      'side',
    )
    const tree = git(workTree, 'rev-parse', 'HEAD^{tree}').trim()
    put(common('de'), file({ a: 'last', b: 'x' }))
    git(workTree, 'add', '-A')
    const written = git(workTree, 'write-tree').trim()
    t.not(written, tree)
    const header = `tree ${written}\nparent ${git(workTree, 'rev-parse', 'HEAD').trim()}\n`
    const who = Buffer.concat([Buffer.from('M\xfcller', 'latin1'), Buffer.from(' <> 99999999999999 +9999\n')])
    const bytes = Buffer.concat([
      Buffer.from(`${header}author `),
      who,
      Buffer.from('committer <eve> 1700000000 +0000\ngpgsig -----\n author Forged <f@example.com> 1 +0000\n\n'),
      Buffer.from('\xff junk\n', 'latin1'),
    ])
    const argv = ['-C', workTree, 'hash-object', '--literally', '-t', 'commit', '-w', '--stdin']
    const id = execFileSync('git', argv, { input: bytes, encoding: 'utf8' }).trim()
    git(workTree, 'reset', '-q', '--hard', id)
  })
  await write({ [common('de')]: file({ a: 'ours', b: 'x' }) })
  const scope = { slug: 'web', language: 'de', namespace: 'common' }
  const expected = [
    `${common('de')} | 0 1 0`,
    '\ufffd junk | 0 1 0',
    'a file again | 2 0 0',
    'a link | 0 0 2',
    'mended in two lines | 2 0 0',
    'broken | 0 0 2',
    'compact | 0 1 0',
    `web/project.json ${common('de')} | 2 0 0`,
  ]
  t.strictSame((await all(reader(), scope)).map(told), expected)
  t.strictSame((await all(reader({ patienceMs: -1 }), scope)).map(told), expected, 'in the shortest pages')
  t.strictSame((await all(reader(), { ...scope, key: 'a' })).map(told), [
    `${common('de')} | de "last" -> "ours"`,
    '\ufffd junk | de "z" -> "last"',
    'a file again | de null -> "z"',
    'a link | de "z" -> null',
    'mended in two lines | de null -> "z"',
    'broken | de "y" -> null',
    'compact | de "x" -> "y"',
    `web/project.json ${common('de')} | de null -> "x"`,
  ])
  const [, junk] = await all(reader(), scope)
  t.match(junk, { author: { name: 'M\ufffdller', email: '' }, time: 1700000000 })
  t.match(
    (await all(reader(), { slug: 'web', language: 'fr' })).map(told),
    ['merge | 1 0 0'],
    'a merge is one commit of the main line',
  )
  t.notMatch((await all(reader(), { slug: 'web' })).map(told).join('\n'), /foreign/, 'what is nothing of ours')
})

t.test('pages that end early go on where they stopped', async t => {
  const { write, page, all, head } = await openStore(t)
  await write({ 'web/project.json': WEB })
  for (let n = 0; n < 8; n++) {
    const languages = n % 3 === 0 ? ['de', 'en', 'fr'] : [n % 2 ? 'de' : 'fr']
    await write(
      Object.fromEntries(
        languages.map(language => [common(language), file({ k: `${n % 4 ? n : 'same'}`, n: `${n}` })]),
      ),
    )
  }
  for (const scope of [
    { slug: 'web' },
    { slug: 'web', namespace: 'common', key: 'k' },
    { slug: 'web', namespace: 'common', key: 'n' },
  ]) {
    const whole = await all(reader(), scope)
    t.ok(whole.length > 8, `${whole.length} rows`)
    for (const limit of [1, 4]) t.strictSame(await all(reader(), scope, limit), whole, `in pages of ${limit}`)
    // However long they may be, these have a row at most.
    t.strictSame(await all(reader({ patienceMs: -1 }), scope, 4), whole, 'in pages that end early')
    const early = await page(reader({ patienceMs: -1 }), { scope })
    t.ok(early.revisions.length <= 1 && early.next !== null, 'it ended early')
  }
  const scope = { slug: 'web', language: 'en' }
  for (const cursor of [
    { revision: await head() },
    { revision: (await all(reader(), { slug: 'web' })).at(-1)!.revision },
  ]) {
    await t.rejects(page(reader(), { scope, cursor }), { code: 'invalid' }, 'a cursor of another history')
  }
})

t.test('a commit of very many files', async t => {
  const { write, page } = await openStore(t)
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`web/locales/de/n${n}.json`, file({ a: 'x' })]))
  await write({ 'web/project.json': WEB, ...files(3) })
  const gone = Object.fromEntries(Object.keys(files(3)).map(path => [path, null]))
  const counts: [string, string][] = [
    ['Parlance-Language', 'de'],
    ['Parlance-Added', '0'],
    ['Parlance-Updated', '0'],
    ['Parlance-Removed', '7'],
  ]
  await write(gone, counts)
  const few = reader({ mostFiles: 2 })
  const changes = async (scope: HistoryScope) => (await page(few, { scope })).revisions.map(row => row.changes)
  t.strictSame(
    await changes({ slug: 'web' }),
    [{ added: 0, updated: 0, removed: 7 }, null],
    'what it says itself, or nothing',
  )
  t.strictSame(await changes({ slug: 'web', language: 'de' }), [{ added: 0, updated: 0, removed: 7 }, null])
  const [row] = (await page(few, { scope: { slug: 'web', language: 'de', namespace: 'n1' } })).revisions
  t.strictSame(row?.changes, { added: 0, updated: 0, removed: 1 }, 'of a single file it is counted')
})

t.test(
  'a client that leaves ends the processes; too many are refused; too long is reported',
  { skip: noProcesses },
  async t => {
    const { write, page, gitDir, bin } = await openStore(t)
    await write({ 'web/project.json': WEB })
    const git = slowGit(bin)
    const { PATH } = process.env
    process.env.PATH = git.path
    t.teardown(() => {
      git.go()
      process.env.PATH = PATH
    })
    const scope = { slug: 'web' }
    for (const command of ['log', 'cat-file']) {
      git.stop(command)
      const one = reader({ readers: 1 })
      const left = new AbortController()
      const reason = new Failure('invalid', 'The client has left.')
      const first = page(one, { scope, signal: left.signal })
      t.ok(await eventually(() => processesIn(gitDir).length > 0), `${command} is at work`)
      const others = Array.from({ length: 8 }, () => {
        const other = new AbortController()
        const answer = page(one, { scope, signal: other.signal })
        answer.catch(() => {})
        return { other, answer }
      })
      t.ok(await eventually(() => one.load.waiting === 8))
      await t.rejects(page(one, { scope }), { code: 'unavailable', data: { retryAfter: 2 } }, 'one too many')
      others[0]!.other.abort(reason)
      await t.rejects(others[0]!.answer, reason, 'one that leaves while it waits')
      left.abort(reason)
      await t.rejects(first, reason)
      for (const { other } of others) other.abort(reason)
      await Promise.allSettled(others.map(({ answer }) => answer))
      t.ok(await eventually(() => processesIn(gitDir).length === 0), 'no process is left')
      t.strictSame(one.load, { running: 0, waiting: 0 })
      git.go()
      t.equal((await page(one, { scope })).revisions.length, 1, 'and the next one is served')
    }
    git.stop('log')
    await t.rejects(page(reader({ longestMs: 300 }), { scope }), { code: 'unavailable', message: /too long/ })
    t.ok(await eventually(() => processesIn(gitDir).length === 0), 'no process is left')
  },
)

t.test('while packs and graphs are rebuilt', async t => {
  const { write, all, workTree } = await openStore(t)
  await write({ 'web/project.json': WEB })
  for (let n = 0; n < 24; n++)
    await write({ [common(n % 2 ? 'de' : 'en')]: file({ k: `${n % 8 ? n : 'same'}`, n: `${n}` }) })
  const scopes = [{ slug: 'web' }, { slug: 'web', language: 'de', namespace: 'common', key: 'k' }]
  const before = await Promise.all(scopes.map(scope => all(reader(), scope)))
  let [reading, times] = [true, 0]
  const upkeep = (async () => {
    for (; reading; times++) {
      await run('git', ['-C', workTree, 'repack', '-adfq'])
      await run('git', ['-C', workTree, 'commit-graph', 'write', '--reachable', '--changed-paths', '--split=replace'])
    }
  })()
  for (let round = 0; round < 4 || times < 3; round++) {
    for (const [at, scope] of scopes.entries()) t.strictSame(await all(reader(), scope, 10), before[at])
  }
  reading = false
  await upkeep
})

t.test('a repository that git cannot read', async t => {
  const { write, page, gitDir } = await openStore(t)
  await write({ 'web/project.json': WEB })
  await page(reader(), { scope: { slug: 'web' } })
  await t.rejects(page(reader(), { scope: { slug: 'web' }, from: '0'.repeat(40) }), { code: 'unavailable' })
  if (!noProcesses) t.ok(await eventually(() => processesIn(gitDir).length === 0), 'no process is left')
})
