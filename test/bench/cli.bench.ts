/** Measures pulls of the CLI beside the start of Node; exits with 1 when a limit is missed. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alternate, QUICK, scratch } from './harness.ts'
import { resourceOf, startParlance } from './parlance.ts'
import { compared, report } from './report.ts'

const [LANGUAGES, NAMESPACES, KEYS] = [QUICK ? 10 : 30, 20, 200]
const COMMAND = join(import.meta.dirname, '../../dist/cli.mjs')

const folder = scratch()
const { running, call, key } = await startParlance(join(folder, 'data'))
const languages = Array.from({ length: LANGUAGES }, (_, at) => `de-x-v${at}`)
await call('POST', '/api/projects', { name: 'shop', slug: 'shop', sourceLanguage: languages[0] })
const bundles = Object.fromEntries(
  languages.map((language, row) => [
    language,
    Object.fromEntries(
      Array.from({ length: NAMESPACES }, (_, at) => [`n${at}`, resourceOf(KEYS, row * NAMESPACES + at)]),
    ),
  ]),
)
await call('POST', '/api/projects/shop/push', { bundles })

/** Wall-clock milliseconds of a process. */
function wallOf(file: string, words: string[], cwd = folder): Promise<number> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PARLANCE_URL: running.url.href,
    PARLANCE_TOKEN: key,
    PARLANCE_PROJECT: 'shop',
  }
  const from = performance.now()
  const child = spawn(file, words, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  return new Promise((resolve, reject) =>
    child.on('error', reject).on('close', code => {
      if (code === 0) resolve(performance.now() - from)
      else reject(new Error(`${file} ${words.join(' ')} ended with ${code}`))
    }),
  )
}

let checkouts = 0

/** A new one each time: ext4 creates files several times slower where others were just removed. */
function checkout(): string {
  const path = join(folder, `checkout${++checkouts}`)
  mkdirSync(path)
  writeFileSync(
    join(path, 'parlance.config.json'),
    JSON.stringify({ languages, output: 'locales/{{language}}/{{namespace}}.json' }),
  )
  return path
}

const pull = (path: string) => wallOf(process.execPath, [COMMAND, 'pull'], path)

const pulled = checkout()
await pull(pulled)
const [first = [], unchanged = [], bare = []] = await alternate([
  () => pull(checkout()),
  () => pull(pulled),
  () => wallOf(process.execPath, ['-e', '0']),
])
const what = `${LANGUAGES * NAMESPACES} bundles of ${KEYS} keys, by one request`
process.exitCode = report('cli', what, [
  compared('a first pull, all files written / node -e 0', first, bare, { unit: 'ms', limit: 10, atMost: true }),
  compared('an unchanged pull (304) / node -e 0', unchanged, bare, { unit: 'ms', limit: 6, atMost: true }),
])
await running.stop()
