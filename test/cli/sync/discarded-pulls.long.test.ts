/** Distinguishes pulls that git discarded from edits, and asks about the others. */
import t, { type Test } from 'tap'
import { Checkout, newProject } from '../checkout.ts'
import { type Parlance, startParlance } from '../command.ts'
import { CONFIG, commit, git } from './repository.ts'

let parlance: Parlance
t.before(async () => {
  parlance = await startParlance(t)
})

const common = 'locales/en/common.json'
const en = { a: 'A', b: 'B', c: 'C', d: 'D', e: 'E' }
const asked = { code: 1, err: /the files are as before a pull that no commit has/ }

async function repository(t: Test, bundles: Record<string, object> = { 'en/common': en }) {
  const web = await newProject(parlance, bundles)
  const app = new Checkout(t, web.env, CONFIG)
  git(app, 'init -q -b main')
  t.match(await app.run('pull'), { code: 0 })
  commit(app)
  return { web, app, common: () => web.get('en/common') }
}

/** One that has pulled a changed, a new and a deleted text, and has not committed them. */
async function uncommitted(t: Test) {
  const { web, app } = await repository(t)
  await web.set('en/common/a', 'A 2')
  await web.set('en/common/new', 'New')
  await web.drop('en/common/b')
  t.match(await app.run('pull'), { code: 0, out: /1 added, 1 updated, 1 removed/ })
  return { web, app, pulled: app.read(common) }
}

const edit = (app: Checkout, texts: object) => app.write(common, { ...app.read(common), ...texts })

t.test('a pull that git has thrown away', async t => {
  const { web, app, pulled } = await uncommitted(t)
  git(app, 'checkout -- locales')
  t.match(await app.run('push --prune --yes'), asked)
  t.match(await app.run('pull --check'), { code: 1, out: /1 file behind/ })
  t.match(await app.run('pull'), asked)
  t.strictSame(await web.get('en/common'), pulled, 'the server is as it was')
  t.match(await app.run('pull --prefer theirs'), { code: 0, out: /1 added, 1 updated, 1 removed/ })
  t.strictSame(app.read(common), pulled)
  await web.set('en/common/c', 'C 2')
  t.match(await app.run('pull'), { code: 0, out: /c {2}"C" → "C 2"/ })
  git(app, 'stash -q')
  t.match(await app.run('sync'), asked, 'of two pulls')
  t.match(await app.run('sync --prefer theirs'), { code: 0, out: /1 added, 2 updated, 1 removed/ })
  t.strictSame(app.read(common), { ...pulled, c: 'C 2' })
  git(app, 'stash -q')
  edit(app, { d: 'D 2' })
  t.match(await app.run('sync'), asked, 'beside an edit')
  t.match(await app.run('sync --prefer theirs'), { code: 0, out: /d {2}"D" → "D 2"/ })
  const { new: _, ...others } = pulled
  t.strictSame(app.read(common), { ...others, c: 'C 2', d: 'D 2' }, 'a key may have been removed here')
})

t.test('the same where the file had edits, after many pulls, after other commits, in the index', async t => {
  const { web, app } = await repository(t)
  edit(app, { c: 'C mine' })
  for (let n = 1; n < 8; n++) {
    await web.set('en/common/a', `A ${n}`)
    t.match(await app.run('pull'), { code: 0 })
  }
  git(app, 'checkout -- locales')
  t.match(await app.run('push'), asked)
  app.write('other.txt', 'x')
  git(app, 'add other.txt')
  git(app, 'commit -qm other')
  t.match(await app.run('push'), asked)
  t.match(await app.run('pull --prefer theirs'), { code: 0, out: /"A" → "A 7"/ })

  const young = new Checkout(t, web.env, CONFIG)
  git(young, 'init -q -b main')
  git(young, 'commit -q --allow-empty -m first')
  t.match(await young.run('pull'), { code: 0 })
  git(young, 'add -A')
  await web.set('en/common/a', 'A 8')
  t.match(await young.run('pull'), { code: 0 })
  git(young, 'checkout -- locales')
  t.match(await young.run('push'), asked)
})

t.test('keys that --missing-only brought, and those of an old release', async t => {
  const { web, app, pulled } = await uncommitted(t)
  commit(app)
  await web.set('en/common/late', 'Late')
  t.match(await app.run('pull --missing-only'), { code: 0, out: /1 added/ })
  git(app, 'checkout -- locales')
  t.match(await app.run('pull --check'), { code: 1, out: /late/ })
  t.match(await app.run('push --prune --yes'), { code: 0, out: 'Nothing to push.\n' }, 'it is not deleted')
  t.match(await app.run('pull'), { code: 0, out: /\+ late/ })
  commit(app)
  t.match(await app.run('release create v1'), { code: 0 })
  await web.set('en/common/a', 'A 3')
  t.match(await app.run('pull'), { code: 0 })
  commit(app)
  t.match(await app.run('pull --at v1'), { code: 0, out: /"A 3" → "A 2"/ })
  git(app, 'checkout -- locales')
  await web.set('en/common/a', 'A 2')
  t.match(await app.run('push'), asked)
  t.match(await app.run('pull --at v1 --prefer theirs'), { code: 0, out: /"A 3" → "A 2"/ })
  t.strictSame(app.read(common), { ...pulled, late: 'Late' })
})

t.test('one file a language: what a namespace lost', async t => {
  const merged = {
    'i18next.config.js':
      "module.exports = { locales: ['en'], extract: { input: [], output: 'l/{{language}}.json', mergeNamespaces: true } }\n",
  }
  const web = await newProject(parlance, { 'en/common': en, 'en/home': { h: 'H' } })
  const app = new Checkout(t, web.env, merged)
  git(app, 'init -q -b main')
  t.match(await app.run('pull'), { code: 0 })
  commit(app)
  await web.set('en/common/a', 'A 2')
  t.match(await app.run('pull'), { code: 0 })
  await web.set('en/home/h', 'H 2')
  t.match(await app.run('pull'), { code: 0 })
  git(app, 'checkout -- l')
  t.match(await app.run('push'), { code: 1, err: /For 2 keys the files are as before/ })
  t.match(await app.run('pull --prefer theirs'), { code: 0, out: /2 updated/ })
  await web.set('en/cart/pay', 'Pay')
  t.match(await app.run('pull'), { code: 0, out: /pay/ })
  git(app, 'checkout -- l')
  t.match(await app.run('pull --prefer theirs'), { code: 0, out: /pay/ })
})

t.test('edits stay edits', async t => {
  const { app } = await uncommitted(t)
  commit(app)
  git(app, 'checkout -q HEAD~1 -- locales')
  const back = { code: 0, out: /1 added, 1 updated, 1 removed/ }
  t.match(await app.run('push --prune --dry-run'), back, 'a pull that was committed and reverted')
  git(app, 'commit -qm back')
  t.match(await app.run('push --prune --dry-run'), back)

  const { web, app: own, common: stored } = await repository(t)
  edit(own, { a: 'A draft', x: 'X' })
  t.match(await own.run('push'), { code: 0 })
  edit(own, { a: 'A final', y: 'Y' })
  commit(own)
  await web.set('en/common/b', 'B 2')
  t.match(await own.run('pull'), { code: 0, out: /1 updated/ })
  git(own, 'checkout -- locales')
  const push = await own.run('push --dry-run --prefer theirs')
  t.match(push, { code: 0, out: /a {2}"A draft" → "A final"/ }, 'a text that no pull wrote')
  t.match(await own.run('pull --prefer theirs'), { code: 0, out: /b {2}"B" → "B 2"/ })
  t.match(own.read(common), { a: 'A final', b: 'B 2', x: 'X', y: 'Y' })
  edit(own, { b: 'B' })
  t.match(await own.run('push'), asked, 'a text that is edited back')
  t.match(await own.run('push --prefer yours'), { code: 0, out: /b {2}"B 2" → "B"/ })
  t.match(await stored(), { a: 'A final', b: 'B' })
})

t.test('who has chosen is not asked again', async t => {
  const { web, app } = await repository(t)
  await web.set('en/common/a', 'A 2')
  t.match(await app.run('pull'), { code: 0 })
  edit(app, { a: 'A' })
  t.match(await app.run('pull'), asked)
  t.match(await app.run('pull --prefer yours'), { code: 0 })
  t.match(await app.run('pull'), { code: 0, out: 'Up to date.\n' })
  t.match(await app.run('push'), { code: 0, out: /a {2}"A 2" → "A"/ })
})

t.test('git restores no untracked file', async t => {
  const { web, app } = await repository(t)
  git(app, 'rm -rq --cached locales')
  app.write('.gitignore', 'locales\n')
  commit(app)
  await web.set('en/common/a', 'A 2')
  t.match(await app.run('pull'), { code: 0 })
  edit(app, { a: 'A' })
  t.match(await app.run('push'), { code: 0, out: /a {2}"A 2" → "A"/ })
})
