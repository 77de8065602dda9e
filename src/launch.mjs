/**
 * The npm scripts: install what is missing, build what is stale, run the command. Plain JavaScript that Node 18 can
 * read, as it runs before anything is installed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from './launch/build.mjs'
import { fetchNode } from './launch/fetch-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts) => join(root, ...parts)

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP']
/** Read at once: it may be gone once the packages are there. */
const parent = process.ppid

const commands = {
  start: args => commands.parlance(['serve', ...args]),
  async parlance(args) {
    process.chdir(root)
    await build(root)
    endWithParent()
    await runBuilt('main.js', args)
  },
  async demo(args) {
    await build(root)
    await runBuilt(args[0] === 'cluster' ? 'demo-cluster.js' : 'demo.js', args)
  },
  build: () => build(root),
  /** The page from its sources, anew at each change of them, against the server at PARLANCE_URL. */
  dev: args => run(process.execPath, [at('node_modules/vite/bin/vite.js'), 'src/dashboard', ...args]),
  /** Before `npm pack`: keeps earlier builds out of the package. */
  async prepack() {
    rmSync(at('dist'), { recursive: true, force: true })
    await build(root)
  },
  async test(args) {
    await build(root)
    await prepareTap()
    // Two hundred test files read the same modules: half the time of the short ones.
    process.env.NODE_COMPILE_CACHE ??= at('node_modules/.cache/compiled')
    await run(process.execPath, ['test/run-tap.mjs', ...args])
  },
  async 'test:long'(args) {
    Object.assign(process.env, { ...LONG_FORMS, ...process.env })
    await installExtractor()
    await commands.test(args.every(arg => arg.startsWith('-')) ? [...args, ...LONG_TESTS] : args)
  },
  /** The page in a real browser; its tests are skipped where there is none. */
  'test:browser': args =>
    commands.test(args.every(arg => arg.startsWith('-')) ? ['--jobs=3', ...args, 'test/browser/*.test.ts'] : args),
  /** Side by side: each leaves a processor idle for a while. All of them say what they have to. */
  async check() {
    const bin = name => at('node_modules/.bin', name)
    const ends = await Promise.all([
      end(bin('tsc'), []),
      end(bin('biome'), ['ci', '--error-on-warnings', '.']),
      end(bin('tsc'), ['--project', 'src/dashboard']),
      end(process.execPath, ['test/imports.test.ts']),
    ])
    endLike(ends.find(([code]) => code !== 0))
  },
  async bench(args) {
    await build(root)
    await run(process.execPath, ['test/bench/run.ts', ...args])
  },
}

const FOR_TESTS = ['test', 'test:long', 'test:browser', 'check', 'bench']

/** Left out of `npm test` as they take minutes, with longer crash tests: this many kills and power cuts. */
const LONG_TESTS = [
  'test/long/**/*.test.ts',
  'test/**/*.long.test.ts',
  'test/store/{crash,powerloss,releases,releases-powerloss}.test.ts',
  'test/contract/accounts-crash.test.ts',
]
const LONG_FORMS = {
  CRASHES: '24',
  CUTS: '40',
  MERGE_CRASHES: '10',
  RELEASE_CRASHES: '12',
  RELEASE_CUTS: '30',
  KILLS: '4',
  SQLITE_KILLS: '4',
  CONTRACT_KILLS: '6',
  TERMS: '3',
  SOAK: '12',
  // Seconds for a file, on a slow machine beside five others.
  TAP_TIMEOUT: '1800',
}

/** In this process, for its signals. */
async function runBuilt(file, args) {
  process.argv = [process.argv[0], at('dist', file), ...args]
  await import(pathToFileURL(at('dist', file)).href)
}

/**
 * Installs the locked packages unless just these are installed.
 * @param all with those that only tests and checks need (`test/package.json`)
 */
async function install(all) {
  const stamp = at('node_modules/.parlance-installed')
  const hash = createHash('sha256')
    .update(readFileSync(at('package-lock.json')))
    .update(process.version)
  const lock = hash.digest('hex')
  // Where tests ran once they will again.
  const wanted = all || existsSync(at('node_modules/tap')) ? `${lock} with tests` : lock
  if (existsSync(stamp) && readFileSync(stamp, 'utf8').startsWith(wanted)) return
  // Not on standard output, which may be a program's (`npm run -s parlance -- user list --json | jq`).
  console.error('Installing packages (the first time takes some seconds) …')
  const which = ['--include-workspace-root', wanted === lock ? '--workspace=src/dashboard' : '--workspaces']
  const argv = ['ci', '--include=dev', ...which, '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', argv, ['inherit', 2, 2])
  writeFileSync(stamp, wanted)
}

/** The version whose order of keys, templates and config fields the developers' command is built for. */
const EXTRACTOR = 'i18next-cli@1.74.2'

/** Installs i18next-cli (33 MB) for the tests of the command; they are skipped where it cannot be had. */
async function installExtractor() {
  const folder = at('node_modules/.cache/i18next-cli')
  if (existsSync(join(folder, 'node_modules/i18next-cli'))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const argv = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', EXTRACTOR]
  const { status } = spawnSync('npm', argv, { cwd: folder, stdio: ['ignore', 2, 2], timeout: 120_000 })
  if (status === 0) return
  rmSync(folder, { recursive: true, force: true })
  console.error(`${EXTRACTOR} could not be installed: its tests are skipped.`)
}

/** tap generates its test class once, among the packages; a first run that does it reports the test as failed. */
async function prepareTap() {
  const stamp = at('node_modules/.parlance-tap-built')
  if (existsSync(stamp)) return
  await run('npx', ['--no-install', 'tap', 'build'])
  writeFileSync(stamp, '')
}

/** Runs a program to its end, passes on signals, and ends like it when it failed. */
async function run(command, args, stdio) {
  endLike(await end(command, args, stdio))
}

/** Runs a program and passes on signals. @returns its exit code and the signal that ended it */
async function end(command, args, stdio = 'inherit') {
  const child = spawn(command, args, { cwd: root, stdio })
  const release = endWithParent(signal => child.kill(signal))
  const ended = await new Promise(resolve => {
    child.on('error', error => stop(`${command} could not be started: ${error.message}`))
    child.on('exit', (...end) => resolve(end))
  })
  release()
  return ended
}

function endLike([code, signal] = [0, null]) {
  if (signal) process.kill(process.pid, signal)
  if (code !== 0) process.exit(code ?? 1)
}

/**
 * Ends this process with its npm, which passes on only SIGTERM and SIGINT, and nothing when killed.
 * @param onSignal what a signal does, beside its other listeners
 */
function endWithParent(onSignal = () => {}) {
  const look = () => process.ppid !== parent && process.kill(process.pid, 'SIGTERM')
  const looking = process.env.npm_lifecycle_event ? setInterval(look, 500).unref() : undefined
  const told = signal => {
    clearInterval(looking)
    onSignal(signal)
  }
  for (const signal of SIGNALS) process.on(signal, told)
  return () => {
    clearInterval(looking)
    for (const signal of SIGNALS) process.removeListener(signal, told)
  }
}

function stop(message) {
  console.error(message)
  process.exit(1)
}

/** On an older Node: fetches a newer one, puts it first in PATH and starts over. */
async function runOnNewer() {
  let node
  try {
    node = fetchNode(root)
  } catch (error) {
    stop(error.message)
  }
  process.env.PATH = dirname(node) + delimiter + process.env.PATH
  await run(node, process.argv.slice(1))
}

const [name = '', ...args] = process.argv.slice(2)
if (!Object.hasOwn(commands, name)) stop(`usage: node src/launch.mjs ${Object.keys(commands).join('|')}`)
if (Number.parseInt(process.versions.node, 10) < 24) await runOnNewer()
else {
  await install(FOR_TESTS.includes(name))
  await commands[name](args)
}
