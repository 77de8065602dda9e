import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { parlance, start } from './parlance.ts'

t.setTimeout(0)

const COMMANDS = [
  'serve',
  'server serve',
  'server backup',
  'server restore',
  'server verify',
  'server user create',
  'server user reset-password',
  'server user reset-two-factor',
  'server user list',
  'server organization list',
  'server organization export',
]

t.test('every command describes itself, with an example and the exit codes', async t => {
  const program = await parlance(t, ['--help'])
  t.equal(program.code, 0)
  t.match(program.output, /Usage:[\s\S]*Commands:[\s\S]*Exit codes:/)
  t.strictSame((await parlance(t, ['-h'])).output, program.output)
  t.strictSame((await parlance(t, ['help'])).output, program.output)
  for (const command of COMMANDS) {
    // A wrong setting must not suppress the help.
    const { code, output, errors } = await parlance(t, [...command.split(' '), '--help'], { env: { PORT: 'x' } })
    t.equal(code, 0, command)
    t.equal(errors, '', command)
    t.match(output, `Usage: parlance ${command}`, command)
    t.match(output, /Options:[\s\S]*--data-dir[\s\S]*--json[\s\S]*Example:\n {2}.*parlance [\s\S]*Exit codes:/, command)
  }
  for (const group of ['server', 'server user', 'server organization']) {
    const { code, output } = await parlance(t, [...group.split(' '), '--help'])
    t.equal(code, 0, group)
    const words = COMMANDS.filter(name => name.startsWith(`${group} `)).map(name => name.slice(group.length + 1))
    for (const word of words) t.match(output, `  ${word.split(' ')[0]}`)
  }
})

t.test('--version', async t => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  for (const word of ['--version', '-V']) {
    const { code, output } = await parlance(t, [word])
    t.equal(code, 0)
    t.equal(output, `${version}\n`)
  }
})

t.test('wrong usage ends with 2 and one line that names it', async t => {
  const DATA_DIR = join(t.testdir(), 'data')
  const rows: [string[], RegExp, Record<string, string>?][] = [
    [['severe'], /no such command: severe\. Did you mean serve/],
    [['verify'], /no such command: verify\. Did you mean parlance server verify\?/],
    [['frobnicate'], /no such command: frobnicate\. See parlance --help/],
    [['serve', 'now'], /no such command: serve now/],
    [
      ['server', 'user'],
      /Which command\? create, reset-password, reset-two-factor, list\. See parlance server user --help/,
    ],
    [['server', 'user', 'crate'], /no such command: server user crate\. Did you mean create\?/],
    [['help', 'frobnicate'], /no such command/],
    [['server', 'user', 'list', '--jsn'], /no such option: --jsn\. Did you mean --json\?/],
    [['server', 'user', 'list', 'x'], /has no operand "x"/],
    [['--data-dir=x', 'user', 'list'], /no such option: --data-dir\. Options come after the command/],
    [
      ['server', 'user', 'list', 'https://ann:secret@example.com/x'],
      /has no operand "https:\/\/\*\*\*@example.com\/x"/,
    ],
    [['server', 'user', 'create', '--email', 'a@example.com'], /--name <name>' not specified/],
    [['server', 'user', 'create', '--email'], /--email <address>' argument missing/],
    [
      ['server', 'user', 'create', '--email', 'a@example.com', '--name', 'A', '--role', 'boss'],
      /--role must be owner, admin or member, not "boss"/,
    ],
    [['server', 'user', 'create', '--email', 'a@example.com', '--name', 'A', '--role', 'admin'], /give --organization/],
    [['server', 'user', 'create', '--email', 'nobody', '--name', 'A'], /"nobody" is no e-mail address/],
    [['server', 'user', 'create', '--email', 'a@example.com', '--name', ' '], /name must have 1 to 100/],
    [['server', 'user', 'list', '--data-dir', ''], /--data-dir must be/],
    [['server', 'user', 'list'], /PORT must be a whole number/, { PORT: 'x' }],
    [['serve'], /^Parlance did not start: LOG_LEVEL must be/, { LOG_LEVEL: 'loud' }],
  ]
  for (const [words, message, env] of rows) {
    const what = words.join(' ')
    const plain = await parlance(t, words, { env: { DATA_DIR, ...env } })
    t.equal(plain.code, 2, what)
    t.equal(plain.output, '', what)
    t.match(plain.errors, message, what)
    t.match(plain.errors, /^[^\n]+\n$/, `${what}: one line`)
    const json = await parlance(t, [...words, '--json'], { env: { DATA_DIR, ...env } })
    t.equal(json.code, 2, `${what} --json`)
    t.strictSame(Object.keys(json.json ?? {}), ['error'], `${what} --json: ${json.output}`)
    t.equal(json.errors, '', `${what} --json`)
  }
})

t.test('names a folder that is no data folder, and creates none there', async t => {
  const folder = join(t.testdir(), 'nowhere')
  const rows = [
    ['server', 'user', 'list'],
    ['server', 'user', 'reset-password', '--email', 'a@example.com'],
    ['server', 'organization', 'list'],
  ]
  for (const words of rows) {
    const plain = await parlance(t, [...words, '--data-dir', folder])
    t.equal(plain.code, 1, words.join(' '))
    t.match(plain.errors, new RegExp(`^parlance ${words.slice(0, 3).join(' ')}: ${folder} is no data folder[^\\n]*\n$`))
    const json = await parlance(t, [...words, '--json'], { env: { DATA_DIR: folder } })
    t.equal(json.code, 1)
    t.match(json.json, { error: /is no data folder/ })
  }
  t.notOk(existsSync(folder))
})

t.test('no command touches a folder that a newer Parlance has written', async t => {
  const folder = t.testdir({ version: '2\n', organizations: {} })
  const rows = [
    ['serve'],
    ['server', 'verify'],
    ['server', 'user', 'list'],
    ['server', 'user', 'create', '--email', 'a@example.com', '--name', 'Ann'],
    ['server', 'organization', 'list'],
    ['server', 'backup'],
  ]
  for (const words of rows) {
    const { code, errors } = await parlance(t, [...words, '--data-dir', folder])
    t.equal(code, 1, words.join(' '))
    t.match(errors, /written by a newer Parlance \(version 2, this one knows 1\): run that one/, words.join(' '))
  }
  t.strictSame(readdirSync(folder).sort(), ['organizations', 'version'])
})

t.test('serve --json prints one document, and its log goes to standard error', async t => {
  const dataDir = join(t.testdir(), 'data')
  const server = start(t, ['serve', '--json', '--data-dir', dataDir], { env: { LOG_REQUESTS: 'all' } })
  while (!server.output.includes('}')) await pause(20)
  const { url, ...rest } = JSON.parse(server.output)
  t.strictSame(rest, { dataDir, hasUsers: false })
  t.equal((await fetch(`${url}/api/projects`)).status, 401)
  server.child.kill('SIGTERM')
  t.equal(await server.ended, 0)
  t.ok(JSON.parse(server.output))
  t.match(server.errors, '/api/projects')

  const second = await parlance(t, ['serve', '--json', '--data-dir', '/dev/null/data'])
  t.equal(second.code, 1)
  t.match(second.json, { error: /cannot be used/ })
})

t.test('a reader that leaves early is no failure', async t => {
  const dataDir = join(t.testdir(), 'data')
  await parlance(t, ['server', 'user', 'create', '--email', 'a@example.com', '--name', 'A', '--data-dir', dataDir])
  const list = start(t, ['server', 'user', 'list', '--data-dir', dataDir])
  list.child.stdout!.destroy()
  t.equal(await list.ended, 0)
  t.equal(list.errors, '')
})
