/** Files that an app had and deletes or renames, and empty texts of its source language. */
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Checkout, newProject, pulledTo } from '../checkout.ts'
import { startParlance } from '../command.ts'

const parlance = await startParlance(t)
const OUTPUT = 'locales/{{language}}/{{namespace}}.json'
const BUNDLES = {
  'en/common': { a: 'x', b: 'y' },
  'en/old': { c: 'z' },
  'de/common': { a: 'X', b: 'Y' },
  'de/old': { c: 'Z' },
}
const remove = (app: Checkout, path: string) => rmSync(join(app.folder, path))

/** None where the server no longer has the language. */
const textsIn = (answer: object) => Object.keys(answer).filter(key => key !== 'error')

async function start(
  t: import('tap').Test,
  config: object = { output: OUTPUT },
  bundles: Record<string, object> = BUNDLES,
) {
  const web = await newProject(parlance, bundles)
  const app = await pulledTo(t, web.env, {
    'parlance.config.json': { project: web.slug, sourceLanguage: 'en', languages: ['en', 'de'], ...config },
  })
  return { web, app }
}

/** How a file goes, and which bundles go with it. */
const ways: Record<
  string,
  { config?: object; bundles?: Record<string, object>; go(app: Checkout): void; gone: string[] }
> = {
  'one file is deleted': { go: app => remove(app, 'locales/de/old.json'), gone: ['de/old'] },
  'a namespace is deleted': {
    go: app => {
      for (const at of ['en', 'de']) remove(app, `locales/${at}/old.json`)
    },
    gone: ['de/old', 'en/old'],
  },
  'a namespace is renamed': {
    go: app => {
      for (const at of ['en', 'de'])
        renameSync(join(app.folder, `locales/${at}/old.json`), join(app.folder, `locales/${at}/new.json`))
    },
    gone: ['de/old', 'en/old'],
  },
  'a language that is one file is deleted': {
    config: { output: 'l/{{language}}.json' },
    bundles: { 'en/translation': { a: 'x', b: 'y', c: 'z', d: 'v', e: 'w' }, 'de/translation': { a: 'X' } },
    go: app => remove(app, 'l/de.json'),
    gone: ['de/translation'],
  },
  'a namespace of a merged file is deleted': {
    config: { output: 'l/{{language}}.json', mergeNamespaces: true },
    go: app => app.write('l/de.json', { common: { a: 'X', b: 'Y' } }),
    gone: ['de/old'],
  },
}

for (const [name, { config, bundles, go, gone }] of Object.entries(ways)) {
  t.test(name, async t => {
    const { web, app } = await start(t, config, bundles)
    go(app)
    const before = app.look()
    // After a change on the server a pull compares all files.
    await web.set(`${gone[0]!.includes('translation') ? 'en/translation' : 'en/common'}/later`, 'l')
    const pulled = await app.run('pull')
    t.match(pulled, { code: 0 }, pulled.err)
    for (const one of gone) t.match(pulled.out, `(${one})`, 'the pull names it')
    t.match(pulled.out, new RegExp(`still on the server: ${gone.length} file`))
    const isBack = Object.keys(app.look()).filter(path => !(path in before))
    t.same(isBack, [], 'and brings nothing back')
    const pushed = await app.run('push --json')
    t.equal(pushed.json.deletedFiles.length, gone.length, 'a push names it')
    for (const one of gone) t.not(Object.keys(await web.get(one)).length, 0, 'and deletes nothing')
    t.match(await app.run('push --prune'), { err: /--yes/ }, 'a prune asks')
    t.match(await app.run('push --prune --yes'), { code: 0, out: /\d removed/ })
    for (const one of gone) t.same(textsIn(await web.get(one)), [], 'then it is gone')
    for (const words of ['pull', 'push']) {
      const done = await app.run(words)
      t.notMatch(done.out, 'Deleted here', `${words} reports nothing more`)
      t.equal(done.code, 0)
    }
  })
}

t.test('what was changed there comes back, the rest on request', async t => {
  const { web, app } = await start(t)
  remove(app, 'locales/de/common.json')
  await web.set('de/common/b', 'NEW')
  t.match(await app.run('pull'), { code: 0, out: /still on the server: 1 file/ })
  t.same(app.read('locales/de/common.json'), { b: 'NEW' }, 'no text of a translator is lost')
  remove(app, 'locales/de/old.json')
  t.match(await app.run('pull --missing-only'), { code: 0 })
  t.same(app.read('locales/de/old.json'), { c: 'Z' })
})

t.test('a folder that lost all its files is a new one', async t => {
  const { app } = await start(t)
  rmSync(join(app.folder, 'locales'), { recursive: true })
  t.match(await app.run('push --prune --yes'), { code: 0, out: /Nothing to push/ })
  t.match(await app.run('pull'), { code: 0, out: /4 files written/ })
})

t.test('a file that another branch lacks is no deletion', async t => {
  const web = await newProject(parlance, BUNDLES)
  const app = new Checkout(t, web.env, {
    'parlance.config.json': { project: web.slug, sourceLanguage: 'en', languages: ['en', 'de'], output: OUTPUT },
  })
  const git = (words: string) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words.split(' ')], {
      cwd: app.folder,
    })
  git('init -q -b main')
  t.match(await app.run('pull'), { code: 0 })
  for (const words of ['add parlance.config.json locales/en locales/de/common.json', 'commit -qm one']) git(words)
  for (const words of ['branch other', 'add locales', 'commit -qm two', 'switch -q other']) git(words)
  const done = await app.run('push --prune --yes')
  t.match(done, { code: 0 }, done.err)
  t.same(await web.get('de/old'), { c: 'Z' })
  t.match(await app.run('pull'), { code: 0 })
  t.same(app.read('locales/de/old.json'), { c: 'Z' }, 'a pull brings it to this branch')
})

t.test('an empty text of the source language is a key', async t => {
  const { web, app } = await start(t)
  app.write('locales/en/common.json', { a: 'x', b: 'y', fresh: '', items_one: '', items_other: '', deep: { er: '' } })
  app.write('locales/de/common.json', { a: 'X', b: 'Y', fresh: '', items_one: '', items_other: '' })
  const pushed = await app.run('push --json')
  t.same(
    pushed.json.changes.map(({ language, key }: { language: string; key: string }) => `${language} ${key}`).sort(),
    ['en deep.er', 'en fresh', 'en items'],
    'in other languages it says nothing',
  )
  t.same((await web.get('en/common')).fresh, '')
  const status = (await app.run('status --json')).json
  const german = status.languages.find(({ language }: { language: string }) => language === 'de')
  t.match(german, { keys: 6, missing: 3 }, 'translators see it')
  for (const words of ['push --json', 'pull --check --json']) {
    const again = (await app.run(words)).json
    t.same(again.changes, [], `${words}: nothing is left`)
  }
  await web.set('en/common/fresh', 'Fresh')
  t.match(await app.run('pull'), { code: 0 })
  t.equal(app.read('locales/en/common.json').fresh, 'Fresh', 'a text of the server fills it')
  app.write('locales/en/common.json', { ...app.read('locales/en/common.json'), a: '' })
  await app.run('push')
  t.equal((await web.get('en/common')).a, 'x', 'it clears none')
  await web.drop('en/common/deep.er')
  t.same((await app.run('push --json')).json.changes, [], 'what was deleted there is not sent again')
})
