/**
 * The check of prose: `node test/prose/check.ts [path ...]`. It prints each fault of comments, strings, titles of tests
 * and documents with its line, and fails when there is one. With paths, only files below these are read.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { longComments, proseOf as proseOfCode } from './code.ts'
import { longLines, proseOf as proseOfMarkdown } from './markdown.ts'
import { checkPassage, MAX_COLUMNS, type ProseFault } from './rules.ts'

const root = join(import.meta.dirname, '../..')

/** The words themselves stand there. */
const ABOUT_WORDS = ['test/prose/']

function faultsOf(path: string): ProseFault[] {
  const text = readFileSync(join(root, path), 'utf8')
  const isDocument = path.endsWith('.md')
  const passages = isDocument ? proseOfMarkdown(text) : proseOfCode(path, text)
  const long = isDocument ? longLines(text, MAX_COLUMNS) : longComments(text, MAX_COLUMNS)
  const faults = long.map(line => ({ line, message: `more than ${MAX_COLUMNS} columns` }))
  return [...passages.flatMap(checkPassage), ...faults]
}

const isBelow = (path: string, places: readonly string[]) => places.some(place => path.startsWith(place))

const given = process.argv.slice(2)
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter(path => /\.(tsx?|mjs|md)$/.test(path) && !isBelow(path, ABOUT_WORDS) && existsSync(join(root, path)))
  .filter(path => given.length === 0 || isBelow(path, given))
const faults = files.flatMap(path => faultsOf(path).map(({ line, message }) => `${path}:${line}: ${message}`))
for (const fault of faults) console.log(fault)
console.log(`prose: ${files.length} files, ${faults.length} faults`)
if (faults.length > 0) process.exitCode = 1
