// It restores what it changes, so it shares its process (test/groups.mjs).
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { lacks, type PushOrder, push } from '../../../src/store/backup/push.ts'
import { refsToPush } from '../../../src/store/backup/push-record.ts'
import { BackupRemote } from '../../../src/store/backup/remote.ts'
import { noGit } from '../../http/git-client.ts'
import { newFolder } from '../../new-folder.ts'
import { fsck, git } from '../git-cli.ts'

if (noGit) t.bailout(noGit)

/** A repository with commits, and a bare one to push it to. Its name looks like an option of git. */
function scene(t: Test) {
  const root = newFolder(t)
  const here = join(root, 'here')
  const there = join(root, 'a b', '-there.git')
  git('/', 'init', '-q', '-b', 'main', here)
  git('/', 'init', '-q', '--bare', '-b', 'main', there)
  const commit = (text: string, folder = here) => {
    writeFileSync(join(folder, 'a.json'), text)
    git(folder, 'add', '.')
    git(folder, '-c', 'user.name=A', '-c', 'user.email=a@x', 'commit', '-qm', text)
    return git(folder, 'rev-parse', 'HEAD').trim()
  }
  /** Creates a release as the server does: an annotated tag. */
  const release = (name: string, folder = here) => {
    git(folder, '-c', 'user.name=A', '-c', 'user.email=a@x', 'tag', '-a', '-m', name, name)
    return git(folder, 'rev-parse', `refs/tags/${name}`).trim()
  }
  /** Deletes it as the server does: its tag goes out of sight. */
  const unrelease = (name: string) => {
    git(here, 'update-ref', `refs/parlance/released/${name}`, `refs/tags/${name}`)
    git(here, 'tag', '-d', name)
  }
  const remote = BackupRemote.parse(join(root, 'a b', '{organization}.git'), 'BACKUP_REMOTE')
  const gitDir = join(here, '.git')
  const go = async (known?: Map<string, string>, more: Partial<PushOrder> = {}) => {
    const refs = await refsToPush(gitDir)
    return push({ gitDir, remote, id: '-there', refs, known, signal: AbortSignal.timeout(60_000), ...more })
  }
  const refsThere = () =>
    Object.fromEntries(
      [...git(there, 'for-each-ref').matchAll(/^(\S+) \S+\t(\S+)$/gm)].map(([, id, name]) => [name, id]),
    )
  return { root, here, there, gitDir, commit, release, unrelease, go, refsThere }
}

t.test('the branch, the tags and the record of former releases go; nothing else does', async t => {
  const { here, there, commit, release, unrelease, go, refsThere } = scene(t)
  const first = commit('1')
  const tag = release('web/1.0')
  const former = release('web/0.9')
  unrelease('web/0.9')
  git(here, 'tag', 'light')
  git(here, 'branch', 'private')
  git(here, 'update-ref', 'refs/parlance/upkeep', first)
  git(here, 'stash', 'list')
  const expected = {
    'refs/heads/main': first,
    'refs/tags/light': first,
    'refs/tags/web/1.0': tag,
    'refs/parlance/released/web/0.9': former,
  }
  t.match(await go(), { state: 'done', refs: new Map(Object.entries(expected)) })
  t.strictSame(refsThere(), expected)
  t.match(await go(), { state: 'done' }, 'a second time there is nothing to do')
  git(here, 'pack-refs', '--all')
  const second = commit('2')
  t.match(await go(), { state: 'done' }, 'packed refs are found too')
  t.strictSame(refsThere(), { ...expected, 'refs/heads/main': second })
  t.equal(fsck(there), '')
})

t.test('a remote that went its own way is left alone, and reported, until that is mended', async t => {
  const { root, here, there, commit, go, refsThere } = scene(t)
  const ours = commit('1')
  t.match(await go(), { state: 'done' })
  git('/', 'clone', '-q', there, join(root, 'other'))
  const theirs = commit('theirs', join(root, 'other'))
  git(join(root, 'other'), 'push', '-q')
  const next = commit('2')
  git(here, 'tag', 'new')
  const diverged = {
    state: 'diverged',
    sentence: /^The backup remote has commits that are not in the history here\. Nothing/,
  }
  t.match(await go(), diverged)
  t.strictSame(
    refsThere(),
    { 'refs/heads/main': theirs, 'refs/tags/new': next },
    'what does not collide is saved all the same',
  )
  git(there, 'update-ref', 'refs/heads/main', ours)
  t.match(await go(), { state: 'done' })
  t.equal(refsThere()['refs/heads/main'], next)
  git(here, 'commit-tree', `${next}^{tree}`, '-m', 'x') && git(here, 'update-ref', 'refs/heads/main', ours)
  t.match(await go(), diverged, 'nor is anything thrown away there that is not here')
})

t.test('a tag of the same name is never moved', async t => {
  const { there, here, commit, go, refsThere } = scene(t)
  const first = commit('1')
  t.match(await go(), { state: 'done' })
  const second = commit('2')
  git(there, 'tag', 'v1', first)
  git(here, 'tag', 'v1', second)
  t.match(await go(), { state: 'diverged', sentence: /another tag v1 than there is here/ })
  t.strictSame(refsThere(), { 'refs/heads/main': second, 'refs/tags/v1': first })
})

t.test('a deleted release goes there too, if it is still ours, and one that comes back comes back', async t => {
  const { here, there, gitDir, commit, release, unrelease, go, refsThere } = scene(t)
  commit('1')
  const names = ['web/1', 'web/2', 'web/3', 'web/4']
  const ids = names.map(name => release(name))
  t.match(await go(), { state: 'done' })
  const known = await refsToPush(gitDir)
  git(there, 'tag', 'theirs', 'main')
  for (const name of names.slice(0, 3)) unrelease(name)
  git(there, 'tag', '-d', 'web/3')
  const done = await go(known)
  t.match(done, { state: 'done', refs: await refsToPush(gitDir) })
  const left = () => Object.keys(refsThere()).filter(name => name !== 'refs/heads/main')
  const former = (name: string) => `refs/parlance/released/${name}`
  t.strictSame(left(), [...names.slice(0, 3).map(former), 'refs/tags/theirs', 'refs/tags/web/4'])
  t.equal(refsThere()[former('web/1')], ids[0], 'its name stays reserved')

  git(here, 'update-ref', 'refs/tags/web/1', ids[0]!)
  git(here, 'update-ref', '-d', former('web/1'))
  t.match(await go(done.state === 'done' ? done.refs : undefined), { state: 'done' })
  t.strictSame(left(), [...names.slice(1, 3).map(former), 'refs/tags/theirs', 'refs/tags/web/1', 'refs/tags/web/4'])

  git(there, 'tag', '-f', 'web/4', 'main')
  unrelease('web/4')
  const next = commit('2')
  const moved = { state: 'diverged', sentence: /another tag web\/4 than/ }
  t.match(await go(known), moved)
  t.equal(refsThere()['refs/tags/web/4'], git(there, 'rev-parse', 'main^').trim(), 'what someone moved is not deleted')
  t.equal(refsThere()['refs/heads/main'], next, 'and the rest is pushed')
})

t.test('the first push to a remote that one knows nothing of finds the deleted releases by their record', async t => {
  const { here, commit, release, unrelease, go, refsThere } = scene(t)
  commit('1')
  release('web/1')
  git(here, 'tag', 'unrecorded')
  t.match(await go(), { state: 'done' })
  unrelease('web/1')
  git(here, 'tag', '-d', 'unrecorded')
  t.match(await go(undefined), { state: 'done' })
  t.strictSame(
    Object.keys(refsThere()).filter(name => name.startsWith('refs/tags/')),
    ['refs/tags/unrecorded'],
  )
})

t.test(
  'a release of a new project replaces the one of the deleted project, with any note of earlier pushes',
  async t => {
    for (const knows of ['all', 'nothing', 'another remote']) {
      const { here, gitDir, there, commit, release, unrelease, go, refsThere } = scene(t)
      commit('1')
      const [old, gone, both] = ['web/1', 'web/2', 'web/3'].map(name => release(name)) as [string, string, string]
      unrelease('web/3')
      t.match(await go(), { state: 'done' })
      const known = knows === 'nothing' ? undefined : await refsToPush(gitDir)
      // As the server does when a new project gets the slug: first again what was released before, then what is new.
      const retire = (ref: string, id: string, name: string) => {
        git(here, 'update-ref', `refs/parlance/released/web/${id}/${name}`, id)
        git(here, 'update-ref', '-d', ref)
      }
      retire('refs/tags/web/1', old, '1')
      retire('refs/tags/web/2', gone, '2')
      retire('refs/parlance/released/web/3', both, '3')
      commit('2')
      const [first, third] = [release('web/1'), release('web/3')]
      unrelease('web/3')
      const noted = knows === 'another remote' ? await refsToPush(gitDir) : known
      t.match(await go(noted), { state: 'done' }, knows)
      const { 'refs/heads/main': _, ...tags } = refsThere()
      const expected = {
        [`refs/parlance/released/web/${old}/1`]: old,
        [`refs/parlance/released/web/${gone}/2`]: gone,
        [`refs/parlance/released/web/${both}/3`]: both,
        'refs/parlance/released/web/3': third,
        'refs/tags/web/1': first,
      }
      t.same(tags, expected, knows)
      const [has, wanted] = [new Map<string, string>(Object.entries(refsThere())), await refsToPush(gitDir)]
      t.notOk(lacks(has, wanted))
      t.ok(lacks(has.set('refs/tags/web/2', gone), wanted))

      git(there, 'tag', '-f', 'web/1', 'main')
      const moved = { state: 'diverged', sentence: /another tag web\/1 than/ }
      t.match(await go(undefined), moved, 'what someone moved is not replaced')
    }
  },
)

t.test('more deletions than arguments are reported as a rest', async t => {
  const { here, there, commit, go } = scene(t)
  const id = commit('1')
  const names = Array.from({ length: 250 }, (_, index) => `refs/tags/t${index}`)
  const known = new Map(names.map(name => [name, id]))
  t.match(await go(), { state: 'done' })
  writeFileSync(
    join(there, 'packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted\n${names
      .sort()
      .map(name => `${id} ${name}\n`)
      .join('')}`,
  )
  const tags = () => git(there, 'tag').split('\n').filter(Boolean).length
  t.equal(tags(), 250)
  const outcome = await go(known)
  t.equal(outcome.state, 'done')
  t.equal(tags(), 50)
  const rest = outcome.state === 'done' ? outcome.refs : new Map()
  t.equal(rest.size, 51)
  t.match(await go(rest), { state: 'done', refs: new Map([['refs/heads/main', id]]) })
  t.equal(tags(), 0)
  t.equal(git(here, 'rev-parse', 'main').trim(), id)
})

t.test("the remote's failure is reported in our words, its own are for the log", async t => {
  const { commit, go, root } = scene(t)
  commit('1')
  // Where git runs at the remote's end, its hooks are the remote's.
  const ssh = join(root, 'ssh')
  writeFileSync(ssh, '#!/bin/sh\nfor word; do last=$word; done\nexec sh -c "$last"\n', { mode: 0o755 })
  const { PATH } = process.env
  t.teardown(() => void (process.env.PATH = PATH))
  process.env.PATH = `${root}:${PATH}`
  const hosting = join(root, 'hosted.git')
  git('/', 'init', '-q', '--bare', hosting)
  const hook = join(hosting, 'hooks', 'pre-receive')
  writeFileSync(hook, '#!/bin/sh\necho "no space for you in /etc/secret-path"\nexit 1\n')
  chmodSync(hook, 0o755)
  const hosted = BackupRemote.parse(`git@example.com:${root}/{organization}.git`, 'BACKUP_REMOTE')
  const refused = await go(undefined, { remote: hosted, id: 'hosted' })
  t.match(refused, { state: 'failed', sentence: /^The backup remote refuses the push/, words: /secret-path/ })
  t.notMatch((refused as { sentence: string }).sentence, /secret-path/)
  const missing = BackupRemote.parse(join(root, 'nowhere', '{organization}'), 'BACKUP_REMOTE')
  t.match(await go(undefined, { remote: missing, id: 'acme' }), {
    state: 'failed',
    reason: 'missing',
    sentence: /no repository for acme/,
  })
  const closed = BackupRemote.parse('http://127.0.0.1:9/{organization}', 'BACKUP_REMOTE')
  t.match(await go(undefined, { remote: closed }), {
    state: 'failed',
    reason: 'unreachable',
    sentence: 'The backup remote cannot be reached.',
  })
  t.match(await go(undefined, { signal: AbortSignal.abort() }), { state: 'failed', reason: 'slow' })
})

t.test("a repository's own configuration runs nothing", async t => {
  const { root, here, commit, go, refsThere } = scene(t)
  const id = commit('1')
  const trap = join(root, 'sprung')
  git(here, 'config', 'credential.helper', `!touch ${trap}`)
  git(here, 'config', 'remote.pushDefault', join(root, 'elsewhere'))
  git(here, 'config', 'push.followTags', 'true')
  git(here, 'config', 'push.default', 'nothing')
  git(here, 'config', 'push.gpgSign', 'true')
  git(here, 'config', 'core.askPass', `touch ${trap}`)
  git(here, 'config', 'core.sshCommand', `touch ${trap}`)
  const hook = join(here, '.git', 'hooks', 'pre-push')
  writeFileSync(hook, `#!/bin/sh\ntouch ${trap}\n`)
  chmodSync(hook, 0o755)
  t.match(await go(), { state: 'done' })
  t.strictSame(refsThere(), { 'refs/heads/main': id })
  t.notOk(existsSync(trap), 'nothing was run')
})

t.test('a damaged or read-only remote is not reported as one with a rule', async t => {
  const { there, commit, go } = scene(t)
  commit('1')
  t.match(await go(), { state: 'done' })
  const object = (name: string) => {
    const id = git(there, 'rev-parse', name).trim()
    return join(there, 'objects', id.slice(0, 2), id.slice(2))
  }
  const tree = object('main^{tree}')
  const bytes = readFileSync(tree)
  chmodSync(tree, 0o644)
  writeFileSync(
    tree,
    bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 0x55 : byte)),
  )
  commit('2')
  const failed = await go()
  t.match(failed, { state: 'failed', reason: 'damaged', sentence: /-there at the backup remote is damaged/ })
  writeFileSync(tree, bytes)
  t.match(await go(), { state: 'done' })
})
