/**
 * Background work fails once at each of its system calls: nothing ends, all is logged, and it heals. FAULTS=all for
 * each call.
 */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { Background } from '../../src/scheduling/background.ts'
import { Store } from '../../src/store/store.ts'
import { WorkTree } from '../../src/store/work-tree/work-tree.ts'
import { eventually } from '../contract/server.ts'

t.setTimeout(0)

/** The number of failing calls, spread over all of them. */
const FAULTS = process.env.FAULTS === 'all' ? Number.POSITIVE_INFINITY : Number(process.env.FAULTS ?? 24)
const TOGETHER = 24
/** Maintenance that has failed is tried again after a minute. */
const HEALED = 150_000
const ANN = { name: 'Ann', email: 'ann@example.com' }
const PROJECT = '{\n  "defaultFormat": "i18next-json",\n  "name": "Web",\n  "sourceLanguage": "en"\n}\n'
const COMMON = 'web/locales/en/common.json'
const GERMAN = 'web/locales/de/common.json'
const bundle = (text: string) => `{\n  "a": "${text}"\n}\n`

// biome-ignore lint/suspicious/noExplicitAny: the signatures of node:fs, all of them
type Any = any

/** What is done to the calls below a folder: the number of the one that fails, and how. */
interface Plan {
  calls: string[]
  fails: number
  code: string
}

/** For what a person does. */
const { existsSync, readFileSync, renameSync, writeFileSync } = fs

const plans = new Map<string, Plan>()
const root = t.testdir()

function faultOf(name: string, path: unknown): Error | undefined {
  if (typeof path !== 'string') return undefined
  for (const [folder, plan] of plans) {
    if (!path.startsWith(`${folder}/`)) continue
    plan.calls.push(`${name} ${path.slice(folder.length + 1)}`)
    if (plan.calls.length !== plan.fails) return undefined
    return Object.assign(new Error(`${plan.code}: ${name} of ${path}, by the test`), { code: plan.code })
  }
  return undefined
}

function replace(object: Any, name: string, make: (original: Any) => Any): void {
  const original = object[name]
  object[name] = Object.assign(make(original), original)
  t.teardown(() => {
    object[name] = original
  })
}

const SYNC = [
  'openSync',
  'lstatSync',
  'statSync',
  'readdirSync',
  'opendirSync',
  'readFileSync',
  'linkSync',
  'renameSync',
  'unlinkSync',
]
for (const name of [...SYNC, 'mkdirSync', 'rmdirSync', 'writeFileSync', 'existsSync']) {
  replace(fs, name, original => (...args: Any[]) => {
    const fault = faultOf(name, args[0])
    if (fault) throw fault
    return original.call(fs, ...args)
  })
}
for (const name of ['open', 'rename', 'unlink', 'mkdir', 'lstat', 'stat', 'readdir']) {
  replace(fs, name, original => (...args: Any[]) => {
    const fault = faultOf(name, args[0])
    if (!fault) return original.call(fs, ...args)
    setImmediate(() => args.at(-1)(fault))
  })
}
for (const name of ['open', 'lstat', 'stat', 'readFile', 'writeFile', 'rename', 'mkdir', 'rm', 'readdir', 'unlink']) {
  replace(fs.promises, name, original => async (...args: Any[]) => {
    const fault = faultOf(name, args[0])
    if (fault) throw fault
    return original.call(fs.promises, ...args)
  })
}
syncBuiltinESMExports()
t.teardown(syncBuiltinESMExports)

let trials = 0

/** Writes, edits and waits while one call fails; names all that is not as it should be at the end. */
async function trial(fails: number, code: string): Promise<{ calls: string[]; wrong: string[] }> {
  const directory = fs.mkdtempSync(join(root, `trial${++trials}-`))
  const acme = join(directory, 'acme')
  const background = new Background({ info() {}, warn() {}, error() {} })
  const store = await Store.open({
    directory,
    background,
    maintenance: { idleMs: 300, seals: 2, idlePacks: 2, packs: 2, idleGraphFrom: 1 },
    createWorkTree: view => new WorkTree({ ...view, scanSeconds: 0.3 }),
  })
  const put = (path: string, text: string) =>
    store.write('acme', ANN, tx => ({
      result: tx.put(path, Buffer.from(text)),
      message: { subject: `put ${path}` },
    }))
  /** What the fault hits may be refused, and is asked for again, as a client does. */
  const insist = (run: () => Promise<unknown>) =>
    eventually(() =>
      run().then(
        () => true,
        () => false,
      ),
    )
  const head = (path: string) => store.read('acme', snapshot => snapshot.read(path)?.toString()).catch(() => undefined)
  const file = (path: string) => (existsSync(join(acme, path)) ? readFileSync(join(acme, path), 'utf8') : '')
  await put('web/project.json', PROJECT)
  await put(GERMAN, bundle('eins'))
  await put(COMMON, bundle('one'))
  await store.flush()

  const plan: Plan = { calls: [], fails, code }
  plans.set(acme, plan)
  await insist(() => put(GERMAN, bundle('zwei')))
  writeFileSync(join(acme, `${COMMON}~`), bundle('edited'))
  renameSync(join(acme, `${COMMON}~`), join(acme, COMMON))
  const wrong: string[] = []
  const expect = async (what: string, holds: () => boolean | Promise<boolean>) => {
    if (!(await eventually(holds, HEALED))) wrong.push(what)
  }
  await expect('the edit is committed', async () => (await head(COMMON)) === bundle('edited'))
  await insist(() => put(GERMAN, bundle('drei')))
  await expect('the file follows', () => file(GERMAN) === bundle('drei'))
  await expect('all is sealed', () => store.load().unsealed === 0)
  plans.delete(acme)
  // Neither locks the index, for which the store would wait, nor delays the other trials.
  const git = async (...argv: string[]) =>
    (await promisify(execFile)('git', ['--no-optional-locks', '-C', acme, ...argv])).stdout.trim()
  await expect('the index is HEAD', async () => (await git('status', '--porcelain')) === '')
  await expect('nothing is a problem any more', () => {
    const problems = [...background.problems(), ...store.status().problems]
    return problems.length === 0
  })
  if (wrong.includes('the index is HEAD'))
    wrong.push(await git('status', '--porcelain'), await git('log', '--format=%an %s'))
  if (wrong.includes('nothing is a problem any more')) {
    wrong.push(JSON.stringify([...background.problems(), ...store.status().problems]))
  }
  await store.close()
  await background.close()
  fs.rmSync(directory, { recursive: true })
  return { calls: plan.calls, wrong }
}

t.test('whichever call fails, nothing ends and all comes right', async t => {
  const { calls, wrong } = await trial(0, 'EIO')
  t.same(wrong, [], 'without a fault')
  t.ok(calls.length > 100, `${calls.length} calls`)
  const count = Math.min(FAULTS, calls.length)
  const numbers = Array.from({ length: count }, (_, at) => 1 + Math.floor((at * calls.length) / count))
  for (let at = 0; at < numbers.length; at += TOGETHER) {
    await Promise.all(
      numbers.slice(at, at + TOGETHER).map(async (number, i) => {
        const code = ['EIO', 'EMFILE', 'ENOSPC', 'EACCES'][(at + i) % 4]!
        const { calls, wrong } = await trial(number, code)
        t.same(wrong, [], `${code} at call ${number}: ${calls[number - 1]}`)
      }),
    )
  }
})

t.test('a file that cannot be read because descriptors ran out does not break the rules', async t => {
  const directory = fs.mkdtempSync(join(root, 'descriptors-'))
  const background = new Background({ info() {}, warn() {}, error() {} })
  const store = await Store.open({ directory, background })
  t.teardown(() => store.close())
  const write = (path: string, text: string) =>
    store.write('acme', ANN, tx => ({ result: tx.put(path, Buffer.from(text)), message: { subject: 'put' } }))
  await write('web/project.json', PROJECT)
  await write(COMMON, bundle('one'))
  await store.flush()
  const { openSync } = fs
  t.teardown(() => {
    fs.openSync = openSync
  })
  let refused = 0
  fs.openSync = ((path: string, ...rest: [number]) => {
    if (path.endsWith('common.json') && ++refused < 1000) {
      throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
    }
    return openSync(path, ...rest)
  }) as typeof openSync
  fs.writeFileSync(join(directory, 'acme', COMMON), bundle('edited'))
  t.ok(await eventually(() => refused > 0), 'it is met')
  t.ok(await eventually(() => background.problems().length > 0), 'it is told')
  t.same(
    store.status().problems.filter(({ path }) => path === COMMON),
    [],
    'but not as a fault of the file',
  )
  refused = 1000
  const served = () => store.read('acme', snapshot => snapshot.read(COMMON)?.toString() === bundle('edited'))
  t.ok(await eventually(served), 'and it is committed')
  t.ok(await eventually(() => background.problems().length === 0))
})

t.test('a file that comes into a new folder while others leave it before they were ever there', async t => {
  const directory = fs.mkdtempSync(join(root, 'swaps-'))
  const failed: unknown[] = []
  const log = { info() {}, warn() {}, error: (data: object, message: string) => void failed.push([message, data]) }
  const store = await Store.open({ directory, watch: false, maintenance: false, log })
  t.teardown(() => store.close())
  const change = (path: string, text: string | null) =>
    store.write('acme', ANN, tx => ({
      result: text === null ? tx.remove(path) : tx.put(path, Buffer.from(text)),
      message: { subject: path },
    }))
  await change('web/project.json', PROJECT)
  for (let round = 0; round < 30; round++) {
    const path = (name: string) => `web/locales/aa-x${round}/${name}.json`
    const others = Array.from({ length: 20 }, (_, at) => at)
    // A seal handles the removals first, while their folder has no other file yet.
    const writes = others.flatMap(at => [
      change(path(`gone${at}`), 'x'),
      change(`web/locales/en/n${at}.json`, bundle(`${round}`)),
    ])
    writes.push(change(path('here'), bundle('here')), ...others.map(at => change(path(`gone${at}`), null)))
    await Promise.all(writes)
    await store.flush().catch(error => t.fail(`round ${round}: ${error.message}`))
    t.strictSame(fs.readdirSync(join(directory, 'acme/web/locales', `aa-x${round}`)), ['here.json'])
  }
  t.strictSame(failed, [])
})
