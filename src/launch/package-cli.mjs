/** Before and after `npm pack` in `src/cli`: copies the built files beside its package.json, and removes them. */
import { copyFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What the package has, by where it comes from. */
const FILES = {
  'dist/cli.mjs': 'parlance.mjs',
  'dist/i18next-cli-plugin.mjs': 'i18next-cli-plugin.mjs',
  'src/cli/notes/i18next-cli-plugin.d.mts': 'i18next-cli-plugin.d.mts',
  'dist/parlance.config.schema.json': 'parlance.config.schema.json',
  LICENSE: 'LICENSE',
}

if (process.argv[2] === 'make') await build(root)
for (const [from, to] of Object.entries(FILES)) {
  const place = join(root, 'src/cli', to)
  if (process.argv[2] === 'make') {
    copyFileSync(join(root, from), place)
    // A newer file among the sources would start a build of the server.
    const { atime, mtime } = statSync(join(root, from))
    utimesSync(place, atime, mtime)
  } else rmSync(place, { force: true })
}
