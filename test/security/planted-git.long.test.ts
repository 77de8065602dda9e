/** Git runs no program that the config, hooks or attributes of a repository name. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { fetchInto, fetchObjects, fetchOrganization } from '../../src/store/backup/fetch.ts'
import { createFolderRepository } from '../../src/store/backup/folder-remote.ts'
import { push } from '../../src/store/backup/push.ts'
import { refsToPush } from '../../src/store/backup/push-record.ts'
import { BackupRemote } from '../../src/store/backup/remote.ts'
import { listRemote } from '../../src/store/backup/remote-git.ts'
import { CatFile } from '../../src/store/git/cat-file.ts'
import { runIn } from '../../src/store/git/git.ts'
import { streamBundle, writeBundle } from '../../src/store/git/git-bundle.ts'
import { repack, writeCommitGraph } from '../../src/store/git/repack.ts'
import { UploadPack } from '../../src/store/git/upload-pack.ts'
import { resetIndex } from '../../src/store/work-tree/git-index.ts'
import { noGit } from '../http/git-client.ts'
import { git } from '../store/git-cli.ts'

if (noGit) t.bailout(noGit)

/** The settings of git-config(1) that name a command, a program or a further file of settings. */
const COMMANDS = [
  ...['core.alternateRefsCommand', 'core.askPass', 'core.editor', 'core.fsmonitor', 'core.gitProxy', 'core.pager'],
  ...['core.sshCommand', 'sequence.editor', 'diff.external', 'interactive.diffFilter', 'uploadpack.packObjectsHook'],
  ...['filter.x.clean', 'filter.x.smudge', 'filter.x.process', 'diff.x.command', 'diff.x.textconv', 'merge.x.driver'],
  ...['gpg.program', 'gpg.openpgp.program', 'gpg.ssh.program', 'gpg.x509.program', 'gpg.ssh.defaultKeyCommand'],
  ...['pager.log', 'pager.ls-remote', 'trailer.x.command', 'remote.origin.uploadpack', 'remote.origin.receivepack'],
]
const SWITCHES = [
  ...[
    'filter.x.required',
    'commit.gpgSign',
    'tag.gpgSign',
    'push.gpgSign',
    'log.showSignature',
    'receive.advertisePushOptions',
  ],
]
const HOOKS = [
  ...['fsmonitor-watchman', 'post-checkout', 'post-index-change', 'post-receive', 'post-rewrite', 'post-update'],
  ...['pre-auto-gc', 'pre-push', 'pre-receive', 'proc-receive', 'push-to-checkout', 'reference-transaction', 'update'],
]
const NEVER = new AbortController().signal

/** A program that writes a file named after its caller. */
function trapIn(folder: string, name: string): string {
  const path = join(folder, name.replaceAll(/[^\w-]/g, '_'))
  writeFileSync(path, `#!/bin/sh\ntouch '${path}.sprung'\nexit 1\n`, { mode: 0o755 })
  return path
}

/** Plants every kind into a git directory. @returns a function that lists the kinds that have run */
function plant(gitDir: string, traps: string) {
  mkdirSync(traps, { recursive: true })
  const set = (name: string, value: string) => git(gitDir, 'config', '--add', name, value)
  for (const name of COMMANDS) set(name, trapIn(traps, name))
  for (const name of SWITCHES) set(name, 'true')
  set('credential.helper', `!${trapIn(traps, 'credential')}`)
  set('core.attributesFile', join(traps, 'attributes'))
  set('core.hooksPath', join(traps, 'hooks'))
  set('receive.procReceiveRefs', 'refs')
  set(`url.ext::${trapIn(traps, 'insteadOf')} .insteadOf`, '/')
  set('protocol.ext.allow', 'always')
  const included = join(traps, 'included')
  writeFileSync(included, `[core]\n\tfsmonitor = ${trapIn(traps, 'include')}\n`)
  for (const name of ['include.path', 'includeIf.gitdir:/.path']) set(name, included)
  for (const folder of [join(gitDir, 'hooks'), join(traps, 'hooks')]) {
    mkdirSync(folder, { recursive: true })
    for (const name of HOOKS) {
      const hook = join(folder, name)
      writeFileSync(hook, readFileSync(trapIn(traps, `hook ${name}`)))
      chmodSync(hook, 0o755)
    }
  }
  mkdirSync(join(gitDir, 'info'), { recursive: true })
  for (const path of [join(gitDir, 'info', 'attributes'), join(traps, 'attributes')]) {
    writeFileSync(path, '* filter=x diff=x merge=x\n')
  }
  // A HOME of git that other users can write to.
  for (const home of [
    'parlance/home/.gitconfig',
    'parlance/home/.config/git/config',
    'parlance/served/config',
    '.config/git/config',
  ]) {
    const path = join(gitDir, home)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, `[core]\n\tfsmonitor = ${trapIn(traps, home)}\n\thooksPath = ${join(traps, 'hooks')}\n`)
  }
  return () => {
    const sprung = readdirSync(traps).filter(name => name.endsWith('.sprung'))
    for (const name of sprung) rmSync(join(traps, name))
    return sprung
  }
}

function scene(t: Test) {
  const root = t.testdir()
  const workTree = join(root, 'acme')
  git('/', 'init', '-q', '-b', 'main', workTree)
  const commit = (text: string) => {
    for (const name of ['a.json', 'b.json']) writeFileSync(join(workTree, name), text)
    const quiet = [
      '-c',
      'core.hooksPath=/dev/null',
      '-c',
      'core.fsmonitor=false',
      '-c',
      'core.attributesFile=/dev/null',
    ]
    const words = [...quiet, '-c', 'filter.x.process=', '-c', 'filter.x.clean=cat', '-c', 'filter.x.required=false']
    git(workTree, ...words, 'add', '.')
    const signing = ['-c', 'commit.gpgSign=false']
    git(workTree, ...words, ...signing, '-c', 'user.name=A', '-c', 'user.email=a@x', 'commit', '-qm', text)
    return git(workTree, 'rev-parse', 'HEAD').trim()
  }
  return { root, workTree, gitDir: join(workTree, '.git'), commit }
}

t.test('runs no program that the .git of an organization names', async t => {
  const { root, workTree, gitDir, commit } = scene(t)
  const first = commit('1')
  const sprung = plant(gitDir, join(root, 'traps'))
  writeFileSync(join(workTree, '.gitattributes'), '* filter=x diff=x\n')
  // The control: git alone runs the planted programs.
  appendFileSync(join(workTree, 'a.json'), '2')
  try {
    execFileSync('git', ['-C', workTree, 'update-index', '-q', '--refresh'], { stdio: 'ignore' })
  } catch {}
  t.ok(sprung().length > 0, 'the traps work')
  const head = commit('2')

  const remote = BackupRemote.parse(join(root, 'backup', '{organization}.git'), 'X')
  const operations: Record<string, () => Promise<unknown>> = {
    async index() {
      appendFileSync(join(workTree, 'a.json'), '3')
      t.equal(await resetIndex(gitDir, workTree, NEVER), true)
    },
    async 'an index from nothing'() {
      rmSync(join(gitDir, 'index'))
      t.equal(await resetIndex(gitDir, workTree, NEVER), true)
    },
    repack: () => repack(gitDir, { kind: 'full', packs: [] }, NEVER),
    'commit graph': () => writeCommitGraph(gitDir, NEVER),
    async log() {
      t.equal((await runIn(gitDir, ['log', '--raw', '-p', '--format=%H', 'main'])).code, 0)
    },
    async 'cat file'() {
      const reader = await CatFile.start(gitDir, NEVER)
      t.ok(await reader.read(first))
      reader.close()
    },
    async clone() {
      const uploads = new UploadPack({ processes: 1, log: { info() {}, warn() {}, error() {} } })
      let said = ''
      const request = { body: null, protocol: 2 as const, signal: NEVER }
      await uploads.answer(
        request,
        use => use(gitDir),
        output => output.on('data', data => (said += data)),
      )
      t.match(said, /version 2/)
    },
    bundle: () => writeBundle(gitDir, join(root, 'acme.bundle'), NEVER),
    'streamed bundle': () => streamBundle(gitDir, new Writable({ write: (_part, _coding, done) => done() }), NEVER),
    async fsck() {
      t.equal((await runIn(gitDir, ['fsck', '--full', '--strict', head])).code, 0)
    },
    async push() {
      t.equal(await createFolderRepository(remote, 'acme'), undefined)
      const refs = await refsToPush(gitDir)
      t.match(await push({ gitDir, remote, id: 'acme', refs, known: undefined, signal: NEVER }), { state: 'done' })
    },
    async fetch() {
      t.equal(await fetchInto(remote, 'acme', gitDir, NEVER), undefined)
    },
  }
  for (const [name, run] of Object.entries(operations)) {
    await run()
    t.strictSame(sprung(), [], name)
  }
})

t.test('runs no program that a backup folder names, and refuses the folder of another user', async t => {
  const { root, gitDir, commit } = scene(t)
  commit('1')
  const remote = BackupRemote.parse(join(root, 'backup', '{organization}.git'), 'X')
  const there = remote.address('acme')
  await createFolderRepository(remote, 'acme')
  // The folder borrows its objects, so git would ask for the refs of the lender.
  git('/', 'init', '-q', '--bare', join(root, 'lender.git'))
  mkdirSync(join(there, 'objects', 'info'), { recursive: true })
  writeFileSync(join(there, 'objects', 'info', 'alternates'), `${join(root, 'lender.git', 'objects')}\n`)
  const sprung = plant(there, join(root, 'traps'))
  try {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' }
    execFileSync('git', ['-C', gitDir, 'push', there, 'main'], { stdio: 'ignore', env })
  } catch {}
  t.ok(sprung().length > 0, 'the traps work')

  const order = async () => ({
    gitDir,
    remote,
    id: 'acme',
    refs: await refsToPush(gitDir),
    known: undefined,
    signal: NEVER,
  })
  const operations: Record<string, () => Promise<unknown>> = {
    'first push': async () => t.match(await push(await order()), { state: 'done' }),
    async 'next push'() {
      commit('2')
      t.match(await push(await order()), { state: 'done' })
    },
    list: async () => t.match(await listRemote(remote, 'acme', [], { gitDir }), { refs: new Map() }),
    check: async () => t.match(await fetchObjects(remote, 'acme', join(root, 'checked'), NEVER), new Map()),
    restore: async () =>
      t.match(await fetchOrganization(remote, 'acme', join(root, 'restored'), NEVER), { id: 'acme' }),
  }
  for (const [name, run] of Object.entries(operations)) {
    await run()
    t.strictSame(sprung(), [], name)
  }
  t.ok(existsSync(join(root, 'restored', 'a.json')))

  if (process.getuid?.() !== 0) return
  execFileSync('chown', ['-R', '4242', there])
  t.match(await push(await order()), { state: 'failed', sentence: /acme at the backup remote belongs to another user/ })
  t.match(await listRemote(remote, 'acme', [], { gitDir }), { reason: 'denied' })
  t.strictSame(sprung(), [])
})
