/**
 * Measures pulls of the developers' command beside downloads of the same bytes with curl; exits with 1 when a limit is
 * missed.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
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

/** A new one each time: ext4 takes several times as long to make files where others were just removed. */
function checkout(): string {
  const path = join(folder, `checkout${++checkouts}`)
  mkdirSync(path)
  writeFileSync(
    join(path, 'parlance.config.json'),
    JSON.stringify({ languages, output: 'locales/{{language}}/{{namespace}}.json' }),
  )
  return path
}

const pull = (path: string, ...words: string[]) => wallOf(process.execPath, [COMMAND, 'pull', ...words], path)
const curl = (...words: string[]) =>
  wallOf('curl', [
    '-sSf',
    '-o',
    join(folder, 'all.json'),
    '-H',
    `x-api-key: ${key}`,
    ...words,
    `${running.url.href}api/projects/shop/export?format=json`,
  ])

const kept = checkout()
await pull(kept)
let version = 0
const [first = [], one = [], unchanged = [], plain = [], packed = [], bare = []] = await alternate([
  () => pull(checkout()),
  async () => {
    const path = checkout()
    cpSync(kept, path, { recursive: true })
    await call('PUT', `/api/projects/shop/bundles/${languages[1]}/n1/section0.item1000`, {
      value: `Changed ${version++}`,
    })
    return pull(path)
  },
  async () => {
    await pull(kept)
    return pull(kept)
  },
  () => curl(),
  () => curl('--compressed'),
  () => wallOf(process.execPath, ['-e', '0']),
])
const what = `${LANGUAGES * NAMESPACES} bundles of ${KEYS} keys, by one request`
const atMost = { unit: 'ms', limit: 3, atMost: true }
process.exitCode = report('cli', what, [
  compared('a first pull, all files written ↔ curl', first, plain, atMost),
  compared('the same ↔ curl --compressed', first, packed, atMost),
  compared('one text changed ↔ curl', one, plain, atMost),
  compared('an unchanged pull (304) ↔ node -e 0', unchanged, bare, { ...atMost, limit: 6 }),
])
await running.stop()
