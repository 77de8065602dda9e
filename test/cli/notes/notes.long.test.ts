/** Notes from the code of a small app, by the real i18next-cli. `npm run test:long` installs it first. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Checkout, newProject } from '../checkout.ts'
import { type Parlance, startParlance } from '../command.ts'
import { NOTES_APP } from './notes-app.ts'

const tools = join(import.meta.dirname, '../../../node_modules/.cache/i18next-cli/node_modules')
const skip = !existsSync(join(tools, 'i18next-cli')) && '`npm run test:long` installs i18next-cli first'

/** What the code of the app says. */
const NOTES = {
  cart: {
    close: { note: 'Closes the cart', refs: ['src/Cart.tsx:6'], from: 'code' },
    'page.heading': { note: 'Heading above the products', refs: ['src/Cart.tsx:18'], from: 'code' },
    'page.items': { note: 'How many products there are', refs: ['src/Cart.tsx:15', 'src/menu.ts:6'], from: 'code' },
    'page.later': { refs: ['src/Cart.tsx:13'] },
    'page.pay': {
      note: 'Label of the button that pays, at most two words.',
      refs: ['src/Cart.tsx:13'],
      from: 'code',
    },
    'page.shipped': { note: 'How it is sent', refs: ['src/Cart.tsx:29'], from: 'code' },
    'page.shipped_card': { note: 'How it is sent', refs: ['src/Cart.tsx:29'], from: 'code' },
    'page.shipped_gift': { note: 'How it is sent', refs: ['src/Cart.tsx:29'], from: 'code' },
    'page.terms': { note: '<1> is a link to the terms.', refs: ['src/Cart.tsx:21'], from: 'code' },
    'page.title': { refs: ['src/Cart.tsx:8'] },
  },
  common: {
    close: { refs: ['src/menu.ts:5'] },
    'menu.home': { note: 'The first page\nA key of the menu', refs: ['src/menu.ts:10'], from: 'code' },
  },
  admin: { menu: { note: '☰ The menu of administrators', refs: ['src/menu.ts:5'], from: 'code' } },
}

t.test('notes from the code, by i18next-cli', { skip }, async t => {
  const parlance = await startParlance(t)
  const { app, web } = await appOf(t, parlance)
  const cart = app.text('src/Cart.tsx')
  const must = async (words: string) => {
    const ended = await app.run(words)
    t.equal(ended.code, 0, ended.err)
    return ended
  }

  await t.test('pushes what the code says, with the texts in one commit', async t => {
    const { out } = await must('push')
    t.match(out, /Notes from the code: 10 keys\n {2}\+ admin:menu {2}"☰ The menu of administrators"\n/)
    t.match(out, /^Pushed: 13 added; notes of 10 keys; places in the code of 3 keys\.$/m)
    t.strictSame(await notesOf(parlance, web.path), NOTES)
  })

  await t.test('creates no commit a second time, nor when only lines move', async t => {
    const before = await web.commits()
    t.match((await must('push')).out, /^Nothing to push\.\n/)
    app.write('src/Cart.tsx', `\n\n${cart}`)
    t.match((await must('push')).out, /^Nothing to push\.\n/)
    t.strictSame(await web.commits(), before)
  })

  await t.test('sends moved lines with the next change', async t => {
    app.write('src/Cart.tsx', `\n\n${cart.replace('How it is sent', 'Sent how')}`)
    t.match((await must('push')).out, /^Pushed: notes of 3 keys\.$/m)
    t.match(await notesOf(parlance, web.path), {
      cart: { 'page.title': { refs: ['src/Cart.tsx:10'] }, 'page.shipped': { note: 'Sent how' } },
    })
  })

  await t.test('never replaces the note of a person', async t => {
    const [key, body] = [parlance.acme.key, { note: 'Ask Ann', max: 10 }]
    await parlance.server.must('PUT', `${web.path}/notes/cart/page.pay`, { key, body })
    t.match((await must('push')).out, /^Nothing to push\.\n/)
    app.write('src/Cart.tsx', cart.replace('// translators: Label', '// Label'))
    const { out } = await must('push')
    t.notMatch(out, /page\.pay/)
    t.match(await notesOf(parlance, web.path), { cart: { 'page.pay': { note: 'Ask Ann', max: 10, from: 'person' } } })
  })

  await t.test('removes a note that left the code', async t => {
    app.write('src/menu.ts', app.text('src/menu.ts').replace('// translators: ☰', '// ☰'))
    t.match((await must('push')).out, /- admin:menu {2}"☰ The menu of administrators"/)
    t.strictSame((await notesOf(parlance, web.path)).admin, { menu: { refs: ['src/menu.ts:5'] } })
  })

  await t.test('names a file that cannot be read, and leaves its notes', async t => {
    const before = await notesOf(parlance, web.path)
    app.write('src/Cart.tsx', `${cart}\nconst broken = (`)
    app.write('locales/en/admin.json', { menu: 'The menu' })
    const { err, out } = await must('push')
    t.match(err, /^src\/Cart\.tsx cannot be read, and its notes stay as they are: .+\n$/)
    t.match(out, /^Pushed: 1 updated\.$/m)
    t.strictSame(await notesOf(parlance, web.path), before)
  })

  await t.test('other separators, and one file for each language', async t => {
    const { app, web } = await appOf(t, parlance, {
      'i18next.config.ts': `export default { locales: ['en'], extract: { input: ['src/*.ts'], defaultNS: false,
        keySeparator: '/', nsSeparator: false, output: 'locales/{{language}}.json' } }`,
      'src/a.ts': "t('nav/home', { tDescription: 'First page' }); t('a:b. c', 'A', 'A sentence')",
      'locales/en.json': { nav: { home: 'Home' }, 'a:b. c': 'A' },
    })
    const { code, err } = await app.run('push')
    t.equal(code, 0, err)
    const { json } = await parlance.server.get(`${web.path}/notes/translation`, parlance.acme.key)
    t.match(json.notes, { 'nav.home': { note: 'First page' }, 'a:b. c': { note: 'A sentence' } })
  })

  await t.test('a second separator of namespaces is one of keys, as in i18next', async t => {
    const { app, web } = await appOf(t, parlance, {
      ...NOTES_APP,
      'src/menu.ts': "t('cart:page:title', { tDescription: 'A heading' })",
    })
    const { code, err } = await app.run('push')
    t.equal(code, 0, err)
    t.match(await notesOf(parlance, web.path), {
      cart: { 'page.title': { note: 'A heading', refs: ['src/Cart.tsx:8', 'src/menu.ts:1'] } },
    })
  })

  await t.test('the plugin by itself writes the notes to a file', async t => {
    const { app } = await appOf(t, parlance, {
      ...NOTES_APP,
      'i18next.config.mjs': `import { parlanceNotes } from '${join(import.meta.dirname, '../../../src/cli/notes/i18next-cli-plugin.ts')}'
export default { locales: ['en'], extract: { input: ['src/menu.ts'], output: 'out/{{language}}/{{namespace}}.json' },
  plugins: [parlanceNotes({ marks: ['the first'], output: 'notes.json' })] }`,
    })
    const cli = join(tools, 'i18next-cli/dist/esm/cli.js')
    execFileSync(process.execPath, [cli, 'extract', '-c', 'i18next.config.mjs'], { cwd: app.folder, stdio: 'pipe' })
    t.match(JSON.parse(readFileSync(join(app.folder, 'notes.json'), 'utf8')), {
      admin: { menu: { refs: ['src/menu.ts:5'], note: undefined } },
      translation: { 'menu.home': { note: 'The first page' } },
    })
  })
})

async function appOf(t: Test, parlance: Parlance, files: Record<string, unknown> = NOTES_APP) {
  const web = await newProject(parlance)
  const app = new Checkout(t, web.env, files)
  symlinkSync(tools, join(app.folder, 'node_modules'))
  return { web, app }
}

async function notesOf({ server, acme }: Parlance, path: string) {
  const read = async (namespace: string) => (await server.get(`${path}/notes/${namespace}`, acme.key)).json.notes
  return { cart: await read('cart'), common: await read('common'), admin: await read('admin') }
}
