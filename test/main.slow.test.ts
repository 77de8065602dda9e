import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { build, main } from './bundled.ts'
import { eventually } from './eventually.ts'
import { OLD_NODE } from './old-node.ts'

// A process needs seconds to start on a busy machine.
t.setTimeout(0)

build()

const endings = new WeakMap<ChildProcess, Promise<unknown>>()

/** Starts the process; `output` grows as it writes. It is killed with the test at the latest. */
function start(t: Test, env: Record<string, string> = {}, ...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, PORT: '0', DATA_DIR: join(t.testdirName, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const started = { child, output: '', errors: '' }
  // Its streams are read to their end by then.
  endings.set(child, once(child, 'close'))
  child.stdout!.on('data', data => (started.output += data))
  child.stderr!.on('data', data => (started.errors += data))
  t.teardown(() => child.kill('SIGKILL'))
  return started
}

async function until(found: () => boolean): Promise<void> {
  while (!found()) await pause(20)
}

function isRefused({ hostname, port }: URL): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', () => resolve(true))
  })
}

async function ended(child: ChildProcess): Promise<number | null> {
  await endings.get(child)
  return child.exitCode
}

t.test('prints its address, its data folder and the next step, and stops on a signal', async t => {
  t.testdir()
  const server = start(t, {}, 'serve')
  await until(() => server.output.includes('organization/create'))
  const url = /listens on (http:\/\/\S+)/.exec(server.output)![1]!
  t.equal((await fetch(`${url}/api/health`)).status, 200)
  t.match(server.output, join(t.testdirName, 'data'))
  const [signUp = ''] = /curl[^\n]*sign-up\/email[\s\S]*?}'/.exec(server.output.replaceAll('\\\n', ''))!
  t.match(signUp, `${url}/api/auth/sign-up/email`)
  const body = /-d '([^']+)'/.exec(signUp)![1]!
  const headers = { 'content-type': 'application/json' }
  t.equal(
    (await fetch(`${url}/api/auth/sign-up/email`, { method: 'POST', headers, body })).status,
    200,
    'as it is printed',
  )

  const second = start(t, {}, 'serve')
  t.equal(await ended(second.child), 1)
  t.match(second.errors, /^Parlance did not start: [^\n]*\n$/)
  t.match(second.errors, 'data', 'the folder is held')

  server.child.kill('SIGTERM')
  t.equal(await ended(server.child), 0)
  t.equal(server.errors, '')

  const again = start(t, {}, 'serve')
  await until(() => again.output.includes('/api/docs'))
  again.child.kill('SIGINT')
  t.equal(await ended(again.child), 0)
  t.notMatch(again.output, 'no accounts yet')
})

t.test('prints an error in one line', async t => {
  t.testdir()
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const rows: [number, Record<string, string>, string[], RegExp][] = [
    [2, { PORT: 'x' }, ['serve'], /PORT must be a whole number from 0 to 65535, not "x"\./],
    [1, { PORT: String((taken.address() as AddressInfo).port) }, ['serve'], /Port \d+ on 127\.0\.0\.1 is in use/],
    [1, { DATA_DIR: '/dev/null/data' }, ['server', 'serve'], /\/dev\/null\/data cannot be used/],
    [1, { HOST: '192.0.2.1' }, ['serve'], /HOST/],
    [2, {}, ['start'], /no such command: start/],
    [2, {}, ['serve', 'now'], /no such command/],
  ]
  const starts = rows.map(([code, env, args, message], index) => {
    const DATA_DIR = join(t.testdirName, `data${index}`)
    return { code, message, started: start(t, { DATA_DIR, ...env }, ...args) }
  })
  for (const { code, message, started } of starts) {
    t.equal(await ended(started.child), code, String(message))
    t.match(started.errors, message)
    t.equal(started.errors.trim().split('\n').length, 1, started.errors)
  }
})

t.test('prints its help and starts nothing without a subcommand', async t => {
  t.testdir()
  const bare = start(t, { PORT: 'x' })
  t.equal(await ended(bare.child), 0)
  t.match(bare.output, /^Usage: parlance <command>/)
  t.equal(bare.errors, '')
})

t.test('lists the settings with --help', async t => {
  const helps = [
    ['serve', '--help'],
    ['server', 'serve', '-h'],
  ].map(args => start(t, { PORT: 'x' }, ...args))
  for (const help of helps) {
    t.equal(await ended(help.child), 0)
    t.match(help.output, /Usage:[\s\S]*PORT[\s\S]*BODY_LIMIT/)
    t.equal(help.errors, '')
  }
})

t.test('stops at once on a second signal', async t => {
  t.testdir()
  const server = start(t, {}, 'serve')
  await until(() => server.output.includes('/api/docs'))
  const url = new URL(/listens on (http:\/\/\S+)/.exec(server.output)![1]!)
  const socket = connect(Number(url.port), url.hostname)
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(
    'POST /api/auth/sign-in/email HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n{',
  )
  // 100 Continue: the request is known to have arrived.
  await once(socket, 'data')
  server.child.kill('SIGTERM')
  // A server that has seen the signal accepts no connection.
  t.ok(await eventually(() => isRefused(url)))
  // The server ignores a second signal within 500 ms, which may be an echo of the first.
  await pause(700)
  t.equal(server.child.exitCode, null, 'the first waits for what is in flight')
  server.child.kill('SIGTERM')
  await ended(server.child)
  t.equal(server.child.signalCode, 'SIGTERM')
})

t.test('prints one sentence on an older Node', async t => {
  const old = start(t, { NODE_OPTIONS: `--import=${OLD_NODE}` })
  t.equal(await ended(old.child), 1)
  t.equal(old.errors, 'Parlance needs Node 24 or newer; this is v20.20.2.\n')
  t.equal(old.output, '')
  // An import of anything else fails there before a line of it has run.
  const imports = [...readFileSync(main, 'utf8').matchAll(/\bfrom ?["']([^"']+)["']/g)].map(([, name]) => name!)
  t.strictSame(
    imports.filter(name => !isBuiltin(name)),
    [],
  )
})
