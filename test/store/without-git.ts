/**
 * The process that without-git.test.ts runs without git: it writes, travels back, creates releases, and prints the
 * results.
 */
import { gitVersion } from '../../src/store/git/git.ts'
import { Releases } from '../../src/store/releases.ts'
import { Store } from '../../src/store/store.ts'

const COMMITS = 500
const ANN = { name: 'Ann', email: 'ann@example.com' }
const START = Date.UTC(2026, 0, 1)
let now = START
let store = await Store.open({ directory: process.argv[2]!, watch: false, now: () => now })
const revisions: string[] = []
for (let n = 1; n <= COMMITS; n++) {
  now = START + n * 60_000
  const message = { subject: `put ${n}` }
  const { revision } = await store.write('acme', ANN, tx => ({ result: tx.put('a', Buffer.from(`${n}`)), message }))
  revisions.push(revision!)
}
const releases = new Releases(store)
const release = await releases.create('acme', ANN, { slug: 'web', name: 'v1' }, () => {})
await releases.create('acme', ANN, { slug: 'web', name: 'v2' }, () => {})
await releases.remove('acme', { slug: 'web', name: 'v2' }, () => {})
await store.close()
store = await Store.open({ directory: process.argv[2]!, watch: false, now: () => now })

const read = async (at: string) => {
  const { revision } = await store.resolve('acme', at, 'web')
  return revision && store.read('acme', snapshot => snapshot.at(revision).read('a')!.toString())
}
const minute = (n: number) => new Date(START + n * 60_000).toISOString()
const said = {
  git: (await gitVersion()) ?? null,
  times: await Promise.all([0, 1, 2, 100, 450, 499, 500, 501].map(n => read(minute(n)))),
  release: await read('v1'),
  deleted: await read('v2').catch(({ code }) => code),
  short: await read(revisions[41]!.slice(0, 10)).catch(({ code }) => code),
  full: await read(revisions[41]!),
  listed: (await new Releases(store).list('acme', 'web', () => {})).length,
  same: release.revision === revisions.at(-1),
}
await store.close()
console.log(JSON.stringify(said))
