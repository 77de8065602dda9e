/**
 * tap's runner without what it puts into the process of each test: a hook that notes every loaded file, for
 * `tap --changed`, and all their source maps. These were two thirds of the processor time of an empty test. Files that
 * are not named one by one share processes (`groups.mjs`, `long-groups.mjs`).
 */
import children from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { grouped } from './groups.mjs'
import { longestFirst } from './long-groups.mjs'

const { NODE_OPTIONS } = process.env
const { spawn } = children
const isBookkeeping = arg => arg === '--enable-source-maps' || /^--import=.*@tapjs\/processinfo/.test(arg)

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

const given = process.argv.slice(2)
const options = given.filter(arg => arg.startsWith('-'))
const named = given.filter(arg => !arg.startsWith('-'))
if (named.length === 0) process.argv.push(...grouped())
else if (named.some(name => name.includes('*'))) process.argv.splice(2, given.length, ...options, ...longestFirst(named))
await import('../node_modules/tap/dist/esm/run.mjs')
