/** Many processes that want the same folder, some of which are killed in their turn: never two at once. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { alone } from '../../../src/cli/sync/alone.ts'

const never = new AbortController().signal
const PROCESSES = 5
const TURNS = 20

/** Takes its turns, in each of which nobody else may be; a third of the processes die in one. */
const PROGRAM = `
  import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
  import { alone } from ${JSON.stringify(join(import.meta.dirname, '../../../src/cli/sync/alone.ts'))}
  const [number] = process.argv.slice(1).map(Number)
  for (let turn = 0; turn < ${TURNS}; turn++) {
    await alone('.', new AbortController().signal, async () => {
      writeFileSync('inside', '', { flag: 'wx' })
      await new Promise(setImmediate)
      rmSync('inside')
      if (number % 3 === 0 && turn === ${TURNS / 2}) process.kill(process.pid, 'SIGKILL')
      appendFileSync('done', number + ' ')
    })
  }
`

t.test('processes take turns, also after those that died in theirs', async t => {
  const folder = t.testdir({ '.parlance': { 'turn-3': '4194304', 'state-1.tmp': 'half' } })
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
  }
  const done = readFileSync(join(folder, 'done'), 'utf8').trim().split(' ')
  const died = ended.filter(({ signal }) => signal !== null).length
  t.equal(done.length, (PROCESSES - died) * TURNS + (died * TURNS) / 2)
  t.notOk(readdirSync(join(folder, '.parlance')).includes('state-1.tmp'), 'half a state is cleared away')
})

t.test('many find at once that the last one died', async t => {
  const folder = t.testdir({ '.parlance': {} })
  let [inside, most] = [0, 0]
  for (let round = 0; round < 20; round++) {
    const last = Math.max(0, ...turns(folder))
    writeFileSync(join(folder, `.parlance/turn-${last + 1}`), '4194304')
    const runs = Array.from({ length: 8 }, async (_, at) => {
      // Each comes while those before it look, take and leave.
      for (let turn = 0; turn < at * (round % 4); turn++) await new Promise(setImmediate)
      await alone(folder, never, async () => {
        most = Math.max(most, ++inside)
        for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
        inside--
      })
    })
    await Promise.all(runs)
  }
  t.equal(most, 1)
})

const turns = (folder: string) =>
  readdirSync(join(folder, '.parlance')).flatMap(name => /^turn-(\d+)$/.exec(name)?.slice(1).map(Number) ?? [])

t.test('one that ends nothing is named, and one whose id came again is over', async t => {
  const folder = t.testdir({ '.parlance': { 'turn-3': String(process.pid) } })
  await alone(folder, never, async () => {
    const stop = new AbortController()
    const waits = alone(folder, stop.signal, async () => {})
    stop.abort()
    await t.rejects(waits, { name: 'AbortError' })
  })
  t.equal(await alone(folder, never, async () => 'mine'), 'mine')
  writeFileSync(join(folder, '.parlance/turn-6'), '')
  const waits = alone(folder, never, async () => turns(folder))
  setTimeout(() => writeFileSync(join(folder, '.parlance/turn-6'), 'ended'), 60)
  t.same(await waits, [7], 'a file without a word is waited for')
})

t.test('a turn that the disk has no room for is left to the next', async t => {
  const folder = t.testdir({ '.parlance': { '.gitignore': '', 'turn-3': 'ended' } })
  await alone(folder, never, async () => {})
  const ignores = readFileSync(join(folder, '.parlance/.gitignore'), 'utf8')
  t.equal(ignores, '*\n', 'nor is what hides the folder from git left empty')
  const { writeFileSync: write } = fs
  fs.writeFileSync = (path, _, options) => {
    write(path, '', options)
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  const mend = () => {
    fs.writeFileSync = write
    syncBuiltinESMExports()
  }
  t.teardown(mend)
  syncBuiltinESMExports()
  await t.rejects(
    alone(folder, never, async () => {}),
    /no space left/,
  )
  mend()
  t.same(turns(folder), [4])
})

t.test('a repository in which .parlance leads elsewhere', async t => {
  const outer = t.testdir({ theirs: { 'a.tmp': 'theirs' }, app: {}, other: { '.parlance': {} } })
  const theirs = join(outer, 'theirs')
  fs.symlinkSync('../theirs', join(outer, 'app/.parlance'))
  await t.rejects(
    alone(join(outer, 'app'), never, async () => {}),
    /leads out of this folder/,
  )
  t.same(readdirSync(theirs), ['a.tmp'], 'nothing is made or cleared away there')
  const ignores = join(outer, 'other/.parlance/.gitignore')
  fs.symlinkSync(join(theirs, 'new'), ignores)
  await alone(join(outer, 'other'), never, async () => {})
  t.same(readdirSync(theirs), ['a.tmp'])
  t.equal(readFileSync(ignores, 'utf8'), '*\n')
})
