/** What the store promises over either ledger: the folder's own journals, or a log that several nodes share. */
// It restores what it changes, so it shares its process (test/groups.mjs).
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { sharedLogOver } from '../../../src/cluster/replication/organization-replica.ts'
import { Releases } from '../../../src/store/releases.ts'
import { Store } from '../../../src/store/store.ts'
import { MemoryEngine } from '../../cluster/memory-log.ts'
import { commitCount, fsck, git } from '../git-cli.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const PATH = 'web/locales/de/common.json'
const always = () => {}

interface Kind {
  /** Opens a store in a folder of its own, or again in the same. */
  open(): Promise<Store>
  workTree: string
  /** Lets the next batch be refused, before anything of it is durable. */
  refuseOne(t: Test): void
}

const kinds: Record<string, (t: Test) => Kind> = {
  'a file ledger': t => {
    const directory = t.testdir()
    return {
      workTree: join(directory, 'acme'),
      open: () => Store.open({ directory, watch: false }),
      refuseOne: () => {
        const original = fs.write
        const failing = (...args: unknown[]) => {
          if (!(Buffer.isBuffer(args[1]) && args[1].includes('"changes":[{"path"')))
            return Reflect.apply(original, fs, args)
          Object.assign(fs, { write: original })
          const done = args.at(-1) as (error: Error) => void
          done(Object.assign(new Error('by the test'), { code: 'EIO' }))
        }
        Object.assign(fs, { write: failing })
      },
    }
  },
  'a shared ledger': t => {
    const directory = t.testdir()
    const log = new MemoryEngine().join({ gitDirOf: id => join(directory, id, '.git') })
    return {
      workTree: join(directory, 'acme'),
      open: () => Store.open({ directory, watch: false, sharedLog: sharedLogOver(log) }),
      refuseOne: () => {
        log.fault = call => {
          if (call !== 'append') return undefined
          log.fault = () => undefined
          return 'refused'
        }
      },
    }
  },
}

for (const [name, make] of Object.entries(kinds)) {
  const started = async (t: Test) => {
    const kind = make(t)
    const stores: Store[] = []
    const open = async () => {
      const store = await kind.open()
      stores.push(store)
      const put = (path: string, text: string) =>
        store.write('acme', ANN, transaction => {
          transaction.put(path, Buffer.from(text))
          return { result: text, message: { subject: `put ${path}` } }
        })
      const get = (path: string) => store.read('acme', snapshot => snapshot.read(path)?.toString())
      return { store, put, get, releases: new Releases(store) }
    }
    t.teardown(() => Promise.all(stores.map(store => store.close())))
    return { ...kind, open, ...(await open()) }
  }

  t.test(`${name}: what was written is there at once, after a close, and in git`, async t => {
    const { store, put, get, open, workTree } = await started(t)
    const { result, revision } = await put(PATH, '{}')
    t.equal(result, '{}')
    t.equal(await get(PATH), '{}')
    t.equal(store.snapshot('acme')?.revision, revision)
    await store.close()
    t.equal(git(workTree, 'rev-parse', 'main').trim(), revision)
    const again = await open()
    t.equal(await again.get(PATH), '{}')
    t.equal((await again.put(PATH, '{"a":""}')).result, '{"a":""}')
    await again.store.flush()
    t.equal(fs.readFileSync(join(workTree, PATH), 'utf8'), '{"a":""}')
    t.equal(fsck(workTree), '')
  })

  t.test(`${name}: of many writes at once each sees the one before and has its own commit`, async t => {
    const { store, get, workTree } = await started(t)
    const add = (number: number) =>
      store.write('acme', ANN, transaction => {
        if (number % 10 === 9) throw new Error(`refused ${number}`)
        const before = transaction.read(PATH)?.toString() ?? ''
        if (number % 10 !== 8) transaction.put(PATH, Buffer.from(`${before}${number},`))
        return { result: before.split(',').length - 1, message: { subject: `add ${number}` } }
      })
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, (_, number) => add(number)))
    const seen = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value.result] : []))
    t.equal(seen.length, 180)
    t.same(
      seen,
      [...seen].sort((a, b) => a - b),
      'in the order of asking',
    )
    t.match(outcomes[9], { status: 'rejected', reason: { message: 'refused 9' } })
    t.equal((await get(PATH))?.split(',').length, 161)
    await store.flush()
    t.equal(commitCount(workTree), 160)
    t.equal(fsck(workTree), '')
  })

  t.test(`${name}: a write in steps and those before and behind it come one after the other`, async t => {
    const { store, put, get } = await started(t)
    await put(PATH, '0')
    const before = Array.from({ length: 20 }, (_, number) => put(PATH, `before ${number}`))
    const long = store.write('acme', ANN, function* (transaction) {
      const found = transaction.read(PATH)?.toString()
      const until = performance.now() + 40
      while (performance.now() < until) yield
      transaction.put('web/locales/de/long.json', Buffer.from(`${found}`))
      return { result: found, message: { subject: 'long' } }
    })
    const behind = put(PATH, 'behind')
    t.equal((await long).result, 'before 19')
    await Promise.all([...before, behind])
    t.equal(await get(PATH), 'behind')
    t.equal(await get('web/locales/de/long.json'), 'before 19')
  })

  t.test(`${name}: a refused write leaves nothing, and the next write is accepted`, async t => {
    const { store, put, get, refuseOne, workTree, open } = await started(t)
    await put(PATH, 'first')
    refuseOne(t)
    await t.rejects(put(PATH, 'refused'), { code: 'unavailable' })
    t.equal(await get(PATH), 'first')
    await put('web/locales/de/other.json', 'later')
    t.equal(await get(PATH), 'first')
    await store.close()
    t.equal(commitCount(workTree), 2)
    t.equal(await (await open()).get(PATH), 'first')
  })

  t.test(`${name}: releases are created, deleted and there after a close`, async t => {
    const { store, put, releases, open, workTree } = await started(t)
    const { revision } = await put(PATH, '{}')
    const release = { slug: 'web', name: 'v1' }
    const made = await releases.create('acme', ANN, release, always)
    t.equal(made.revision, revision)
    await put(PATH, '{"a":""}')
    await t.rejects(releases.create('acme', ANN, release, always), { code: 'conflict' })
    await releases.create('acme', ANN, { slug: 'web', name: 'v2' }, always)
    await releases.remove('acme', { slug: 'web', name: 'v2' }, always)
    await store.close()
    const again = await open()
    t.same(
      (await again.releases.list('acme', 'web', always)).map(({ name, revision }) => [name, revision]),
      [['v1', revision]],
    )
    t.same(await again.releases.create('acme', ANN, { slug: 'web', name: 'v2' }, always).then(({ name }) => name), 'v2')
    t.equal(git(workTree, 'tag').trim().split('\n').length, 2)
    t.equal(fsck(workTree), '')
  })

  t.test(`${name}: a close waits for the accepted writes`, async t => {
    const { store, put, open } = await started(t)
    const writes = Array.from({ length: 30 }, (_, number) => put(`web/locales/de/n${number}.json`, `${number}`))
    await writes[0]
    await store.close()
    const outcomes = await Promise.allSettled(writes)
    const again = await open()
    for (const [number, outcome] of outcomes.entries()) {
      const there = await again.get(`web/locales/de/n${number}.json`)
      t.equal(there, outcome.status === 'fulfilled' ? `${number}` : undefined)
    }
  })
}
