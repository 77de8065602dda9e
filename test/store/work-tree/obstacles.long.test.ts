/**
 * An obstacle in a work tree is its organization's problem alone: it is reported, all else goes on, and it heals later.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { Store } from '../../../src/store/store.ts'
import { WorkTree } from '../../../src/store/work-tree/work-tree.ts'
import { eventually } from '../../contract/server.ts'

t.setTimeout(0)

const ANN = { name: 'Ann', email: 'ann@example.com' }
const PROJECT = '{\n  "defaultFormat": "i18next-json",\n  "name": "Web",\n  "sourceLanguage": "en"\n}\n'
const COMMON = 'web/locales/en/common.json'
const GERMAN = 'web/locales/de/common.json'
const bundle = (text: string) => `{\n  "a": "${text}"\n}\n`

/** Root may open everything: under root these tests run as another user. */
const NOBODY = 65_534

const folder = t.testdir({})

async function open(t: Test, directory: string) {
  const store = await Store.open({ directory, createWorkTree: view => new WorkTree({ ...view, scanSeconds: 0.2 }) })
  let closed = false
  const close = async () => {
    if (!closed) await store.close()
    closed = true
  }
  t.teardown(close)
  const put = (organization: string, path: string, text: string) =>
    store.write(organization, ANN, tx => ({
      result: tx.put(path, Buffer.from(text)),
      message: { subject: `put ${path}` },
    }))
  const read = (organization: string, path: string) =>
    store.read(organization, snapshot => snapshot.read(path)?.toString())
  return {
    directory,
    store,
    close,
    put,
    read,
    at: (path: string) => join(directory, 'acme', path),
    problems: () => store.status().problems.filter(({ path }) => path !== ''),
    /** Whether a person's edit is committed. */
    async takesIn(organization: string, path: string, text: string) {
      const file = join(directory, organization, path)
      fs.mkdirSync(dirname(file), { recursive: true })
      fs.writeFileSync(file, bundle(text))
      return eventually(async () => (await read(organization, path)) === bundle(text))
    },
    shows: (path: string, text: string) =>
      eventually(() => {
        try {
          return fs.readFileSync(join(directory, 'acme', path), 'utf8') === bundle(text)
        } catch {
          return false
        }
      }),
  }
}

type Opened = Awaited<ReturnType<typeof open>>

async function begin({ put, store }: Opened) {
  for (const organization of ['acme', 'other']) {
    await put(organization, 'web/project.json', PROJECT)
    await put(organization, COMMON, bundle('one'))
    await put(organization, GERMAN, bundle('eins'))
  }
  await store.flush()
}

interface Way {
  name: string
  make(at: (path: string) => string): void
  /** Removes it again; what stood there before is back when that is possible. */
  unmake(at: (path: string) => string): void
  /** Whether the rest of the organization's project is in its way too. */
  whole?: boolean
}

const inPlaceOf = (path: string, put: (path: string) => void) => ({
  make: (at: (path: string) => string) => {
    fs.renameSync(at(path), at('.aside'))
    put(at(path))
  },
  unmake: (at: (path: string) => string) => {
    fs.rmSync(at(path))
    fs.renameSync(at('.aside'), at(path))
  },
})
const file = (path: string) => fs.writeFileSync(path, 'hi\n')
const linkToItself = (path: string) => fs.symlinkSync(path, path)
const pipe = (path: string) => void execFileSync('mkfifo', [path])
const closed = (path: string) => ({
  make: (at: (path: string) => string) => fs.chmodSync(at(path), 0),
  unmake: (at: (path: string) => string) => fs.chmodSync(at(path), 0o755),
})

const WAYS: Way[] = [
  { name: 'a file in place of a language', ...inPlaceOf('web/locales/en', file) },
  { name: 'a link to itself in place of a language', ...inPlaceOf('web/locales/en', linkToItself) },
  { name: 'a pipe in place of a language', ...inPlaceOf('web/locales/en', pipe) },
  { name: 'a file in place of the project', ...inPlaceOf('web', file), whole: true },
  { name: 'a link to itself in place of the project', ...inPlaceOf('web', linkToItself), whole: true },
  { name: 'a closed language', ...closed('web/locales/en') },
  { name: 'a closed project', ...closed('web'), whole: true },
]

/** Runs it as a user who is refused something: as the present user, unless that is root. */
async function asNobody(directory: string, run: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return run()
  execFileSync('chown', ['-R', `${NOBODY}`, directory])
  process.seteuid!(NOBODY)
  try {
    await run()
  } finally {
    process.seteuid!(0)
  }
}

/** Everybody may pass through the folders above, down to the test's own. */
function passable(path: string): boolean {
  for (let above = path; above !== dirname(above); above = dirname(above)) {
    if ((fs.statSync(above).mode & 0o001) === 0) return false
  }
  return true
}

const tell = async ({ problems }: Opened) =>
  (await eventually(() => problems().some(({ organization, path }) => organization === 'acme' && path === COMMON)))
    ? undefined
    : JSON.stringify(problems())

/** Created before the user changes. */
const base = passable(folder) ? folder : tmpdir()
const folders = WAYS.flatMap(() => [0, 0]).map(() => fs.mkdtempSync(join(base, 'parlance-')))
t.teardown(() => {
  for (const one of folders) fs.rmSync(one, { recursive: true, force: true })
})

for (const { name, make, unmake, whole } of WAYS) {
  const [directory, before] = [folders.pop()!, folders.pop()!]
  t.test(`${name}, while the server runs`, t =>
    asNobody(directory, async () => {
      const opened = await open(t, directory)
      const { at, put, read, store, takesIn, shows, problems } = opened
      await begin(opened)
      make(at)
      t.equal(await tell(opened), undefined, 'it is told')
      await put('acme', COMMON, bundle('two'))
      await store.flush()
      t.equal(await read('acme', COMMON), bundle('two'), 'writes go on')
      t.equal(await tell(opened), undefined, 'it is still reported')
      t.ok(await takesIn('other', COMMON, 'edited'), "another organization's edits are committed")
      if (!whole) t.ok(await takesIn('acme', GERMAN, 'edited'), 'its own too')
      t.same(
        problems().filter(({ organization }) => organization === 'other'),
        [],
      )
      unmake(at)
      t.ok(await shows(COMMON, 'two'), 'the file is brought up when it goes')
      t.ok(await eventually(() => problems().every(({ path }) => path !== COMMON)), 'and the problem is gone')
      t.ok(await takesIn('acme', COMMON, 'three'), 'and edits are committed there')
      await store.flush()
      await opened.close()
    }),
  )

  t.test(`${name}, before the server starts`, t =>
    asNobody(before, async () => {
      const first = await open(t, before)
      await begin(first)
      await first.close()
      make(first.at)
      const opened = await open(t, before)
      const { at, put, read, store, takesIn, shows, problems } = opened
      t.equal(await read('acme', COMMON), bundle('one'), 'it is opened')
      t.equal(await tell(opened), undefined, 'it is told')
      if (!whole) t.ok(await takesIn('acme', GERMAN, 'edited'), 'edits are committed')
      await put('acme', COMMON, bundle('two'))
      await store.flush()
      t.ok(await takesIn('other', COMMON, 'edited'), 'the other organization goes on')
      unmake(at)
      t.ok(await shows(COMMON, 'two'), 'the file is brought up when it goes')
      t.ok(await eventually(() => problems().every(({ path }) => path !== COMMON)), 'and the problem is gone')
      await opened.close()
      const last = await open(t, before)
      t.equal(await last.read('acme', COMMON), bundle('two'), 'all is sealed')
    }),
  )
}
