/** Measures durable commits per second against the disk itself and against git; exits with 1 when a limit is missed. `--quick` for fewer rounds. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
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
const SMALL = 1_000
const LARGE = QUICK ? 10_000 : 60_000

type Measure = () => Promise<number>

/** The canonical bytes of 250 keys, about 23 KB; every text ends in a counter of seven digits. */
function makeBundle(): Buffer {
  const text = (key: number) =>
    `Translated text ${createHash('md5').update(`${key}`).digest('hex')} for the user, 0000000`
  const keys = Array.from({ length: KEYS }, (_, key) => [`section.item${1000 + key}.label`, text(key)])
  return Buffer.from(`${JSON.stringify(Object.fromEntries(keys), null, 2)}\n`)
}

const pathOf = (file: number) => `p${Math.floor(file / 500)}/locales/l${Math.floor(file / 25) % 20}/n${file % 25}.json`

/** What every writer does: the next version of one of a few bundles, one key changed. Rendering it is not the store's work. */
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

/** A work tree with that many files in one commit, packed. */
function makeRepository(workTree: string, files: number): void {
  fs.mkdirSync(workTree, { recursive: true })
  execFileSync('git', ['init', '-q', '-b', 'main', workTree])
  const large = makeBundle()
  const small = Buffer.from('{\n  "a": "b"\n}\n')
  const blobs = [large, small].map((bytes, index) => `blob\nmark :${index + 1}\ndata ${bytes.length}\n${bytes}\n`)
  const entries = Array.from({ length: files }, (_, file) => `M 100644 :${file < HOT ? 1 : 2} ${pathOf(file)}\n`)
  const commit = `commit refs/heads/main\ncommitter T <t@example.com> 1700000000 +0000\ndata 5\nstart\n${entries.join('')}\ndone\n`
  const { status, stderr } = spawnSync('git', ['-C', workTree, 'fast-import', '--quiet', '--done'], {
    input: blobs.join('') + commit,
  })
  if (status !== 0) throw new Error(String(stderr))
  execFileSync('git', ['-C', workTree, 'repack', '-adq'])
  execFileSync('git', ['-C', workTree, 'checkout', '-qf', 'main'])
}

/** Calls `step` from so many callers at once for one round; gives completed calls per second. */
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

function rawDisk(root: string): Measure {
  const file = fs.openSync(join(root, 'raw'), 'w+')
  const size = 64 * 1024 * 1024
  fs.writeSync(file, Buffer.alloc(size))
  fs.fsyncSync(file)
  const block = Buffer.alloc(4096, 7)
  let at = 0
  return () =>
    rate(1, () => {
      fs.writeSync(file, block, 0, block.length, at)
      fs.fdatasyncSync(file)
      at = (at + block.length) % size
    })
}

async function storeOf(root: string, organization: string, files: number) {
  const directory = join(root, 'organizations')
  makeRepository(join(directory, organization), files)
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
  makeRepository(workTree, SMALL)
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

/** One `git fast-import` for all rounds, told to checkpoint after every 64 commits. */
function fastImport(root: string): { measure: Measure; close(): void } {
  const workTree = join(root, 'fast-import')
  makeRepository(workTree, SMALL)
  const argv = ['-C', workTree, '-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet', '--force']
  const child = spawn('git', argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  const edits = new Edits()
  let first = true
  const checkpoint = () =>
    new Promise<void>(resolve => {
      child.stdout.once('data', () => resolve())
      child.stdin.write('checkpoint\nprogress done\n')
    })
  const measure = async () =>
    64 *
    (await rate(1, async () => {
      for (let count = 0; count < 64; count++) {
        const { path, bytes } = edits.next()
        const from = first ? 'from refs/heads/main^0\n' : ''
        first = false
        child.stdin.write(
          `commit refs/heads/main\ncommitter T <t@example.com> ${1_700_000_001} +0000\ndata 6\nupdate\n${from}`,
        )
        child.stdin.write(`M 100644 inline ${path}\ndata ${bytes.length}\n`)
        child.stdin.write(bytes)
        child.stdin.write('\n')
      }
      await checkpoint()
    }))
  return { measure, close: () => child.stdin.end() }
}

const root = fs.mkdtempSync(join(tmpdir(), 'parlance-bench-'))
process.on('exit', () => fs.rmSync(root, { recursive: true, force: true }))
const small = await storeOf(join(root, 'small'), 'small', SMALL)
const large = await storeOf(join(root, 'large'), 'large', LARGE)
const imports = fastImport(root)
const designs: [name: string, measure: Measure][] = [
  ['raw 4 KB overwrite + fdatasync', rawDisk(root)],
  [`store, 64 writers, ${SMALL} files`, small.measure(64)],
  [`store, 1 writer, ${SMALL} files`, small.measure(1)],
  [`store, 64 writers, ${LARGE} files`, large.measure(64)],
  [`store, 1 writer, ${LARGE} files`, large.measure(1)],
  ['git fast-import, 64 per checkpoint', imports.measure],
  ['git add + git commit', gitCommit(root)],
]
const results = designs.map(() => [] as number[])
for (let round = 0; round < ROUNDS; round++) {
  for (const [index, [, measure]] of designs.entries()) {
    // What one design left in the page cache must not be written back in the time of the next.
    spawnSync('sync')
    results[index]!.push(await measure())
  }
}
imports.close()
await small.close()
await large.close()

for (const [index, [name]] of designs.entries()) {
  const rates = results[index]!
  const rounded = rates.map(value => Math.round(value)).join(' ')
  console.log(`${name.padEnd(38)} ${String(Math.round(median(rates))).padStart(6)} per second   (${rounded})`)
}
const [raw = [], many = [], one = [], manyLarge = [], oneLarge = [], fast = [], cli = []] = results
const row = (name: string, ours: number[], other: number[], limit: number) =>
  compared(name, ours, other, { unit: '/s', limit })
process.exitCode = report('store', 'Durable commits per second, without HTTP.', [
  row('64 writers / raw disk', many, raw, 1),
  row('1 writer / raw disk', one, raw, 0.3),
  row('64 writers / git commit', many, cli, 100),
  row('64 writers / git fast-import', many, fast, 2),
  row(`64 writers, ${LARGE} / ${SMALL} files`, manyLarge, many, 0.7),
  row(`1 writer, ${LARGE} / ${SMALL} files`, oneLarge, one, 0.7),
])
