// It restores what it changes, so it shares its process (test/groups.mjs).
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BackupRemote } from '../../../src/store/backup/remote.ts'
import { explain, listRemote, runRemote } from '../../../src/store/backup/remote-git.ts'
import { noGit } from '../../http/git-client.ts'
import { git } from '../git-cli.ts'

if (noGit) t.bailout(noGit)

t.test("over ssh: fixed options, the operator's agent, and nothing else of this process", async t => {
  const root = t.testdir({ bin: {}, 'a b': {} })
  const here = join(root, 'here')
  git('/', 'init', '-q', '-b', 'main', here)
  git(here, '-c', 'user.name=A', '-c', 'user.email=a@x', 'commit', '-q', '--allow-empty', '-m', 'x')
  git('/', 'init', '-q', '--bare', join(root, 'a b', 'X1.git'))
  // Stands in for ssh: notes how it was called, and runs its argument here.
  const ssh = join(root, 'bin', 'ssh')
  writeFileSync(
    ssh,
    `#!/bin/sh\nfor word; do printf '%s\\n' "$word" >> '${root}/words'; last=$word; done\nenv > '${root}/env'\nexec sh -c "$last"\n`,
  )
  chmodSync(ssh, 0o755)
  const { PATH } = process.env
  t.teardown(() => {
    process.env.PATH = PATH
    delete process.env.SSH_AUTH_SOCK
    delete process.env.BACKUP_TEST_SECRET
  })
  process.env.PATH = `${join(root, 'bin')}:${PATH}`
  process.env.SSH_AUTH_SOCK = '/run/agent'
  process.env.BACKUP_TEST_SECRET = 'hunter2'

  const remote = BackupRemote.parse(`ssh://git@example.com:2222${root}/a b/{organization}.git`.replace(' ', '%20'), 'x')
  const found = await listRemote(remote, 'X1', ['refs/heads/main'], { gitDir: join(here, '.git') })
  t.strictSame(found, { refs: new Map() }, 'there, and empty')
  const scp = BackupRemote.parse(`git@example.com:${root}/{organization}.git`, 'x')
  git('/', 'init', '-q', '--bare', join(root, 'X1.git'))
  writeFileSync(join(root, 'words'), '')
  const pushed = await runRemote(
    scp,
    { command: ['push', '--porcelain'], address: scp.address('X1'), refs: ['main'] },
    {
      gitDir: join(here, '.git'),
    },
  )
  t.equal(pushed.code, 0, pushed.errors)
  t.strictSame(await listRemote(scp, 'X1', ['refs/heads/main'], { gitDir: join(here, '.git') }), {
    refs: new Map([['refs/heads/main', git(here, 'rev-parse', 'main').trim()]]),
  })
  const words = readFileSync(join(root, 'words'), 'utf8').split('\n').slice(0, 7)
  const receive = `git-receive-pack '${root}/X1.git'`
  t.strictSame(words.slice(0, 4), [
    '-oBatchMode=yes',
    '-oConnectTimeout=30',
    '-oServerAliveInterval=30',
    '-oServerAliveCountMax=4',
  ])
  t.ok(words.includes('git@example.com') && words.includes(receive), words.join(' '))
  const env = readFileSync(join(root, 'env'), 'utf8')
  t.match(env, /^SSH_AUTH_SOCK=\/run\/agent$/m)
  t.notMatch(env, /hunter2/)
})

t.test('only the protocol of the remote is spoken', async t => {
  const root = t.testdir()
  git('/', 'init', '-q', '--bare', join(root, 'here.git'))
  const remote = BackupRemote.parse('https://example.com/{organization}', 'x')
  for (const address of [
    'ext::sh -c "touch sprung"',
    join(root, 'here.git'),
    'http://127.0.0.1:9/x',
    'git://127.0.0.1/x',
  ]) {
    const { code, errors } = await runRemote(
      remote,
      { command: ['ls-remote'], address },
      { gitDir: join(root, 'here.git') },
    )
    t.not(code, 0)
    t.match(errors, /transport '\w+' not allowed/, address)
  }
})

t.test("git's words become a sentence, and a reason", async t => {
  const rows: [words: string, reason: string, sentence: RegExp][] = [
    ["fatal: '/srv/x.git' does not appear to be a git repository", 'missing', /no repository for acme/],
    ["fatal: repository 'https://example.com/x/' not found", 'missing', /create it there/],
    ["fatal: couldn't find remote ref refs/heads/main", 'missing', /acme/],
    ['ERROR: Repository not found.\nfatal: Could not read from remote repository.', 'missing', /acme/],
    ["fatal: Authentication failed for 'https://example.com/x/'", 'denied', /credentials/],
    ["fatal: could not read Username for 'https://example.com': terminal prompts disabled", 'denied', /credentials/],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 403", 'denied', /credentials/],
    [
      'git@example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.',
      'denied',
      /credentials/,
    ],
    ['Host key verification failed.\nfatal: Could not read from remote repository.', 'denied', /host key/],
    [
      "fatal: unable to access 'http://127.0.0.1:9/x/': Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server",
      'unreachable',
      /cannot be reached/,
    ],
    [
      "fatal: unable to access 'https://nowhere.invalid/': Could not resolve host: nowhere.invalid",
      'unreachable',
      /cannot be reached/,
    ],
    ['ssh: connect to host example.com port 22: Connection timed out', 'unreachable', /cannot be reached/],
    ['fatal: the remote end hung up unexpectedly', 'unreachable', /cannot be reached/],
    [
      "fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate",
      'unreachable',
      /certificate/,
    ],
    ['remote: error: file write error: No space left on device', 'full', /no space/],
    [
      'error: remote unpack failed: unable to create temporary object directory\nerror: failed to push some refs',
      'denied',
      /acme at the backup remote cannot be written: it is mounted read-only/,
    ],
    [
      "remote: error: cannot lock ref 'refs/heads/main': Unable to create '/srv/x.git/./refs/heads/main.lock': Permission denied",
      'denied',
      /cannot be written/,
    ],
    ["fatal: detected dubious ownership in repository at '/srv/x.git'", 'denied', /belongs to another user/],
    [
      'remote: fatal: loose object 23c5 (stored in ./objects/23/c5) is corrupt\nremote: aborting due to possible repository corruption on the remote side.\nfatal: protocol error: bad pack header',
      'damaged',
      /acme at the backup remote is damaged.*Move it away there/,
    ],
    [
      'error: packfile ./objects/pack/pack-6e.pack does not match index\nfatal: remote error: upload-pack: not our ref 2c8b\nfatal: the remote end hung up unexpectedly',
      'damaged',
      /is damaged/,
    ],
    ['error: inflate: data stream error (incorrect data check)\nfatal: unpack-objects failed', 'damaged', /is damaged/],
    ['remote: fatal: bad object refs/heads/main', 'damaged', /is damaged/],
    [
      'remote: error: inflate: data stream error (incorrect header check)\nerror: remote unpack failed: unpack-objects abnormal exit',
      'failed',
      /its repository here may be damaged; run `parlance server verify`/,
    ],
    ['fatal: something unheard of in /srv/secret', 'failed', /the server's log has its words/],
  ]
  for (const [errors, reason, sentence] of rows) {
    const failure = explain({ code: 128, errors, output: '' }, 'acme')
    t.equal(failure.reason, reason, errors)
    t.match(failure.sentence, sentence, errors)
    t.equal(failure.words, errors)
    t.notMatch(failure.sentence, /srv|example|127/)
  }
  t.match(explain({ code: -1, errors: '', output: '' }, 'acme', AbortSignal.abort()), { reason: 'slow' })
})
