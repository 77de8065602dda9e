/** The log of a server's end, and its form. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build, main } from '../bundled.ts'
import { eventually } from '../eventually.ts'

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

t.test('no line is lost or late where its reader is slow', async t => {
  const LINES = 1_500
  const [yes, no] = [() => true, () => false]
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { ...process.env, PORT: '0', DATA_DIR: t.testdir(), LOG_REQUESTS: 'all' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8')
  const url = await new Promise<string>(resolve => {
    child.stdout.on('data', text => {
      output += text
      const listening = /listens on (\S+)\n/.exec(output)?.[1]
      if (listening) resolve(listening)
    })
  })
  // More than a pipe holds.
  child.stdout.pause()
  for (let sent = 0; sent < LINES; sent += 100)
    await Promise.all(Array.from({ length: 100 }, async () => (await fetch(`${url}/api/health/live`)).text()))
  child.kill('SIGTERM')
  // It has closed its port, and what is left is its log.
  t.ok(await eventually(() => fetch(url).then(no, yes)))
  const ended = new Promise(resolve => child.on('close', resolve))
  child.stdout.resume()
  t.equal(await ended, 0)
  const lines = output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
  t.equal(lines.filter(({ route }) => route === '/api/health/live').length, LINES)
  t.ok(lines.some(({ msg }) => /^stopping: /.test(msg)))
  t.match(lines.at(-1), { msg: 'stopped' })
})

t.test('in text when it is asked for', async t => {
  t.testdir()
  const output = await served(t, 'SIGTERM', { LOG_FORMAT: 'text' })
  t.match(
    output,
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info {2}stopping: [^\n]* {2}signal=SIGTERM\n[^\n]* info {2}stopped\n$/m,
  )
})
