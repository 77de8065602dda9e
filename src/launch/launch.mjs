/**
 * The npm scripts: install missing packages, build stale programs, run the script. Plain JavaScript that Node 18 can
 * read, as it runs before any package is installed.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, generateClient } from './build.mjs'
import { fetchNode } from './fetch-node.mjs'
import { install } from './install.mjs'
import { installForLongTests } from './long-tests.mjs'
import { pack } from './pack.mjs'
import { end, endLike, endWithParent, run, stop } from './processes.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const at = (...parts) => join(root, ...parts)

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
  /** Serves the dashboard from its sources, with hot reload, against the server at PARLANCE_URL. */
  async dev(args) {
    await generateClient(root)
    await run(process.execPath, [at('node_modules/vite/bin/vite.js'), 'src/dashboard', ...args])
  },
  /** The package, of a fresh build. */
  async pack(args) {
    rmSync(at('dist'), { recursive: true, force: true })
    await build(root)
    pack(root, args)
  },
  async test(args) {
    await build(root)
    process.env.DIST_IS_BUILT = 'yes'
    await prepareTap()
    // Two hundred test files read the same modules: half the time of the short ones.
    process.env.NODE_COMPILE_CACHE ??= at('node_modules/.cache/compiled')
    await run(process.execPath, ['test/run-tap.mjs', ...args])
  },
  async 'test:long'(args) {
    Object.assign(process.env, { ...LONG_FORMS, ...process.env })
    await installForLongTests(root)
    await commands.test(args.every(arg => arg.startsWith('-')) ? [...args, ...LONG_TESTS] : args)
  },
  /** The dashboard in a real browser. Its tests are skipped where no browser is installed. */
  'test:browser': args =>
    commands.test(args.every(arg => arg.startsWith('-')) ? ['--jobs=2', ...args, 'test/browser/*.test.ts'] : args),
  /** All checks at the same time, each to its end: every fault is printed. */
  async check() {
    const bin = name => at('node_modules/.bin', name)
    await generateClient(root)
    const ends = await Promise.all([
      end(bin('tsc'), []),
      end(bin('biome'), ['ci', '--error-on-warnings', '.']),
      end(bin('tsc'), ['--project', 'src/dashboard']),
      end(process.execPath, ['test/imports.test.ts']),
      end(process.execPath, ['test/exported-names.test.ts']),
      end(process.execPath, ['test/prose/check.ts']),
    ])
    endLike(ends.find(([code]) => code !== 0))
  },
  async bench(args) {
    await build(root)
    await run(process.execPath, ['test/bench/run.ts', ...args])
  },
}

const FOR_TESTS = ['test', 'test:long', 'test:browser', 'check', 'bench']

/** Tests that `npm test` leaves out, and those that have long forms. */
const LONG_TESTS = [
  'test/long/**/*.test.ts',
  'test/**/*.long.test.ts',
  // With `SLOW=1` they run under `npm test`.
  ...(process.env.SLOW ? [] : ['test/**/*.slow.test.ts']),
  'test/security/rights.slow.test.ts',
  'test/http/review-routes.slow.test.ts',
  'test/store/{crash,powerloss,releases,releases-powerloss}.test.ts',
  'test/contract/accounts-crash.test.ts',
]
/** Rounds of crash tests: kills, power cuts, and others. */
const LONG_FORMS = {
  CRASHES: '12',
  CUTS: '20',
  MERGE_CRASHES: '6',
  RELEASE_CRASHES: '8',
  RELEASE_CUTS: '15',
  KILLS: '4',
  SQLITE_KILLS: '4',
  CONTRACT_KILLS: '4',
  TERMS: '2',
  RIGHTS: 'all',
  SOAK: '10',
  // Seconds for a file, on a slow machine beside three others.
  TAP_TIMEOUT: '1800',
}

/** In this process, for its signals. */
async function runBuilt(file, args) {
  process.argv = [process.argv[0], at('dist', file), ...args]
  await import(pathToFileURL(at('dist', file)).href)
}

/** tap generates its test class once, among the packages; a first run that does it reports the test as failed. */
async function prepareTap() {
  const stamp = at('node_modules/.parlance-tap-built')
  if (existsSync(stamp)) return
  await run(process.execPath, [at('node_modules/tap/dist/esm/run.mjs'), 'build'])
  writeFileSync(stamp, '')
}

/** On an older Node: fetches a newer one, puts it first in PATH and starts over. */
async function runOnNewer() {
  const node = await fetchNode(root)
  process.env.PATH = dirname(node) + delimiter + process.env.PATH
  await run(node, process.argv.slice(1))
}

const [name = '', ...args] = process.argv.slice(2)
if (!Object.hasOwn(commands, name)) stop(`usage: node src/launch/launch.mjs ${Object.keys(commands).join('|')}`)
const isOld = Number.parseInt(process.versions.node, 10) < 24
await (isOld ? runOnNewer() : install(root, FOR_TESTS.includes(name))).catch(({ message }) => stop(message))
if (!isOld) await commands[name](args)
