/** Builds `dist/` from the sources with esbuild. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { noticesOf, partsIn } from './notices.mjs'

const entries = { main: 'src/main.ts', demo: 'src/demo/demo.ts', 'demo-cluster': 'src/demo/cluster.ts' }
/** Packages that find files of their own at run time. All others are bundled. */
export const NOT_BUNDLED = ['better-sqlite3', 'piscina']
/** The pages of the API. The plugin of Fastify reads them beside the folder of its file, `dist/chunks/`. */
const API_PAGES = {
  from: 'node_modules/@fastify/swagger-ui/static',
  to: 'dist/static',
  notice: 'static/ has swagger-ui (Apache-2.0, see above), Copyright SmartBear Software Inc.',
}
const programEntries = { worker: 'src/worker/program.ts', memory: 'src/memory/program.ts' }

/** Builds the server and the dashboard, each if one of its sources is newer. @param root the clone */
export async function build(root) {
  await Promise.all([
    generateClient(root).then(() => {
      const isPageStale = isStale(root, 'dist/dashboard/index.html.br', sources(root, 'src/dashboard', 'src/bundle'))
      return isPageStale && runProgram(root, 'build-dashboard.mjs')
    }),
    isStale(root, 'dist/main.js', serverSources(root)) && buildServer(root),
  ])
}

/** Generates the API clients of the dashboard if a source file of the server is newer. @param root the clone */
export async function generateClient(root) {
  const isMissing = ['client.ts', 'late-client.ts'].some(name => !existsSync(join(root, 'src/dashboard/api', name)))
  if (isMissing || isStale(root, 'dist/dashboard-api.json', serverSources(root)))
    await runProgram(root, 'generate-client.mjs')
}

function isStale(root, built, files) {
  const time = file => statSync(file).mtimeMs
  const newest = Math.max(...[...files, join(root, 'package-lock.json')].map(time))
  return !existsSync(join(root, built)) || time(join(root, built)) <= newest
}

/** In a process of its own: the server runs in this one, and would retain the memory of all that was loaded. */
async function runProgram(root, name) {
  const program = fileURLToPath(new URL(name, import.meta.url))
  const child = spawn(process.execPath, [program, root], { stdio: ['ignore', 2, 2] })
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve))
  if (code !== 0) throw new Error(`${name} failed: see above.`)
}

/** Bundles the server, its threads, the demos and the CLI. */
async function buildServer(root) {
  const at = path => join(root, path)
  const built = at('dist/main.js')
  const esbuild = await import('esbuild')
  const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  const options = {
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    minifyWhitespace: true,
    minifySyntax: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    sourcemap: true,
    logLevel: 'warning',
    // By `publish`, file by file.
    write: false,
    metafile: true,
    external: NOT_BUNDLED,
    // The UMD build of jsonc-parser requires files that a bundle does not have.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    // Bundled CommonJS packages require() Node's modules; an ES module has no require.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  }
  // A running server may start a thread after the next build: the names hold the version.
  const threads = await esbuild.build({
    ...options,
    entryPoints: programEntries,
    entryNames: 'chunks/[name]-[hash]',
  })
  // The CLI is one file: its own package, and the answer of GET /cli. The package has the plugin beside it.
  const command = await esbuild.build({
    ...options,
    entryPoints: [
      { in: 'src/cli/main.ts', out: 'cli' },
      { in: 'src/cli/notes/i18next-cli-plugin.ts', out: 'i18next-cli-plugin' },
    ],
    external: [],
    outExtension: { '.js': '.mjs' },
    define: { PARLANCE_VERSION: JSON.stringify(version) },
    minify: true,
    sourcemap: false,
    // With tsconfig.json each module would repeat 'use strict'.
    tsconfigRaw: {},
    banner: {},
    plugins: [lateBuiltins()],
  })
  const notices = `/*\nWith parts of these packages:\n\n${noticesOf(root, partsIn(command.metafile))}\n*/\n`
  const programOf = name => {
    const isIts = ([, { entryPoint }]) => entryPoint === programEntries[name]
    return JSON.stringify(basename(Object.entries(threads.metafile.outputs).find(isIts)[0]))
  }
  const server = await esbuild.build({
    ...options,
    entryPoints: entries,
    define: {
      WORKER_PROGRAM: programOf('worker'),
      MEMORY_PROGRAM: programOf('memory'),
      __dirname: 'import.meta.dirname',
    },
    // Dynamic imports become files of their own, which are not read at the start. Their names hash their content, and
    // older ones stay for servers that still run from them.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    // A chunk exports no names of a dynamically imported builtin. An older Node must parse the first file.
    plugins: [lateBuiltins(({ kind, importer }) => kind === 'dynamic-import' || importer === at(entries.main))],
  })
  // esbuild's process would live as long as the server that starts here, with three times its memory.
  await esbuild.stop()
  // The plugin has no part of a package.
  for (const { path, text } of command.outputFiles) publish(path, path.endsWith('cli.mjs') ? text + notices : text)
  publish(at('dist/parlance.config.schema.json'), readFileSync(at('src/cli/config/parlance.config.schema.json')))
  publish(
    at('dist/THIRD-PARTY.txt'),
    `${noticesOf(root, partsIn(server.metafile, threads.metafile))}\n${API_PAGES.notice}\n`,
  )
  for (const name of readdirSync(at(API_PAGES.from)))
    publish(at(join(API_PAGES.to, name)), readFileSync(at(join(API_PAGES.from, name))))
  const files = [...threads.outputFiles, ...server.outputFiles]
  // A program follows the chunks that it imports. The server's is last, as `isStale` looks at it.
  const rank = ({ path }) => (path.startsWith(at('dist/chunks')) ? 0 : path === built ? 2 : 1)
  for (const { path, contents } of files.sort((a, b) => rank(a) - rank(b)))
    publish(path, contents, path === built ? 0o755 : 0o644)
}

/** Replaces a file of `dist/` in one step: another process may start from there or build meanwhile. */
function publish(path, content, mode = 0o644) {
  const made = `${path}.${process.pid}.tmp`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(made, content, { mode })
  renameSync(made, path)
}

/**
 * Loads Node's modules at their first use. As imports of the one file, all of them would load at each start, and that
 * is slower than the rest of the start. Only used members are read, as some load much code when they are read.
 */
const lateBuiltins = (isLeft = () => false) => ({
  name: 'late-builtins',
  setup({ onResolve, onLoad }) {
    // fastify and prom-client require these for features that Parlance does not use. Loading both costs 15 ms.
    const isSpared = path => /^(node:)?(https|http2)$/.test(path)
    const kinds = {
      'import-statement': () => 'named-builtins',
      'require-call': path => (isSpared(path) ? 'spared-builtins' : 'late-builtins'),
      'dynamic-import': () => 'late-builtins',
    }
    onResolve({ filter: /^[a-z\d_/:]+$/ }, asked =>
      isBuiltin(asked.path) && !isLeft(asked)
        ? { path: asked.path, namespace: kinds[asked.kind](asked.path) }
        : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'late-builtins' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
    onLoad({ filter: /.*/, namespace: 'spared-builtins' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => process.getBuiltinModule('${path}')[name] })`,
    }))
    onLoad({ filter: /.*/, namespace: 'named-builtins' }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path)).filter(name => /^[A-Za-z]\w*$/.test(name))
      const members = names.map(name => `export const ${name} = /* @__PURE__ */ (() => all.${name})()`)
      return {
        contents: [`const all = process.getBuiltinModule('${path}')`, 'export default all', ...members].join('\n'),
      }
    })
  },
})

const serverSources = root => {
  const dashboard = new Set(sources(root, 'src/dashboard'))
  return sources(root, 'src').filter(file => !dashboard.has(file))
}

const sources = (root, ...folders) => folders.flatMap(folder => [...filesIn(join(root, folder))])

function* filesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name.endsWith('.tmp')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesIn(path)
    else yield path
  }
}
