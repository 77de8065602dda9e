/**
 * `npm start` in a fresh clone, as each npm that people have installs it: without a compiler, without headers, from a
 * registry on this machine that hands out what npm's own cache holds.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'

const root = join(import.meta.dirname, '../..')
/** Those that `npm run test:long` fetches, by their folders. */
const npms = join(root, 'node_modules/.cache/npms/node_modules')
const VERSIONS = ['9.9.4', '10.9.9', '11.6.2', '11.19.1', '12.2.1']
/** The programs that npm needs, without a C compiler or python. */
const PROGRAMS = ['sh', 'git', 'env', 'rm', 'mkdir']

interface Locked {
  version: string
  integrity?: string
  bin?: object
  engines?: object
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optional?: boolean
}

const locked: Record<string, Locked> = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
const cache = spawnSync('npm', ['config', 'get', 'cache'], { cwd: root, encoding: 'utf8' }).stdout.trim()

/** Where npm's cache has the bytes of a digest. */
function cached(integrity: string): string {
  const [algorithm = '', digest = ''] = integrity.split('-')
  const hex = Buffer.from(digest, 'base64').toString('hex')
  return join(cache, '_cacache/content-v2', algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4))
}

/** The packages of the lock file by name and version. */
const packages = new Map(
  Object.entries(locked).flatMap(([place, row]) => {
    const name = place.replace(/^.*node_modules\//, '')
    return row.integrity === undefined ? [] : [[`${name}@${row.version}`, row] as const]
  }),
)

/** Why this cannot be tried here. */
function unfit(): string | false {
  if (!existsSync(join(npms, `npm-${VERSIONS[0]}`))) return 'the versions of npm could not be fetched'
  if (spawnSync('git', ['-C', root, 'rev-parse', '-q', '--verify', 'HEAD']).status !== 0) return 'this is no clone'
  const { packages: installed } = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'))
  for (const { integrity } of Object.values<Locked>(installed)) {
    if (integrity && !existsSync(cached(integrity))) return "npm's cache lacks what is installed here"
  }
  return false
}

/** A registry of the cached packages. */
async function registry(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    const [name = '', tarball] = path.slice(1).split('/-/')
    if (tarball !== undefined) {
      const version = tarball.slice(basename(name).length + 1, -'.tgz'.length)
      const { integrity } = packages.get(`${name}@${version}`) ?? {}
      if (integrity === undefined || !existsSync(cached(integrity))) return response.writeHead(404).end('{}')
      return response.end(readFileSync(cached(integrity)))
    }
    const versions = [...packages].filter(([id]) => id.slice(0, id.lastIndexOf('@')) === name)
    if (versions.length === 0) return response.writeHead(404).end('{}')
    const rows = versions.map(([, row]) => {
      const tarball = `http://${request.headers.host}/${name}/-/${basename(name)}-${row.version}.tgz`
      return [row.version, { ...row, name, dist: { integrity: row.integrity, tarball } }]
    })
    response.end(JSON.stringify({ name, 'dist-tags': {}, versions: Object.fromEntries(rows) }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A folder of programs: this Node, an npm, and nothing that compiles. */
function programs(folder: string, version: string): string {
  mkdirSync(folder)
  for (const name of PROGRAMS) {
    symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(folder, name))
  }
  symlinkSync(process.execPath, join(folder, 'node'))
  const npm = join(npms, `npm-${version}/bin/npm-cli.js`)
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\nexec node '${npm}' "$@"\n`)
  chmodSync(join(folder, 'npm'), 0o755)
  return folder
}

/** Ends a process and all that it started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise(resolve => child.on('close', resolve))
  process.kill(-child.pid!, 'SIGTERM')
  await closed
}

t.setTimeout(0)

t.test('starts in a fresh clone with npm start', { skip: unfit() }, async t => {
  const url = await registry(t)
  for (const version of VERSIONS) {
    await t.test(`npm ${version}`, async t => {
      const folder = t.testdir()
      const clone = join(folder, 'clone')
      execFileSync('git', ['-c', 'safe.directory=*', 'clone', '-q', root, clone])
      const port = String(await freePort())
      const child = spawn('npm', ['start'], {
        cwd: clone,
        detached: true,
        env: {
          PATH: programs(join(folder, 'bin'), version),
          HOME: folder,
          PORT: port,
          npm_config_registry: url,
          npm_config_cache: join(folder, 'cache'),
          // As a user may have set it up.
          npm_config_ignore_scripts: 'false',
          NODE_ENV: 'production',
        },
      })
      t.teardown(() => end(child))
      let said = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (said += text))
      let ended = false
      child.on('close', () => (ended = true))
      const answers = () =>
        fetch(`http://127.0.0.1:${port}/api/health/live`).then(
          ({ ok }) => ok,
          () => ended,
        )
      t.ok(await eventually(answers, 900_000))
      t.notOk(ended, said)
      t.notMatch(said, /gyp|npm (?:error|ERR!)/)
      await end(child)
    })
  }
})
