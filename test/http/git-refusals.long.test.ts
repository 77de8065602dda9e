/** Clones after changes in the work tree, and git requests that the server cannot answer. */
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { UploadPack } from '../../src/store/git/upload-pack.ts'
import { Store } from '../../src/store/store.ts'
import { git, must, noGit } from './git-client.ts'
import { serveGitRoutes } from './git-routes.ts'

if (noGit) {
  t.plan(0, noGit)
  process.exit(0)
}
t.setTimeout(0)

const ANN = { name: 'Ann', email: 'ann@example.com' }
const PERSON = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.com']
const PATH = '/api/translations.git'
const packet = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line

async function open(t: Test) {
  const directory = join(t.testdir(), 'organizations')
  const store = await Store.open({ watch: false, directory })
  t.teardown(() => store.close())
  const put = (n: number) =>
    store.write('acme', ANN, tx => ({ result: tx.put('a', Buffer.from(`${n}\n`)), message: { subject: `put ${n}` } }))
  for (let n = 0; n < 5; n++) await put(n)
  await store.flush()
  const warnings: unknown[] = []
  const warn = (data: object, message: string) => void warnings.push({ ...data, message })
  const uploads = new UploadPack({ processes: 4, log: { info() {}, warn, error: warn } })
  const { port, close } = await serveGitRoutes(store, uploads)
  t.teardown(close)
  const base = `http://127.0.0.1:${port}${PATH}`
  const post = async (version: number, lines: string) => {
    const headers = { 'content-type': 'application/x-git-upload-pack-request', 'x-api-key': 'any' }
    const protocol = { 'git-protocol': `version=${version}` }
    const answer = await fetch(`${base}/git-upload-pack`, {
      method: 'POST',
      headers: { ...headers, ...protocol },
      body: lines,
    })
    return { status: answer.status, text: await answer.text() }
  }
  const workTree = join(directory, 'acme')
  return { store, put, post, warnings, workTree, url: base.replace('://', '://x:any@'), folder: join(directory, '..') }
}

const heads: [what: string, act: (workTree: string) => Promise<unknown>][] = [
  ['on a branch of his own', workTree => must(['-C', workTree, 'checkout', '-q', '-b', 'private'])],
  ['at a commit', workTree => must(['-C', workTree, 'checkout', '-q', '--detach'])],
  ['on a branch that is not born', workTree => must(['-C', workTree, 'symbolic-ref', 'HEAD', 'refs/heads/unborn'])],
]
for (const [where, act] of heads) {
  t.test(`clones main and the tags only while the HEAD of a person is ${where}`, async t => {
    const { put, store, workTree, url, folder } = await open(t)
    await act(workTree)
    if (where !== 'on a branch that is not born')
      await must(['-C', workTree, ...PERSON, 'commit', '-q', '--allow-empty', '-m', 'private'])
    const mine = (await must(['-C', workTree, 'rev-parse', 'main~1'])).trim()
    for (const ref of ['refs/heads/other', 'refs/remotes/origin/main', 'refs/notes/commits', 'refs/stash'])
      await must(['-C', workTree, 'update-ref', ref, mine])
    await must(['-C', workTree, 'tag', 'web/v1', 'main~2'])
    const { revision } = await put(5)
    for (const version of ['0', '1', '2']) {
      const config = ['-c', `protocol.version=${version}`]
      const shown = await must([...config, 'ls-remote', '--symref', url])
      const tag = (await must(['-C', workTree, 'rev-parse', 'web/v1'])).trim()
      const refs = `${revision}\tHEAD\n${revision}\trefs/heads/main\n${tag}\trefs/tags/web/v1\n`
      t.equal(shown, `ref: refs/heads/main\tHEAD\n${refs}`, `protocol ${version}`)
      const clone = join(folder, `clone${version}`)
      const { code, says } = await git([...config, 'clone', '-q', url, clone])
      t.equal(code, 0, says)
      t.equal((await must(['-C', clone, 'rev-parse', 'HEAD'])).trim(), revision)
      t.equal((await must(['-C', clone, 'symbolic-ref', 'HEAD'])).trim(), 'refs/heads/main')
      t.equal((await must(['-C', clone, 'log', '--format=%s', '--all'])).includes('private'), false)
    }
    await store.flush()
    t.equal((await must(['-C', workTree, 'rev-parse', 'main'])).trim(), revision, 'writes go to main')
    t.equal(fs.readFileSync(join(workTree, 'a'), 'utf8'), '5\n')
  })
}

t.test('returns a 4xx with the message of git when a request cannot be answered', async t => {
  const { post, warnings, workTree, url, folder } = await open(t)
  const head = (await must(['-C', workTree, 'rev-parse', 'main'])).trim()
  const fetchWith = (...lines: string[]) =>
    `${packet('command=fetch\n')}0001${lines.map(line => packet(`${line}\n`)).join('')}${packet('done\n')}0000`
  const want = `want ${head}`
  const bad: [lines: string[], cause: RegExp][] = [
    [[want, 'deepen-not nope'], /deepen-not nope/],
    [[want, 'filter nonsense'], /filter.*nonsense/],
    [[want, 'filter combine:'], /combine/],
    [[want, 'filter sparse:path=x'], /sparse/],
    [[want, 'filter tree:x'], /tree/],
    [[want, 'filter blob:limit=x'], /blob:limit=x/],
    [[want, `filter sparse:oid=${'1'.repeat(40)}`], /sparse/],
    [[want, 'deepen x'], /deepen x/],
    [[want, 'deepen 0'], /deepen 0/],
    [[want, 'deepen-since x'], /deepen-since x/],
    [[want, 'deepen 1', 'deepen-since 5'], /deepen and deepen-since/],
    [[want, 'deepen-since 4000000000'], /no commits selected/],
    [['want-ref refs/heads/nope'], /want-ref refs\/heads\/nope/],
    [[`want ${'1'.repeat(40)}`], /not our ref 1{40}/],
    [['want nonsense'], /no request that git understands/],
    [[want, 'shallow nonsense'], /shallow.*nonsense/],
    [[want, 'nonsense'], /nonsense/],
  ]
  for (const [lines, cause] of bad) {
    const { status, text } = await post(2, fetchWith(...lines))
    t.equal(status, 400, `${lines}: ${text.slice(0, 100)}`)
    t.match(text, cause)
    t.notMatch(text, folder)
  }
  const old: [lines: string, cause: RegExp][] = [
    [`${packet(`${want} deepen-not\n`)}${packet('deepen-not nope\n')}0000${packet('done\n')}`, /deepen-not nope/],
    [`${packet(`want ${'1'.repeat(40)}\n`)}0000${packet('done\n')}`, /not our ref/],
    [`${packet(`${want} filter\n`)}${packet('filter nonsense\n')}0000${packet('done\n')}`, /filter.*nonsense/],
    [`${packet(`${want} \n`)}${packet('deepen x\n')}0000${packet('done\n')}`, /deepen x/],
  ]
  for (const [lines, cause] of old) {
    const { status, text } = await post(0, lines)
    t.equal(status, 400, `${lines}: ${text.slice(0, 100)}`)
    t.match(text, cause)
  }
  const { code, says } = await git(['clone', '-q', '--shallow-exclude=nope', url, join(folder, 'clone')])
  t.not(code, 0)
  t.match(says, /400/)
  t.strictSame(warnings, [])
  fs.rmSync(join(workTree, '.git/objects/pack'), { recursive: true })
  t.equal((await post(2, fetchWith(want))).status >= 500, true, 'damage is a server failure')
  t.ok(warnings.length > 0)
})
