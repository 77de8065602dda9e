/**
 * One flipped byte, anywhere in an organization's folder: named, contained, never served as truth, and found by verify.
 * FLIPS=500 for more.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import { Releases } from '../../../src/store/releases.ts'
import type { Store } from '../../../src/store/store.ts'
import { type Finding, verifyRepository } from '../../../src/store/verify.ts'
import { openStore, path, Scene } from './scenario.ts'

/** How many bytes of each kind of file are flipped. */
const FLIPS = Number(process.env.FLIPS ?? 3)

t.setTimeout(0)
const root = t.testdir()

/** The same numbers at each run: 32 bits, by xorshift. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** A sealed organization with a past and a release, one that was killed with writes in its journal, and another one. */
async function prepare() {
  const sealed = join(root, 'sealed')
  const store = await openStore(sealed)
  const other = await new Scene(store, 'other').begin()
  const acme = await new Scene(store).begin()
  const { revision } = await store.read('acme', snapshot => snapshot)
  const past = new Map(acme.model.files)
  await acme.put(path('a'), 'é'.repeat(700))
  await acme.put(path('large'), 'x'.repeat(9_000))
  await store.flush()
  await acme.release('v1')
  await acme.put(path('common'))
  await store.close()
  unpackSmallest(join(sealed, acme.organization))
  const killed = join(root, 'killed')
  const live = join(root, 'live')
  fs.cpSync(sealed, live, { recursive: true })
  const again = await openStore(live)
  const writing = acme.over(again)
  for (const name of ['b', 'common', 'c', 'a']) await writing.put(path(name))
  fs.cpSync(live, killed, { recursive: true })
  await again.close()
  return { sealed, killed, acme, writing, other, past, revision: revision! }
}

/** Unpacks the tag of the release into a loose object, as git and earlier versions write it. */
function unpackSmallest(workTree: string): void {
  const folder = join(workTree, '.git/objects/pack')
  const packs = fs.readdirSync(folder).filter(name => name.endsWith('.pack'))
  const size = (name: string) => fs.statSync(join(folder, name)).size
  const [smallest] = packs.sort((a, b) => size(a) - size(b))
  const input = fs.readFileSync(join(folder, smallest!))
  for (const extension of ['.pack', '.idx']) fs.rmSync(join(folder, smallest!.replace('.pack', extension)))
  execFileSync('git', ['-C', workTree, 'unpack-objects', '-q'], { input })
}

const { sealed, killed, acme, writing, other, past, revision } = await prepare()

/** Right answers, refusals and wrong answers. */
interface Told {
  right: number
  refused: Failure[]
  wrong: string[]
}

async function readAll(store: Store, scene: Scene): Promise<Told> {
  const told: Told = { right: 0, refused: [], wrong: [] }
  const ask = async <T>(what: string, question: () => Promise<T>, expected: T) => {
    try {
      const answer = await question()
      if (answer === expected) told.right++
      else told.wrong.push(`${what}: ${String(answer).slice(0, 60)}`)
    } catch (error) {
      if (error instanceof Failure && error.code === 'unavailable') told.refused.push(error)
      else told.wrong.push(`${what}: ${error instanceof Error ? error.stack : error}`)
    }
  }
  const { organization, model } = scene
  for (const [file, text] of model.files) {
    await ask(file, () => store.read(organization, snapshot => snapshot.read(file)?.toString()), text)
  }
  if (organization === 'other') return told
  for (const [file, text] of past) {
    await ask(
      `${file} of then`,
      () => store.read(organization, snapshot => snapshot.at(revision).read(file)?.toString()),
      text,
    )
  }
  await ask('its revision', async () => (await store.resolve(organization, revision.slice(0, 12))).revision, revision)
  const releases = new Releases(store)
  const list = async () => (await releases.list(organization, 'web', () => {})).map(({ name }) => name).join()
  await ask('releases', list, [...model.releases].join())
  return told
}

async function verify(workTree: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const options = { workTree, running: false, signal: new AbortController().signal, progress: () => {} }
  await verifyRepository(options, finding => findings.push(finding))
  return findings.filter(({ severity }) => severity !== 'note')
}

interface Kind {
  name: string
  /** What a byte of it is flipped in, below the organization's folder. */
  files: (workTree: string) => string[]
  from?: 'killed'
  /** Whether some byte of it means nothing that anybody reads. */
  mayBeHarmless?: boolean
  /** The last acknowledged write, which looks like an interrupted one: only it may be gone, and not silently. */
  last?: string
}

const inFolder = (folder: string, pattern: RegExp) => (workTree: string) =>
  (fs.readdirSync(join(workTree, folder), { recursive: true }) as string[])
    .filter(name => pattern.test(name))
    .map(name => join(folder, name))
    .sort()

const KINDS: Kind[] = [
  { name: 'a pack', files: inFolder('.git/objects/pack', /\.pack$/) },
  { name: 'the index of a pack', files: inFolder('.git/objects/pack', /\.idx$/) },
  { name: 'a loose object', files: inFolder('.git/objects', /^[0-9a-f]{2}.[0-9a-f]{38}$/) },
  { name: 'the branch', files: () => ['.git/refs/heads/main'] },
  { name: 'a tag', files: () => ['.git/refs/tags/web/v1'] },
  { name: 'the note of the last seal', files: () => ['.git/parlance/head'], mayBeHarmless: true },
  { name: 'a journal', files: inFolder('.git/parlance', /^journal-/), from: 'killed', last: path('a') },
]

let flips = 0
for (const [seed, { name, files, from, mayBeHarmless, last }] of KINDS.entries()) {
  t.test(name, { timeout: 0 }, async t => {
    const random = numbers(seed + 1)
    const scene = from === 'killed' ? writing : acme
    let noticed = 0
    for (let flip = 0; flip < FLIPS; flip++) {
      const directory = join(root, 'flipped')
      fs.rmSync(directory, { recursive: true, force: true })
      fs.cpSync(from === 'killed' ? killed : sealed, directory, { recursive: true, preserveTimestamps: true })
      const workTree = join(directory, 'acme')
      const candidates = files(workTree)
      const file = candidates[random(candidates.length)]!
      const bytes = fs.readFileSync(join(workTree, file))
      // After the end of a journal follow the zeros of its creation.
      const used = from === 'killed' ? bytes.findLastIndex(byte => byte !== 0) + 1 : bytes.length
      const at = random(used)
      bytes[at]! ^= 1 << random(8)
      fs.writeFileSync(join(workTree, file), bytes)
      const where = `${file}, byte ${at}`

      const findings = await verify(workTree)
      const store = await openStore(directory)
      const told = await readAll(store, scene)
      const lost = await store.read('acme', snapshot => snapshot.read(last ?? '')?.toString()).catch(() => undefined)
      const wrong = told.wrong.filter(
        what => !(last && what.startsWith(`${last}:`) && lost === acme.model.files.get(last)),
      )
      t.same(wrong, [], `${where}: no wrong answer`)
      t.same((await readAll(store, other)).refused, [], `${where}: the other organization is not concerned`)
      for (const { message } of told.refused) {
        t.match(message, /[0-9a-f]{40}|pack-|log says why|…|refs\/tags/, `${where}: it is named`)
      }
      await store.close()
      if (findings.length > 0) noticed++
      else if (!mayBeHarmless) t.fail(`${where}: verify finds nothing`)
      for (const { path, todo } of findings) t.ok(path !== undefined && todo !== '', `${where}: what to do: ${todo}`)
      flips++
    }
    t.comment(`${noticed} of ${FLIPS} found by verify`)
  })
}

t.test('does not commit a file of the work tree when its bytes decay', async t => {
  const directory = join(root, 'rotten')
  fs.cpSync(sealed, directory, { recursive: true, preserveTimestamps: true })
  const first = await openStore(directory)
  await first.read('acme', () => {})
  await first.close()
  const file = join(directory, 'acme', path('common'))
  const { atime, mtime } = fs.statSync(file)
  const bytes = fs.readFileSync(file)
  bytes[bytes.length - 5]! ^= 1
  t.doesNotThrow(() => JSON.parse(bytes.toString()), 'what it says now is a good bundle')
  fs.writeFileSync(file, bytes)
  fs.utimesSync(file, atime, mtime)
  t.match(await verify(join(directory, 'acme')), [{ path: path('common'), todo: /git checkout HEAD/ }])
  const store = await openStore(directory)
  t.same((await readAll(store, acme)).wrong, [], 'HEAD is served')
  await store.close()
})

t.teardown(() => t.comment(`${flips} flips`))

t.test(
  'closes an organization with a journal damaged before its end until the advice of verify is followed',
  async t => {
    const directory = join(root, 'damaged')
    fs.cpSync(killed, directory, { recursive: true })
    const journals = join(directory, 'acme', '.git/parlance')
    const name = fs.readdirSync(journals).find(name => name.startsWith('journal-'))!
    const journal = join(journals, name)
    const bytes = fs.readFileSync(journal)
    // In the second of four frames.
    const second = bytes.indexOf('"changes"', bytes.indexOf('"changes"') + 1)
    bytes[second]! ^= 1
    fs.writeFileSync(journal, bytes)
    const [finding] = await verify(join(directory, 'acme'))
    t.match(finding, { severity: 'error', what: /2 acknowledged writes behind the damage/ })
    for (let start = 1; start <= 2; start++) {
      const store = await openStore(directory)
      await t.rejects(
        store.read('acme', () => {}),
        { code: 'unavailable' },
      )
      await t.rejects(writing.over(store).put(path('c')), { code: 'unavailable' })
      t.match(store.status().problems, [{ organization: 'acme', error: /damaged at byte \d+.*parlance server verify/ }])
      await store.close()
    }
    t.ok(fs.readFileSync(journal).equals(bytes), 'the file stays as it is')

    const [, size, file] = /`truncate -s (\d+) (\S+)`/.exec(finding!.todo)!
    fs.truncateSync(join(directory, 'acme', file!), Number(size))
    const store = await openStore(directory)
    const read = (file: string) => store.read('acme', snapshot => snapshot.read(file)?.toString())
    t.equal(await read('web/locales/de/b.json'), writing.model.files.get('web/locales/de/b.json'), 'before the damage')
    t.equal(await read('web/locales/de/c.json'), undefined, 'behind it')
    await store.close()
    t.same(await verify(join(directory, 'acme')), [])
  },
)
