/** Installs the locked packages, each once and whole. */

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmFailure, runNpm } from './npm.mjs'

const FAILED = 'The packages were not installed'
/** Milliseconds between two looks at an installation of another process. */
const WAIT = 200

/**
 * Installs the locked packages unless just these are installed. Simultaneous calls are safe: one installs, the others
 * wait.
 * @param root the clone
 * @param all with those that only tests and checks need (`test/package.json`)
 * @throws Error that says what failed and what to do
 */
export async function install(root, all) {
  if (isInstalled(root, all)) return
  // Not on standard output, which may be a program's (`npm run -s parlance -- user list --json | jq`).
  console.error('Installing packages (some seconds, only once) …')
  const release = await acquire(join(root, 'installing.tmp'))
  try {
    if (!isInstalled(root, all)) await installNow(root, all)
  } finally {
    release()
  }
}

async function installNow(root, all) {
  const wanted = wantedStamp(root, all)
  const workspaces = ['src/dashboard', ...(wanted.endsWith(WITH_TESTS) ? ['test'] : [])]
  const which = ['--workspaces', '--include-workspace-root', ...workspaces.map(name => `--workspace=${name}`)]
  // By its time, npm trusts a list of packages over the folders: a killed npm may leave both.
  rmSync(stampOf(root), { force: true })
  await runNpm(['ci', ...which], FAILED, root)
  const missing = missingPackages(root)
  if (missing.length > 0) {
    throw new Error(
      `The packages are not complete: npm left out ${missing.join(', ')}, as it does when a download fails. Try again.`,
    )
  }
  tryDatabase(root)
  writeFileSync(stampOf(root), `${wanted}\n${digest(hiddenLock(root))}`)
}

const WITH_TESTS = ' with tests'
const stampOf = root => join(root, 'node_modules/.parlance-installed')
/** npm's own list of what it installed. Every npm that changes packages writes it. */
const hiddenLock = root => join(root, 'node_modules/.package-lock.json')
const digest = file => createHash('sha256').update(readFileSync(file)).digest('hex')

function wantedStamp(root, all) {
  const lock = `${digest(join(root, 'package-lock.json'))} ${process.version}`
  // Where tests ran once they will again.
  return all || existsSync(join(root, 'node_modules/tap')) ? lock + WITH_TESTS : lock
}

/** Whether the last installation was complete, of these packages, and none was changed or removed since. */
function isInstalled(root, all) {
  try {
    const [stamp, list] = readFileSync(stampOf(root), 'utf8').split('\n')
    return (
      stamp.startsWith(wantedStamp(root, all)) &&
      list === digest(hiddenLock(root)) &&
      missingPackages(root).length === 0
    )
  } catch (error) {
    if (error.code !== 'ENOENT') throw npmFailure(FAILED, error.code, error.message)
    return false
  }
}

/**
 * Missing packages: those of npm's list without a folder, and the binaries of this platform, which npm
 * leaves out without a word when their download fails.
 */
export function missingPackages(root) {
  const { packages } = JSON.parse(readFileSync(hiddenLock(root), 'utf8'))
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const isHere = place => existsSync(join(root, place, 'package.json'))
  // Workspaces and the links to them are ours: a copy of the clone may lack the tests.
  const fetched = Object.keys(packages).filter(place => place.includes('node_modules/') && !packages[place].link)
  const missing = new Set(fetched.filter(place => !isHere(place)))
  for (const [folder, { optionalDependencies = {} }] of Object.entries(packages)) {
    for (const name of Object.keys(optionalDependencies)) {
      const places = [`${folder}/node_modules/${name}`, `node_modules/${name}`]
      const place = places.find(one => locked[one])
      if (place && fitsPlatform(locked[place]) && !isHere(place)) missing.add(place)
    }
  }
  return [...missing].map(place => place.replace(/^.*node_modules\//, ''))
}

function fitsPlatform({ os = [process.platform], cpu = [process.arch], libc }) {
  if (!os.includes(process.platform) || !cpu.includes(process.arch)) return false
  return libc === undefined || libc.includes(libcHere())
}

const libcHere = () => (process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl')

/** SQLite's driver has a binary for each platform in its package. @throws Error where none of them works */
function tryDatabase(root) {
  const program = "new (require('better-sqlite3'))(':memory:').close()"
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' })
  if (status === 0) return
  const [said = ''] = /^\w*Error: .*$/m.exec(stderr) ?? []
  throw new Error(
    `The packages are installed, but SQLite's driver does not run on ${process.platform}-${process.arch}: ${said} ` +
      'README lists the platforms that are supported.',
  )
}

/** Waits until no other process installs here. @returns a function that lets the next one go on */
async function acquire(file) {
  for (;;) {
    try {
      // A link and its content appear in one step.
      symlinkSync(String(process.pid), file)
      return () => rmSync(file, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw npmFailure(FAILED, error.code, error.message)
    }
    if (isLeftBehind(file)) rmSync(file, { force: true })
    else await new Promise(resolve => setTimeout(resolve, WAIT))
  }
}

/** Whether the process that installed here was killed. */
function isLeftBehind(file) {
  try {
    const pid = Number(readlinkSync(file))
    if (pid !== process.pid) process.kill(pid, 0)
    return pid === process.pid
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
