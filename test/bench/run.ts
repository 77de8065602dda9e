/** `npm run bench`: runs the benchmarks that are named, or all but those that are only run by name, one after the other; ends with 1 when one misses a limit. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** What git costs with 100,000 commits takes as long as all the rest together: asked for as `git`, or one by one. */
const OF_GIT = ['clone', 'history']
/** What `.ci/run` looks at is in the others too. */
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
// One that misses a limit ends with 1; the others are wanted all the same.
const missed = names.filter(name => !run(`${name}${ENDING}`))
if (!asked.length && !flags.includes('--quick')) run('summary.ts')
process.exitCode = missed.length ? 1 : 0
