/** A full or broken disk at every call of the store that changes it. FAULTS=all for each call in each way. */
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Store } from '../../../src/store/store.ts'
import { eventually } from '../../contract/server.ts'
import { type Call, type Fault, FaultyDisk } from './faulty-disk.ts'
import { openStore, outcomeOf, path, Scene } from './scenario.ts'

/** The number of failing calls in each of the ways below, spread over the scenario. */
const FAULTS = process.env.FAULTS === 'all' ? Number.POSITIVE_INFINITY : Number(process.env.FAULTS ?? 2)
/** Maximum retries before a refusal counts as permanent. */
const ATTEMPTS = 4
/** For how many attempts an outage lasts. */
const OUTAGE = 2

interface Way {
  name: string
  fault: Fault
  /** From that call on everything fails for a while. */
  outage?: boolean
}

const WAYS: Way[] = [
  { name: 'ENOSPC once', fault: { code: 'ENOSPC' } },
  { name: 'EIO once, though the call did its work', fault: { code: 'EIO', after: true } },
  { name: 'EDQUOT for a while', fault: { code: 'EDQUOT' }, outage: true },
  { name: 'EIO for a while', fault: { code: 'EIO' }, outage: true },
]

t.setTimeout(0)
const root = t.testdir()
const begun = join(root, 'begun')
const unsealed = join(root, 'unsealed')

/** Two organizations at rest, and what a kill leaves of them in the middle of writing. */
async function prepare() {
  const store = await openStore(begun)
  const scene = await new Scene(store).begin()
  await new Scene(store, 'other').begin()
  await store.close()
  const killed = join(root, 'live')
  fs.cpSync(begun, killed, { recursive: true })
  const again = await openStore(killed)
  const writing = scene.over(again)
  for (const name of ['common', 'a', 'b']) await writing.put(path(name))
  await writing.remove(path('a'))
  fs.cpSync(killed, unsealed, { recursive: true })
  await again.close()
  return { scene, writing }
}

const { scene, writing } = await prepare()

/** Every n-th of `calls`, so that there are `FAULTS` of them; another part of them in each way. */
function sample(calls: number, way: number): number[] {
  const stride = Math.max(1, calls / FAULTS)
  const first = (way / WAYS.length) * stride
  const numbers = Array.from({ length: Math.min(calls, FAULTS) }, (_, i) => Math.floor(first + i * stride) + 1)
  return numbers.filter(number => number <= calls)
}

let doubts = 0

interface Trial {
  wrong: string[]
  disk: FaultyDisk
}

/** Lets the n-th call below acme's folder fail, goes through the scenario, and names all that is not as promised. */
async function trial({ fault, outage }: Way, number: number): Promise<Trial> {
  const directory = join(root, 'trial')
  fs.rmSync(directory, { recursive: true, force: true })
  fs.cpSync(begun, directory, { recursive: true })
  const store = await openStore(directory)
  const acme = scene.over(store)
  const other = new Scene(store, 'other')
  await store.read('acme', () => {})
  const disk = new FaultyDisk(join(directory, 'acme'))
  const wrong: string[] = []
  let mended = false
  disk.plan = call => (!mended && (outage ? call.number >= number : call.number === number) ? fault : undefined)
  /** A release may have come or gone; all else is as it was. */
  const inDoubt = async () => {
    mended = true
    await acme.believeReleases()
    doubts++
  }
  try {
    steps: for (const { name, run } of acme.steps()) {
      for (let attempt = 1; ; attempt++) {
        const failure = await outcomeOf(run)
        if (failure === undefined) break
        const where = `${name}, attempt ${attempt}: `
        if (attempt > ATTEMPTS) throw new Error(`${where}it never recovers: ${failure.message}`)
        if (failure.code !== (fault.code === 'EIO' ? 'unavailable' : 'no-space')) {
          wrong.push(`${where}${failure.code} ${failure.message}`)
        }
        // Only a disk that refuses even the rollback leaves the outcome open.
        if (failure.data.doubtful && outage) {
          await inDoubt()
          break steps
        }
        if (failure.data.doubtful) wrong.push(`${where}${failure.message}`)
        wrong.push(...(await acme.differences()).map(what => `${where}read: ${what}`))
        const killed = join(root, 'killed')
        fs.rmSync(killed, { recursive: true, force: true })
        fs.cpSync(directory, killed, { recursive: true })
        wrong.push(...(await restarted(acme, killed)).map(what => `${where}killed there: ${what}`))
        await other.put(path('common'))
        mended = attempt >= OUTAGE
      }
    }
    mended = true
    await eventually(() => store.status().problems.length === 0)
    wrong.push(...(await acme.differences()), ...store.status().problems.map(({ path, error }) => `${path}: ${error}`))
    await store.close()
  } catch (error) {
    wrong.push(String(error instanceof Error ? error.stack : error))
    mended = true
    await store.close()
  } finally {
    disk.stop()
  }
  wrong.push(...acme.faults(directory), ...(await restarted(acme, directory)))
  return { wrong, disk }
}

async function restarted(acme: Scene, directory: string): Promise<string[]> {
  const store = await openStore(directory)
  try {
    return await acme.differences(store)
  } finally {
    await store.close()
  }
}

const told = ({ calls }: FaultyDisk, number: number) =>
  ((call?: Call) => (call ? `call ${number}, ${call.name} of ${call.path}` : `call ${number}`))(calls[number - 1])

/** Lets calls of `run` fail in each way. Without faults it needs over `least` calls. @returns a summary */
async function tryAll(t: Test, run: (way: Way, number: number) => Promise<Trial>, least: number): Promise<string> {
  const undisturbed = await run(WAYS[0]!, Number.POSITIVE_INFINITY)
  t.same(undisturbed.wrong, [], 'undisturbed')
  const calls = undisturbed.disk.calls.length
  t.ok(calls > least, `${calls} calls change the disk`)
  let faults = 0
  let trials = 0
  for (const [index, way] of WAYS.entries()) {
    for (const number of sample(calls, index)) {
      const { wrong, disk } = await run(way, number)
      t.same(wrong, [], `${way.name}: ${told(disk, number)}`)
      faults += disk.faults
      trials++
    }
  }
  return `${faults} faults in ${trials} runs of ${calls} calls`
}

t.test('preserves acknowledged writes, never shows refused ones, and recovers when any call fails', async t => {
  const done = await tryAll(t, trial, 150)
  t.comment(`${done}; the outcome was left open in ${doubts}`)
})

/** Opens what a kill left, while the n-th call fails; reads until it is answered. */
async function opening({ fault, outage }: Way, number: number): Promise<Trial> {
  const directory = join(root, 'opening')
  fs.rmSync(directory, { recursive: true, force: true })
  fs.cpSync(unsealed, directory, { recursive: true })
  const disk = new FaultyDisk(join(directory, 'acme'))
  const wrong: string[] = []
  let mended = false
  disk.plan = call => (!mended && (outage ? call.number >= number : call.number === number) ? fault : undefined)
  let store: Store | undefined
  try {
    store = await openStore(directory)
    const acme = writing.over(store)
    for (let attempt = 1; ; attempt++) {
      wrong.push(...(await acme.differences()))
      const failure = await outcomeOf(() => acme.put(path('last')))
      if (failure === undefined) break
      if (attempt > ATTEMPTS) throw new Error(`it never opens: ${failure.message}`)
      if (failure.code !== (fault.code === 'EIO' ? 'unavailable' : 'no-space')) {
        wrong.push(`${failure.code} ${failure.message}`)
      }
      mended = attempt >= OUTAGE
    }
    mended = true
    wrong.push(...(await acme.differences()))
    await store.close()
    disk.stop()
    wrong.push(...acme.faults(directory), ...(await restarted(acme, directory)))
  } catch (error) {
    wrong.push(String(error instanceof Error ? error.stack : error))
    mended = true
    await store?.close()
  } finally {
    disk.stop()
  }
  return { wrong, disk }
}

t.test('loses nothing and opens later when any call fails during the opening of a killed store', async t => {
  t.comment(await tryAll(t, opening, 40))
})
