import fs from 'node:fs'
import { join } from 'node:path'
import git from 'isomorphic-git'
import t, { type Test } from 'tap'
import { Failure } from '../../src/bundle/errors.ts'
import { Store, type StoreOptions } from '../../src/store/store.ts'
import { git as cli, commitCount, fsck } from './git-cli.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const PATH = 'web/locales/de/common.json'

async function openStore(t: Test, options: Partial<StoreOptions> = {}) {
  const directory = options.directory ?? join(t.testdir(), 'organizations')
  const store = await Store.open({ watch: false, now: () => NOW, ...options, directory })
  t.teardown(() => store.close())
  const put = (organization: string, path: string, text: string, subject = `put ${path}`) =>
    store.write(organization, ANN, tx => ({ result: tx.put(path, Buffer.from(text)), message: { subject } }))
  const get = (organization: string, path: string) =>
    store.read(organization, snapshot => snapshot.read(path)?.toString())
  return { store, directory, put, get, workTree: (organization: string) => join(directory, organization) }
}

t.test('an unknown organization is empty, and reading it creates nothing', async t => {
  const { store, directory } = await openStore(t)
  const seen = await store.read('nobody', snapshot => [
    snapshot.revision,
    snapshot.root,
    snapshot.list(''),
    snapshot.entry(PATH),
    snapshot.read(PATH),
  ])
  t.same(seen, [null, '4b825dc642cb6eb9a060e54bf8d69288fbee4904', [], undefined, undefined])
  await store.remove('nobody')
  await store.flush('nobody')
  t.same(fs.readdirSync(directory), [])
  t.same(store.status(), { organizations: 0, problems: [] })
})

t.test('nothing but an organization id reaches the disk', async t => {
  const { store, put, directory } = await openStore(t)
  for (const id of ['', '.', '..', '../x', 'a/b', 'a\\b', 'a b', 'a\0', 'ä', 'x'.repeat(65), '.git']) {
    await t.rejects(put(id, PATH, '{}\n'), { code: 'invalid' }, `write ${JSON.stringify(id)}`)
    await t.rejects(
      store.read(id, () => 1),
      { code: 'invalid' },
      `read ${JSON.stringify(id)}`,
    )
    await t.rejects(store.remove(id), { code: 'invalid' }, `remove ${JSON.stringify(id)}`)
  }
  t.same(fs.readdirSync(directory), [])
})

t.test('it reports what it holds, and the durations of writes and seals', async t => {
  const { store, put } = await openStore(t)
  const counted = (kind: 'writes' | 'seals') => store.durations[kind].counts.reduce((sum, count) => sum + count)
  t.same(store.load(), { open: 0, queued: 0, unsealed: 0, journalBytes: 0, cacheBytes: 0 })
  await store.read('acme', () => undefined)
  await put('globex', PATH, '{}\n')
  const seals = counted('seals')
  const writes = [put('acme', PATH, '{}\n'), put('acme', PATH, '{ }\n')]
  await writes[0]
  t.match(store.load(), { open: 2 })
  await Promise.all(writes)
  t.match(store.load(), { queued: 0 })
  const { unsealed, journalBytes, cacheBytes } = store.load()
  t.ok(unsealed >= 2, 'commits wait to be sealed')
  t.ok(journalBytes > 100 && cacheBytes > 0)
  t.equal(counted('writes'), 3)
  await t.rejects(
    store.write('acme', ANN, () => {
      throw new Failure('invalid', 'no')
    }),
  )
  t.equal(counted('writes'), 3, 'what was refused is no write')
  await store.flush()
  t.match(store.load(), { unsealed: 0, journalBytes: 0 })
  t.ok(counted('seals') > seals)
  const busy = Array.from({ length: 400 }, (_, n) => put('acme', PATH, `{ "n": "${n}" }\n`))
  await new Promise(resolve => setImmediate(resolve))
  t.ok(store.load().queued > 0, 'writes wait for their turn')
  await Promise.all(busy)
})

t.test('more writes than it can hold are put off at once', async t => {
  const { store, put } = await openStore(t)
  await put('acme', PATH, '{}\n')
  const write = () => store.write('acme', ANN, () => ({ result: 1, message: { subject: 'nothing' } }))
  const settled = await Promise.allSettled(Array.from({ length: 12_000 }, write))
  const reasons = settled.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
  t.ok(reasons.length > 0 && reasons.length <= 2000, `${reasons.length} were put off`)
  t.match(reasons[0], { code: 'unavailable', message: /Too many writes are waiting/, data: { retryAfter: 1 } })
  await put('acme', PATH, '{ }\n')
})

t.test('what is written is read at once, sealed into git, and found after a restart', async t => {
  const { store, put, get, directory, workTree } = await openStore(t)
  const { result, revision } = await put('acme', PATH, '{}\n')
  t.equal(result, '0967ef424bce6791893e9a57bb952f80fd536e93', "git's blob id")
  t.equal(await get('acme', PATH), '{}\n')
  await store.flush('acme')
  t.equal(cli(workTree('acme'), 'rev-parse', 'main').trim(), revision)
  t.equal(cli(workTree('acme'), 'rev-parse', `main:${PATH}`).trim(), result)
  t.equal(fs.readFileSync(join(workTree('acme'), PATH), 'utf8'), '{}\n')
  t.equal(cli(workTree('acme'), 'status', '--porcelain'), '')
  t.equal(fsck(workTree('acme')), '')
  await store.close()

  const again = await openStore(t, { directory })
  t.equal(again.store.status().organizations, 1)
  t.equal(await again.get('acme', PATH), '{}\n')
  t.equal(await again.store.read('acme', snapshot => snapshot.revision), revision)
})

t.test('with a frozen clock the commit ids are what they are', async t => {
  const { store, workTree } = await openStore(t)
  const write = (author: { name: string; email: string }, text: string) =>
    store.write('acme', author, tx => {
      tx.put(PATH, Buffer.from(text))
      return { result: 0, message: { subject: 'web de/common: update a', trailers: [['Parlance-Project', 'web']] } }
    })
  const first = await write(ANN, '{}\n')
  const second = await write({ name: 'CI', email: 'token+1@parlance.invalid' }, '{\n  "a": "b"\n}\n')
  t.same(
    [first.revision, second.revision],
    ['e1d378c866ac305321da0c62a6bdedc32688cec0', '6c952d76f7542a53c697f6e69115897b00e35297'],
  )
  await store.flush()
  t.equal(
    cli(workTree('acme'), 'log', '--format=%H %an <%ae> %cn <%ce> %at %ct %s|%(trailers:separator=;)'),
    `${second.revision} CI <token+1@parlance.invalid> Parlance <server@parlance.invalid> 1767323045 1767323045 web de/common: update a|Parlance-Project: web
${first.revision} Ann <ann@example.com> Parlance <server@parlance.invalid> 1767323045 1767323045 web de/common: update a|Parlance-Project: web
`,
  )
})

t.test('an independent reader agrees', async t => {
  const { store, put, workTree } = await openStore(t)
  const revisions: (string | null)[] = []
  for (let i = 0; i < 30; i++)
    revisions.unshift((await put('acme', `web/locales/de/n${i % 4}.json`, `{\n  "a": "${i}"\n}\n`)).revision)
  await store.flush()
  const log = await git.log({ fs, dir: workTree('acme'), ref: 'main' })
  t.same(
    log.map(({ oid }) => oid),
    revisions,
  )
  const { blob } = await git.readBlob({
    fs,
    dir: workTree('acme'),
    oid: revisions[0]!,
    filepath: 'web/locales/de/n1.json',
  })
  t.equal(Buffer.from(blob).toString(), '{\n  "a": "29"\n}\n')
})

t.test('a throw leaves no trace', async t => {
  const { store, put, get, workTree } = await openStore(t)
  await put('acme', PATH, '{}\n')
  const culprit = new Failure('stale', 'no match', { etag: 'x' })
  const failing = store.write('acme', ANN, tx => {
    tx.put(PATH, Buffer.from('{\n  "a": "b"\n}\n'))
    tx.put('web/locales/de/other.json', Buffer.from('{}\n'))
    throw culprit
  })
  await t.rejects(failing, culprit)
  t.equal(await get('acme', PATH), '{}\n')
  await put('acme', 'web/locales/fr/common.json', '{}\n')
  await store.flush()
  t.equal(commitCount(workTree('acme')), 2)
  t.same(cli(workTree('acme'), 'ls-tree', '-r', '--name-only', 'main').trim().split('\n'), [
    PATH,
    'web/locales/fr/common.json',
  ])
})

t.test('a write without a net change is no commit', async t => {
  const { store, put, workTree } = await openStore(t)
  const { revision } = await put('acme', PATH, '{}\n')
  t.equal((await put('acme', PATH, '{}\n')).revision, revision)
  const back = await store.write('acme', ANN, tx => {
    tx.put(PATH, Buffer.from('{"a":1}'))
    tx.put('web/locales/de/other.json', Buffer.from('{}\n'))
    tx.remove('web/locales/de/other.json')
    tx.remove('web/locales/xx/missing.json')
    tx.put(PATH, Buffer.from('{}\n'))
    return { result: tx.root, message: { subject: 'nothing' } }
  })
  t.equal(back.revision, revision)
  t.equal(back.result, await store.read('acme', snapshot => snapshot.root))
  await store.flush()
  t.equal(commitCount(workTree('acme')), 1)
})

t.test('an organization has no revision after a first write without a change', async t => {
  const { store } = await openStore(t)
  const { revision } = await store.write('acme', ANN, () => ({ result: 0, message: { subject: 'x' } }))
  t.equal(revision, null)
  await store.flush()
  t.equal(await store.read('acme', snapshot => snapshot.revision), null)
})

t.test('a transaction reads what it wrote', async t => {
  const { store, put } = await openStore(t)
  await put('acme', 'web/locales/de/a.json', 'a')
  await put('acme', 'web/locales/fr/a.json', 'f')
  await store.write('acme', ANN, tx => {
    const id = tx.put('web/locales/de/b.json', Buffer.from('b'))
    t.equal(tx.entry('web/locales/de/b.json')?.id, id)
    t.equal(tx.read('web/locales/de/b.json')?.toString(), 'b')
    t.same(
      tx.list('web/locales/de').map(({ name }) => name),
      ['a.json', 'b.json'],
    )
    tx.remove('web/locales/fr/a.json')
    t.equal(tx.entry('web/locales/fr/a.json'), undefined)
    t.equal(tx.entry('web/locales/fr'), undefined, 'an empty folder is gone')
    t.same(
      tx.list('web/locales').map(({ name }) => name),
      ['de'],
    )
    t.equal(tx.read('web/locales/de/a.json')?.toString(), 'a')
    t.equal(tx.read('web/locales/de'), undefined, 'a folder has no bytes')
    return { result: 0, message: { subject: 'x' } }
  })
  t.same(await store.read('acme', s => s.list('web/locales').map(({ name, kind }) => [name, kind])), [['de', 'tree']])
})

t.test(
  'paths that could leave the repository or fool git are refused, and so is a file where a folder stands',
  async t => {
    const { put, get } = await openStore(t)
    for (const path of [
      '',
      '/a',
      'a/',
      'a//b',
      '../a',
      'a/../b',
      '.git/config',
      'a/.GIT/x',
      '.gitmodules',
      'a\\b',
      'a\0',
      'git~1/x',
      'a b',
    ]) {
      await t.rejects(put('acme', path, 'x'), { code: 'invalid' }, JSON.stringify(path))
    }
    await put('acme', 'a/b', 'x')
    await t.rejects(put('acme', 'a', 'x'), { code: 'conflict' })
    await t.rejects(put('acme', 'a/b/c', 'x'), { code: 'conflict' })
    t.equal(await get('acme', 'a/b'), 'x')
  },
)

t.test('racing writers: every one runs on the state the one before left', async t => {
  const { store, get, workTree } = await openStore(t)
  const add = () =>
    store.write('acme', ANN, tx => {
      const count = Number(tx.read(PATH) ?? 0) + 1
      tx.put(PATH, Buffer.from(String(count)))
      return { result: count, message: { subject: `count ${count}` } }
    })
  const answers = await Promise.all(Array.from({ length: 700 }, add))
  t.same(
    answers.map(({ result }) => result),
    Array.from({ length: 700 }, (_, index) => index + 1),
    'in the order of arrival',
  )
  t.equal(await get('acme', PATH), '700')
  await store.flush()
  t.equal(commitCount(workTree('acme')), 700)
  t.same(cli(workTree('acme'), 'log', '--reverse', '--format=%s').trim().split('\n').slice(0, 2), [
    'count 1',
    'count 2',
  ])
  t.equal(fsck(workTree('acme')), '')
})

t.test('a failing write in the middle of a batch harms none of its neighbours', async t => {
  const { store, put, workTree } = await openStore(t)
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, (_, i) =>
      i % 3 === 0
        ? store.write('acme', ANN, tx => {
            tx.put('web/locales/de/bad.json', Buffer.from(`bad ${i}`))
            throw new Error('refused')
          })
        : put('acme', `web/locales/de/n${i}.json`, `${i}`),
    ),
  )
  t.equal(results.filter(({ status }) => status === 'rejected').length, 20)
  await store.flush()
  t.equal(commitCount(workTree('acme')), 40)
  t.equal(cli(workTree('acme'), 'log', '--format=%H', '--', 'web/locales/de/bad.json'), '')
})

t.test('time never runs backwards in a repository', async t => {
  let now = NOW
  const { store, put, workTree, directory } = await openStore(t, { now: () => now })
  await put('acme', PATH, '1')
  now -= 86_400_000
  await put('acme', PATH, '2')
  await store.close()
  const again = await openStore(t, { directory, now: () => now })
  await again.put('acme', PATH, '3')
  now += 90_000_000
  await again.put('acme', PATH, '4')
  await again.store.flush()
  const times = cli(workTree('acme'), 'log', '--reverse', '--format=%ct').trim().split('\n').map(Number)
  t.same(
    times.map(time => time - Math.floor(NOW / 1000)),
    [0, 0, 0, 3600],
  )
})

t.test('ten organizations at once', async t => {
  const { store, put, get, workTree } = await openStore(t)
  const ids = Array.from({ length: 10 }, (_, index) => `org-${index}`)
  await Promise.all(
    ids.flatMap(id => Array.from({ length: 30 }, (_, i) => put(id, `web/locales/de/n${i % 7}.json`, `${id} ${i}`))),
  )
  for (const id of ids) t.equal(await get(id, 'web/locales/de/n1.json'), `${id} 29`)
  await store.flush()
  for (const id of ids) {
    t.equal(commitCount(workTree(id)), 30)
    t.equal(fsck(workTree(id)), '')
  }
  t.equal(store.status().organizations, 10)
})

t.test('a snapshot stays what it was', async t => {
  const { store, put } = await openStore(t)
  await put('acme', PATH, 'old')
  const snapshot = await store.read('acme', snapshot => snapshot)
  await put('acme', PATH, 'new')
  await store.flush()
  t.equal(snapshot.read(PATH)?.toString(), 'old')
})

t.test('a removed organization is unknown and refuses writes, its folder stays', async t => {
  const { store, put, get, directory } = await openStore(t)
  await put('acme', PATH, '{}\n')
  const writes = Promise.all(Array.from({ length: 20 }, (_, i) => put('acme', PATH, `${i}`)))
  await writes
  await store.remove('acme')
  t.equal(await get('acme', PATH), undefined)
  t.equal(store.status().organizations, 0)
  const [kept, ...others] = fs.readdirSync(join(directory, '..', 'deleted'))
  t.same(others, [])
  t.equal(kept, 'acme-20260102T030405678Z')
  const grave = join(directory, '..', 'deleted', kept!)
  t.equal(commitCount(grave), 21)
  t.equal(fsck(grave), '')
  await t.rejects(put('acme', PATH, 'born again'), { code: 'not-found' })
  await t.rejects(
    store.readGit('acme', async () => 1),
    { code: 'not-found' },
  )
  t.same(fs.readdirSync(directory), [], 'no late write brings its folder back')
})

t.test('an organization that is removed while it is written to stays removed', async t => {
  const { store, put, directory } = await openStore(t)
  for (const acme of ['acme', 'fresh', 'closed']) {
    if (acme !== 'fresh') await put(acme, PATH, '{}\n')
    const early = put(acme, PATH, 'early').then(
      () => 'written',
      () => 'refused',
    )
    const removed = store.remove(acme)
    const late = []
    let gone = false
    removed.then(() => {
      gone = true
    })
    while (!gone) {
      const tooLate = put(acme, PATH, 'late').catch(error => {
        if (error.code !== 'not-found') throw error
      })
      late.push(tooLate)
      await new Promise(resolve => setTimeout(resolve, 1))
    }
    await Promise.all([early, removed, ...late])
    await t.rejects(put(acme, PATH, 'later'), { code: 'not-found' })
    t.notOk(fs.existsSync(join(directory, acme)), acme)
  }
})

t.test('settle waits for what was asked for before, written or refused, and for nothing else', async t => {
  const { store, put } = await openStore(t)
  await store.settle('nobody')
  for (const round of ['opening', 'open']) {
    const order: string[] = []
    const writes = Array.from({ length: 50 }, (_, i) =>
      put('acme', i % 7 === 0 ? '../no' : PATH, `${round} ${i}`).then(
        () => order.push('written'),
        () => order.push('refused'),
      ),
    )
    const refs = store.changeRefs('acme', async () => {
      await new Promise(resolve => setTimeout(resolve, 30))
      order.push('refs')
    })
    await store.settle('acme')
    t.equal(order.length, 51, `${round}: all have their answer`)
    t.ok(order.includes('refused') && order.includes('refs'))
    await Promise.all([...writes, refs])
  }
  let settled: () => void = () => {}
  const isSettled = new Promise<void>(resolve => (settled = resolve))
  const clone = store.readGit('acme', () => isSettled)
  await store.settle('acme')
  settled()
  await clone
})

t.test('organizations above the bound are closed and come back', async t => {
  const { store, put, get, directory } = await openStore(t, { maxOpen: 2 })
  const ids = Array.from({ length: 8 }, (_, index) => `org-${index}`)
  for (let round = 0; round < 3; round++) {
    await Promise.all(ids.map(id => put(id, PATH, `${id} ${round}`)))
    for (const id of ids) t.equal(await get(id, PATH), `${id} ${round}`)
  }
  const held = () => ids.filter(id => fs.existsSync(join(directory, id, '.git', 'refs', 'heads', 'main.lock')))
  for (let waited = 0; held().length > 2 && waited < 5000; waited += 20)
    await new Promise(resolve => setTimeout(resolve, 20))
  t.ok(held().length <= 2, `${held().length} are open`)
  await store.close()
  t.same(held(), [])
  for (const id of ids) t.equal(commitCount(join(directory, id)), 3)
})

t.test('it reports which organization was sealed: after each seal, and after a recovery', async t => {
  const sealed: string[] = []
  const onSealed = (organization: string) => void sealed.push(organization)
  const { store, put, directory, workTree } = await openStore(t, { onSealed })
  const { revision } = await put('acme', PATH, '{}\n')
  t.same(sealed, [], 'not yet with the acknowledgement')
  t.equal(await store.readGit('acme', async () => cli(workTree('acme'), 'rev-parse', 'main').trim()), revision)
  t.same(sealed, ['acme'], 'the branch had moved by then')
  await put('acme', PATH, '{}\n')
  await store.flush('acme')
  t.same(sealed, ['acme'], 'nothing changed, nothing sealed')
  await put('other', PATH, '{}\n')
  await store.flush()
  t.same(sealed, ['acme', 'other'])
  t.same(store.organizations(), ['acme', 'other'])
  await store.remove('other')
  t.same(store.organizations(), ['acme'])

  await put('acme', PATH, '{ }\n')
  const copy = join(directory, '..', 'copy')
  fs.cpSync(directory, copy, { recursive: true })
  await store.close()
  sealed.length = 0
  const again = await openStore(t, { directory: copy, onSealed })
  await again.get('acme', PATH)
  t.same(sealed, ['acme'], 'as a crash left it, with a write in the journal')
})

t.test('after the close nothing is accepted', async t => {
  const { store, put, get } = await openStore(t)
  const last = put('acme', PATH, '{}\n')
  await last
  await store.close()
  await t.rejects(put('acme', PATH, 'x'), { code: 'unavailable' })
  await t.rejects(get('acme', PATH), { code: 'unavailable' })
})

t.test('no caller can forge a header or a trailer', async t => {
  const { store, workTree } = await openStore(t)
  const eve = {
    name: 'Eve <root@example.com>\nauthor Root <root@example.com> 1 +0000',
    email: 'eve@example.com>\ncommitter x <x>',
  }
  await store.write('acme', eve, tx => {
    tx.put(PATH, Buffer.from('x'))
    const trailers: [string, string][] = [
      ['Parlance-Project', 'web\n\nParlance-Added: 9\r\nSigned-off-by: Root <root@example.com>'],
    ]
    return { result: 0, message: { subject: 'key\n\nParlance-Project: other\n\u2028x', trailers } }
  })
  await store.flush()
  t.equal(fsck(workTree('acme')), '')
  t.same(
    cli(
      workTree('acme'),
      'log',
      '--format=%ae|%cn|%(trailers:key=Parlance-Added,valueonly)|%(trailers:key=Signed-off-by)',
    ).trim(),
    'eve@example.comcommitterxx|Parlance||',
  )
  t.equal(cli(workTree('acme'), 'log', '--format=%(trailers:keyonly)').trim(), 'Parlance-Project')
})

t.test(
  "while the server runs, a person's commit is refused with git's own message; afterwards it is merged",
  async t => {
    const { store, put, directory, workTree } = await openStore(t)
    await put(
      'acme',
      'web/project.json',
      '{\n  "defaultFormat": "i18next-json",\n  "name": "Web",\n  "sourceLanguage": "en"\n}\n',
    )
    await put('acme', PATH, '{\n  "a": "b"\n}\n')
    await store.flush()
    const person = [
      '-c',
      'user.name=Bob',
      '-c',
      'user.email=bob@example.com',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'by hand',
    ]
    t.throws(() => cli(workTree('acme'), ...person), /main\.lock.*File exists/s)
    await store.close()
    fs.writeFileSync(join(workTree('acme'), PATH), '{\n  "a": "by hand"\n}\n')
    cli(workTree('acme'), 'add', '.')
    cli(workTree('acme'), ...person)
    const again = await openStore(t, { directory })
    t.equal(await again.get('acme', PATH), '{\n  "a": "by hand"\n}\n')
    await again.put('acme', PATH, '{\n  "a": "c"\n}\n')
    await again.store.flush()
    t.equal(commitCount(workTree('acme')), 4)
  },
)
