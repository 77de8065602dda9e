import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Probe } from '../../src/store/probe.ts'
import { eventually } from '../contract/server.ts'

const quiet = () => {
  const lines: string[] = []
  const say = (_data: object, message: string) => lines.push(message)
  return { lines, log: { info: say, warn: say, error: say } }
}

t.test('a disk that accepts writes, and one that is gone', async t => {
  const folder = join(t.testdir({ data: {} }), 'data')
  const { lines, log } = quiet()
  const probe = new Probe(folder, log, { goodForMs: 0 })
  t.equal(await probe.failure(), undefined)
  t.strictSame(fs.readdirSync(folder), [], 'nothing is left of the sample')
  fs.rmdirSync(folder)
  t.match(await probe.failure(), {
    code: 'unavailable',
    message: 'The server cannot write to its disk; its log says why.',
  })
  await probe.failure()
  fs.mkdirSync(folder)
  t.equal(await probe.failure(), undefined)
  t.strictSame(lines, ['the disk refuses writes', 'the disk accepts writes again'], 'each change is logged once')
})

t.test('a full disk', { skip: !fs.existsSync('/dev/full') && 'no /dev/full here' }, async t => {
  const folder = t.testdir()
  fs.symlinkSync('/dev/full', join(folder, '.probe'))
  const probe = new Probe(folder, quiet().log, { goodForMs: 0 })
  t.match(await probe.failure(), { code: 'no-space', message: 'The disk of the server is full.' })
  t.equal(await probe.failure(), undefined, 'what was written of the sample is removed')
})

t.test('an answer holds for a while', async t => {
  const folder = join(t.testdir({ data: {} }), 'data')
  const [long, short] = [60_000, 20].map(goodForMs => new Probe(folder, quiet().log, { goodForMs })) as [Probe, Probe]
  for (const probe of [long, short])
    t.strictSame(await Promise.all([probe.failure(), probe.failure()]), [undefined, undefined])
  fs.rmdirSync(folder)
  t.ok(await eventually(async () => (await short.failure())?.code === 'unavailable'), 'and no longer')
  t.equal(await long.failure(), undefined)
})

t.test('a disk that hangs', { skip: process.platform === 'win32' && 'no pipes with names' }, async t => {
  const folder = t.testdir()
  const path = join(folder, '.probe')
  execFileSync('mkfifo', [path])
  const probe = new Probe(folder, quiet().log, { goodForMs: 0, patienceMs: 50 })
  const { open } = fs
  const attempts: unknown[] = []
  fs.open = Object.assign((...call: unknown[]) => {
    attempts.push(call[0])
    return Reflect.apply(open, fs, call)
  }, open) as typeof open
  for (const _ of [1, 2, 3]) {
    t.match(await probe.failure(), { code: 'unavailable', message: 'The disk of the server does not answer.' })
  }
  fs.open = open
  t.strictSame(attempts, [path], 'no more than one attempt hangs')
  // With a reader, the pipe is opened, and refuses a write at a position.
  const reader = fs.createReadStream(path)
  reader.resume()
  await new Promise<void>(resolve => reader.once('close', resolve))
  // It is removed some time after that; until then the next attempt would wait for a reader.
  t.ok(await eventually(() => !fs.existsSync(path)), 'it ends')
  const patient = new Probe(folder, quiet().log, { goodForMs: 0 })
  t.equal(await patient.failure(), undefined, 'and writes are accepted again')
})
