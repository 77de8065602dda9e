/**
 * What the npm scripts do on a Node that is too old. npm is a script here that "fetches" this very Node, and the old
 * Node only says that it is one.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { asked, check, FETCHES, makeClone, setNpm } from './clone.ts'

const OLD = true
const fetches = (clone: string) => asked(clone).filter(words => words.startsWith('install')).length

t.test('fetches a newer Node once, prints one line, and puts it first in PATH', async t => {
  const clone = makeClone(t)
  const first = await check(clone, {}, OLD)
  t.equal(first.code, 0, first.err)
  t.match(
    first.err,
    /^Parlance needs Node 24 or newer, and this is v20\.20\.2: fetching node-\S+@24\.\S+ from npm .*\n/,
  )
  const node = join(clone, '.node', readdirSync(join(clone, '.node'))[0]!, 'bin/node')
  const said = [
    `at last ${process.execPath}`,
    `biome with ${node} ${process.version}`,
    // The sources of the server and of the dashboard.
    `tsc with ${node} ${process.version}`,
    `tsc with ${node} ${process.version}`,
  ]
  // They run side by side.
  const lines = (out: string) => out.trimEnd().split('\n').sort()
  t.strictSame(lines(first.out), said)
  const second = await check(clone, {}, OLD)
  t.strictSame([second.code, lines(second.out), second.err], [0, said, ''], 'and nothing more is said')
  t.equal(fetches(clone), 1)
})

t.test('fetches Node when two launchers start at once, and after one was killed', async t => {
  const clone = makeClone(t, { install: `sleep 0.5; ${FETCHES}` })
  const killed = spawn(process.execPath, ['-e', ''])
  await new Promise(resolve => killed.on('exit', resolve))
  mkdirSync(join(clone, '.node', `${killed.pid}.tmp`, 'node_modules'), { recursive: true })
  const both = await Promise.all([check(clone, {}, OLD), check(clone, {}, OLD)])
  for (const { code, out, err } of both) {
    t.equal(code, 0, err)
    t.match(out, 'at last')
  }
  t.equal(readdirSync(join(clone, '.node')).length, 1, 'nothing else is left')
})

t.test('prints one sentence when no Node can be fetched', async t => {
  const failing = await check(makeClone(t, { install: 'exit 1' }), {}, OLD)
  t.equal(failing.code, 1)
  t.match(failing.err, /: fetching [^\n]*\n[^\n]*npm could not fetch node-[^\n]* install Node 24 by hand: [^\n]*\n$/)
  t.strictSame(readdirSync(join(t.testdirName, '.node')), [])
  const rows: [Record<string, string>, string][] = [[{ ARCH: 's390x' }, `${process.platform}-s390x`]]
  if (process.platform === 'linux') rows.push([{ GLIBC: '' }, 'linux-x64-musl'])
  for (const [env, platform] of rows) {
    const { code, out, err } = await check(t.testdirName, env, OLD)
    t.strictSame([code, out], [1, ''])
    t.match(err, new RegExp(`^Parlance needs Node 24 [^\\n]* npm has none for ${platform}, [^\\n]*by hand\\.\\n$`))
  }
})

t.test('refuses a Node with another digest, and removes it without running it', async t => {
  const place = join(t.testdirName, '.node')
  const ran = join(t.testdirName, 'ran')
  // It would pass for a Node 24.
  const program = `mkdir -p "$place/bin"; printf '#!/bin/sh\\ntouch ${ran}; echo v24.0.0' > "$place/bin/node"; chmod +x "$place/bin/node"`
  const clone = makeClone(t, { install: program })
  const refused = await check(clone, {}, OLD)
  t.strictSame([refused.code, refused.out], [1, ''])
  t.match(
    refused.err,
    /: fetching [^\n]*\n[^\n]*node-\S+ that npm fetched is not the expected one, [^\n]* by hand\.\n$/,
  )
  t.strictSame(readdirSync(place), [])
  t.notOk(readdirSync(clone).includes('ran'), 'it was not run')

  setNpm(clone, {})
  t.equal((await check(clone, {}, OLD)).code, 0, 'the next try fetches it again')
  const [name = ''] = readdirSync(place)
  const node = join(place, name, 'bin/node')
  rmSync(node)
  mkdirSync(dirname(node), { recursive: true })
  writeFileSync(node, `#!/bin/sh\ntouch ${ran}`, { mode: 0o755 })
  const repaired = await check(clone, {}, OLD)
  t.equal(repaired.code, 0, repaired.err)
  t.match(repaired.err, ': fetching ', 'one that was changed since is fetched again')
  t.notOk(readdirSync(clone).includes('ran'), 'and was not run')
})
