/** The launcher installs packages once and completely under any npm settings, and prints a sentence when it fails. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { asked, check, INSTALLS, makeClone, setNpm } from './clone.ts'

/** An npm that fails as the real one does. */
const fails = (code: string, mark = 'npm error') => `echo '${mark} code ${code}' >&2; echo '${mark} why' >&2; exit 1`

t.test('installs packages once without scripts, and again after a change', async t => {
  const clone = makeClone(t)
  const first = await check(clone)
  t.strictSame([first.code, first.err], [0, 'Installing packages (some seconds, only once) …\n'])
  const [words = ''] = asked(clone)
  for (const flag of ['--ignore-scripts', '--include=dev', '--include=optional', '--bin-links', '--no-global']) {
    t.ok(words.split(' ').includes(flag), flag)
  }
  t.equal((await check(clone)).err, '')
  t.equal(asked(clone).length, 1)

  const workspaces = { test: {}, 'node_modules/parlance-tests': { resolved: 'test', link: true } }
  const withWorkspaces = JSON.stringify({ packages: { ...workspaces, 'node_modules/better-sqlite3': {} } })
  setNpm(clone, {
    ci: INSTALLS.replace(/^echo '\{"packages.*$/m, `echo '${withWorkspaces}' > node_modules/.package-lock.json`),
  })
  rmSync(join(clone, 'node_modules'), { recursive: true })
  await check(clone)
  t.equal((await check(clone)).err, '', 'a copy may lack a workspace')
  rmSync(join(clone, 'asked'))
  writeFileSync(join(clone, 'asked'), 'ci\n')

  const changes: Record<string, () => void> = {
    'another lock file': () => writeFileSync(join(clone, 'package-lock.json'), '{"packages":{"":{}}}'),
    'an npm typed by hand': () => writeFileSync(join(clone, 'node_modules/.package-lock.json'), '{"packages":{}}'),
    'a removed folder': () => rmSync(join(clone, 'node_modules/better-sqlite3'), { recursive: true }),
    'an installation cut short': () => rmSync(join(clone, 'node_modules/.package-lock.json')),
  }
  for (const [index, [name, change]] of Object.entries(changes).entries()) {
    change()
    const { code, err } = await check(clone)
    t.equal(code, 0, err)
    t.equal(asked(clone).length, index + 2, name)
  }
})

t.test('fails when npm silently omits the binaries of this platform', async t => {
  const own = `@x/${process.platform}-${process.arch}`
  const locked = {
    [`node_modules/${own}`]: { os: [process.platform], cpu: [process.arch] },
    'node_modules/@x/aix-ppc64': { os: ['aix'], cpu: ['ppc64'] },
  }
  const names = { [own]: '1.0.0', '@x/aix-ppc64': '1.0.0' }
  const list = JSON.stringify({ packages: { 'node_modules/x': { optionalDependencies: names } } })
  const clone = makeClone(t)
  writeFileSync(join(clone, 'package-lock.json'), JSON.stringify({ packages: locked }))
  const withX = (...folders: string[]) => `mkdir -p ${folders.map(name => `node_modules/${name}`).join(' ')}
${folders.map(name => `echo '{}' > node_modules/${name}/package.json`).join('\n')}
${INSTALLS.replace(/\nexit$/, '')}
echo '${list}' > node_modules/.package-lock.json
exit`
  setNpm(clone, { ci: withX('x') })
  const { code, err } = await check(clone)
  t.equal(code, 1)
  t.match(err, `The packages are not complete: npm left out ${own}, `)
  setNpm(clone, { ci: withX('x', own) })
  t.equal((await check(clone)).code, 0)
})

t.test('prints a sentence with failure and remedy above the output of npm', async t => {
  const clone = makeClone(t)
  const rows: [string, RegExp][] = [
    ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENETUNREACH', 'ERR_SOCKET_TIMEOUT'].map(
      code => [code, /cannot be reached\. Check the network, the proxy/] as [string, RegExp],
    ),
    ['SELF_SIGNED_CERT_IN_CHAIN', /certificate .* cafile/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /certificate .* cafile/],
    ['CERT_HAS_EXPIRED', /certificate .* cafile/],
    ['E401', /refuses access/],
    ['E403', /refuses access/],
    ['E407', /refuses access/],
    ['E404', /does not offer a package/],
    ['ETARGET', /min-release-age/],
    ['E503', /answers with an error\. Try again later/],
    ['E429', /answers with an error\. Try again later/],
    ['ENOTCACHED', /work offline/],
    ['EACCES', /may not write/],
    ['EROFS', /may not write/],
    ['ENOSPC', /disk is full/],
    ['EDQUOT', /disk is full/],
    ['EMFILE', /ulimit/],
    ['EINTEGRITY', /npm cache clean/],
    ['EUSAGE', /git status/],
    ['ESOMETHING', /npm failed\. Remove node_modules/],
  ]
  for (const [code, advice] of rows) {
    setNpm(clone, { ci: fails(code) })
    const failed = await check(clone)
    t.strictSame([failed.code, failed.out], [1, ''], code)
    const [, ours = '', ...said] = failed.err.split('\n')
    t.match(ours, /^The packages were not installed: .* It said:$/, code)
    t.match(ours, advice, code)
    t.strictSame(said, [`npm error code ${code}`, 'npm error why', ''], 'npm comes last')
  }
  const others: [string, Parameters<typeof setNpm>[1], RegExp][] = [
    ['an older npm', { ci: fails('ENOSPC', 'npm ERR!') }, /the disk is full/],
    ['an npm with another name', { ci: fails('ENOSPC', 'acme error') }, /the disk is full/],
    ['an npm without a word', { ci: 'exit 7' }, /npm failed\. Remove node_modules and try again\. It said nothing\./],
    ['an npm that is killed', { ci: 'kill -9 $$' }, /SIGKILL ended npm\. The machine may be short of memory/],
    ['an npm that is too old', { version: '6.14.18' }, /npm 6\.14\.18 is too old\. Install npm 8 or newer/],
    [
      'a driver that does not load',
      {
        ci: `${INSTALLS.replace(/\nexit$/, '')}
echo 'throw new Error("no version GLIBC_9 found")' > node_modules/better-sqlite3/index.js; exit`,
      },
      /SQLite's driver does not run on \S+: Error: no version GLIBC_9 found/,
    ],
  ]
  for (const [name, npm, expected] of others) {
    setNpm(clone, npm)
    const failed = await check(clone)
    t.equal(failed.code, 1, name)
    t.match(failed.err, expected, name)
    t.notMatch(failed.err, /^ +at /m, 'no stack')
  }
  t.notOk(existsSync(join(clone, 'node_modules/.parlance-installed')), 'none of them counts as installed')
  setNpm(clone, {})
  t.equal((await check(clone)).code, 0, 'and the next one that works does')
})

t.test('prints a sentence when npm or the right to write is missing', async t => {
  const clone = makeClone(t)
  const node = join(clone, 'node')
  symlinkSync(process.execPath, node)
  const none = await check(clone, { PATH: '/nonexistent' })
  t.match(none, { code: 1, err: /there is no npm in PATH \(ENOENT\)\. Install npm, which comes with Node\.\n$/ })
  if (process.getuid?.() === 0) return
  chmodSync(clone, 0o555)
  const refused = await check(clone)
  chmodSync(clone, 0o755)
  t.match(refused, { code: 1, err: /The packages were not installed: this user may not write to a folder\./ })
})

t.test('installs once when several launchers start, and after one was killed', async t => {
  const clone = makeClone(t, { ci: `until [ -e go ]; do sleep 0.1; done\n${INSTALLS}` })
  const running = [check(clone), check(clone), check(clone)]
  t.ok(await eventually(() => asked(clone).length === 1))
  writeFileSync(join(clone, 'go'), '')
  for (const { code, err } of await Promise.all(running)) t.equal(code, 0, err)
  t.equal(asked(clone).length, 1)

  rmSync(join(clone, 'node_modules'), { recursive: true })
  const killed = spawn(process.execPath, ['-e', ''])
  await new Promise(resolve => killed.on('exit', resolve))
  symlinkSync(String(killed.pid), join(clone, 'installing.tmp'))
  t.equal((await check(clone)).code, 0)
  t.equal(asked(clone).length, 2)
  t.notOk(readdirSync(clone).includes('installing.tmp'))
  t.ok(readFileSync(join(clone, 'node_modules/.parlance-installed'), 'utf8').includes(process.version))
})
