/**
 * Many writers at once, and a disk that refuses some of their batches: what was refused was never there.
 */
// It restores what it changes, so it shares its process (test/groups.mjs).
import fs from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import { Store } from '../../../src/store/store.ts'
import { newFolder } from '../../new-folder.ts'
import { random } from '../../random.ts'
import { commitCount, fsck, git } from '../git-cli.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const WRITERS = 64
const APPENDS = Number(process.env.APPENDS ?? 120)
const pathOf = (writer: number) => `web/locales/de/n${writer}.json`

type Done = (error: Error | null, count?: number) => void
type Write = (fd: number, bytes: Buffer, offset: number, length: number, position: number, done: Done) => void

const isFrame = (bytes: Buffer) => bytes.length > 100 && bytes.includes('"changes":[{"path"')

/** Hands every append to a journal to `how`, which does it with `original`, or does not. */
function onAppend(t: Test, how: (original: Write, ...args: Parameters<Write>) => void): () => void {
  const original = fs.write as unknown as Write
  const mend = () => Object.assign(fs, { write: original })
  const changed: Write = (...args) => (isFrame(args[1]) ? how(original, ...args) : original(...args))
  Object.assign(fs, { write: changed })
  t.teardown(mend)
  return mend
}

const failure = (code: string) => Object.assign(new Error(`${code} by the test`), { code })

/** What stands in a writer's file: the numbers of its writes that came through. */
const parse = (bytes: Buffer | undefined): number[] => (bytes ? JSON.parse(bytes.toString()) : [])

/** Thrown by a write on purpose; carries what it saw of all files. */
class Refusal extends Error {
  readonly seen: number[]
  constructor(seen: number[]) {
    super('by the write itself')
    this.seen = seen
  }
}

// Each refusal opens the organization again, which is slow on a busy machine.
t.setTimeout(0)

t.test(
  'what a failing disk refuses to 64 writers is never visible, and nothing acknowledged is lost',
  {
    timeout: 0,
  },
  async t => {
    const directory = t.testdir()
    const store = await Store.open({ directory, watch: false })
    t.teardown(() => store.close())
    const acknowledged = new Set<number>()
    const refused = new Set<number>()
    const seen = new Set<number>()
    let appends = 0
    let failures = 0
    let thrown = 0
    const mend = onAppend(t, (original, fd, bytes, offset, length, position, done) => {
      appends++
      if (random() > 0.06) return original(fd, bytes, offset, length, position, done)
      failures++
      const error = failure(random() < 0.5 ? 'ENOSPC' : 'EIO')
      const written = Math.floor(length * [0, 0.5, 1][Math.floor(random() * 3)]!)
      // Late, so that other writes wait meanwhile.
      if (written === 0) setTimeout(done, 2, error)
      else original(fd, bytes, offset, written, position, () => setTimeout(done, 2, error))
    })

    let number = 0
    const writing = () => appends < APPENDS
    const writer = async (own: number) => {
      const path = pathOf(own)
      while (writing()) {
        const mine = ++number
        try {
          await store.write('acme', ANN, transaction => {
            const present = parse(transaction.read(path))
            if (mine % 7 === 0) throw new Refusal([...present, ...parse(transaction.read(pathOf((own + 1) % WRITERS)))])
            transaction.put(path, Buffer.from(JSON.stringify([...present, mine])))
            return { result: undefined, message: { subject: `write ${mine}` } }
          })
          acknowledged.add(mine)
        } catch (error) {
          if (error instanceof Refusal) {
            thrown++
            for (const other of error.seen) seen.add(other)
          } else {
            if (!(error instanceof Failure) || !/^(no-space|unavailable)$/.test(error.code)) throw error
            refused.add(mine)
          }
        }
      }
    }
    const reader = async () => {
      while (writing()) {
        await store.read('acme', snapshot => {
          for (let own = 0; own < WRITERS; own++) for (const other of parse(snapshot.read(pathOf(own)))) seen.add(other)
        })
        await wait(3)
      }
    }
    await Promise.all([...Array.from({ length: WRITERS }, (_, own) => writer(own)), reader()])
    mend()

    t.same(
      [...refused].filter(other => seen.has(other)),
      [],
      'no reader and no write that threw saw a refused one',
    )
    const check = async (from: Store) => {
      const files = await from.read('acme', snapshot =>
        Array.from({ length: WRITERS }, (_, own) => parse(snapshot.read(pathOf(own)))),
      )
      for (const file of files)
        t.same(
          file,
          [...file].sort((a, b) => a - b),
          'in the order of writing',
        )
      t.same(new Set(files.flat()), acknowledged)
    }
    await check(store)
    await store.close()
    const again = await Store.open({ directory, watch: false })
    await check(again)
    await again.close()
    t.equal(commitCount(join(directory, 'acme')), acknowledged.size, 'one commit for each')
    t.equal(fsck(join(directory, 'acme')), '')
    t.comment(`${appends} appends, ${failures} refused with ${refused.size} writes; ${thrown} threw`)
    t.ok(refused.size > 0 && thrown > 0, 'the disk refused, and writes threw')
  },
)

/** Bounded, so that a fault is a failed assertion and not a test without an end. */
async function until(met: () => boolean, meanwhile: () => void = () => {}): Promise<void> {
  for (let i = 0; i < 5000 && !met(); i++) {
    meanwhile()
    await wait(1)
  }
}

/** A store with appends that wait in `held` until the test lets them go. */
async function heldStore(t: Test) {
  const directory = newFolder(t)
  const store = await Store.open({ directory, watch: false, now: () => 1_700_000_000_000 })
  t.teardown(() => store.close())
  const put = (path: string, text: string) =>
    store.write('acme', ANN, transaction => {
      transaction.put(path, Buffer.from(text))
      return { result: undefined, message: { subject: `put ${path}` } }
    })
  const get = (path: string) => store.read('acme', snapshot => snapshot.read(path)?.toString())
  await Promise.all(Array.from({ length: 32 }, (_, n) => put(`f${n}`, 'text')))
  await store.flush()
  const held: ((error?: Error) => void)[] = []
  const mend = onAppend(t, (original, fd, bytes, offset, length, position, done) => {
    held.push(error => (error ? done(error) : original(fd, bytes, offset, length, position, done)))
  })
  const turns = async () => {
    for (let i = 0; i < 20; i++) await turn()
  }
  return { directory, store, put, get, held, mend, turns }
}

t.test('a batch is neither seen nor answered before it is durable, and no other one begins', async t => {
  const { put, store, get, held, mend, turns } = await heldStore(t)
  const order: string[] = []
  const first = put('a', 'first').then(() => order.push('first'))
  await turns()
  let ran = 0
  const second = Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      store
        .write('acme', ANN, transaction => {
          ran++
          transaction.put(`b${n}`, transaction.read('a')!)
          return { result: undefined, message: { subject: 'put' } }
        })
        .then(() => order.push('second')),
    ),
  )
  const threw = store
    .write('acme', ANN, transaction => {
      throw new Error(`saw ${transaction.read('b0')}`)
    })
    .catch(error => order.push(error.message))
  await turns()
  t.equal(ran, 0)
  t.equal(await get('a'), undefined)
  t.same(order, [])
  held.splice(0)[0]!()
  await until(() => held.length > 0)
  t.same(order, ['first'])
  t.ok(ran > 0)
  t.equal(await get('b0'), undefined)
  mend()
  held.splice(0)[0]!()
  await Promise.all([first, second, threw])
  t.equal(order.indexOf('saw first'), 41, 'a throw is answered after what it saw is durable')
  t.equal(await get('b7'), 'first')
})

t.test('a commit that is not durable cannot be named, not even by a few of its digits', async t => {
  let revision: string | null = null
  await t.test('the ids are known here', async t => {
    const { put, mend } = await heldStore(t)
    mend()
    revision = (await put('a', 'text')).revision
  })
  const { store, put, held, mend, turns } = await heldStore(t)
  const writing = put('a', 'text')
  await turns()
  t.equal(held.length, 1)
  await t.rejects(store.resolve('acme', revision!.slice(0, 6)), { code: 'not-found' })
  mend()
  for (const go of held.splice(0)) go()
  t.equal((await writing).revision, revision)
  t.same(await store.resolve('acme', revision!.slice(0, 6)), { revision, exact: false })
})

t.test('a refused batch fails the writes that wait behind it, and none gets into git', async t => {
  const { directory, store, put, get, held, mend, turns } = await heldStore(t)
  const before = commitCount(join(directory, 'acme'))
  const kept = put('kept', 'kept')
  await turns()
  held.splice(0)[0]!()
  await kept
  const first = put('a', 'refused')
  await turns()
  const second = Array.from({ length: 200 }, (_, n) => put(`b${n}`, 'refused too'))
  await turns()
  const outcomes = Promise.allSettled([first, ...second])
  held.splice(0)[0]!(failure('ENOSPC'))
  for (const outcome of await outcomes) t.match(outcome, { status: 'rejected', reason: { code: 'no-space' } })
  t.equal(held.length, 0, 'those behind it were never written')
  mend()
  // Before any access that would open it again: the seal of what is acknowledged is due by itself.
  await until(() => commitCount(join(directory, 'acme')) > before)
  t.equal(git(join(directory, 'acme'), 'fsck', '--unreachable'), '', 'no object of theirs is in git')
  t.equal(await get('kept'), 'kept')
  t.equal(await get('a'), undefined)
  t.equal(await get('b0'), undefined)
  await put('c', 'later')
  await store.close()
  const again = await Store.open({ directory, watch: false })
  t.same(await again.read('acme', snapshot => ['kept', 'a', 'b0', 'c'].map(path => snapshot.read(path)?.toString())), [
    'kept',
    undefined,
    undefined,
    'later',
  ])
  await again.close()
  t.equal(commitCount(join(directory, 'acme')), before + 2)
})

t.test('a batch that was refused although it reached the disk does not come back after a close', async t => {
  for (const acknowledged of [0, 1]) {
    const { directory, store, put, held, mend, turns } = await heldStore(t)
    for (let i = 0; i < acknowledged; i++) {
      const kept = put(`kept${i}`, 'kept')
      await turns()
      held.splice(0)[0]!()
      await kept
    }
    mend()
    const unmend = onAppend(t, (original, fd, bytes, offset, length, position, done) =>
      original(fd, bytes, offset, length, position, () => done(failure('EIO'))),
    )
    await t.rejects(put('a', 'refused'), { code: 'unavailable' })
    unmend()
    await store.close()
    const again = await Store.open({ directory, watch: false })
    t.equal(await again.read('acme', snapshot => snapshot.read('a')), undefined)
    t.equal(await again.read('acme', snapshot => snapshot.read('kept0')?.toString()), acknowledged ? 'kept' : undefined)
    await again.close()
  }
})

t.test('a seal between a computed batch and its sync waits for the whole batch', async t => {
  const { directory, store, put, held, mend, turns } = await heldStore(t)
  const workTree = join(directory, 'acme')
  const before = commitCount(workTree)
  const early = put('early', 'acknowledged')
  await turns()
  held.splice(0)[0]!()
  await early
  const first = put('a', 'first')
  await turns()
  const second = Array.from({ length: 200 }, (_, n) => put(`b${n}`, 'second'))
  await turns()
  let sealed = false
  const reading = store.readGit('acme', async () => {
    sealed = true
    return commitCount(workTree)
  })
  await wait(150)
  t.notOk(sealed, 'it waits for the batch in its pack')
  held.splice(0)[0]!()
  await until(() => held.length > 0)
  t.equal(await reading, before + 2, 'and not for the one after that')
  let done = false
  void Promise.all([first, ...second]).then(() => {
    done = true
  })
  const release = () => {
    for (const go of held.splice(0)) go()
  }
  await until(() => done, release)
  mend()
  await store.flush()
  t.equal(commitCount(workTree), before + 202)
  t.equal(fsck(workTree), '')
})
