/** Files that a developer's document or a comment names are there. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '..')
const find = (...patterns: string[]) => globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] })

const files = find('{src,test}/**/*')
const documents = ['CONTRIBUTING.md', 'SECURITY.md', 'docs/architecture.md', 'docs/testing.md', 'docs/benchmarks.md']
const sources = find('src/**/*.{ts,tsx,mjs}', 'test/**/*.{ts,mjs}')

const isThere = (name: string) => files.some(file => file === name || file.endsWith(`/${name}`))
/** Whole words in backticks with a folder; a name without one may be an example. */
const named = (text: string) =>
  [...text.matchAll(/`([a-z][\w-]*(?:\/[\w-]+)+\.(?:ts|tsx|mjs))`/g)].map(([, name]) => name!)
/** The lines of comments. */
const comments = (text: string) => text.match(/^\s*(?:\/\/|\/?\*).*$/gm)?.join('\n') ?? ''

t.test('names the files of the architecture by their paths in src/ or here', async t => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const names = [...text.matchAll(/`([\w./-]+\.(?:tsx?|mjs))`/g)].map(([, name]) => name!)
  t.ok(names.length > 100, 'there are many')
  const missing = names.filter(name => !files.includes(`src/${name}`) && !files.includes(name))
  t.strictSame(missing, [])
})

for (const [name, text] of [
  ...documents.map(file => [file, readFileSync(join(root, file), 'utf8')] as const),
  ...sources.map(file => [file, comments(readFileSync(join(root, file), 'utf8'))] as const),
]) {
  const missing = named(text).filter(file => !isThere(file))
  if (missing.length > 0 || documents.includes(name)) t.strictSame(missing, [], name)
}
