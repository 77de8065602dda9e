/**
 * The developers' package: built by `npm pack`, unpacked without a registry, run without the server; and the cost of
 * its start.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { build, main } from '../bundled.ts'

t.setTimeout(0)

const root = join(import.meta.dirname, '../..')
const source = join(root, 'src/cli')

build()

t.test('npm pack builds a package that installs offline and runs', async t => {
  const folder = t.testdir({ app: { 'package.json': '{ "name": "app", "private": true }' } })
  const npm = (cwd: string, ...words: string[]) =>
    execFileSync('npm', [...words, '--offline', '--loglevel=error', `--cache=${join(folder, 'cache')}`], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  const before = readdirSync(source).sort()
  npm(source, 'pack', '--pack-destination', folder)
  t.strictSame(readdirSync(source).sort(), before, 'nothing of it stays among the sources')
  const tarball = readdirSync(folder).find(name => name.endsWith('.tgz'))!
  t.match(tarball, /^parlance-cli-/)
  t.ok(statSync(join(folder, tarball)).size < 150_000, 'a small one')
  const app = join(folder, 'app')
  npm(app, 'install', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, tarball))
  t.strictSame(
    readdirSync(join(app, 'node_modules')).filter(name => !name.startsWith('.')),
    ['parlance-cli'],
    'and nothing else',
  )
  t.strictSame(readdirSync(join(app, 'node_modules/parlance-cli')).sort(), [
    'LICENSE',
    'i18next-cli-plugin.d.mts',
    'i18next-cli-plugin.mjs',
    'package.json',
    'parlance.config.schema.json',
    'parlance.mjs',
  ])
  const program = readFileSync(join(app, 'node_modules/parlance-cli/parlance.mjs'), 'utf8')
  t.match(
    program,
    /fast-string-width [\d.]+ \(MIT\)\n {2}[\s\S]*Copyright \(c\)[\s\S]*Permission is hereby granted/,
    'with their licences',
  )
  const bin = join(app, 'node_modules/.bin/parlance')
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const env = { PATH: process.env.PATH }
  t.equal(execFileSync(bin, ['--version'], { cwd: app, env, encoding: 'utf8' }), `${version}\n`)
  const serve = spawnSync(bin, ['serve'], { cwd: app, env, encoding: 'utf8' })
  t.match(serve, { status: 2, stdout: '', stderr: /^parlance: .*The server is another package/ })
  t.notOk(existsSync(join(app, 'data')), 'and no data folder is created')
})

t.test('does not build the server again while the files of the package lie among the sources', async t => {
  const run = (...words: string[]) => execFileSync(process.execPath, words)
  const program = join(root, 'src/launch/package-cli.mjs')
  t.teardown(() => run(program, 'clear'))
  const { ino } = statSync(main)
  run(program, 'make')
  run(join(root, 'src/launch/launch.mjs'), 'build')
  t.equal(statSync(main).ino, ino)
})

t.test('its help needs at most twice the time of a bare Node', async t => {
  const time = (...words: string[]) => {
    const before = process.hrtime.bigint()
    execFileSync(process.execPath, words, { stdio: 'ignore' })
    return Number(process.hrtime.bigint() - before)
  }
  const file = join(root, 'dist/cli.mjs')
  let [bare, help] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  // Of interleaved runs the fastest of each: what else the machine does only adds, and more runs find a quieter moment.
  for (let n = 0; n < 5 || (n < 40 && help >= 2 * bare); n++) {
    bare = Math.min(bare, time('-e', '0'))
    help = Math.min(help, time(file, '--help'))
  }
  t.ok(help < 2 * bare, `${(help / bare).toFixed(2)} times`)
  t.comment(`${(bare / 1e6).toFixed(0)} ms, ${(help / 1e6).toFixed(0)} ms`)
})
