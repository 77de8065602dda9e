import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../../contract/server.ts'
import { noGit } from '../../http/git-client.ts'
import { git } from '../git-cli.ts'
import { open, Word } from './scene.ts'

if (noGit) t.bailout(noGit)
// Much of it waits for processes of git, which are slow to start on a busy machine.
t.setTimeout(0)

/** What the remote in `folder` has of these, as far as it has them; the accounts' word instead of a commit. */
function there(folder: string, ids: string[]): Record<string, string> {
  const has: Record<string, string> = {}
  for (const id of ids) {
    try {
      const path = join(folder, `${id}.git`)
      has[id] = id === 'parlance-accounts' ? git(path, 'show', 'main:parlance.sqlite') : git(path, 'log', '--format=%s')
    } catch {
      // It is not there.
    }
  }
  return has
}

const IDS = ['acme', 'other', 'parlance-accounts']

t.test('a remote that lost everything has everything again before it is said to be well', async t => {
  const root = t.testdir()
  const folder = join(root, 'disk')
  const { backup, put, reaches, lines } = await open(t, join(folder, '{organization}.git'))
  backup.start()
  for (const id of ['acme', 'other']) await put(id, '1')
  for (const id of ['acme', 'other']) t.ok(await reaches(id, join(folder, `${id}.git`)))
  fs.rmSync(folder, { recursive: true })
  fs.mkdirSync(folder)
  await put('acme', '2')
  const wrong: unknown[] = []
  const isWell = () => IDS.slice(0, 2).every(id => backup.status(id).state === 'ok')
  t.ok(
    await eventually(() => {
      // In this order: a push may end between the two looks.
      const well = isWell()
      const has = there(folder, IDS)
      const whole = has.acme === '2\n1\n' && has.other === '1\n' && has['parlance-accounts'] === 'first'
      if (has.acme === '2\n1\n' && !whole && well) wrong.push(has)
      return whole && well
    }),
  )
  t.strictSame(wrong, [], 'well is said of what is there')
  t.ok(lines.some(([, text]) => /lost something that it had/.test(text)))
})

t.test('a remote that was emptied or exchanged is noticed without any write', async t => {
  const root = t.testdir()
  const folder = join(root, 'disk')
  const { backup, put, reaches } = await open(t, join(folder, '{organization}.git'), {
    delays: { remote: 50, round: 300, step: 30 },
  })
  backup.start()
  for (const id of ['acme', 'other']) await put(id, '1')
  for (const id of ['acme', 'other']) t.ok(await reaches(id, join(folder, `${id}.git`)))
  fs.renameSync(folder, join(root, 'real'))
  fs.mkdirSync(folder)
  const whole = (text: string) => () => {
    const has = there(folder, IDS)
    return has.acme === text && has.other === '1\n' && has['parlance-accounts'] === 'first'
  }
  t.ok(await eventually(whole('1\n')))
  await put('acme', '2')
  t.ok(await eventually(whole('2\n1\n')))
  fs.renameSync(folder, join(root, 'spare'))
  fs.renameSync(join(root, 'real'), folder)
  t.equal(there(folder, ['acme']).acme, '1\n', 'the real disk is back, and behind')
  t.ok(await eventually(whole('2\n1\n')), 'and is brought up to date')
})

t.test('two disks in alternation: what is missing on one of them is pushed there at any write', async t => {
  const root = t.testdir()
  const [folder, a, b] = ['disk', 'a', 'b'].map(name => join(root, name)) as [string, string, string]
  const { backup, put, reaches } = await open(t, join(folder, '{organization}.git'))
  backup.start()
  const both = async () => {
    for (const id of ['acme', 'other']) if (!(await reaches(id, join(folder, `${id}.git`)))) return false
    return eventually(() => 'parlance-accounts' in there(folder, IDS))
  }
  for (const id of ['acme', 'other']) await put(id, '1')
  t.ok(await both())
  fs.renameSync(folder, a)
  await put('acme', '2')
  t.ok(await both())
  await put('other', 'on the second disk alone')
  t.ok(await both())
  fs.renameSync(folder, b)
  fs.renameSync(a, folder)
  await put('acme', '3')
  t.ok(await eventually(() => there(folder, IDS).other === 'on the second disk alone\n1\n'))
  t.equal(there(folder, IDS).acme, '3\n2\n1\n')
})

t.test('a start looks at the remote, and says pending until it has', async t => {
  const root = t.testdir()
  const folder = join(root, 'disk')
  const setting = join(folder, '{organization}.git')
  const first = await open(t, setting)
  first.backup.start()
  for (const id of ['acme', 'other']) await first.put(id, '1')
  for (const id of ['acme', 'other']) t.ok(await first.reaches(id, join(folder, `${id}.git`)))
  await first.close()
  fs.rmSync(join(folder, 'other.git'), { recursive: true })
  const second = await open(t, setting, { dataDir: first.dataDir, word: first.word })
  second.backup.start()
  const early: string[] = []
  t.ok(
    await eventually(() => {
      const well = second.backup.status('other').state === 'ok'
      const has = there(folder, IDS).other === '1\n'
      if (well && !has) early.push('well, and nothing is there')
      return well && has
    }),
  )
  t.strictSame(early, [])
})

t.test('now and then each repository is looked at, one after the other', async t => {
  const root = t.testdir()
  const folder = join(root, 'disk')
  const delays = { round: 300, step: 30 }
  const { backup, put, reaches, lines } = await open(t, join(folder, '{organization}.git'), { delays })
  backup.start()
  for (const id of ['acme', 'other']) await put(id, '1')
  for (const id of ['acme', 'other']) t.ok(await reaches(id, join(folder, `${id}.git`)))
  const main = git(join(folder, 'acme.git'), 'rev-parse', 'main').trim()
  await put('acme', '2')
  t.ok(await reaches('acme', join(folder, 'acme.git')))
  git(join(folder, 'acme.git'), 'update-ref', 'refs/heads/main', main)
  t.ok(await eventually(() => there(folder, IDS).acme === '2\n1\n'), 'a branch that went back')
  t.ok(await eventually(() => lines.some(([, text]) => /lost something that it had/.test(text))))
})

t.test(
  'accounts that change are pushed once they settle, however often they are looked at, and pending till then',
  async t => {
    const root = t.testdir()
    const folder = join(root, 'disk')
    const word = new Word('one')
    const { backup, put, reaches } = await open(t, join(folder, '{organization}.git'), {
      word,
      delays: { settle: 400, latest: 600_000, accounts: 100 },
    })
    backup.start()
    await put('acme', '1')
    t.ok(await reaches('acme', join(folder, 'acme.git')))
    t.ok(await eventually(() => backup.status('acme').state === 'ok'))
    word.say('two')
    t.match(backup.status('acme'), { state: 'pending' }, 'at once')
    await pause(50)
    t.ok(backup.status('acme').lag >= 0.05 && backup.metrics().lag >= 0.05, 'and the lag is theirs')
    const early: unknown[] = []
    t.ok(
      await eventually(() => {
        // In this order: the push may end between the two looks.
        const status = backup.status('acme')
        const is = there(folder, IDS)['parlance-accounts'] === 'two'
        if (!is && status.state === 'ok') early.push(status)
        return is
      }),
    )
    t.strictSame(early, [], 'no word of being well before')
    t.ok(await eventually(() => backup.status('acme').state === 'ok'))
    t.equal(backup.status('acme').lag, 0)
  },
)
