/**
 * tap's runner without what it puts into the process of each test: a hook that notes every loaded file, for
 * `tap --changed`, and all their source maps. These were two thirds of the processor time of an empty test. Files that
 * are not named one by one share processes (`groups.mjs`, `long-groups.mjs`).
 *
 * `PLAIN=2/8` is the plain lane: the second eighth of the files, each in its own process, by tap as it is.
 * `SHARE=1/2` runs the first half of the files that a pattern names.
 */
import children from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { grouped, testFiles } from './groups.mjs'
import { longestFirst, programsOf } from './long-groups.mjs'

const { NODE_OPTIONS, PLAIN, SHARE } = process.env
const { spawn } = children
const isBookkeeping = arg => arg === '--enable-source-maps' || /^--import=.*@tapjs\/processinfo/.test(arg)

if (!PLAIN) {
  children.spawn = (command, args, options) => {
    const env = { ...options.env, NODE_OPTIONS }
    if (NODE_OPTIONS === undefined) delete env.NODE_OPTIONS
    return spawn(
      command,
      args.filter(arg => !isBookkeeping(arg)),
      { ...options, env },
    )
  }
  syncBuiltinESMExports()
  const prepared = join(import.meta.dirname, '../node_modules/.cache/prepared-data')
  rmSync(prepared, { recursive: true, force: true })
  mkdirSync(prepared, { recursive: true })
  process.env.PREPARED_DATA = prepared
}

const given = process.argv.slice(2)
const options = given.filter(arg => arg.startsWith('-'))
const named = given.filter(arg => !arg.startsWith('-'))
const missing = named.filter(name => !existsSync(name) && globSync(name).length === 0)
if (missing.length > 0) {
  console.error(`There is no test ${missing.join(', ')}: name files such as test/app.test.ts, or a pattern in quotes.`)
  process.exit(1)
}
if (named.length === 0) process.argv.push(...(PLAIN ? shareOf(testFiles(), PLAIN) : grouped()))
else if (named.some(name => name.includes('*'))) {
  const files = longestFirst(named)
  process.argv.splice(2, given.length, ...options, ...programsOf(SHARE ? shareOf(files, SHARE) : files))
}
await import('../node_modules/tap/dist/esm/run.mjs')

/** @param share `part/parts` */
function shareOf(files, share) {
  const [part, parts] = share.split('/').map(Number)
  return files.filter((_, index) => index % parts === part % parts)
}
