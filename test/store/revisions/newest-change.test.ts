/** The newest change of a folder: by our own walk, by git, and what it costs once it is known. */
// It restores what it changes, so it shares its process (test/groups.mjs).
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Store } from '../../../src/store/store.ts'
import { noGit } from '../../http/git-client.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
/** More commits than are looked through before git is asked. */
const MANY = 3000

/** A repository. Its project `own` was changed first, `theirs` ever since, both at the very end. */
async function open(t: Test) {
  const directory = t.testdir()
  const store = await Store.open({ directory, watch: false, maintenance: false })
  t.teardown(() => store.close())
  const put = async (path: string, text: string) => {
    const use = (tx: { put(path: string, bytes: Buffer): unknown }) => {
      tx.put(path, Buffer.from(text))
      return { result: undefined, message: { subject: `put ${path}` } }
    }
    return (await store.write('acme', ANN, use)).revision!
  }
  return { store, put, folder: join(directory, 'acme') }
}

t.test('finds the newest commit that changed a folder, however far back', async t => {
  const { store, put } = await open(t)
  const first = await put('own/a', '1')
  const last = await put('own/a', '2')
  const other = await put('third/a', '1')
  let head = other
  for (let at = 0; at < 200; at++) head = await put('theirs/a', String(at))
  const find = (folders: string[], from = head) => store.newestChange('acme', folders, from)
  t.equal(await find(['own']), last)
  t.equal(await find(['own', 'third']), other)
  t.equal(await find(['third', 'own'], last), last)
  t.equal(await find(['own'], first), first)
  t.equal(await find(['nowhere']), null)
  const removed = (
    await store.write('acme', ANN, tx => {
      tx.remove('own/a')
      return { result: undefined, message: { subject: 'remove' } }
    })
  ).revision!
  t.equal(await find(['own'], removed), removed, 'a deletion is a change')
  const answers = await Promise.all(Array.from({ length: 50 }, () => find(['own'])))
  t.strictSame([...new Set(answers)], [last])
})

t.test('finds it by git behind very many commits, and not again for each new head', { skip: noGit }, async t => {
  const { store, put, folder } = await open(t)
  const own = await put('own/a', '1')
  await put('theirs/a', '0')
  await store.flush()
  await store.close()
  const commits = Array.from({ length: MANY }, (_, at) => {
    const from = at === 0 ? 'from refs/heads/main^0\n' : ''
    return `commit refs/heads/main\ncommitter Ann <ann@example.com> ${2_000_000_000 + at} +0000\ndata 1\nx\n${from}M 100644 inline theirs/a\ndata ${String(at).length}\n${at}\n`
  })
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], { input: commits.join('') })
  execFileSync('git', ['-C', folder, 'reset', '-q', '--hard'])
  const again = await Store.open({ directory: join(folder, '..'), watch: false, maintenance: false })
  t.teardown(() => again.close())
  again.readGit = () => Promise.reject(new Error('a packed commit needs no seal'))
  const head = await again.read('acme', ({ revision }) => revision!)
  t.equal(await again.newestChange('acme', ['own'], head), own)
  const next = (
    await again.write('acme', ANN, tx => {
      tx.put('theirs/a', Buffer.from('later'))
      return { result: undefined, message: { subject: 'later' } }
    })
  ).revision!
  const { PATH } = process.env
  t.teardown(() => void (process.env.PATH = PATH))
  process.env.PATH = ''
  t.equal(await again.newestChange('acme', ['own'], next), own, 'from a new head the walk ends at what is known')
})
