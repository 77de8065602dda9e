/**
 * The npm package of a clone of this checkout, docs/parlance.service and docs/Containerfile: each step runs in an empty
 * folder. The server starts with their settings, answers and stops. The packages are those of this checkout.
 * `DEPLOY=all` installs them from the registry.
 */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { CONNECTION_TIMEOUTS } from '../../src/http/bounds/connections.ts'
import { describeSettings } from '../../src/operator/commands.ts'
import { build } from '../bundled.ts'
import { eventually } from '../contract/server.ts'
import { noGit } from '../http/git-client.ts'

const ALL = process.env.DEPLOY === 'all'
const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (name: string) => readFileSync(join(root, 'docs', name), 'utf8')

/** Why the steps cannot be run here, false when they can. */
const unfit =
  noGit ||
  (process.platform !== 'linux' && 'these are files for Linux') ||
  (spawnSync('git', ['-c', 'safe.directory=*', '-C', root, 'rev-parse', '-q', '--verify', 'HEAD']).status !== 0 &&
    'this checkout is no clone')

let folder = ''
/** A clone of this checkout, built. */
let clone = ''

t.setTimeout(0)

t.before(() => {
  // With the packages that are locked: those of the clone are linked to them.
  build()
  folder = t.testdir()
  clone = join(folder, 'opt/parlance')
})

/** Runs a line of a file as its shell would; it must succeed. */
function run(t: Test, line: string, cwd: string): void {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  // git may read this checkout even if another user owns it.
  writeFileSync(join(home, '.gitconfig'), '[safe]\n\tdirectory = *\n')
  const { status, stderr, stdout } = spawnSync('sh', ['-e', '-c', line], {
    cwd,
    // npm as its user has set it up, where it has anything to do.
    env: { PATH: process.env.PATH, HOME: ALL ? process.env.HOME : home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig') },
    encoding: 'utf8',
    timeout: 1_800_000,
  })
  t.equal(status, 0, `${line}: ${stderr}${stdout}`.slice(0, 2000))
}

/** Packages of the dashboard are in its own folder when the top has another version. */
function linkPackages(into: string): void {
  for (const place of ['.', 'src/dashboard']) {
    const link = join(into, place, 'node_modules')
    // It may have come with the sources.
    if (!existsSync(link)) symlinkSync(join(root, place, 'node_modules'), link)
  }
}

/** Packages: those of this checkout, or when all is wanted what the clone's own `npm run build` has installed. */
function packages(into: string): void {
  if (!ALL) linkPackages(into)
  else if (into !== clone)
    cpSync(join(clone, 'node_modules'), join(into, 'node_modules'), { recursive: true, verbatimSymlinks: true })
}

/** Starts the server with the documented command, sends requests, and stops it. */
async function serves(
  t: Test,
  { argv, cwd, env, health }: { argv: string[]; cwd: string; env: Record<string, string>; health?: string[] },
): Promise<void> {
  const child = spawn(argv[0]!, argv.slice(1), {
    cwd,
    env: { PATH: process.env.PATH, ...env, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let says = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (says += data))
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  t.teardown(() => child.kill('SIGKILL'))
  const address = () => /listens on (http:\/\/\S+)/.exec(says)?.[1]
  t.ok(await eventually(() => address() !== undefined || child.exitCode !== null), says)
  const base = address()
  if (base === undefined) throw new Error(`it did not start: ${says}`)
  t.equal((await fetch(`${base}/api/health`)).status, 200)
  t.equal((await fetch(`${base}/api/docs/`)).status, 200, 'with the pages that come from packages')
  const body = { name: 'Ann', email: 'ann@example.com', password: 'long enough 1' }
  const signUp = () =>
    fetch(`${base}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  t.equal((await signUp()).status, 200, 'the very first account')
  t.equal((await signUp()).status, 403, 'and no other uninvited')
  if (health) {
    const asked = health.map(word => word.replace('http://127.0.0.1:3000', base))
    t.notSame(asked, health)
    t.equal(
      spawnSync(asked[0]!, asked.slice(1), { env: { PATH: process.env.PATH } }).status,
      0,
      'the health check succeeds',
    )
    const elsewhere = health.map(word => word.replace('127.0.0.1:3000', '127.0.0.1:9'))
    t.equal(spawnSync(elsewhere[0]!, elsewhere.slice(1), { env: { PATH: process.env.PATH } }).status, 1)
  }
  child.kill('SIGTERM')
  t.equal(await ended, 0, 'it ends with 0 on the signal')
  for (const name of ['secret', 'parlance.sqlite']) t.equal(statSync(join(env.DATA_DIR!, name)).mode & 0o077, 0, name)
}

/** Asserts that the server knows and accepts all settings. */
function areSettings(t: Test, env: Record<string, string>): void {
  for (const name of Object.keys(env)) {
    if (!name.startsWith('NODE_')) t.match(describeSettings(), new RegExp(`^ {2}${name} `, 'm'), `${name} is a setting`)
  }
  t.doesNotThrow(() => readConfig(env))
}

t.test('runs the server by the unit of systemd', { skip: unfit }, async t => {
  const unit = read('parlance.service')
  const of = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(match => match[1]!)
  const env = Object.fromEntries(of('Environment').map(line => line.split('=') as [string, string]))

  await t.test('runs the lines of the unit in an empty folder', async t => {
    const lines = [...unit.matchAll(/^#(?: {3})(\S.*)$/gm)].map(match => match[1]!)
    t.strictSame(
      lines.map(line => line.split(' ')[0]),
      ['git', 'cd', 'install', 'install', 'systemctl'],
    )
    for (const line of lines.slice(0, 4)) {
      const here = line
        .replace('https://example.com/parlance.git', root)
        .replaceAll('/opt/', `${folder}/opt/`)
        .replaceAll(' /etc/', ` ${folder}/etc/`)
      t.not(here, line)
      mkdirSync(join(folder, 'etc/systemd/system'), { recursive: true })
      if (line.startsWith('cd ')) packages(clone)
      run(t, here, folder)
    }
    t.ok(existsSync(join(clone, 'dist/main.js')))
    t.equal(statSync(join(folder, 'etc/parlance.env')).mode & 0o777, 0o600)
    t.ok(existsSync(join(folder, 'etc/systemd/system/parlance.service')))
  })

  await t.test('starts with the settings of the unit, and stops within its timeout', async t => {
    areSettings(t, env)
    const [command = ''] = of('ExecStart')
    const argv = command
      .split(' ')
      .map(word => word.replace('/usr/bin/node', process.execPath).replace('/opt/parlance', clone))
    t.strictSame(argv, [process.execPath, '--max-semi-space-size=8', `${clone}/dist/main.js`, 'serve'])
    t.strictSame(of('WorkingDirectory'), ['/opt/parlance'])
    t.equal(env.DATA_DIR, `/var/lib/${of('StateDirectory')[0]}`, 'the one folder that it may write')
    const state = join(folder, 'var/lib/parlance')
    mkdirSync(state, { recursive: true })
    // What the unit protects it may not write, and does not.
    chmodSync(state, 0o700)
    await serves(t, { argv, cwd: clone, env: { ...env, DATA_DIR: state } })
    t.ok(
      Number(of('TimeoutStopSec')[0]) * 1000 >= CONNECTION_TIMEOUTS.closing + 10_000,
      'there is time to seal what is in flight',
    )
    t.ok(Number(of('LimitNOFILE')[0]) >= readConfig(env).connections + 10_000)
  })

  const absent =
    spawnSync('systemd-analyze', ['--version']).status === 0 ? false : 'there is no systemd-analyze on this machine'
  await t.test('passes the checks of systemd', { skip: absent }, async t => {
    const file = join(folder, 'parlance.service')
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    t.equal(status, 0, stderr)
    t.notMatch(stderr, 'parlance.service', 'nor to warn of')
    const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file], {
      encoding: 'utf8',
    })
    if (/unrecognized option/.test(judged.stderr)) t.comment(judged.stderr)
    else t.equal(judged.status, 0, `exposed no more than 2.0 of 10: ${judged.stdout.trim().split('\n').at(-1)}`)
  })
})

/** A package of this checkout and its dependencies, by their folders. */
function closure(name: string, found = new Set<string>()): Set<string> {
  const folder = join(root, 'node_modules', name)
  if (found.has(folder) || !existsSync(folder)) return found
  found.add(folder)
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const one of Object.keys(dependencies)) closure(one, found)
  return found
}

/** As `npm install --global` does: from the registry when all is wanted, else with the packages of this checkout. */
function installGlobally(t: Test, tarball: string, prefix: string): void {
  if (ALL) {
    run(t, `npm install --global --ignore-scripts --prefix ${prefix} ${tarball}`, folder)
    return
  }
  const place = join(prefix, 'lib/node_modules/parlance')
  mkdirSync(place, { recursive: true })
  run(t, `tar -xzf ${tarball} --strip-components=1 -C ${place}`, folder)
  const { dependencies, bin } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    for (const from of closure(name)) {
      cpSync(from, join(place, relative(root, from)), {
        recursive: true,
        filter: file => !file.endsWith('/node_modules/.bin'),
      })
    }
  }
  mkdirSync(join(prefix, 'bin'), { recursive: true })
  chmodSync(join(place, bin.parlance), 0o755)
  symlinkSync(join(place, bin.parlance), join(prefix, 'bin/parlance'))
}

t.test('installs the package without git and a compiler', { skip: unfit }, async t => {
  const from = ALL ? join(folder, 'package') : clone
  if (ALL) {
    run(t, `git clone -q ${root} ${from}`, folder)
    linkPackages(from)
  }
  // The steps of the Containerfile pack their build, which equals that of the unit.
  run(
    t,
    `mv "$(${ALL ? 'npm run --silent pack' : 'node src/launch/pack.mjs --silent'})" parlance.tgz && tar -tzf parlance.tgz > files`,
    from,
  )
  const files = readFileSync(join(from, 'files'), 'utf8').trim().split('\n')
  // The server serves the dashboard, the guides with their stories, and the CLI.
  const ours =
    /^package\/(?:dist\/(?:main|chunks\/[\w.-]+)\.js|dist\/(?:dashboard|static)\/[\w./-]+|(?:docs|test\/cli\/stories)\/[a-z-]+\.md)$/
  const others = files.filter(file => !ours.test(file)).sort()
  t.strictSame(others, [
    'package/LICENSE',
    'package/README.md',
    ...['dist/THIRD-PARTY.txt', 'dist/cli.mjs', 'dist/parlance.config.schema.json'].map(file => `package/${file}`),
    'package/package.json',
  ])

  const prefix = join(folder, 'usr')
  installGlobally(t, join(from, 'parlance.tgz'), prefix)
  const taken = spawnSync('du', ['-sk', prefix], { encoding: 'utf8' }).stdout
  t.ok(Number.parseInt(taken, 10) < 46_000, `less than 46 MB on the disk: ${taken}`)
  const bare = join(folder, 'bare')
  const here = join(folder, 'here')
  for (const empty of [bare, here]) mkdirSync(empty)
  symlinkSync(process.execPath, join(bare, 'node'))
  const env = { PATH: bare, DATA_DIR: join(here, 'data'), SIGN_UP: 'invite' }
  await serves(t, { argv: [join(prefix, 'bin/parlance'), 'serve'], cwd: here, env })
})

interface Instruction {
  name: string
  rest: string
}

t.test('builds and runs by the Containerfile', { skip: unfit }, async t => {
  const instructions: Instruction[] = read('Containerfile')
    .replace(/^#.*\n/gm, '')
    .split('\n')
    .filter(Boolean)
    .map(line => ({ name: line.split(' ')[0]!, rest: line.slice(line.indexOf(' ') + 1) }))
  const of = (name: string) => instructions.filter(one => one.name === name).map(({ rest }) => rest)
  const json = (name: string): string[] => JSON.parse(of(name)[0]!.replace(/^.*?CMD (?=\[)/, ''))
  const stages: string[] = []
  const env: Record<string, string> = {}
  const places = { build: join(folder, 'build-stage'), final: join(folder, 'final-stage') }

  await t.test('runs the steps of the Containerfile in empty folders', async t => {
    const known = [
      'FROM',
      'WORKDIR',
      'COPY',
      'RUN',
      'USER',
      'ENV',
      'VOLUME',
      'EXPOSE',
      'HEALTHCHECK',
      'STOPSIGNAL',
      'ENTRYPOINT',
      'CMD',
    ]
    let within = ''
    for (const { name, rest } of instructions) {
      t.ok(known.includes(name), name)
      const stage = stages.length === 1 ? places.build : places.final
      if (name === 'FROM') {
        t.match(rest, /^node:24-bookworm(-slim)?( AS build)?$/, 'an image by its plain name')
        stages.push(rest)
      } else if (name === 'WORKDIR') {
        within = join(stage, rest)
        mkdirSync(within, { recursive: true })
      } else if (name === 'COPY') {
        const [, from, names = ''] = /^(--from=build )?(.*)$/.exec(rest) ?? []
        const sources = names.split(' ')
        const last = sources.pop()!
        const target = last.startsWith('/') ? join(stage, last) : join(within, last)
        mkdirSync(target, { recursive: true })
        for (const source of sources) copy(from ? join(places.build, source) : join(clone, source), target)
        // Once the sources are there, beside which some packages lie.
        if (sources.includes('src') && !ALL) packages(within)
      } else if (name === 'RUN') runStep(t, rest, within, stage)
      else if (name === 'ENV')
        for (const pair of rest.split(' '))
          Object.assign(env, Object.fromEntries([/^([^=]+)=(.*)$/.exec(pair)!.slice(1)]))
    }
    t.equal(stages.length, 2)
    t.strictSame(of('STOPSIGNAL'), ['SIGTERM'])
    t.strictSame(of('USER'), ['node'], 'not as root')
    t.strictSame([of('EXPOSE')[0], of('VOLUME')[0]], [env.PORT, env.DATA_DIR])
  })

  await t.test('starts the server from the copied files, with a working health check', async t => {
    areSettings(t, env)
    const argv = [...json('ENTRYPOINT'), ...json('CMD')].map(word =>
      word === 'parlance' ? join(places.final, 'usr/local/bin', word) : word,
    )
    const health = json('HEALTHCHECK').map(word => (word === 'node' ? process.execPath : word))
    await serves(t, {
      argv,
      cwd: join(places.final, 'data'),
      env: { ...env, DATA_DIR: join(places.final, 'data') },
      health,
    })
  })
})

/** As COPY does: a folder's content into the target, a file into the folder that ends in a slash. */
function copy(from: string, to: string): void {
  const isFolder = statSync(from).isDirectory()
  cpSync(from, isFolder ? to : join(to, from.split('/').at(-1)!), {
    recursive: true,
    verbatimSymlinks: true,
    dereference: false,
  })
}

function runStep(t: Test, line: string, cwd: string, stage: string): void {
  if (line.startsWith('apt-get')) {
    // The packages of this machine are not the test's to change: that they exist is all that can be seen.
    for (const name of ['git', 'ca-certificates']) t.ok(line.includes(` ${name} `))
    return
  }
  const install = 'npm install --global --ignore-scripts '
  if (line.startsWith(install)) {
    const [tarball = '', ...rest] = line.slice(install.length).split(' ')
    t.strictSame(rest, ['&&', 'rm', '-r', tarball])
    installGlobally(t, join(stage, tarball), join(stage, 'usr/local'))
    return
  }
  const here = line.replace('chown node:node /data', 'true').replaceAll(' /data', ` ${stage}/data`)
  run(t, here, cwd)
}
