/**
 * README and the guides, followed to the letter: every command of their `sh` blocks, in order, in one shell in an empty
 * folder, against a server of its own; what they show must be what comes, but for ids, times and keys. `…` in what is
 * shown stands for anything, on a line of its own for any lines.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { build, demo, demoCluster, main } from '../bundled.ts'
import { noPostgres } from '../cluster/postgres.ts'
import { freePort } from '../free-port.ts'
import { masked } from '../masked.ts'

const root = join(import.meta.dirname, '../..')
/** The guides in the order of the test: each goes on where the one before it ended. */
const STORY = [
  'api',
  'keys-and-plurals',
  'bulk-reads',
  'types',
  'status',
  'history-and-restore',
  'teams',
  'clone-and-backup',
  'limits',
  'live-events',
  'cli',
  'operating',
  // It starts a PostgreSQL.
  ...(noPostgres() ? [] : ['cluster']),
]
const FOLLOWED = ['README.md', ...STORY.map(guide)]
const ALL = [
  ...new Set([...FOLLOWED, guide('cluster')]),
  ...[
    'context',
    'glossary',
    'memory',
    'machine-translation',
    'mcp',
    'review',
    'inbox',
    'translators',
    'ci',
    'agents',
    'benchmarks',
    'reliability',
    'architecture',
    'testing',
  ].map(guide),
  'CONTRIBUTING.md',
  'SECURITY.md',
]

function guide(name: string): string {
  return `docs/${name}.md`
}

interface Step {
  where: string
  command: string
  shown: string[]
}

/**
 * The commands of the `sh` blocks: a line after `$ `, with those that follow a backslash, and what is shown under it.
 */
function* stepsOf(file: string): Generator<Step> {
  let open = false
  let step: Step | undefined
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    if (line.startsWith('```')) {
      if (step) yield step
      step = undefined
      open = !open && line === '```sh'
    } else if (open && line.startsWith('$ ')) {
      if (step) yield step
      step = { where: `${file}:${index + 1}`, command: line.slice(2), shown: [] }
    } else if (step) {
      if (step.command.endsWith('\\')) step.command += `\n${line}`
      else step.shown.push(line)
    }
  }
}

/** Whether what came is what is shown. */
function fits(shown: string[], came: string): boolean {
  const text = masked(shown.join('\n'))
  const pattern = text
    .split(/(^…$\n?|…)/m)
    .map(part => {
      if (part === '…') return '[^\\n]*'
      if (part.startsWith('…')) return '(?:[^\\n]*\\n)*?'
      return part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    })
    .join('')
  return new RegExp(`^${pattern}${text.endsWith('\n…') || text === '…' ? '[\\s\\S]*' : ''}$`).test(masked(came))
}

const MARK = '\u0001'

/**
 * The shell that follows: its `npm` and `parlance` are those of this checkout, its `sleep` knows how busy the machine
 * is.
 */
function script(steps: Step[], port: number): string {
  const prelude = `
parlance() { node '${main}' "$@"; }
npm() {
  case "$*" in
    start) node '${main}' serve >>server.log 2>&1 & server=$!
      for i in $(seq 600); do curl -sf -o /dev/null http://localhost:${port}/api/health/live && break; command sleep 0.1; done ;;
    'run demo -- cluster') node '${demoCluster}' >cluster.log 2>&1 & server=$!
      for i in $(seq 600); do grep -q Ctrl-C cluster.log && break; command sleep 0.1; done; cat cluster.log ;;
    'run -s demo') node '${demo}' ;;
    'run -s parlance -- '*) parlance "${'$'}{@:5}" ;;
    *) echo "npm $*" ;;
  esac
}
sleep() { command sleep $(($1 * 2)); }
stop() { kill -TERM "$server" && wait "$server"; }
`
  const commands = steps.map(({ command }, index) => {
    const run = /^# Ctrl-C/.test(command) ? 'stop' : command.replaceAll('localhost:3000', `localhost:${port}`)
    return `printf '\\n${MARK}${index}\\n'\n{ ${run}\n} 2>&1 </dev/null\n`
  })
  return `${prelude}\n${commands.join('')}\nprintf '\\n${MARK}end\\n'\nstop\n`
}

t.test('prints the shown output for the commands of README and the guides', async t => {
  t.setTimeout(0)
  build()
  const folder = t.testdir()
  const port = await freePort()
  const steps = FOLLOWED.flatMap(file => [...stepsOf(file)])
  t.ok(steps.length > 60, `${steps.length} commands`)
  writeFileSync(join(folder, 'followed.sh'), script(steps, port))
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    // Seconds after which git shows how far it is.
    GIT_PROGRESS_DELAY: '3600',
    PORT: String(port),
    DATA_DIR: join(folder, 'data'),
  }
  const shell = spawn('bash', ['followed.sh'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  shell.stdout.on('data', part => (output += part))
  shell.stderr.on('data', part => (output += part))
  await new Promise(resolve => shell.on('close', resolve))
  const came = new Map(
    output.split(`\n${MARK}`).map(part => {
      const [, index = '', text = ''] = /^(\w+)\n([\s\S]*)$/.exec(part) ?? []
      return [index, text.replaceAll(String(port), '3000').replaceAll(folder, '/srv').replaceAll('\r', '')]
    }),
  )
  for (const [index, { where, command, shown }] of steps.entries()) {
    const text = came.get(String(index)) ?? 'nothing: the shell did not come so far'
    if (fits(shown, text)) t.pass(`${where} ${command}`)
    else t.equal(text, shown.join('\n'), `${where} ${command}`)
  }
  t.ok(came.has('end'), output.slice(-2000))
})

t.test('names the guides in README in the order of the test', async t => {
  const [, table = ''] = readFileSync(join(root, 'README.md'), 'utf8').split('## Read on')
  const named = Array.from(table.matchAll(/\]\((docs\/[\w-]+\.md)\)/g), ([, file = '']) => file)
  const followed = new Set([...FOLLOWED, guide('cluster')])
  t.strictSame(
    named.filter(file => followed.has(file)),
    [...followed].filter(file => file !== 'README.md'),
  )
})

t.test('links to existing files and headings', async t => {
  const held = readFileSync(join(root, 'SECURITY.md'), 'utf8').matchAll(/^\| .* \| (`.*`) \|$/gm)
  for (const [, names = ''] of held) {
    for (const [, name = ''] of names.matchAll(/`([\w/-]+)`/g)) {
      t.ok(
        ['.ts', '.test.ts', '.slow.test.ts', '.long.test.ts'].some(end => existsSync(join(root, 'test', name + end))),
        `SECURITY.md: ${name}`,
      )
    }
  }
  for (const file of ALL) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|#)/.test(target)) continue
      t.ok(existsSync(join(root, dirname(file), target.split('#')[0]!)), `${file}: ${target}`)
    }
    for (const [path] of text.matchAll(/\b(?:src|test)\/[\w/.-]+\.(?:tsx?|json|svg)/g)) {
      t.ok(existsSync(join(root, path)), `${file}: ${path}`)
    }
    for (const [, path = ''] of text.matchAll(
      /`((?:http|auth|store|bundle|operator|worker|project)\/[\w/.-]+\.ts)`/g,
    )) {
      t.ok(existsSync(join(root, 'src', path)), `${file}: ${path}`)
    }
  }
})

t.test('names the guide that a guide continues', async t => {
  for (const [index, file] of FOLLOWED.entries()) {
    const needs = [...stepsOf(file)].some(({ command }) => /\$(?:\{?(?:K|J|B|W|ORG)\b)/.test(command))
    if (index === 0 || !needs) continue
    const [, from = ''] =
      /(?:go on from|terminal of)\s+\[[^\]]+\]\(([^)#]+)/.exec(readFileSync(join(root, file), 'utf8')) ?? []
    const before = FOLLOWED.indexOf(from.startsWith('../') ? from.slice(3) : `docs/${from}`)
    t.ok(before >= 0 && before < index, `${file} goes on from ${from || 'nothing that it names'}`)
  }
})

t.test('limits README to 250 lines and paragraphs of four, and runs no foreign package', async t => {
  t.ok(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length <= 250)
  for (const file of ALL) {
    const text = readFileSync(join(root, file), 'utf8')
    t.notMatch(text, /npx parlance/, file)
    const prose = text.replace(/^```[\s\S]*?^```/gm, '')
    for (const part of prose.split(/\n\s*\n|\n(?=- |\d+\. )/)) {
      if (/^(\||#)/m.test(part)) continue
      t.ok(part.trim().split('\n').length <= 4, `${file}: ${part.slice(0, 60)}`)
    }
  }
})

t.test('finds the files and calls of the two walks of architecture.md', async t => {
  const text = readFileSync(join(root, guide('architecture')), 'utf8')
  for (const heading of ['A write', 'A read']) {
    const [, section = ''] = text.split(new RegExp(`^## ${heading}.*$`, 'm'))
    const rows = [...section.split(/^## /m)[0]!.matchAll(/^\| `([^`]+\.ts)` \| ([^|]+) \|/gm)]
    t.ok(rows.length >= 4 && rows.length <= 7, `${heading}: ${rows.length} files`)
    for (const [, file = '', calls = ''] of rows) {
      const source = readFileSync(join(root, 'src', file), 'utf8')
      for (const [, name = ''] of calls.matchAll(/`([^`]+)`/g)) t.ok(source.includes(name), `${file} has ${name}`)
    }
  }
})
