/** Builds of the programs that tests start as processes. A build starts three times as fast as its sources. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildSync } from 'esbuild'

const root = join(import.meta.dirname, '..')

/** The server and its commands; needs {@link build}. */
export const main = join(root, 'dist/main.js')
/** What `npm run demo` runs; needs {@link build}. */
export const demo = join(root, 'dist/demo.js')
/** What `npm run demo -- cluster` runs; needs {@link build}. */
export const demoCluster = join(root, 'dist/demo-cluster.js')

/** A lane of tests has built it before its files start. */
let built = process.env.DIST_IS_BUILT !== undefined

/** Builds `dist/` when a source file is newer. */
export function build(): void {
  if (!built) execFileSync(process.execPath, [join(root, 'src/launch/launch.mjs'), 'build'], { stdio: 'pipe' })
  built = true
}

/** Bundles a program of the tests; the file is there until this process ends. @param source its path */
export function bundled(source: string): string {
  // In the project, where packages are found from it.
  const outfile = join(root, 'dist/test', `${basename(source, '.ts')}-${process.pid}.mjs`)
  buildSync({ entryPoints: [source], outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm' })
  process.on('exit', () => rmSync(outfile, { force: true }))
  return outfile
}
