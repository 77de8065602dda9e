/** The log of a server's end, and its form. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build, main } from '../bundled.ts'

// Starting a process lasts seconds on a busy machine.
t.setTimeout(0)

build()

/** Starts a server, ends it by a signal once it listens. @returns all that it wrote on standard output */
async function served(t: Test, signal: NodeJS.Signals, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { ...process.env, PORT: '0', DATA_DIR: join(t.testdirName, signal), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', text => {
    if (output === '') child.kill(signal)
    output += text
  })
  t.equal(await new Promise(resolve => child.on('close', resolve)), 0)
  return output
}

t.test('each signal that ends it has a line, and the end another', async t => {
  t.testdir()
  await Promise.all(
    (['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map(async signal => {
      const lines = (await served(t, signal, {})).split('\n').filter(line => line.startsWith('{'))
      const [stopping, stopped] = lines.map(line => JSON.parse(line))
      t.match(stopping, { signal, msg: /^stopping: / })
      t.match(stopped, { msg: 'stopped' })
    }),
  )
})

t.test('in text when it is asked for', async t => {
  t.testdir()
  const output = await served(t, 'SIGTERM', { LOG_FORMAT: 'text' })
  t.match(
    output,
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info {2}stopping: [^\n]* {2}signal=SIGTERM\n[^\n]* info {2}stopped\n$/m,
  )
})
