/**
 * Two stores on one log: what one writes, the other one has before it says anything, and who comes second runs again.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { sharedLogOver } from '../../../src/cluster/replication/organization-replica.ts'
import { Releases } from '../../../src/store/releases.ts'
import { Store } from '../../../src/store/store.ts'
import { eventually } from '../../eventually.ts'
import { commitCount, fsck, git } from '../../store/git-cli.ts'
import { type Fault, MemoryEngine } from '../memory-log.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const PATH = 'web/locales/de/common.json'
const always = () => {}

/** Nodes of a new engine, each with a folder of its own. */
function cluster(t: Test) {
  const root = t.testdir()
  const engine = new MemoryEngine()
  const stores = new Set<Store>()
  t.teardown(() => Promise.all([...stores].map(store => store.close())))
  const open = async (name: string) => {
    const directory = join(root, name)
    const log = engine.join({ gitDirOf: id => join(directory, id, '.git') })
    const sealed: string[] = []
    const onSealed = (id: string) => void sealed.push(id)
    const store = await Store.open({ directory, watch: false, sharedLog: sharedLogOver(log), onSealed })
    stores.add(store)
    let runs = 0
    const add = (text: string) =>
      store.write('acme', ANN, transaction => {
        runs++
        const before = transaction.read(PATH)?.toString() ?? ''
        transaction.put(PATH, Buffer.from(before + text))
        return { result: before, message: { subject: `add ${text}` } }
      })
    return {
      log,
      store,
      /** The organizations with a changed git, as the backup hears of it. */
      sealed,
      directory,
      workTree: join(directory, 'acme'),
      add,
      get: (path = PATH) => store.read('acme', snapshot => snapshot.read(path)?.toString()),
      runs: () => runs,
      releases: new Releases(store),
      close: async () => {
        await store.close()
        log.kill()
      },
    }
  }
  return { engine, open }
}

/** Has the node hear late, so that it writes on a state that is old already. */
const hearingLate =
  (milliseconds: number) =>
  (call: string): Fault =>
    call === 'hear' ? milliseconds : undefined

t.test('what one node acknowledged, the other one answers with, be it open, closed or new', async t => {
  const { open } = cluster(t)
  const one = await open('one')
  t.equal(await one.get(), undefined, 'nobody wrote yet')
  await one.add('a')
  const two = await open('two')
  t.equal(await two.get(), 'a', 'it was created on the other node')
  const { revision } = await one.add('b')
  t.equal(two.store.snapshot('acme'), undefined, 'it is behind, and does not say at once what it has')
  t.equal(await two.get(), 'ab')
  t.equal(two.store.snapshot('acme')?.revision, revision)
  await two.add('c')
  t.equal(await one.get(), 'abc')
  await two.store.flush()
  t.equal(fs.readFileSync(join(two.workTree, PATH), 'utf8'), 'abc', 'the work tree shows what others wrote')
  await one.store.close()
  await two.add('d')
  const third = await open('three')
  t.equal(await third.get(), 'abcd')
})

t.test(
  'an organization that is not open without the engine is read as it was here, and again once the engine is back',
  async t => {
    const { open } = cluster(t)
    const one = await open('one')
    const two = await open('two')
    await one.add('a')
    t.equal(await two.get(), 'a')
    await two.close()
    const again = await open('two')
    await one.add('b')
    again.log.fault = call => (call === 'find' || call === 'read' ? 'refused' : undefined)
    await t.rejects(again.get(), { code: 'unavailable' }, 'it is not known yet that the engine is away')
    again.log.stale = true
    t.equal(await again.get(), 'a')
    t.equal(again.store.snapshot('acme')?.read(PATH)?.toString(), 'a')
    await t.rejects(again.add('c'), { code: 'unavailable' })
    t.equal(await again.get(), 'a', 'and again')
    await t.rejects(
      again.store.read('other', always),
      { code: 'unavailable' },
      'it is unknown here whether there is such a one',
    )
    again.log.stale = false
    t.equal(again.store.snapshot('acme'), undefined, 'it may be behind')
    await t.rejects(again.get(), { code: 'unavailable' }, 'stale answers are over')
    again.log.fault = () => undefined
    t.equal(await again.get(), 'ab')
    await again.add('c')
    t.equal(await one.get(), 'abc')
    await again.store.flush()
    t.equal(fs.readFileSync(join(again.workTree, PATH), 'utf8'), 'abc')
    t.equal(fsck(again.workTree), '')
  },
)

t.test('commits of other nodes are announced, sealed and noted as sealed without a request', async t => {
  const { open } = cluster(t)
  const [one, two] = [await open('one'), await open('two')]
  await one.add('a')
  await two.get()
  const told: string[] = []
  const committed = (commits: { subject: string }[]) => void told.push(...commits.map(({ subject }) => subject))
  two.store.listen('acme', { committed, opened: () => {} })
  await one.add('b')
  await Promise.all([one.add('c'), one.add('d')])
  await eventually(() => two.log.sealedUpTo.get('acme') === one.log.position('acme').committed)
  t.same(told, ['add b', 'add c', 'add d'])
  t.equal(commitCount(two.workTree), 4)
  await one.store.flush()
  t.equal(git(two.workTree, 'rev-parse', 'main'), git(one.workTree, 'rev-parse', 'main'))
})

t.test('overtaken writes run again, in their order, once, those that threw too', async t => {
  const { open } = cluster(t)
  const [one, two] = [await open('one'), await open('two')]
  await one.add('0')
  await two.get()
  const before = two.runs()
  two.log.fault = hearingLate(60)
  // It is in the log at once, and acknowledged only when the other node has heard.
  const first = one.add('1')
  await wait(10)
  const refusal = two.store
    .write('acme', ANN, transaction => {
      throw new Error(`saw ${transaction.read(PATH)}`)
    })
    .catch((error: Error) => error.message)
  const seconds = Array.from({ length: 5 }, (_, n) => two.add(`${n + 2}`))
  const late = two.add('7')
  await first
  t.same(
    (await Promise.all([...seconds, late])).map(({ result }) => result),
    ['01', '012', '0123', '01234', '012345', '0123456'],
  )
  t.equal(await refusal, 'saw 01', 'what it threw rested on a state that never was')
  const runs = two.runs() - before
  // On a slow machine the time of a batch may be over in the middle of a job, which then begins the next one.
  t.ok(runs > 6 && runs <= 18, `${runs} runs`)
  two.log.fault = () => undefined
  t.equal(await one.get(), '01234567')
  await Promise.all([one.store.flush(), two.store.flush()])
  t.equal(git(two.workTree, 'log', '--format=%H %s'), git(one.workTree, 'log', '--format=%H %s'))
  t.equal(git(two.workTree, 'fsck', '--unreachable'), '', 'nothing of the dropped batches is in git')
})

t.test('a write in steps begins again when others wrote, and then they wait for it', async t => {
  const { open } = cluster(t)
  const [one, two] = [await open('one'), await open('two')]
  await one.add('0')
  await two.get()
  let runs = 0
  let over = false
  let number = 0
  const long = two.store.write('acme', ANN, function* (transaction) {
    runs++
    const found = transaction.read(PATH)?.toString()
    const until = performance.now() + 60
    while (performance.now() < until || number === 0) yield
    transaction.put('web/locales/de/long.json', Buffer.from(`${found}`))
    return { result: found, message: { subject: 'long' } }
  })
  void long.finally(() => (over = true))
  while (!over) {
    await one.add(`${++number % 10}`)
    await wait(5)
  }
  await long
  t.ok(runs <= 2, `it ran ${runs} times`)
  const found = await two.get('web/locales/de/long.json')
  t.equal(await one.get('web/locales/de/long.json'), found)
  t.ok((await one.get())?.startsWith(found!))
})

t.test('a write with a lost answer is doubtful, and is there once', async t => {
  const { open } = cluster(t)
  const [one, two] = [await open('one'), await open('two')]
  await one.add('0')
  let lose: Fault = 'lost-after'
  one.log.fault = call => {
    const fault = call === 'append' ? lose : undefined
    if (fault) lose = undefined
    return fault
  }
  const doubtful = one.add('1')
  const onTop = one.add('2')
  await t.rejects(doubtful, { code: 'unavailable', data: { doubtful: true } })
  await onTop.catch(error => t.match(error, { code: 'unavailable' }))
  await one.add('3')
  t.match(await two.get(), /^012?3$/)
  t.equal(await one.get(), await two.get())
  lose = 'lost-before'
  await t.rejects(one.add('4'), { code: 'unavailable', data: { doubtful: true } })
  await one.add('5')
  t.match(await two.get(), /^012?35$/)
  await one.store.flush()
  t.equal(fsck(one.workTree), '')
})

t.test('without the engine writes are refused at once and reads go on; then both are as before', async t => {
  const { open } = cluster(t)
  const [one, two] = [await open('one'), await open('two')]
  await one.add('0')
  await two.get()
  two.log.fault = call => (call === 'hear' ? undefined : 'refused')
  await t.rejects(two.add('lost'), { code: 'unavailable' })
  t.equal(await two.get(), '0', 'nothing newer was heard of')
  await one.add('1')
  await t.rejects(two.get(), { code: 'unavailable' }, 'it knows that there is something newer')
  two.log.stale = true
  t.equal(await two.get(), '0', 'marked as stale it may be said')
  t.equal(two.store.snapshot('acme')?.read(PATH)?.toString(), '0')
  two.log.stale = false
  two.log.fault = () => undefined
  t.equal(await two.get(), '01')
  t.equal((await two.add('2')).result, '01')
})

t.test('answers a read from the last known state when the engine goes away while the read waits for it', async t => {
  const { open } = cluster(t)
  const [one, two] = [await open('one'), await open('two')]
  await one.add('0')
  await two.get()
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
  let isOver = false
  two.log.fault = call => {
    if (call !== 'read') return undefined
    isAsked()
    wait(1500).then(() => (isOver = true))
    return 1500
  }
  await one.add('1')
  const read = two.get()
  await asked
  two.log.stale = true
  t.equal(await read, '0', 'the node marks the answer as stale')
  t.notOk(isOver, 'before the engine has answered')
  t.equal(await two.get(), '0', 'this one is marked as stale')
  two.log.stale = false
  two.log.fault = () => undefined
  t.equal(await two.get(), '01')
})

t.test('releases from any node are the same on all nodes', async t => {
  const { open } = cluster(t)
  const [one, two] = [await open('one'), await open('two')]
  await one.add('0')
  const v1 = await one.releases.create('acme', ANN, { slug: 'web', name: 'v1' }, always)
  const names = async (node: typeof one) =>
    (await node.releases.list('acme', 'web', always)).map(({ name, tag }) => `${name} ${tag}`).sort()
  t.same(await names(two), [`v1 ${v1.tag}`])
  t.same(two.sealed, ['acme'], 'opened with news')
  await one.releases.create('acme', ANN, { slug: 'web', name: 'v0' }, always)
  t.ok(await eventually(() => two.sealed.length === 2), 'a release alone is news for the backup')
  await t.rejects(two.releases.create('acme', ANN, { slug: 'web', name: 'v1' }, always), { code: 'conflict' })
  two.log.fault = hearingLate(30)
  // Both at once: one of them comes second, and sees the first.
  const outcomes = await Promise.allSettled([
    one.releases.create('acme', ANN, { slug: 'web', name: 'v2' }, always),
    two.releases.create('acme', ANN, { slug: 'web', name: 'v2' }, always),
    one.add('1'),
    two.add('2'),
  ])
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3)
  t.match(
    outcomes.find(({ status }) => status === 'rejected'),
    { reason: { code: 'conflict' } },
  )
  two.log.fault = () => undefined
  await two.releases.remove('acme', { slug: 'web', name: 'v1' }, always)
  t.same(await names(one), await names(two))
  await Promise.all([one.store.flush(), two.store.flush()])
  t.equal(git(one.workTree, 'for-each-ref'), git(two.workTree, 'for-each-ref'))
  t.match(git(one.workTree, 'for-each-ref'), /refs\/parlance\/released\/web\/v1/)
})

t.test('who was away reads on; whom the log no longer reaches gets git from another node', async t => {
  const { open, engine } = cluster(t)
  const [one, two] = [await open('one'), await open('two')]
  await one.add('0')
  await two.get()
  fs.mkdirSync(join(two.workTree, 'web/locales/de'), { recursive: true })
  await two.close()
  await one.add('1')
  await one.releases.create('acme', ANN, { slug: 'web', name: 'v1' }, always)
  const again = await open('two')
  t.equal(await again.get(), '01')
  t.equal((await again.releases.list('acme', 'web', always)).length, 1)
  t.equal(fs.readFileSync(join(again.workTree, PATH), 'utf8'), '01', 'its files were its own, not edits')
  await again.close()
  engine.trims = true
  await one.add('2')
  await one.store.flush()
  t.ok(engine.stream('acme').base > 2, 'all that is sealed everywhere is gone')
  for (const name of ['two', 'three']) {
    const node = await open(name)
    const before = await one.get()
    t.equal(await node.get(), before)
    await node.store.flush()
    t.ok(await eventually(() => fs.existsSync(join(node.workTree, PATH))))
    t.equal(fs.readFileSync(join(node.workTree, PATH), 'utf8'), before)
    t.equal((await node.releases.list('acme', 'web', always)).length, 1)
    await node.add(`, ${name}`)
    t.equal(await one.get(), `${before}, ${name}`)
    await node.close()
    await one.add(', then one')
    await one.store.flush()
  }
})

t.test('refuses external commits and says what to do', async t => {
  const { open } = cluster(t)
  const [one, two] = [await open('one'), await open('two')]
  await one.add('0')
  await two.get()
  await two.close()
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
  git(two.workTree, ...identity, 'commit', '-q', '--allow-empty', '-m', 'by hand')
  const again = await open('two')
  await t.rejects(again.get(), { code: 'unavailable', message: /parlance server cluster reseed/ })
  git(again.workTree, 'reset', '-q', '--soft', 'HEAD^')
  t.equal(await again.get(), '0')
})

t.test('an organization that was deleted elsewhere is moved to deleted/ here', async t => {
  const { open } = cluster(t)
  const [one, two] = [await open('one'), await open('two')]
  await one.add('0')
  await two.get()
  await one.store.remove('acme')
  await two.store.remove('acme', true)
  t.equal(await two.get(), undefined)
  await t.rejects(two.add('1'), { code: 'not-found' })
  for (const { workTree, directory } of [one, two]) {
    t.notOk(fs.existsSync(workTree))
    t.equal(fs.readdirSync(join(directory, '..', 'deleted')).length > 0, true)
  }
})
