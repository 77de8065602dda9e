/**
 * Measures durable commits per second beside those of git; exits with 1 when a limit is missed. `--quick` for fewer
 * rounds.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Store } from '../../src/store/store.ts'
import { median, QUICK } from './harness.ts'
import { compared, report } from './report.ts'

const ROUNDS = QUICK ? 3 : 5
const ROUND_MS = QUICK ? 400 : 1000
const KEYS = 250
const HOT = 20
const ANN = { name: 'Ann', email: 'ann@example.com' }
const FILES = 1_000

type Measure = () => Promise<number>

/** The canonical bytes of 250 keys, about 23 KB; every text ends in a counter of seven digits. */
function makeBundle(): Buffer {
  const text = (key: number) =>
    `Translated text ${createHash('md5').update(`${key}`).digest('hex')} for the user, 0000000`
  const keys = Array.from({ length: KEYS }, (_, key) => [`section.item${1000 + key}.label`, text(key)])
  return Buffer.from(`${JSON.stringify(Object.fromEntries(keys), null, 2)}\n`)
}

const pathOf = (file: number) => `p${Math.floor(file / 500)}/locales/l${Math.floor(file / 25) % 20}/n${file % 25}.json`

/**
 * What every writer does: the next version of one of a few bundles, one key changed. Rendering it is not the store's
 * work.
 */
class Edits {
  readonly #bundles = Array.from({ length: HOT }, makeBundle)
  #count = 0

  next(): { path: string; bytes: Buffer } {
    const file = this.#count % HOT
    // Buffer.from() copies byte by byte: 18 us that would be counted as the store's.
    const before = this.#bundles[file]!
    const bytes = Buffer.allocUnsafe(before.length)
    before.copy(bytes)
    const counter = bytes.indexOf('"', bytes.indexOf(`item${1000 + ((this.#count * 7) % KEYS)}.label": "`) + 18) - 7
    bytes.write(String(++this.#count).padStart(7, '0'), counter)
    this.#bundles[file] = bytes
    return { path: pathOf(file), bytes }
  }
}

/** Creates a work tree with all files in one packed commit. */
function makeRepository(workTree: string): void {
  fs.mkdirSync(workTree, { recursive: true })
  execFileSync('git', ['init', '-q', '-b', 'main', workTree])
  const large = makeBundle()
  const small = Buffer.from('{\n  "a": "b"\n}\n')
  const blobs = [large, small].map((bytes, index) => `blob\nmark :${index + 1}\ndata ${bytes.length}\n${bytes}\n`)
  const entries = Array.from({ length: FILES }, (_, file) => `M 100644 :${file < HOT ? 1 : 2} ${pathOf(file)}\n`)
  const commit = `commit refs/heads/main\ncommitter T <t@example.com> 1700000000 +0000\ndata 5\nstart\n${entries.join('')}\ndone\n`
  const { status, stderr } = spawnSync('git', ['-C', workTree, 'fast-import', '--quiet', '--done'], {
    input: blobs.join('') + commit,
  })
  if (status !== 0) throw new Error(String(stderr))
  execFileSync('git', ['-C', workTree, 'repack', '-adq'])
  execFileSync('git', ['-C', workTree, 'checkout', '-qf', 'main'])
}

/** Calls `step` from all callers at once for one round. @returns completed calls per second */
async function rate(callers: number, step: () => Promise<unknown> | unknown): Promise<number> {
  const start = performance.now()
  let done = 0
  const caller = async () => {
    while (performance.now() - start < ROUND_MS) {
      await step()
      done++
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return (done / (performance.now() - start)) * 1000
}

async function storeOf(root: string, organization: string) {
  const directory = join(root, 'organizations')
  makeRepository(join(directory, organization))
  const store = await Store.open({ directory, watch: false })
  await store.read(organization, () => undefined)
  const edits = new Edits()
  const write = () => {
    const { path, bytes } = edits.next()
    return store.write(organization, ANN, transaction => {
      transaction.read(path)
      transaction.put(path, bytes)
      return { result: path, message: { subject: `p0 l0/n0: update`, trailers: [['Parlance-Updated', '1']] } }
    })
  }
  const measure =
    (callers: number): Measure =>
    async () => {
      const result = await rate(callers, write)
      await store.flush(organization)
      return result
    }
  return { measure, close: () => store.close() }
}

function gitCommit(root: string): Measure {
  const workTree = join(root, 'git-commit')
  makeRepository(workTree)
  const edits = new Edits()
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'gc.auto=0']
  return () =>
    rate(1, () => {
      const { path, bytes } = edits.next()
      fs.writeFileSync(join(workTree, path), bytes)
      execFileSync('git', ['-C', workTree, 'add', path])
      execFileSync('git', ['-C', workTree, ...identity, 'commit', '-q', '-m', 'update'])
    })
}

const root = fs.mkdtempSync(join(tmpdir(), 'parlance-bench-'))
process.on('exit', () => fs.rmSync(root, { recursive: true, force: true }))
const store = await storeOf(join(root, 'store'), 'acme')
const designs: [name: string, measure: Measure][] = [
  ['store, 64 writers', store.measure(64)],
  ['git add + git commit', gitCommit(root)],
]
const results = designs.map(() => [] as number[])
for (let round = 0; round < ROUNDS; round++) {
  for (const [index, [, measure]] of designs.entries()) {
    // The next design must not pay for this one's dirty cache.
    spawnSync('sync')
    results[index]!.push(await measure())
  }
}
await store.close()

for (const [index, [name]] of designs.entries()) {
  const rates = results[index]!
  const rounded = rates.map(value => Math.round(value)).join(' ')
  console.log(`${name.padEnd(38)} ${String(Math.round(median(rates))).padStart(6)} per second   (${rounded})`)
}
const [many = [], cli = []] = results
process.exitCode = report('store', 'Durable commits per second, without HTTP.', [
  compared('64 writers / git commit', many, cli, { unit: '/s', limit: 100 }),
])
