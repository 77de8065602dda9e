/** Branches of the app: git restores older files, and neither a push nor a pull counts their texts as edits. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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

/** An app on its branch `main`, in step with the server; `old` is the same, where it stays. */
async function repository(t: Test, texts: object = en, files: Record<string, unknown> = CONFIG) {
  const web = await newProject(parlance, { 'en/common': texts })
  const app = new Checkout(t, web.env, files)
  git(app, 'init -q -b main')
  t.match(await app.run('pull'), { code: 0 })
  commit(app)
  git(app, 'branch old')
  return { web, app }
}

/** The same, where `main` has had a newer text of `a` from the server since. */
async function newer(t: Test) {
  const { web, app } = await repository(t)
  await web.set('en/common/a', 'A 2')
  t.match(await app.run('pull'), { code: 0, out: /~ a/ })
  commit(app)
  return { web, app }
}

t.test('a branch that was cut before the pull', async t => {
  const { web, app } = await newer(t)
  git(app, 'switch -q old')
  t.match(await app.run('push --yes'), { code: 0, out: 'Nothing to push.\n' })
  app.write(common, { ...en, b: 'B 2', new: 'New' })
  t.match(await app.run('push --yes --json'), { code: 0, json: { changes: [{ key: 'b' }, { key: 'new' }] } })
  t.match(await web.get('en/common'), { a: 'A 2', b: 'B 2', new: 'New' })
  app.write(common, { ...en, b: 'B 3', new: 'New' })
  t.match(await app.run('push --yes'), { code: 0, out: /b {2}"B 2" → "B 3"/ }, 'what was pushed here is edited here')
  t.match(await app.run('pull --check'), { code: 1, out: /a {2}"A" → "A 2"/ })
  t.match(await app.run('sync'), { code: 0, out: /Nothing to push[\s\S]*a {2}"A" → "A 2"/ })
  t.match(app.read(common), { a: 'A 2', b: 'B 3', new: 'New' })
  app.write(common, { ...app.read(common), a: 'A 3' })
  t.match(await app.run('push'), { code: 0, out: /a {2}"A 2" → "A 3"/ }, 'from then on it is an edit')
})

t.test('a branch that went on since, and one that has its text from long ago', async t => {
  const { web, app } = await newer(t)
  app.write(common, { ...en, a: 'A 3' })
  commit(app)
  git(app, 'switch -q old')
  t.match(await app.run('push'), { code: 0, out: 'Nothing to push.\n' })
  t.match(await app.run('pull'), { code: 0, out: /a {2}"A" → "A 2"/ })
  commit(app)
  for (let n = 0; n < 51; n++) {
    app.write(common, { ...en, a: `A of old ${n}` })
    commit(app)
  }
  git(app, 'branch -f main')
  git(app, 'switch -qc feature')
  t.match(await app.run('push'), { code: 1, err: /of old: the last commits/ }, 'not all commits are looked into')
  git(app, 'branch -f old HEAD~51')
  t.match(await app.run('push'), { code: 0, out: /a {2}"A 2" → "A of old 50"/ }, 'but where they parted is')
  t.equal((await web.get('en/common')).a, 'A of old 50')
})

t.test('what was pushed on another branch', async t => {
  const { web, app } = await repository(t)
  git(app, 'switch -qc feature')
  app.write(common, { ...en, a: 'A 2', b: 'B 2' })
  t.match(await app.run('push'), { code: 0, out: /2 updated/ })
  commit(app)
  git(app, 'switch -q main')
  t.match(await app.run('push'), { code: 0, out: 'Nothing to push.\n' })
  t.match((await web.get('en/common')).a, 'A 2')
  t.match(await app.run('pull'), { code: 0, out: /2 updated/ })
})

t.test('edits of a branch that has the text, and a revert', async t => {
  const { web, app } = await newer(t)
  git(app, 'revert --no-edit HEAD')
  t.match(await app.run('push'), { code: 0, out: /a {2}"A 2" → "A"/ }, 'on the same branch')
  await web.set('en/common/a', 'A 2')
  git(app, 'reset -q --hard HEAD~1')
  t.match(await app.run('pull'), { code: 0 })
  git(app, 'switch -qc feature')
  app.write(common, { ...en, a: 'A 3', f: 'F' })
  t.match(await app.run('push'), { code: 0, out: /1 added, 1 updated|a {2}"A 2" → "A 3"/ })
  commit(app)
  git(app, 'switch -qc next')
  git(app, 'revert --no-edit HEAD')
  t.match(await app.run('push'), { code: 0, out: /a {2}"A 3" → "A 2"[\s\S]*still on the server: 1 key/ })
})

t.test('both branches changed it', async t => {
  const { app } = await newer(t)
  git(app, 'switch -q old')
  app.write(common, { ...en, a: 'A of old' })
  commit(app)
  const refused = await app.run('push')
  t.match(refused, { code: 1, err: /a\n {2}base {4}"A"\n {2}yours {3}"A of old"\n {2}theirs {2}"A 2"/ })
  t.match(await app.run('pull --prefer theirs'), { code: 0 })
  t.equal(app.read(common).a, 'A 2')
})

t.test('a pull that was committed nowhere', async t => {
  const { web, app } = await repository(t)
  await web.set('en/common/a', 'A 2')
  t.match(await app.run('pull'), { code: 0 })
  git(app, 'stash -q')
  git(app, 'switch -q old')
  const why =
    /The server has other texts for 1 key\. You pulled them on main, and the last commits of this branch do not have them: it is unknown/
  for (const words of ['push --yes', 'sync', 'pull']) {
    const refused = await app.run(words)
    t.match(refused, { code: 1, err: why }, words)
    t.match(
      refused.err,
      /base {4}\(of main: the last commits of this branch do not have it\)\n {2}yours {3}"A"\n {2}theirs {2}"A 2"/,
    )
    t.match(refused.err, 'Merge main, or give --prefer theirs')
  }
  t.match(await app.run('push --json'), { code: 1, json: { error: why, conflicts: [{ key: 'a', yours: { a: 'A' } }] } })
  t.match(await app.run('push --prefer theirs'), { code: 0, out: 'Nothing to push.\n' })
  t.match(await app.run('push --prefer yours --dry-run'), { code: 0, out: /a {2}"A 2" → "A"/ })
  t.match(await app.run('push', { typed: ['\r'] }), { code: 0, out: /the last commits of this branch do not have it/ })
})

t.test('a pull that goes along to a new branch', async t => {
  const { web, app } = await repository(t)
  await web.set('en/common/a', 'A 2')
  t.match(await app.run('pull'), { code: 0 })
  git(app, 'switch -qc feature')
  app.write(common, { ...app.read(common), b: 'B 2', n: 'N' })
  t.match(await app.run('push'), { code: 0, out: /b {2}"B" → "B 2"\n.*\+ n {2}"N"/ })
  app.write(common, { ...app.read(common), a: 'A 3', b: 'B 3' })
  t.match(await app.run('push'), { code: 0, out: /2 updated/ }, 'in step here, it is edited here')
})

t.test('keys that came and went', async t => {
  const { web, app } = await repository(t)
  await web.set('en/common/new', 'New')
  await web.drop('en/common/e')
  t.match(await app.run('pull'), { code: 0 })
  commit(app)
  git(app, 'switch -q old')
  t.match(await app.run('push --prune --yes'), { code: 0, out: 'Nothing to push.\n' })
  t.strictSame(await web.get('en/common'), { a: 'A', b: 'B', c: 'C', d: 'D', new: 'New' })
  t.match(await app.run('pull'), { code: 0, out: /- e {2}"E"\n {2}\+ new {2}"New"/ })
  commit(app)
  app.write(common, { a: 'A', b: 'B', c: 'C', new: 'New' })
  git(app, 'switch -qc feature')
  t.match(await app.run('push --prune --yes'), { code: 0, out: /- d/ }, 'this one had it')
  rmSync(join(app.folder, common))
  t.match(await app.run('push --prune --yes'), { code: 0, out: 'Nothing to push.\n' }, 'a file that is not there')
})

t.test('merged, and squashed with its branch gone', async t => {
  const { web, app } = await newer(t)
  git(app, 'switch -q old')
  app.write(common, { ...en, a: 'A of old' })
  commit(app)
  git(app, 'merge -q -X ours -m merged main')
  t.match(await app.run('push'), { code: 0, out: /a {2}"A 2" → "A of old"/ }, 'the merge has decided')
  git(app, 'switch -qc feature')
  app.write(common, { ...en, a: 'A 4' })
  t.match(await app.run('push'), { code: 0 })
  commit(app)
  git(app, 'switch -q main')
  git(app, 'merge -q --squash -X theirs feature')
  commit(app)
  git(app, 'branch -qD feature')
  app.write(common, { ...en, a: 'A 5' })
  t.match(await app.run('push'), { code: 0, out: /a {2}"A 4" → "A 5"/ })
  t.equal((await web.get('en/common')).a, 'A 5')
})

t.test('a commit on no branch', async t => {
  const { app } = await newer(t)
  git(app, 'switch -q --detach old')
  t.match(await app.run('push'), { code: 0, out: 'Nothing to push.\n' })
  app.write(common, { ...en, b: 'B 2' })
  t.match(await app.run('push'), { code: 0, out: /b {2}"B" → "B 2"/ })
  t.match(await app.run('pull'), { code: 0 })
  commit(app)
  app.write(common, { ...app.read(common), a: 'A 3' })
  t.match(await app.run('push'), { code: 0, out: /a {2}"A 2" → "A 3"/ }, 'over a commit on no branch')
})

t.test('another worktree, and a folder of the repository', async t => {
  const { web, app } = await newer(t)
  const tree = new Checkout(t, web.env)
  git(app, `worktree add -q ${tree.folder}/here old`)
  tree.write('here/.parlance/state.json', app.text('.parlance/state.json'))
  t.match(await tree.run('push -C here'), { code: 0, out: 'Nothing to push.\n' })
  git(app, 'switch -q -C feature', join(tree.folder, 'here'))
  git(app, 'merge -q main', join(tree.folder, 'here'))
  tree.write(`here/${common}`, { ...en, a: 'A 3' })
  t.match(await tree.run('push -C here'), { code: 0, out: /a {2}"A 2" → "A 3"/ })

  const mono = await newProject(parlance, { 'en/common': en })
  const apps = new Checkout(t, mono.env, {
    'apps/web/package.json': '{}',
    'apps/web/i18next.config.js': CONFIG['i18next.config.js'],
  })
  git(apps, 'init -q -b main')
  t.match(await apps.run('pull -C apps/web'), { code: 0 })
  commit(apps)
  git(apps, 'branch old')
  await mono.set('en/common/a', 'A 2')
  t.match(await apps.run('pull -C apps/web'), { code: 0 })
  commit(apps)
  git(apps, 'switch -q old')
  t.match(await apps.run('push -C apps/web'), { code: 0, out: 'Nothing to push.\n' })
  const hook = { GIT_DIR: '.git', GIT_PREFIX: '' }
  t.match(await apps.run('push -C apps/web', { env: hook }), { code: 0, out: 'Nothing to push.\n' }, 'run by a hook')
  git(apps, 'switch -qc feature main')
  apps.write(`apps/web/${common}`, { ...en, a: 'A 3' })
  t.match(await apps.run('push -C apps/web'), { code: 0, out: /a {2}"A 2" → "A 3"/ })
})

t.test('one file a language', async t => {
  const files = {
    'i18next.config.js':
      "module.exports = { locales: ['en'], extract: { input: [], output: 'l/{{language}}.json', mergeNamespaces: true } }\n",
    'l/en.json': { common: {}, home: { h: 'H' } },
  }
  const { web, app } = await repository(t, en, files)
  await web.set('en/common/a', 'A 2')
  t.match(await app.run('pull'), { code: 0 })
  commit(app)
  git(app, 'switch -q old')
  t.match(await app.run('push --dry-run --json'), { code: 0, json: { changes: [{ key: 'h' }] } })
  git(app, 'switch -qc feature main')
  app.write('l/en.json', { common: { ...en, a: 'A 3' }, home: { h: 'H' } })
  t.match(await app.run('push --json'), { code: 0, json: { changes: [{ key: 'a' }, { key: 'h' }] } })
})

t.test('a history that is cut off', async t => {
  const { web, app } = await newer(t)
  const shallow = new Checkout(t, web.env)
  git(app, `clone -q --depth 1 --no-single-branch file://${app.folder} ${shallow.folder}`)
  shallow.write('.parlance/state.json', app.text('.parlance/state.json'))
  git(shallow, 'switch -q old')
  t.match(
    await shallow.run('push'),
    { code: 1, err: /the last commits of this branch do not have them/ },
    'nothing is guessed',
  )
  shallow.write(common, { ...en, a: 'A 2', b: 'B 2' })
  t.match(await shallow.run('push'), { code: 0, out: /b {2}"B" → "B 2"/ })
})

t.test('as before: without git, with untracked files, and with the state of an older CLI', async t => {
  const { app } = await newer(t)
  git(app, 'switch -q old')
  mkdirSync(join(app.folder, '.home'))
  const pushes = { code: 0, out: /a {2}"A 2" → "A"/ }
  t.match(await app.run('push --dry-run', { env: { PATH: join(app.folder, '.home') } }), pushes)
  const { on: _, ...state } = app.read('.parlance/state.json')
  app.write('.parlance/state.json', state)
  t.match(await app.run('push --dry-run'), pushes)

  const ignoring = await repository(t, en, { ...CONFIG, '.gitignore': 'locales\n' })
  await ignoring.web.set('en/common/a', 'A 2')
  t.match(await ignoring.app.run('pull'), { code: 0 })
  git(ignoring.app, 'switch -q old')
  ignoring.app.write(common, { ...en, a: 'A 3' })
  t.match(await ignoring.app.run('push'), { code: 0, out: /a {2}"A 2" → "A 3"/ })
})

t.test('a file of the branch has a left-out value that is no text', async t => {
  const web = await newProject(parlance, { 'en/common': en })
  const files = { ...CONFIG, 'parlance.config.json': { ignore: ['meta.*'] } }
  const app = new Checkout(t, web.env, { ...files, [common]: { meta: { v: 3 }, ...en } })
  git(app, 'init -q -b main')
  t.match(await app.run('pull'), { code: 0 })
  commit(app)
  git(app, 'branch old')
  await web.set('en/common/a', 'A 2')
  t.match(await app.run('pull'), { code: 0, out: /~ a/ })
  const { d: _, ...less } = app.read(common)
  app.write(common, less)
  t.match(await app.run('push --prune --yes'), { code: 0 })
  commit(app)
  git(app, 'switch -q old')
  t.match(await app.run('push --yes --json'), { code: 0, json: { changes: [] } }, 'nothing that is gone comes back')
  t.strictSame(await web.get('en/common'), { a: 'A 2', b: 'B', c: 'C', e: 'E' })
})
