/** What the npm scripts do on a Node that is too old. npm is a script here that "fetches" this very Node, and the old Node only says that it is one. */
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { OLD_NODE } from './old-node.ts'

const root = join(import.meta.dirname, '..')
const TOOL = '#!/bin/sh\necho "$(basename "$0") with $(command -v node) $(node -p process.version)"'

/** A folder like a clone, in which the launcher finds what it needs for `check`, and an npm of ours. */
function fakeClone(t: Test, npmInstall = ''): string {
  const clone = t.testdir({
    'package-lock.json': '{}',
    test: { 'imports.test.ts': 'console.log("at last", process.execPath)' },
    bin: {
      npm: `#!/bin/sh
if [ "$1" = ci ]; then mkdir -p node_modules; cp -r tools node_modules/.bin; exit; fi
${npmInstall}
echo fetched >> '${t.testdirName}/fetches'
for last; do :; done
to="$3/node_modules/\${last%@*}/bin"
mkdir -p "$to"
ln -s '${process.execPath}' "$to/node"`,
    },
    tools: { tsc: TOOL, biome: TOOL },
  })
  for (const name of ['src/launch.mjs', 'src/launch']) cpSync(join(root, name), join(clone, name), { recursive: true })
  for (const name of ['bin/npm', 'tools/tsc', 'tools/biome']) chmodSync(join(clone, name), 0o755)
  return clone
}

/** Runs `npm run check` there, as on a Node 20. */
async function check(clone: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', OLD_NODE, join(clone, 'src/launch.mjs'), 'check'], {
    env: { PATH: `${join(clone, 'bin')}:${process.env.PATH}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', data => (out += data))
  child.stderr.on('data', data => (err += data))
  const code = await new Promise(resolve => child.on('close', resolve))
  return { code, out, err }
}

const fetches = (clone: string) => readFileSync(join(clone, 'fetches'), 'utf8').split('\n').length - 1

t.test('a newer Node is fetched once, said in one line, and first in PATH for all that is started', async t => {
  const clone = fakeClone(t)
  const first = await check(clone)
  t.equal(first.code, 0, first.err)
  t.match(
    first.err,
    /^Parlance needs Node 24 or newer, and this is v20\.20\.2: fetching node-\S+@24\.\S+ from npm .*\n/,
  )
  const node = join(clone, '.node', readdirSync(join(clone, '.node'))[0]!, 'bin/node')
  const said = [
    `at last ${process.execPath}`,
    `biome with ${node} ${process.version}`,
    // The server's sources and the page's.
    `tsc with ${node} ${process.version}`,
    `tsc with ${node} ${process.version}`,
  ]
  // They run side by side.
  const lines = (out: string) => out.trimEnd().split('\n').sort()
  t.strictSame(lines(first.out), said)
  const second = await check(clone)
  t.strictSame([second.code, lines(second.out), second.err], [0, said, ''], 'and nothing more is said')
  t.equal(fetches(clone), 1)
})

t.test('two at once, and after one that was killed', async t => {
  const clone = fakeClone(t, 'sleep 0.5')
  const killed = spawn(process.execPath, ['-e', ''])
  await new Promise(resolve => killed.on('exit', resolve))
  mkdirSync(join(clone, '.node', `${killed.pid}.tmp`, 'node_modules'), { recursive: true })
  const both = await Promise.all([check(clone), check(clone)])
  for (const { code, out, err } of both) {
    t.equal(code, 0, err)
    t.match(out, 'at last')
  }
  t.equal(readdirSync(join(clone, '.node')).length, 1, 'nothing else is left')
})

t.test('where none can be had, one sentence says so', async t => {
  const failing = await check(fakeClone(t, 'exit 1'))
  t.equal(failing.code, 1)
  t.match(failing.err, /^[^\n]*: fetching [^\n]*\n[^\n]*npm could not fetch node-[^\n]* installed by hand\.\n$/)
  t.strictSame(readdirSync(join(t.testdirName, '.node')), [])
  const rows: [Record<string, string>, string][] = [[{ ARCH: 's390x' }, `${process.platform}-s390x`]]
  if (process.platform === 'linux') rows.push([{ GLIBC: '' }, 'linux-x64-musl'])
  for (const [env, platform] of rows) {
    const { code, out, err } = await check(t.testdirName, env)
    t.strictSame([code, out], [1, ''])
    t.match(err, new RegExp(`^Parlance needs Node 24 [^\\n]* npm has none for ${platform}, [^\\n]*by hand\\.\\n$`))
  }
})
