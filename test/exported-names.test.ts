/** An exported type has a name of its own in the repository, so that `grep` finds it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import t from 'tap'

const src = join(import.meta.dirname, '../src')
/** Generated from the API document at each build. */
const GENERATED = ['dashboard/api/client.ts', 'dashboard/api/late-client.ts']

t.test('gives each exported type a unique name', async t => {
  const files = new Map<string, string[]>()
  for (const entry of readdirSync(src, { withFileTypes: true, recursive: true })) {
    const path = relative(src, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (!/\.tsx?$/.test(path) || path.includes('node_modules') || GENERATED.includes(path)) continue
    const text = readFileSync(join(src, path), 'utf8')
    for (const [, name] of text.matchAll(/^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm))
      files.set(name!, [...(files.get(name!) ?? []), path])
  }
  for (const [name, places] of files) t.equal(places.length, 1, `${name} is exported by ${places.join(' and ')}`)
})
