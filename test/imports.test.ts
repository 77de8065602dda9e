/** Holds the arrows between the parts: main -> app -> http -> { store, auth, threads } -> bundle, and one importer for each library. */
import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const src = fileURLToPath(new URL('../src', import.meta.url))

interface Import {
  from: string
  to: string
}

function* importsIn(folder: string): Generator<Import> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue
    const path = join(entry.parentPath, entry.name)
    const text = readFileSync(path, 'utf8')
    for (const match of text.matchAll(/(?:^|[;\s])(?:from|import)\s*\(?\s*'([^']+)'/gm)) {
      const target = match[1]!
      const to = target.startsWith('.') ? name(join(dirname(path), target)) : target
      yield { from: name(path), to }
    }
  }
}

const name = (path: string) => relative(src, path).split(sep).join('/')

/** The part that a file belongs to: its folder, or the file itself at the top. */
const partOf = (file: string) => file.split('/')[0]!

const imports = [...importsIn(src)]
const own = imports.filter(({ to }) => to.endsWith('.ts'))
const libraries = imports
  .filter(({ to }) => !to.endsWith('.ts') && !isBuiltin(to))
  .map(({ from, to }) => ({
    from,
    to: to
      .split('/')
      .slice(0, to.startsWith('@') ? 2 : 1)
      .join('/'),
  }))

/** Which parts each part may import, beside itself. */
const arrows: Record<string, string[]> = {
  'main.ts': ['operator', 'app.ts', 'config.ts', 'bundle'],
  operator: ['app.ts', 'config.ts', 'remote.ts', 'store', 'auth', 'bundle', 'sqlite.ts'],
  'app.ts': ['config.ts', 'remote.ts', 'http', 'store', 'auth', 'threads', 'bundle'],
  'config.ts': ['settings.ts', 'remote.ts', 'bundle'],
  'settings.ts': ['remote.ts'],
  'remote.ts': ['bundle'],
  http: ['config.ts', 'store', 'auth', 'threads', 'bundle'],
  threads: ['bundle'],
  store: ['remote.ts', 'bundle', 'sqlite.ts'],
  auth: ['bundle', 'sqlite.ts'],
  'sqlite.ts': [],
  bundle: [],
  cli: ['bundle'],
}

t.test('the arrows point one way', async t => {
  t.ok(own.length > 30, 'imports were found at all')
  for (const { from, to } of own) {
    const [part, target] = [partOf(from), partOf(to)]
    t.ok(part === target || arrows[part]?.includes(target), `${from} -> ${to}`)
  }
})

t.test('what a wire is made of is unknown below it', async t => {
  const types = own.filter(({ from, to }) => from.startsWith('http/') && to === 'config.ts')
  for (const { from } of types) {
    t.match(
      readFileSync(join(src, from), 'utf8'),
      /import type \{[^}]*\} from '\.\.\/config\.ts'/,
      `${from} takes only its type`,
    )
  }
})

t.test('the core imports itself and node:crypto', async t => {
  const outside = imports.filter(({ from, to }) => from.startsWith('bundle/') && !to.endsWith('.ts'))
  t.strictSame(
    [...new Set(outside.map(({ to }) => to))].filter(to => to !== 'node:crypto'),
    [],
  )
})

/** Where each third-party library may be imported. */
const importers: Record<string, RegExp> = {
  fastify: /^(app\.ts|http\/)/,
  '@fastify/swagger': /^http\/openapi\.ts$/,
  '@fastify/swagger-ui': /^http\/openapi\.ts$/,
  'fastify-type-provider-zod': /^http\/openapi\.ts$/,
  zod: /^(settings\.ts|http\/)/,
  commander: /^(operator|cli)\//,
  'prom-client': /^http\/metrics\.ts$/,
  'better-auth': /^auth\//,
  'better-sqlite3': /^sqlite\.ts$/,
  chokidar: /^store\//,
  'isomorphic-git': /^store\/create-repository\.ts$/,
}

t.test('each library has one importer', async t => {
  t.ok(libraries.length > 5, 'imports of libraries were found at all')
  for (const { from, to } of libraries) t.match(from, importers[to] ?? /^no one$/, `${from} imports ${to}`)
  const watchers = libraries.filter(({ to }) => to === 'chokidar').map(({ from }) => from)
  t.ok(watchers.length <= 1, `chokidar: ${watchers.join(', ')}`)
})

/** git runs in this process's environment, less what would lead it astray. */
const ownProcess = new Set(['main.ts', 'store/git/git.ts'])

t.test('only main.ts and the command-line programs touch the process', async t => {
  for (const entry of readdirSync(src, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue
    const file = name(join(entry.parentPath, entry.name))
    if (ownProcess.has(file) || file.startsWith('cli/')) continue
    const text = readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    t.notMatch(text, /\bprocess\.(?:env|argv|exit|on|once|stdout|stderr|cwd)\b/, file)
  }
})
