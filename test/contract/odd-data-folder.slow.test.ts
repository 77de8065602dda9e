/** An impossible data folder: the start fails with one sentence that names the path. */
import { writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { eventually } from '../eventually.ts'
import { launch, start } from './process.ts'

t.setTimeout(0)

async function failsToStart(t: Test, dataDir: string, sentence: RegExp, env: Record<string, string> = {}) {
  const run = launch(dataDir, env)
  t.teardown(() => run.child.kill('SIGKILL'))
  const { code } = await run.exit
  t.equal(code, 1, run.output())
  t.equal(run.output().trim().split('\n').length, 1, run.output())
  t.match(run.output(), sentence)
}

t.test('refuses to start when the data folder cannot be created', async t => {
  const folder = t.testdir({ file: 'x' })
  if (platform() === 'linux') {
    await failsToStart(t, '/proc/nope', /\/proc\/nope cannot be created there \(ENOENT\): choose another DATA_DIR\./)
    await failsToStart(t, '/proc/nope/deep/down', /\/proc\/nope cannot be created there \(ENOENT\)/)
  }
  await failsToStart(t, join(folder, 'file'), /file cannot be used, for it is no folder/)
  await failsToStart(t, join(folder, 'file/below'), /cannot be used, for it is no folder/)
})

t.test('refuses to start when the lock is no database', async t => {
  const folder = t.testdir()
  writeFileSync(join(folder, 'lock'), 'some text that is no database'.repeat(40))
  await failsToStart(t, folder, /lock is not the lock that Parlance creates there: remove it/)
})

t.test('warns about a mistyped setting at the start', async t => {
  const { output, child, exit } = await start(t, join(t.testdir(), 'data'), { SIGNUP: 'closed', LOG_LEVEL: 'warn' })
  const warning = /"msg":"SIGNUP is not a setting of Parlance and changes nothing; did you mean SIGN_UP\?"/
  // Its pipe may be read later than that of the address.
  await eventually(() => warning.test(output()))
  t.match(output(), warning)
  child.kill('SIGTERM')
  t.equal((await exit).code, 0)
})
