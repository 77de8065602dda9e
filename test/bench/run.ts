/**
 * `npm run bench`: runs the named benchmarks, else all but those that need a name; exits with 1 when one misses a
 * limit.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Git with 100,000 commits lasts as long as all the rest: run by `git`, or by name. */
const OF_GIT = ['clone', 'history']
/** The others measure the rows of `speed-check` too. */
const ONLY_NAMED = [...OF_GIT, 'speed-check']

const ENDING = '.bench.ts'
const all = readdirSync(import.meta.dirname)
  .filter(file => file.endsWith(ENDING))
  .map(file => file.slice(0, -ENDING.length))
const words = process.argv.slice(2)
const flags = words.filter(word => word.startsWith('-'))
const asked = words.filter(word => !word.startsWith('-')).flatMap(word => (word === 'git' ? OF_GIT : word))
const unknown = asked.filter(name => !all.includes(name))
if (unknown.length) {
  console.error(`no such benchmark: ${unknown.join(', ')}; there are ${all.join(', ')}`)
  process.exit(2)
}

const run = (file: string) =>
  spawnSync(process.execPath, [join(import.meta.dirname, file), ...flags], { stdio: 'inherit' }).status === 0

const names = asked.length ? asked : all.filter(name => !ONLY_NAMED.includes(name))
// A missed limit does not end the run.
const missed = names.filter(name => !run(`${name}${ENDING}`))
if (!asked.length && !flags.includes('--quick')) run('summary.ts')
process.exitCode = missed.length ? 1 : 0
