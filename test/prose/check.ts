/**
 * The check of prose: `node test/prose/check.ts [path ...]`. It prints each fault of comments, strings, titles of tests
 * and documents with its line, and fails when there is one. With paths, only files below these are read.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proseOf as proseOfCode } from './code.ts'
import { longLines, proseOf as proseOfMarkdown } from './markdown.ts'
import { checkPassage, MAX_COLUMNS, type ProseFault } from './rules.ts'

const root = join(import.meta.dirname, '../..')

/** Written before there was this check, and not rewritten yet. Nothing is added here. */
const PENDING = ['src/', 'test/', 'docs/', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md']

/** The words themselves stand there. */
const ABOUT_WORDS = ['test/prose/']

function faultsOf(path: string): ProseFault[] {
  const text = readFileSync(join(root, path), 'utf8')
  if (!path.endsWith('.md')) return proseOfCode(path, text).flatMap(checkPassage)
  const long = longLines(text, MAX_COLUMNS).map(line => ({ line, message: `more than ${MAX_COLUMNS} columns` }))
  return [...proseOfMarkdown(text).flatMap(checkPassage), ...long]
}

const isBelow = (path: string, places: readonly string[]) => places.some(place => path.startsWith(place))

const given = process.argv.slice(2)
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter(path => /\.(tsx?|mjs|md)$/.test(path) && !isBelow(path, ABOUT_WORDS))
  .filter(path => (given.length > 0 ? isBelow(path, given) : !isBelow(path, PENDING)))
const faults = files.flatMap(path => faultsOf(path).map(({ line, message }) => `${path}:${line}: ${message}`))
for (const fault of faults) console.log(fault)
console.log(`prose: ${files.length} files, ${faults.length} faults`)
if (faults.length > 0) process.exitCode = 1
