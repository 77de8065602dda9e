/** The npm scripts: installs what is missing, builds what is stale, then runs the command. Plain JavaScript, since it runs before anything is installed. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts) => join(root, ...parts)

/** What `dist/` is made of. Native and file-serving packages find their own files, so they stay outside the bundles. */
const entries = { main: 'src/main.ts', demo: 'src/cli/demo.ts' }
const threadEntry = 'src/threads/thread.ts'
const external = ['@fastify/swagger-ui']

const commands = {
  async start(args) {
    await commands.parlance(['serve', ...args])
  },
  async parlance(args) {
    process.chdir(root)
    await build()
    process.argv = [process.argv[0], at('dist/main.js'), ...args]
    await import(pathToFileURL(at('dist/main.js')).href)
  },
  async demo(args) {
    await build()
    process.argv = [process.argv[0], at('dist/demo.js'), ...args]
    await import(pathToFileURL(at('dist/demo.js')).href)
  },
  async build() {
    await build()
  },
  async test(args) {
    await build()
    prepareTap()
    run('npx', ['--no-install', 'tap', ...args])
  },
  async check() {
    run('npx', ['--no-install', 'tsc'])
    run('npx', ['--no-install', 'biome', 'ci', '--error-on-warnings', '.'])
    run(process.execPath, ['--import', 'tsx', 'test/imports.test.ts'])
  },
  async bench(args) {
    await build()
    const files = readdirSync(at('test/bench')).filter(file => file.endsWith('.bench.ts'))
    const asked = args.filter(arg => !arg.startsWith('-'))
    const names = asked.flatMap(name => (name === 'git' ? GIT_BENCHES : name))
    const unknown = names.filter(name => !files.includes(`${name}.bench.ts`))
    if (unknown.length)
      stop(`no such benchmark: ${unknown.join(', ')}; there are ${files.map(file => file.slice(0, -9)).join(', ')}`)
    const flags = args.filter(arg => arg.startsWith('-'))
    let missed = false
    for (const file of files) {
      const name = file.slice(0, -9)
      if (names.length ? !names.includes(name) : GIT_BENCHES.includes(name)) continue
      // A part that misses a limit ends with 1; the others are wanted all the same.
      if (statusOf(process.execPath, ['--import', 'tsx', `test/bench/${file}`, ...flags]) !== 0) missed = true
    }
    if (!names.length && !flags.includes('--quick')) run(process.execPath, ['--import', 'tsx', 'test/bench/summary.ts'])
    if (missed) process.exit(1)
  },
}

/** What git costs with 100,000 commits takes as long as all the rest together: asked for as `git`, or one by one. */
const GIT_BENCHES = ['clone', 'history', 'maintenance']

/** Installs the locked packages unless the lock file is the one that was installed last. */
function install() {
  const stamp = at('node_modules/.parlance-installed')
  const wanted = createHash('sha256')
    .update(readFileSync(at('package-lock.json')))
    .update(process.version)
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  // Not on standard output, which may be a program's (`npm run -s parlance -- user list --json | jq`).
  console.error('Installing packages (the first time takes a minute or two: SQLite is compiled) …')
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], ['inherit', 2, 2])
  writeFileSync(stamp, wanted)
}

/** Bundles the server and the command-line programs with esbuild when a source file is newer than the bundle. */
async function build() {
  const built = at('dist/main.js')
  const newest = Math.max(...[...sources(at('src')), at('package-lock.json')].map(file => statSync(file).mtimeMs))
  if (existsSync(built) && statSync(built).mtimeMs > newest) return
  const esbuild = await import('esbuild')
  const options = {
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    minifyWhitespace: true,
    minifySyntax: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
    external,
    // Bundled CommonJS packages call require() for Node's own modules; an ES module has none.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  }
  // A server starts its thread when it needs it, and that may be after the next build: it finds its own by the name.
  const thread = await esbuild.build({
    ...options,
    entryPoints: [threadEntry],
    entryNames: 'chunks/thread-[hash]',
    metafile: true,
  })
  const program = Object.keys(thread.metafile.outputs).find(file => file.endsWith('.js'))
  await esbuild.build({
    ...options,
    entryPoints: Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(at(file)))),
    define: { THREAD_PROGRAM: JSON.stringify(basename(program)) },
    // What is imported late is a file of its own, not read at the start. Its name tells its content, and older ones are left: a server
    // that runs from them may still want one.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  })
  // Its process would live as long as the server that is started from here, and takes three times the server's memory.
  await esbuild.stop()
  chmodSync(built, 0o755)
}

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* sources(path)
    else yield path
  }
}

/** tap generates its test class once; a first run that has to do it reports the test as failed. */
function prepareTap() {
  if (existsSync(at('.tap/test-built'))) return
  run('npx', ['--no-install', 'tap', 'build'])
  mkdirSync(at('.tap'), { recursive: true })
  writeFileSync(at('.tap/test-built'), '')
}

function run(command, args, stdio) {
  const status = statusOf(command, args, stdio)
  if (status !== 0) process.exit(status ?? 1)
}

function statusOf(command, args, stdio = 'inherit') {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio })
  if (error) stop(`${command} could not be started: ${error.message}`)
  return status
}

function stop(message) {
  console.error(message)
  process.exit(1)
}

const [name = '', ...args] = process.argv.slice(2)
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19))
  stop(`Parlance needs Node 20.19 or newer (24 is recommended); this is ${process.version}.`)
if (!Object.hasOwn(commands, name)) stop(`usage: node src/launch.mjs ${Object.keys(commands).join('|')}`)
install()
await commands[name](args)
