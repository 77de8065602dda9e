/**
 * Runs several test files in one process, one after the other: the start of a process (Node, tap, src, the first
 * server) costs more than most files. The `t` of each file is a test of the process, named as the file.
 */
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const OWN_TAP = new URL('grouped-tap.mjs', import.meta.url).href

/**
 * What a file does that its neighbours would notice, or that would notice them: it measures, changes the process, or
 * says in a comment that it is alone in its process.
 */
const ALONE =
  /alone in its process|processor-time|memoryUsage|heapUsed|\bgc\(|hashAsUsersDo|syncBuiltinESMExports|yieldAsOnServers|process\.env(\.\w+|\[[^\]]+\]) =(?!=)|delete process\.env|process\.chdir|\.prototype\.\w+ =|Object\.assign\((fs|os|crypto|process|Date|Math|globalThis)\b/

/** In the comment of a file that does so and may share its process all the same. */
const SHARES = /restores what it changes/

/** Bytes of source in a group: its tests need 10 to 50 seconds of processor time, its start nearly two. */
const GROUP_BYTES = 180_000

/**
 * The files of `npm test`, most of them in groups of one room.
 * @returns what tap is to run: test files, and programs that run several
 */
export function grouped() {
  const [alone, shared] = [[], new Map()]
  for (const file of testFiles().map(file => join(root, file))) {
    const room = relative(join(root, 'test'), dirname(file)).split(sep)[0] || 'test'
    if (isAlone(file)) alone.push(file)
    else shared.set(room, [...(shared.get(room) ?? []), file])
  }
  // Rooms that would not fill a process share some.
  for (const [room, files] of [...shared]) {
    if (bytesOf(files) > GROUP_BYTES / 2) continue
    shared.delete(room)
    shared.set('small', [...(shared.get('small') ?? []), ...files])
  }
  const rooms = [...shared].map(([room, files]) =>
    parts(files).map(part => [room, part.map(file => relative(root, file))]),
  )
  // The rooms in turns: groups of the store wait for the disk, and beside others the processors are busy meanwhile.
  // What is short comes last, so that in the end nothing long runs alone.
  const most = Math.max(...rooms.map(({ length }) => length))
  const inTurns = Array.from({ length: most }, (_, index) => rooms.flatMap(parts => parts.slice(index, index + 1)))
  return [...programs(inTurns.flat()), ...alone.map(file => relative(root, file))]
}

/** Whether a file has its process for itself. @param file its path */
export function isAlone(file) {
  const text = readFileSync(file, 'utf8')
  return ALONE.test(text) && !SHARES.test(text)
}

/**
 * Writes programs that run test files in turn, there until this process ends.
 * @param groups the room of each and its files from the project's folder
 * @returns their paths, with numbers, because tap runs files in the order of their names
 */
export function programs(groups) {
  const folder = join(root, 'node_modules/.cache/groups', String(process.pid))
  mkdirSync(folder, { recursive: true })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const own = pathToFileURL(join(root, 'test/groups.mjs')).href
  return groups.map(([room, files], at) => {
    const program = join(folder, `${String(at + 1).padStart(2, '0')}-${room}.mjs`)
    writeFileSync(program, `import { runTogether } from '${own}'\n\nawait runTogether(${JSON.stringify(files)})\n`)
    return relative(root, program)
  })
}

/** Files of about as many bytes in each part. */
function parts(files) {
  const count = Math.ceil(bytesOf(files) / GROUP_BYTES)
  const all = Array.from({ length: count }, () => [])
  const most = bytesOf(files) / count
  let bytes = 0
  for (const file of files) {
    all[Math.min(count - 1, Math.floor(bytes / most))].push(file)
    bytes += statSync(file).size
  }
  return all
}

const bytesOf = files => files.reduce((sum, file) => sum + statSync(file).size, 0)

/**
 * The files that package.json has tap include: paths from the project's folder. With `SLOW=1` those, too, that are slow
 * and not long.
 */
export function testFiles() {
  const { include, exclude } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).tap
  const left = exclude.filter(pattern => !(process.env.SLOW && pattern.endsWith('.slow.test.ts')))
  return globSync(include, { cwd: root, exclude: [...left, '**/node_modules/**'] }).sort()
}

let current

/** The test of the file that is being loaded. */
export const currentTest = () => current

/** Runs test files in this process, in turn. @param files their paths from the project's folder */
export async function runTogether(files) {
  const { default: tap } = await import('tap')
  const urls = new Set(files.map(file => pathToFileURL(join(root, file)).href))
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== 'tap' || !urls.has(context.parentURL)) return next(specifier, context)
      // A module for each file, which is never loaded twice.
      return { url: `${OWN_TAP}?${context.parentURL}`, format: 'module', shortCircuit: true }
    },
  })
  for (const file of files) {
    await tap.test(file, async t => {
      current = t
      await import(pathToFileURL(join(root, file)).href)
    })
  }
}
