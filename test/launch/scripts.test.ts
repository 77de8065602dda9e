/**
 * No package needs its install script or a compiler: npm runs neither, in any version (`src/launch/npm.mjs`). And what
 * `npm test` refuses.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '../..')
const read = (...parts: string[]) => JSON.parse(readFileSync(join(root, ...parts), 'utf8'))

/** The platforms that README names. */
const PLATFORMS = ['linux-x64', 'linux-arm64', 'linuxmusl-x64', 'linuxmusl-arm64', 'darwin-x64', 'darwin-arm64']

/** Why a package that has a script or a `binding.gyp` runs without them. A new one needs a row. */
const PROOFS: Record<string, () => void> = {
  'better-sqlite3': () => {
    for (const platform of PLATFORMS)
      t.ok(existsSync(join(root, `node_modules/better-sqlite3/prebuilds/${platform}.node`)), platform)
  },
  // Its program is an optional package of each platform. The script only speeds up its start.
  esbuild: () => {
    const { optionalDependencies } = read('node_modules/esbuild/package.json')
    const locked = read('package-lock.json').packages
    for (const platform of PLATFORMS.filter(name => !name.includes('musl'))) {
      t.ok(locked[`node_modules/@esbuild/${platform}`]?.integrity, platform)
      t.ok(optionalDependencies[`@esbuild/${platform}`], platform)
    }
    const own = join(root, `node_modules/@esbuild/${process.platform}-${process.arch}/bin/esbuild`)
    t.equal(
      execFileSync(own, ['--version'], { encoding: 'utf8' }).trim(),
      read('node_modules/esbuild/package.json').version,
    )
  },
  // An optional one of Macs: watching falls back to Node's own.
  fsevents: () => {},
}

t.test('lists why each package with an install script or a binding.gyp runs without it', async t => {
  const suspects = new Set<string>()
  for (const [place, { hasInstallScript }] of Object.entries<{ hasInstallScript?: boolean }>(
    read('package-lock.json').packages,
  )) {
    const name = place.replace(/^.*node_modules\//, '')
    if (!place.includes('node_modules/')) continue
    if (hasInstallScript) suspects.add(name)
    if (!existsSync(join(root, place, 'package.json'))) continue
    const { scripts = {} } = read(place, 'package.json')
    if (scripts.preinstall || scripts.install || scripts.postinstall) suspects.add(name)
    if (existsSync(join(root, place, 'binding.gyp'))) suspects.add(name)
  }
  for (const name of suspects) {
    t.ok(PROOFS[name], `${name} has a row here`)
    PROOFS[name]?.()
  }
  t.ok(suspects.has('better-sqlite3'))
})

t.test('disables install scripts for direct npm calls and for newer versions of npm', async t => {
  t.match(readFileSync(join(root, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m)
  const { allowScripts } = read('package.json')
  t.ok(
    Object.values(allowScripts).every(allowed => allowed === false),
    'and none is allowed by name',
  )
})

t.test('npm test fails for a file or pattern that finds no test', async t => {
  const run = (...names: string[]) =>
    spawnSync(process.execPath, [join(root, 'test/run-tap.mjs'), ...names], { cwd: root, encoding: 'utf8' })
  for (const name of ['test/misspelled.test.ts', 'test/misspelled/*.test.ts']) {
    const { status, stderr } = run('test/app.test.ts', name)
    t.match({ status, stderr }, { status: 1, stderr: `There is no test ${name}:` })
  }
})
