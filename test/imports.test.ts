/**
 * Holds the arrows between the parts: main -> app -> http -> { project, store, auth, worker } -> bundle, store ->
 * project -> bundle, and one importer for each library.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const src = fileURLToPath(new URL('../src', import.meta.url))
const name = (path: string) => relative(src, path).split(sep).join('/')

interface Import {
  from: string
  to: string
}

/** The code in `src/`, without the packages of the dashboard. */
const code = readdirSync(src, { withFileTypes: true, recursive: true })
  .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
  .map(entry => join(entry.parentPath, entry.name))

function* importsIn(files: readonly string[]): Generator<Import> {
  for (const path of files) {
    const text = readFileSync(path, 'utf8')
    for (const match of text.matchAll(/(?:^|[;\s])(?:from|import)\s*\(?\s*'([^']+)'/gm)) {
      const target = match[1]!
      const to = target.startsWith('.') ? name(join(dirname(path), target)) : target
      yield { from: name(path), to }
    }
  }
}

/** The part that a file belongs to: its folder, or the file itself at the top. */
const partOf = (file: string) => file.split('/')[0]!

const imports = [...importsIn(code)]
const own = imports.filter(({ to }) => /\.tsx?$/.test(to))
const libraries = imports
  .filter(({ to }) => !/\.(tsx?|json|css)$/.test(to) && !isBuiltin(to))
  .map(({ from, to }) => ({
    from,
    to: to
      .split('/')
      .slice(0, to.startsWith('@') ? 2 : 1)
      .join('/'),
  }))

/** Which parts each part may import, beside itself. */
const arrows: Record<string, string[]> = {
  'main.ts': ['operator', 'cli'],
  operator: ['cli', 'app.ts', 'cluster', 'config.ts', 'settings.ts', 'store', 'auth', 'bundle'],
  'app.ts': [
    'cluster',
    'config.ts',
    'open-data.ts',
    'http',
    'inbox',
    'store',
    'auth',
    'worker',
    'memory',
    'machine',
    'project',
    'bundle',
  ],
  'open-data.ts': ['config.ts', 'cluster', 'mail', 'store', 'auth', 'worker', 'project', 'bundle'],
  // Every room of the server may use it, see below.
  scheduling: ['bundle'],
  'config.ts': ['settings.ts', 'store', 'bundle'],
  'settings.ts': ['cluster', 'store'],
  // What several nodes share: the store and the accounts get it by options.
  cluster: ['auth', 'bundle', 'http', 'project', 'store'],
  http: [
    'config.ts',
    'settings.ts',
    'inbox',
    'mail',
    'store',
    'auth',
    'worker',
    'memory',
    'machine',
    'mcp',
    'project',
    'glossary',
    'bundle',
  ],
  worker: ['bundle', 'inbox', 'project'],
  inbox: ['auth', 'bundle', 'mail', 'project', 'store'],
  // Plain mails to a server; it knows no other room.
  mail: [],
  memory: ['bundle', 'project'],
  machine: ['bundle'],
  mcp: ['bundle'],
  store: ['project', 'bundle'],
  auth: ['bundle'],
  project: ['glossary', 'bundle'],
  glossary: ['bundle'],
  bundle: [],
  // Goes into a package without the server.
  cli: ['bundle'],
  // Runs in browsers.
  dashboard: ['bundle', 'glossary'],
  demo: [],
}

/** Parts that run without the server, or below it. */
const withoutScheduling = new Set(['bundle', 'cli', 'dashboard', 'demo', 'settings.ts', 'config.ts'])

t.test('imports rooms in one direction', async t => {
  t.ok(own.length > 30, 'imports were found at all')
  for (const { from, to } of own) {
    const [part, target] = [partOf(from), partOf(to)]
    const isAllowed = part === target || (target === 'scheduling' && !withoutScheduling.has(part))
    t.ok(isAllowed || arrows[part]?.includes(target), `${from} -> ${to}`)
  }
})

/** The first circle that the arrows from `from` to `to` lead through, undefined when there is none. */
function circleIn(arrows: readonly Import[]): string[] | undefined {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of arrows) if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to))
  const done = new Set<string>()
  const follow = (at: string, path: string[]): string[] | undefined => {
    if (path.includes(at)) return [...path.slice(path.indexOf(at)), at]
    if (done.has(at)) return undefined
    for (const to of next.get(at) ?? []) {
      const circle = follow(to, [...path, at])
      if (circle) return circle
    }
    done.add(at)
    return undefined
  }
  for (const from of next.keys()) {
    const circle = follow(from, [])
    if (circle) return circle
  }
  return undefined
}

/** A file of a room, or the folder in it that the file belongs to. */
const partsOf = (file: string) => file.split('/').slice(0, 2).join('/')

t.test('imports the folders of the store without a circle', async t => {
  const inside = own.filter(({ from, to }) => from.startsWith('store/') && to.startsWith('store/'))
  t.equal(circleIn(inside.map(({ from, to }) => ({ from: partsOf(from), to: partsOf(to) }))), undefined)
  const circle = [...inside, { from: 'store/disk.ts', to: 'store/store.ts' }]
  t.match(circleIn(circle), ['store/'], 'one would be found')
})

t.test('imports the folders of the dashboard without a circle', async t => {
  const inside = own.filter(({ from, to }) => from.startsWith('dashboard/') && to.startsWith('dashboard/'))
  t.ok(inside.length > 500, 'their imports were found')
  t.equal(circleIn(inside.map(({ from, to }) => ({ from: partsOf(from), to: partsOf(to) })))?.join(' -> '), undefined)
})

const wire = code.map(name).filter(file => file.startsWith('http/'))

t.test(
  'the folders of the wire hold what resources share: they know no resource, and each other in no circle',
  async t => {
    const inside = own.filter(({ from, to }) => from.startsWith('http/') && to.startsWith('http/'))
    for (const { from, to } of inside.filter(({ from }) => from.split('/').length > 2)) {
      t.ok(to.split('/').length > 2, `${from} -> ${to}`)
    }
    t.equal(circleIn(inside.map(({ from, to }) => ({ from: partsOf(from), to: partsOf(to) }))), undefined)
  },
)

t.test('imports no wire format below its folder', async t => {
  const types = own.filter(({ from, to }) => from.startsWith('http/') && to === 'config.ts')
  for (const { from } of types) {
    t.match(
      readFileSync(join(src, from), 'utf8'),
      /import type \{[^}]*\} from '(\.\.\/)+config\.ts'/,
      `${from} imports only its type`,
    )
  }
})

t.test(
  'a route changes an organization through permitted-writes.ts alone, which asks for the right inside the queue',
  async t => {
    const door = 'http/writing/permitted-writes.ts'
    t.match(readFileSync(join(src, door), 'utf8'), /import [^;]*\bStore\b[^;]* from '\.\.\/\.\.\/store\/store\.ts'/)
    for (const file of wire.filter(file => file !== door)) {
      const text = readFileSync(join(src, file), 'utf8')
      t.notMatch(
        text,
        /\bStore\b(?=[^;]*from '(\.\.\/)+store\/store\.ts')/,
        `${file} knows a store that cannot be written to`,
      )
      t.notMatch(text, /\bnew Releases\(/, `${file} creates no Releases`)
    }
    t.notMatch(readFileSync(join(src, 'app.ts'), 'utf8'), /\bstore\.(write|changeRefs)\b/)
  },
)

t.test('resolves states in routes through at.ts only, which hides releases of other projects', async t => {
  for (const file of wire.filter(file => file !== 'http/requests/at.ts')) {
    t.notMatch(readFileSync(join(src, file), 'utf8'), /\bstore\.resolve\(/, `${file} calls resolveFor`)
  }
})

t.test('imports only node:crypto and itself in the core', async t => {
  const outside = imports.filter(({ from, to }) => /^(bundle|project)\//.test(from) && !to.endsWith('.ts'))
  t.strictSame(
    [...new Set(outside.map(({ to }) => to))].filter(to => to !== 'node:crypto'),
    [],
  )
})

/** Where each third-party library may be imported. */
const importers: Record<string, RegExp> = {
  // The whole dashboard uses these.
  react: /^dashboard\//,
  'react-aria-components': /^dashboard\//,
  'react-i18next': /^dashboard\//,
  '@tanstack/react-query': /^dashboard\//,
  'lucide-react': /^dashboard\//,
  wouter: /^dashboard\//,
  'react-dom': /^dashboard\/(main\.tsx|ui\/use-drawn\.ts)$/,
  i18next: /^dashboard\//,
  '@oazapfts/runtime': /^dashboard\/api\//,
  '@internationalized/number': /^dashboard\/editor\/preview\//,
  fflate: /^dashboard\/project\//,
  uqr: /^dashboard\/account\//,
  // In a snippet that is shown.
  'i18next-http-backend': /^dashboard\/project\/snippets\.ts$/,
  vite: /^dashboard\/vite\.config\.ts$/,
  '@react-aria/optimize-locales-plugin': /^dashboard\/vite\.config\.ts$/,
  '@vitejs/plugin-react': /^dashboard\/vite\.config\.ts$/,
  fastify: /^(app\.ts|http\/|cluster\/stale-reads\.ts)/,
  '@fastify/swagger': /^http\/openapi\.ts$/,
  '@fastify/swagger-ui': /^http\/openapi\.ts$/,
  zod: /^(settings\.ts|http\/|machine\/(parse-machines\.ts|providers\/)|mcp\/)/,
  '@modelcontextprotocol/server': /^mcp\/answer-mcp\.ts$/,
  pino: /^operator\/serve\.ts$/,
  'jsonc-parser': /^cli\/local\/json-source\.ts$/,
  'fast-string-width': /^cli\/terminal\/width\.ts$/,
  'prom-client': /^http\/metrics\.ts$/,
  'better-auth': /^auth\//,
  kysely: /^(auth\/(dialect|transaction-scope)|cluster\/accounts\/postgres-dialect)\.ts$/,
  'better-sqlite3': /^(auth|cluster\/accounts|operator|store)\//,
  chokidar: /^store\//,
  pg: /^cluster\/cluster-database\.ts$/,
  'lru-cache': /^scheduling\/byte-cache\.ts$/,
  piscina: /^worker\/worker\.ts$/,
  nodemailer: /^mail\/mailer\.ts$/,
  yazl: /^http\/answers\/zip\.ts$/,
  'isomorphic-git': /^store\/create-repository\.ts$/,
}

t.test('imports each library in one file', async t => {
  t.ok(libraries.length > 5, 'imports of libraries were found at all')
  for (const { from, to } of libraries) t.match(from, importers[to] ?? /^no one$/, `${from} imports ${to}`)
  const watchers = libraries.filter(({ to }) => to === 'chokidar').map(({ from }) => from)
  t.ok(watchers.length <= 1, `chokidar: ${watchers.join(', ')}`)
})

t.test('uses the packages that the contract names', async t => {
  const used = new Set(libraries.map(({ to }) => to))
  for (const name of ['fastify', 'better-auth', 'isomorphic-git', 'better-sqlite3', 'zod', 'chokidar']) {
    t.ok(used.has(name), name)
  }
})

/** git runs in this process's environment, less what would lead it astray. */
const ownProcess = new Set(['main.ts', 'dashboard/vite.config.ts', 'cli/main.ts', 'cli/process.ts', 'store/git/git.ts'])

t.test('uses the process only in main.ts and command-line programs', async t => {
  for (const file of code.map(name)) {
    if (ownProcess.has(file) || file.startsWith('demo/')) continue
    const text = readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    t.notMatch(text, /\bprocess\.(?:env|argv|exit|on|once|stdout|stderr|cwd)\b/, file)
  }
})

t.test('imports no file in a circle, for a value or for a type', async t => {
  t.equal(circleIn(own)?.join(' -> '), undefined)
  const isRead = ({ from, to }: Import) => own.some(found => found.from === from && found.to === to)
  t.ok(isRead({ from: 'dashboard/ui/dialog.tsx', to: 'dashboard/ui/dialog-window.tsx' }), 'a late import counts')
  t.ok(
    isRead({ from: 'dashboard/project/import-page.tsx', to: 'dashboard/project/placed-files.ts' }),
    'and one of a type',
  )
})

/**
 * Files that may have a timer or a floating promise. All other background work is a task of scheduling/background.ts.
 */
const timers: Record<string, string> = {
  'cli/api/events.ts': 'cuts a dead line off',
  'cli/api/request.ts': 'aborts a connection that does not open',
  'cli/terminal/progress.ts': 'draws while a user waits',
  'cluster/cluster-database.ts': 'rejects a promise that is waited for',
  'worker/worker.ts': 'rejects tasks of a thread that has ended',
  'scheduling/background.ts': 'runs all of it',
  'http/answers/errors.ts': 'cuts a socket off; destroying one cannot throw',
  'store/git/git.ts': 'a signal to a child, a priority, a repeated request: each catches its errors',
  'store/git/upload-pack.ts': 'rejects a promise that is waited for',
}

t.test('runs background work as a task with caught errors and an end', async t => {
  const found = new Set<string>()
  // A page has no background.
  for (const file of code.map(name).filter(file => !file.startsWith('dashboard/'))) {
    const text = readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    const isWaitable = /from 'node:timers\/promises'/.test(text)
    for (const [, before, call] of text.matchAll(/([^\n]{0,40})\b(?<![.'])(setTimeout|setInterval|setImmediate)\(/g)) {
      if ((isWaitable && before!.endsWith('await ')) || /new Promise\(\w+ => $/.test(before!)) continue
      found.add(file)
      t.ok(timers[file], `${file}: ${call} outside of scheduling/background.ts`)
    }
  }
  t.same([...found].sort(), Object.keys(timers).sort(), 'no more may than do')
})

/** Where the end of a connection or a process may be heard: an end before the listener is there is never heard. */
const ends: Record<string, string> = {
  'http/answers/errors.ts': 'looks first whether it is over',
  'http/bounds/connections.ts': 'listens in the turn that opens the connection',
  'http/bounds/when-gone.ts': 'which all others ask',
  'http/requests/body.ts': 'looks first whether it is over',
  'store/git/cat-file.ts': 'listens in the turn that starts git',
  'store/git/git.ts': 'listens in the turn that starts git',
  'store/git/log.ts': 'listens in the turn that starts git',
  'store/git/upload-pack.ts': 'listens in the turn that starts git',
}

t.test('releases the reservations of a client through when-gone.ts', async t => {
  const found = new Set<string>()
  for (const file of code.map(name).filter(file => /^(?:http|store|cluster|auth|worker)\//.test(file))) {
    if (!/\.(?:once|on|addListener)\(\s*'(?:close|aborted)'/.test(readFileSync(join(src, file), 'utf8'))) continue
    found.add(file)
    t.ok(ends[file], `${file} listens for an end`)
  }
  t.same([...found].sort(), Object.keys(ends).sort(), 'no more may than do')
})
