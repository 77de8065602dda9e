/**
 * Three stores on one log, random writers and readers, nodes that are killed, deaf or badly connected: and what must
 * hold of it.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { Failure } from '../../src/bundle/errors.ts'
import { sharedLogOver } from '../../src/cluster/replication/organization-replica.ts'
import { Releases } from '../../src/store/releases.ts'
import { Store } from '../../src/store/store.ts'
import { random } from '../random.ts'
import { fsck, git } from '../store/git-cli.ts'
import { type Fault, MemoryEngine, type MemoryLog } from './memory-log.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const NODES = ['one', 'two', 'three']
const CLIENTS = 3
const KEYS = ['de', 'en', 'fr'].map(language => `web/locales/${language}/common.json`)
const always = () => {}

/** A client's request and its result: each key holds the numbers that were added to it, in order. */
interface Operation {
  kind: 'add' | 'read'
  key: string
  /** By one clock for all, as are the ends. */
  begun: number
  ended: number
  /** The number added. */
  number: number
  /** How many numbers it saw there; undefined when it was refused. */
  seen: number | undefined
  /** What a reader saw. */
  list?: number[]
  revision?: string | null
  /** Whether the outcome is unknown. */
  doubtful?: boolean
}

interface Node {
  name: string
  directory: string
  log: MemoryLog
  store: Store
}

/** What {@link runThreeStores} goes on for. */
export interface Trial {
  /** Acknowledged writes at least. */
  writes: number
  /** Kills of a node at least, evenly among the writes. */
  kills: number
}

const chance = (share: number) => random() < share

/** Faults as networks have them. */
function badly(call: string): Fault {
  if (call === 'append' && chance(0.05)) return chance(0.6) ? 'lost-after' : 'lost-before'
  if (call !== 'hear' && chance(0.01)) return 'refused'
  return chance(0.03) ? random() * 20 : chance(0.3) ? random() * 3 : undefined
}

/** Runs the trial and holds all that was said against what is there in the end. */
export async function runThreeStores(t: Test, { writes, kills }: Trial): Promise<void> {
  const root = t.testdir()
  const engine = new MemoryEngine()
  // Who is killed may then need git from another node.
  engine.trims = chance(0.5)
  const zombies: Store[] = []
  const operations: Operation[] = []
  /** By name: whether it is there; undefined when unknown. */
  const released = new Map<string, boolean | undefined>()
  const counts = { acknowledged: 0, refused: 0, doubtful: 0, read: 0, threw: 0, kills: 0, released: 0 }
  let clock = 0
  let numbers = 0
  let lives = 0

  const open = async (name: string, directory: string): Promise<Node> => {
    const log = engine.join({ gitDirOf: id => join(directory, id, '.git'), fault: badly })
    const store = await Store.open({ directory, watch: false, sharedLog: sharedLogOver(log), maintenance: false })
    return { name, directory, log, store }
  }
  const nodes = await Promise.all(NODES.map(name => open(name, join(root, name))))
  t.teardown(() => Promise.all([...nodes.map(({ store }) => store), ...zombies].map(store => store.close())))

  let hasFailed = false
  const isOn = () =>
    !hasFailed &&
    (counts.acknowledged < writes ||
      counts.kills < kills ||
      Math.min(counts.doubtful, counts.released, counts.read) === 0)

  const add = async ({ store }: Node, key: string, soundly = false) => {
    const number = ++numbers
    const operation: Operation = { kind: 'add', key, begun: ++clock, ended: Infinity, number, seen: undefined }
    operations.push(operation)
    const steps = !soundly && chance(0.03)
    const throws = !soundly && chance(0.05)
    try {
      const { result, revision } = await store.write('acme', ANN, function* (transaction) {
        const present = parse(transaction.read(key))
        const enough = performance.now() + 10
        while (steps && performance.now() < enough) yield
        if (throws) throw new RangeError('by the test')
        transaction.put(key, Buffer.from(JSON.stringify([...present, number])))
        return { result: present.length, message: { subject: `add ${number}` } }
      })
      Object.assign(operation, { ended: ++clock, seen: result, revision })
      counts.acknowledged++
    } catch (error) {
      if (error instanceof RangeError) counts.threw++
      else if (!(error instanceof Failure) || error.code !== 'unavailable') throw error
      else if (error.data.doubtful) counts.doubtful++
      else counts.refused++
      operation.doubtful = error instanceof Failure && error.data.doubtful === true
      if (!(error instanceof RangeError)) await pause(2)
    }
  }
  const read = async ({ store, log }: Node, key: string) => {
    const { losses } = log
    if (!log.leased) return pause(5)
    const operation: Operation = { kind: 'read', key, begun: ++clock, ended: Infinity, number: 0, seen: undefined }
    const take = (bytes: Buffer | undefined) => {
      const list = parse(bytes)
      Object.assign(operation, { ended: ++clock, seen: list.length, list })
    }
    try {
      // As the routes do: at once where that is possible.
      const now = store.snapshot('acme')
      if (now) take(now.read(key))
      else take(await store.read('acme', snapshot => snapshot.read(key)))
      // A node that lost its lease in between would not have answered.
      if (losses !== log.losses) return
      operations.push(operation)
      counts.read++
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'unavailable') throw error
      await pause(2)
    }
    await pause(random() * 2)
  }
  /** Creates and deletes releases, one at a time, on changing nodes, and notes the expected ones. */
  const releaser = async () => {
    // A release names a commit; without one the routes find no project.
    while (isOn() && counts.acknowledged === 0) await pause(5)
    do {
      const isThere = chance(0.3) && [...released.values()].at(-1)
      const name = isThere ? [...released.keys()].at(-1)! : `v${released.size}`
      const releases = new Releases(nodes[Math.floor(random() * nodes.length)]!.store)
      try {
        if (isThere) await releases.remove('acme', { slug: 'web', name }, always)
        else await releases.create('acme', ANN, { slug: 'web', name }, always)
        released.set(name, !isThere)
        counts.released++
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'unavailable') throw error
        released.set(name, undefined)
      }
      await pause(10)
    } while (isOn())
  }

  const client = async (at: number) => {
    while (isOn()) {
      const key = KEYS[Math.floor(random() * KEYS.length)]!
      const node = nodes[at % nodes.length]!
      if (chance(0.5)) await read(node, key)
      else await Promise.all(Array.from({ length: chance(0.1) ? 20 : 1 }, () => add(node, key)))
    }
  }
  const killer = async () => {
    while (!hasFailed && counts.kills < kills) {
      await pause(5)
      if (counts.acknowledged < (writes * (counts.kills + 0.5)) / kills) continue
      const at = Math.floor(random() * nodes.length)
      const { name, directory, log, store } = nodes[at]!
      log.kill()
      const image = join(root, `${name}-${++lives}`)
      copy(directory, image)
      zombies.push(store)
      counts.kills++
      nodes[at] = await open(name, image)
    }
  }
  const deafener = async () => {
    while (isOn()) {
      const { log } = nodes[Math.floor(random() * nodes.length)]!
      await pause(150 * random())
      log.silent = true
      await pause(60 * random())
      log.wake()
    }
  }
  await Promise.all([
    ...Array.from({ length: CLIENTS * NODES.length }, (_, at) => client(at)),
    releaser(),
    killer(),
    deafener(),
  ]).catch(error => {
    // Who goes on would never find what it waits for.
    hasFailed = true
    throw error
  })

  for (const { log } of nodes) log.fault = () => undefined
  // What was in doubt is found out by the next write.
  for (const node of nodes) for (const key of KEYS) await add(node, key, true)
  const lists = await Promise.all(
    nodes.map(({ store }) => store.read('acme', snapshot => KEYS.map(key => parse(snapshot.read(key))))),
  )
  for (const other of lists) t.same(other, lists[0], 'all nodes say the same')
  t.same(faults(operations, new Map(KEYS.map((key, at) => [key, lists[0]![at]!]))), [])
  await Promise.all(nodes.map(({ store }) => store.flush()))
  const trees = nodes.map(({ directory }) => join(directory, 'acme'))
  const logs = trees.map(tree => git(tree, 'log', '--format=%H %s'))
  for (const log of logs) t.ok(log === logs[0], 'the same commits everywhere')
  const refs = trees.map(tree => git(tree, 'for-each-ref'))
  for (const all of refs) t.equal(all, refs[0], 'and the same releases')
  for (const [name, isThere] of released) {
    if (isThere !== undefined) t.equal(refs[0]!.includes(`refs/tags/web/${name}\n`), isThere, `release ${name}`)
  }
  const commits = new Map(logs[0]!.split('\n').map(line => [line.slice(0, 40), line.slice(41)]))
  t.equal(new Set(commits.values()).size, commits.size, 'every write at most once')
  const lost = operations.filter(
    ({ kind, seen, revision, number }) =>
      kind === 'add' && seen !== undefined && commits.get(revision ?? '') !== `add ${number}`,
  )
  t.same(lost, [], 'every acknowledged write under the commit of its answer')
  for (const tree of trees) {
    const found = fsck(tree)
    t.equal(found, '', `git fsck: ${JSON.stringify(found)}`)
    t.same(
      KEYS.map(key => parse(fs.readFileSync(join(tree, key)))),
      lists[0],
      'the work tree shows it',
    )
  }
  t.comment(JSON.stringify({ ...counts, commits: commits.size, trimmed: engine.stream('acme').base }))
}

const parse = (bytes: Buffer | undefined): number[] => (bytes ? JSON.parse(bytes.toString()) : [])

/** What a kill leaves at this moment. */
function copy(from: string, to: string): void {
  for (let tries = 0; ; tries++) {
    try {
      fs.cpSync(from, to, { recursive: true })
      return
    } catch (error) {
      // Work under way in Node's threads may remove a file.
      if (tries === 20) throw error
      fs.rmSync(to, { recursive: true, force: true })
    }
  }
}

/**
 * The operations that are not linearizable, key by key. The numbers in a key are the order of its writes. A reader must
 * have seen a beginning of them. It must not have seen fewer than any operation that had ended before had seen or
 * written.
 */
export function faults(operations: readonly Operation[], ends: ReadonlyMap<string, number[]>): string[] {
  const found: string[] = []
  for (const [key, end] of ends) {
    const mine = operations.filter(operation => operation.key === key)
    if (new Set(end).size !== end.length) found.push(`${key}: a number is there twice`)
    for (const { kind, number, seen, doubtful, list } of mine) {
      const at = end.indexOf(number)
      if (kind === 'add' && seen !== undefined && at !== seen)
        found.push(`${key}: ${number} answered ${seen}, is at ${at}`)
      if (kind === 'add' && seen === undefined && !doubtful && at >= 0) found.push(`${key}: ${number} was refused`)
      if (list?.some((number, at) => end[at] !== number)) found.push(`${key}: ${list} is no beginning of ${end}`)
    }
    // The number of writes done once an operation has ended, by the order of ends.
    const done = mine
      .filter(({ seen }) => seen !== undefined)
      .map(({ ended, kind, seen }) => ({ at: ended, state: seen! + Number(kind === 'add') }))
      .sort((a, b) => a.at - b.at)
    let next = 0
    let least = 0
    for (const operation of [...mine].sort((a, b) => a.begun - b.begun)) {
      for (; next < done.length && done[next]!.at < operation.begun; next++) least = Math.max(least, done[next]!.state)
      if (operation.seen !== undefined && operation.seen < least) {
        const { kind, begun, seen, number } = operation
        found.push(`${key}: ${kind} ${number} begun at ${begun} saw ${seen} where ${least} had been seen before`)
      }
    }
    // No client sees a write before its request.
    const begun = new Map(mine.filter(({ kind }) => kind === 'add').map(({ number, begun }) => [number, begun]))
    for (const { list, ended, begun: at } of mine) {
      if (list?.some(number => begun.get(number)! > ended)) found.push(`${key}: a reader of ${at} saw the future`)
    }
  }
  return found
}
