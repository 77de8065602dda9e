/** Processes that want the same folder, and some die in it: never two at once. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { withFolderLock } from '../../../src/cli/sync/folder-lock.ts'

const never = new AbortController().signal
const PROCESSES = 5
const TURNS = 20

/** Each turn fails if another process has one at the same time. A third of the processes die in a turn. */
const PROGRAM = `
  import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
  import { withFolderLock } from ${JSON.stringify(join(import.meta.dirname, '../../../src/cli/sync/folder-lock.ts'))}
  const [number] = process.argv.slice(1).map(Number)
  for (let turn = 0; turn < ${TURNS}; turn++) {
    await withFolderLock('.', new AbortController().signal, async () => {
      writeFileSync('inside', '', { flag: 'wx' })
      await new Promise(setImmediate)
      rmSync('inside')
      if (number % 3 === 0 && turn === ${TURNS / 2}) process.kill(process.pid, 'SIGKILL')
      appendFileSync('done', number + ' ')
    })
  }
`

t.test('runs one process at a time, also after processes that died in their turn', async t => {
  const leftover = '.state.json.4194304-00000000-1.tmp'
  const folder = t.testdir({ '.parlance': { [leftover]: 'half' } })
  const children = Array.from({ length: PROCESSES }, (_, number) =>
    spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, String(number)], { cwd: folder, stdio: 'pipe' }),
  )
  const ended = await Promise.all(
    children.map(async (child, number) => {
      let said = ''
      child.stderr.on('data', data => (said += data))
      const [code, signal] = await once(child, 'close')
      return { number, code, signal, said }
    }),
  )
  for (const { number, code, signal, said } of ended) {
    t.equal(number % 3 === 0 ? signal : code, number % 3 === 0 ? 'SIGKILL' : 0, said)
    t.equal(said, '', 'no warning on standard error')
  }
  const done = readFileSync(join(folder, 'done'), 'utf8').trim().split(' ')
  const died = ended.filter(({ signal }) => signal !== null).length
  t.equal(done.length, (PROCESSES - died) * TURNS + (died * TURNS) / 2)
  t.notOk(readdirSync(join(folder, '.parlance')).includes(leftover), 'half a state is removed')
})

t.test('runs one command at a time in one process, and stops waiting at Ctrl-C', async t => {
  const folder = t.testdir({})
  let [inside, most] = [0, 0]
  const runs = Array.from({ length: 4 }, () =>
    withFolderLock(folder, never, async () => {
      most = Math.max(most, ++inside)
      await new Promise(setImmediate)
      inside--
    }),
  )
  await Promise.all(runs)
  t.equal(most, 1)
  await withFolderLock(folder, never, async () => {
    t.same(readdirSync(join(folder, '.parlance')).sort(), ['.gitignore', 'lock'], 'a waiting command finds no journal')
    const stop = new AbortController()
    const waits = withFolderLock(folder, stop.signal, async () => {})
    setTimeout(() => stop.abort(), 20)
    await t.rejects(waits, { name: 'AbortError' })
    t.equal(
      await withFolderLock(folder, never, async () => 'reads', true),
      'reads',
      'a command that writes nothing needs no lock',
    )
  })
})

t.test('leaves an outer folder alone when .parlance or a file in it is a link', async t => {
  const outer = t.testdir({ theirs: { 'a.tmp': 'theirs' }, app: {}, other: { '.parlance': {} } })
  const theirs = join(outer, 'theirs')
  symlinkSync('../theirs', join(outer, 'app/.parlance'))
  await t.rejects(
    withFolderLock(join(outer, 'app'), never, async () => {}),
    /leads out of this folder/,
  )
  t.same(readdirSync(theirs), ['a.tmp'], 'nothing is created or removed there')
  const folder = join(outer, 'other/.parlance')
  for (const name of ['.gitignore', 'lock', 'lock-journal']) symlinkSync(join(theirs, name), join(folder, name))
  await withFolderLock(join(outer, 'other'), never, async () => {})
  t.same(readdirSync(theirs), ['a.tmp'])
  t.equal(readFileSync(join(folder, '.gitignore'), 'utf8'), '*\n')
})

t.test('replaces a foreign file by the name of the lock', async t => {
  const folder = t.testdir({ '.parlance': { lock: 'no database', 'lock-journal': 'x' } })
  t.equal(await withFolderLock(folder, never, async () => 'done'), 'done')
  t.equal(readFileSync(join(folder, '.parlance/lock'), 'utf8'), '')
  t.notOk(existsSync(join(folder, '.parlance/lock-journal')))
  writeFileSync(join(folder, '.parlance/.gitignore'), '')
  await withFolderLock(folder, never, async () => {})
  t.equal(readFileSync(join(folder, '.parlance/.gitignore'), 'utf8'), '*\n', 'an empty .gitignore is written again')
})
