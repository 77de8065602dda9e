import fs, { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { callbackify } from 'node:util'
import t from 'tap'
import { writeFiles } from '../../../src/cli/local/write-files.ts'
import { Problem } from '../../../src/cli/problem.ts'
import { newFolder } from '../../new-folder.ts'

const never = new AbortController().signal
const text = (path: string, content: string) => ({ path, bytes: Buffer.from(content) })

/** What writing is refused with, and which files were written. */
async function refused(written: Promise<unknown>) {
  const error = await written.then(
    () => undefined,
    error => error,
  )
  if (!(error instanceof Problem)) throw error ?? new Error('it was written')
  return { sentence: error.sentence, ...(error.where.data as { written: string[] }) }
}

t.test('creates files, replaces them with their mode, and removes them', async t => {
  const root = t.testdir({ 'a.json': 'old', 'b.json': 'old' })
  fs.chmodSync(join(root, 'a.json'), 0o666)
  const files = [text('a.json', 'new'), text('de/x/c.json', 'made'), { path: 'b.json', bytes: null }]
  t.same(await writeFiles(root, files, never), ['a.json', 'de/x/c.json', 'b.json'])
  t.same(readdirSync(root).sort(), ['a.json', 'de'])
  t.equal(readFileSync(join(root, 'a.json'), 'utf8'), 'new')
  t.equal(statSync(join(root, 'a.json')).mode & 0o777, 0o666)
  t.same(readdirSync(join(root, 'de/x')), ['c.json'], 'no temporary file is left')
})

t.test('a link within the folder stays one; one that leads out or nowhere is refused', async t => {
  const outer = t.testdir({ 'out.json': 'theirs', app: { 'real.json': 'old', 'c.json': 'old' } })
  const root = join(outer, 'app')
  symlinkSync('real.json', join(root, 'a.json'))
  symlinkSync('../out.json', join(root, 'b.json'))
  symlinkSync('gone.json', join(root, 'd.json'))
  await writeFiles(root, [text('a.json', 'new')], never)
  t.ok(fs.lstatSync(join(root, 'a.json')).isSymbolicLink())
  t.equal(readFileSync(join(root, 'real.json'), 'utf8'), 'new')
  const out = await refused(writeFiles(root, [text('c.json', 'new'), text('b.json', 'mine')], never))
  t.match(out.sentence, /^b\.json: It leads out of this folder, to .*out\.json; .* Written, and whole: c\.json\.$/)
  t.same(out.written, ['c.json'])
  t.equal(readFileSync(join(outer, 'out.json'), 'utf8'), 'theirs')
  t.match(
    (await refused(writeFiles(root, [text('d.json', 'x')], never))).sentence,
    /^d\.json: It is a link that leads nowhere/,
  )
  symlinkSync('..', join(root, 'up'))
  const above = await refused(writeFiles(root, [text('up/e.json', 'mine')], never))
  t.match(above.sentence, /^up\/e\.json: It leads out of this folder/)
})

t.test('deletes and creates nothing behind a linked folder outside the root', async t => {
  const outer = t.testdir({ theirs: { 'a.json': 'theirs' }, app: {} })
  const [root, theirs] = [join(outer, 'app'), join(outer, 'theirs')]
  symlinkSync('../theirs', join(root, 'locales'))
  const runs: Parameters<typeof writeFiles>[1][] = [
    [{ path: 'locales/a.json', bytes: null }],
    [text('locales/de/common.json', 'mine')],
    [text('locales/de/deep/common.json', 'mine')],
    [text('locales/b.json', 'mine')],
  ]
  for (const files of runs) {
    const { sentence, written } = await refused(writeFiles(root, files, never))
    t.match(sentence, /^locales\/.*: It leads out of this folder/, files[0]!.path)
    t.same(written, [])
    t.same(readdirSync(theirs), ['a.json'], files[0]!.path)
  }
  const left = join(theirs, '.a.json.1-00000000-1.tmp')
  fs.writeFileSync(left, '')
  await refused(writeFiles(root, [text('locales/a.json', 'mine')], never))
  t.ok(fs.existsSync(left), 'nothing is cleared away there')
})

t.test('names that differ only in case are refused before a file is written, on every disk', async t => {
  const runs: [here: Parameters<typeof newFolder>[1], paths: string[], twin: RegExp][] = [
    [{}, ['de/Common.json', 'de/common.json'], /^de\/common\.json: .* de\/Common\.json/],
    [{}, ['DE/a.json', 'de/b.json'], /^de: .* DE/],
    [{ de: { 'common.json': 'old' } }, ['de/a.json', 'de/Common.json'], /^de\/Common\.json: .* de\/common\.json/],
    [{ DE: { 'common.json': 'old' } }, ['de/common.json'], /^de: .* DE/],
    [{ 'package.json': 'old' }, ['Package.json'], /^Package\.json: .* package\.json/],
  ]
  for (const [here, paths, twin] of runs) {
    const root = newFolder(t, here)
    const before = readdirSync(root, { recursive: true })
    const files = paths.map(path => text(path, 'new'))
    t.match((await refused(writeFiles(root, files, never))).sentence, twin)
    t.same(readdirSync(root, { recursive: true }), before)
  }
  const root = newFolder(t, { de: { 'Common.json': 'old' } })
  await writeFiles(root, [text('de/Common.json', 'new'), text('de/other.json', 'new')], never)
  t.same(readdirSync(join(root, 'de')), ['Common.json', 'other.json'])
})

t.test('reports the written files after Ctrl-C', async t => {
  const root = t.testdir({})
  const stop = new AbortController()
  const files = Array.from({ length: 40 }, (_, at) => text(`${at}.json`, 'x'.repeat(10_000)))
  const writing = refused(writeFiles(root, files, stop.signal))
  while (readdirSync(root).filter(name => name.endsWith('.json')).length === 0) await new Promise(setImmediate)
  stop.abort()
  const { sentence, written } = await writing
  t.match(sentence, /^Stopped before \d+ of 40 files were written\. Written, and whole: \d+\.json/)
  t.same(readdirSync(root).sort(), [...written].sort(), 'those and no other, and no temporary one')
  t.match((await refused(writeFiles(root, files, stop.signal))).sentence, /No file was changed\./)
})

t.test('a full disk: the file before it stays', async t => {
  const root = t.testdir({ 'a.json': 'old', 'b.json': 'old' })
  const { fsync } = fs
  t.teardown(() => Object.assign(fs, { fsync }))
  let synced = 0
  // Of two files the second.
  const failing: typeof fsync.__promisify__ = async () => {
    if (++synced === 2) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
  }
  Object.assign(fs, { fsync: callbackify(failing) })
  const { sentence, written } = await refused(writeFiles(root, [text('a.json', 'new'), text('b.json', 'new')], never))
  t.equal(sentence, 'b.json: It cannot be written: the disk is full. Written, and whole: a.json.')
  t.same(written, ['a.json'])
  t.equal(readFileSync(join(root, 'b.json'), 'utf8'), 'old')
  t.same(readdirSync(root).sort(), ['a.json', 'b.json'])
})

t.test('a path that cannot be', async t => {
  const root = t.testdir({ 'a.json': 'x', d: {} })
  t.match(
    (await refused(writeFiles(root, [text('a.json/b.json', 'x')], never))).sentence,
    /a part of the path is a file/,
  )
  t.match(
    (await refused(writeFiles(root, [text('d', 'x')], never))).sentence,
    /^d: It cannot be written: it is a folder/,
  )
})

t.test('reports a place where the system refuses folders', { skip: !fs.existsSync('/proc/self') }, async t => {
  await t.rejects(writeFiles('/proc/nope/x', [text('a.json', 'x')], never), { code: 'ENOENT', path: '/proc/nope' })
})

t.test('two runs at once', async t => {
  const root = t.testdir({})
  const run = (content: string) =>
    writeFiles(
      root,
      Array.from({ length: 20 }, (_, at) => text(`${at}.json`, content)),
      never,
    )
  await Promise.all([run('a'.repeat(5000)), run('b'.repeat(5000))])
  t.equal(readdirSync(root).length, 20)
  for (const name of readdirSync(root)) t.match(readFileSync(join(root, name), 'utf8'), /^(?:a{5000}|b{5000})$/)
})
