/** A folder like a clone, with the launcher of this checkout and an npm that is a script of the test. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { OLD_NODE } from '../old-node.ts'

const root = join(import.meta.dirname, '../..')
const TOOL = '#!/bin/sh\necho "$(basename "$0") with $(command -v node) $(node -p process.version)"'

/** What the script's `npm ci` installs: as much as `check` needs. */
export const INSTALLS = `mkdir -p node_modules/better-sqlite3
cp -r tools node_modules/.bin
echo 'module.exports = class { close() {} }' > node_modules/better-sqlite3/index.js
echo '{}' > node_modules/better-sqlite3/package.json
echo '{"packages":{"node_modules/better-sqlite3":{}}}' > node_modules/.package-lock.json
exit`

/** What the script's `npm install` of a Node does: this very Node is "fetched". */
export const FETCHES = `mkdir -p "$place/bin"; ln -s '${process.execPath}' "$place/bin/node"`

/** Stands in for the generator of the client, as the clone has no routes. Each run appends a line to `generated`. */
const GENERATES = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
const [clone] = process.argv.slice(2)
appendFileSync(clone + '/generated', 'once\\n')
for (const folder of ['dist', 'src/dashboard/api']) mkdirSync(clone + '/' + folder, { recursive: true })
for (const file of ['dist/dashboard-api.json', 'src/dashboard/api/client.ts', 'src/dashboard/api/late-client.ts']) writeFileSync(clone + '/' + file, '')`

/** What the clone's npm does for `npm --version`, for `npm ci`, for an `npm install` of the package at `$place`. */
export interface Npm {
  version?: string
  ci?: string
  install?: string
}

/** Creates the clone. Its launcher expects the digest of this Node. Its npm appends its arguments to `asked`. */
export function makeClone(t: Test, npm: Npm = {}): string {
  const clone = t.testdir({
    'package-lock.json': '{"packages":{}}',
    test: {
      'imports.test.ts': 'console.log("at last", process.execPath)',
      'exported-names.test.ts': '',
      prose: { 'check.ts': '' },
    },
    bin: { npm: '' },
    tools: { tsc: TOOL, biome: TOOL },
  })
  mkdirSync(join(clone, 'src/dashboard'), { recursive: true })
  cpSync(join(root, 'src/launch'), join(clone, 'src/launch'), { recursive: true })
  writeFileSync(join(clone, 'src/launch/generate-client.mjs'), GENERATES)
  const fetcher = join(clone, 'src/launch/fetch-node.mjs')
  const digest = createHash('sha256').update(readFileSync(process.execPath)).digest('hex')
  writeFileSync(fetcher, readFileSync(fetcher, 'utf8').replace(/[0-9a-f]{64}/g, digest))
  setNpm(clone, npm)
  for (const name of ['tools/tsc', 'tools/biome']) chmodSync(join(clone, name), 0o755)
  return clone
}

/** Gives the clone another npm. */
export function setNpm(clone: string, { version = '11.0.0', ci = INSTALLS, install = FETCHES }: Npm): void {
  const script = `#!/bin/sh
case "$1" in
--version) echo ${version}; exit ;;
ci) echo "$*" >> '${clone}/asked'
${ci}
;;
esac
echo "$*" >> '${clone}/asked'
for word; do case $word in node-*@*) place="$3/node_modules/\${word%@*}" ;; esac; done
${install}
`
  writeFileSync(join(clone, 'bin/npm'), script)
  chmodSync(join(clone, 'bin/npm'), 0o755)
}

/** What the clone's npm was asked for, a line each. */
export function asked(clone: string): string[] {
  const file = join(clone, 'asked')
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}

/** Runs `npm run check` there. @param older whether as on a Node 20 */
export async function check(clone: string, env: Record<string, string> = {}, older = false) {
  const words = [...(older ? ['--import', OLD_NODE] : []), join(clone, 'src/launch/launch.mjs'), 'check']
  const child = spawn(process.execPath, words, {
    env: { PATH: `${join(clone, 'bin')}:${process.env.PATH}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', data => (out += data))
  child.stderr.on('data', data => (err += data))
  const code = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { code, out, err }
}
