/**
 * Packs the built server for npm. package.json names all packages that run in production; the build has bundled most of
 * them, so that the package depends only on the rest.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NOT_BUNDLED } from './build.mjs'

/** What npm and a user of the package read of package.json. */
const FIELDS = ['name', 'version', 'description', 'license', 'type', 'bin', 'files', 'engines']

/**
 * Writes `parlance-<version>.tgz` into the working directory. npm prints its name.
 * @param root the clone, with a fresh build @param args for `npm pack`
 */
export function pack(root, args) {
  const npm = (folder, more, stdio) =>
    execFileSync('npm', ['pack', '--ignore-scripts', ...more], { cwd: folder, encoding: 'utf8', stdio })
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [{ files }] = JSON.parse(npm(root, ['--dry-run', '--json'], ['ignore', 'pipe', 'ignore']))
  const folder = mkdtempSync(join(tmpdir(), 'parlance-package-'))
  try {
    for (const { path } of files) cpSync(join(root, path), join(folder, path))
    const dependencies = Object.fromEntries(NOT_BUNDLED.map(name => [name, manifest.dependencies[name]]))
    const fields = Object.fromEntries(FIELDS.map(name => [name, manifest[name]]))
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...fields, dependencies }, null, 2)}\n`)
    npm(folder, ['--pack-destination', process.cwd(), ...args], 'inherit')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  pack(fileURLToPath(new URL('../..', import.meta.url)), process.argv.slice(2))
