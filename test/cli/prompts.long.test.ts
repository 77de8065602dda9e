/** What the commands ask, answered in a pseudo-terminal as a person would. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bundled } from '../bundled.ts'
import { type Parlance, startParlance } from './command.ts'
import { CTRL_C, DOWN, ENTER, ESCAPE, inTerminal, LEFT } from './pty.ts'

const program = bundled(join(import.meta.dirname, '../../src/cli/main.ts'))

t.test('what is asked in a terminal', async t => {
  const parlance = await startParlance(t)
  await t.test('login', t => login(t, parlance))
  await t.test('conflicts', t => conflicts(t, parlance))
  await t.test('a prune', t => prune(t, parlance))
})

async function login(t: Test, { server, tokens }: Parlance) {
  const home = t.testdir()
  const seen = inTerminal(t, program, ['login'], { cwd: home, env: { HOME: home } })
  await seen.until(/Which server\?/)
  seen.press(`localhost${ENTER}`)
  await seen.until(/must be the address of a server/)
  seen.press(`${'\u007f'.repeat(9)}${server.base}${ENTER}`)
  await seen.until(/token/)
  seen.press(`${tokens.write}${ENTER}`)
  await seen.until(/•{40,}\n/)
  await seen.until(/is valid, and stored in/)
  t.equal(await seen.ended, 0)
  t.notMatch(seen.text(), tokens.write, 'a secret is not printed')

  const other = join(home, 'other')
  mkdirSync(other)
  const left = inTerminal(t, program, ['login', '--url', server.base], {
    cwd: other,
    env: { HOME: other },
    columns: 40,
  })
  await left.until(/token/)
  left.press(CTRL_C)
  t.equal(await left.ended, 1)
  t.match(left.text(), /Cancelled\.\n$/)
  t.notOk(existsSync(join(other, '.config')), 'Ctrl-C keeps nothing')

  const edited = inTerminal(t, program, ['login'], { cwd: other, env: { HOME: other } })
  await edited.until(/Which server\?/)
  const { port } = new URL(server.base)
  // Ctrl-U, what is inserted before the cursor, and what is deleted behind it.
  edited.press(`x é你\u0015/127.0.0.1:${port}z${LEFT}\u001b[3~\u0001http:/${ENTER}`)
  await edited.until(/token/)
  edited.press('prl_')
  await edited.until(/••••/)
  edited.press(ESCAPE)
  t.equal(await edited.ended, 1)
  t.match(edited.text(), new RegExp(`Which server\\? http://127\\.0\\.0\\.1:${port}\\n`))
  t.match(edited.text(), /Cancelled\.\n$/)
}

/** An app with a project, and the ways to type there, to write its English file and to change a text on the server. */
async function anApp(t: Test, { server, acme, env }: Parlance, slug: string, texts: object) {
  const cwd = t.testdir({
    'parlance.config.json': JSON.stringify({ project: slug, output: 'locales/{{language}}/{{namespace}}.json' }),
    locales: { en: {} },
  })
  const file = join(cwd, 'locales/en/common.json')
  const project = await server.project(acme.key, slug)
  const app = {
    write: (texts: object) => writeFileSync(file, `${JSON.stringify(texts, null, 2)}\n`),
    read: () => JSON.parse(readFileSync(file, 'utf8')),
    type: (words: string, columns = 100) =>
      inTerminal(t, program, words.split(' '), { cwd, env: { ...env, HOME: cwd }, columns }),
    translate: (key: string, value: string) =>
      server.must('PUT', `${project}/bundles/en/common/${key}`, { key: acme.key, body: { value } }),
    stored: async () => (await server.get(`${project}/bundles/en/common`, acme.key)).json,
  }
  app.write(texts)
  t.equal(await app.type('push').ended, 0)
  return app
}

async function conflicts(t: Test, parlance: Parlance) {
  const app = await anApp(t, parlance, 'conflicts', { a: 'A', b: 'B', c: 'C' })
  const both = async (suffix: string) => {
    app.write({ a: `A here${suffix}`, b: `B here${suffix}`, c: `C here${suffix}` })
    for (const key of ['a', 'b', 'c']) await app.translate(key, `${key.toUpperCase()} there${suffix}`)
  }

  await both('')
  const seen = app.type('pull', 40)
  await seen.until(/common\.json:2:3: a\n {2}base {4}"A"\n {2}yours {3}"A here"\n {2}theirs {2}"A there"/)
  await seen.until(/Which a\?[\s\S]*all 3/)
  seen.press(ENTER)
  await seen.until(/Which b\?[\s\S]*all 2/)
  seen.press(`${DOWN}${ENTER}`)
  await seen.until(/Which c\?/)
  seen.press(CTRL_C)
  t.equal(await seen.ended, 1)
  t.strictSame(app.read(), { a: 'A here', b: 'B here', c: 'C here' }, 'Ctrl-C: no choice is half done')

  const again = app.type('pull')
  await again.until(/Which a\?[\s\S]*all 3/)
  again.press(ENTER)
  await again.until(/Which b\?[\s\S]*Theirs, for all 2/)
  again.press(`${DOWN.repeat(3)}${ENTER}`)
  t.equal(await again.ended, 0)
  t.strictSame(app.read(), { a: 'A here', b: 'B there', c: 'C there' })
}

async function prune(t: Test, parlance: Parlance) {
  const all = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`key${at}`, `Text ${at}`]))
  const app = await anApp(t, parlance, 'pruned', all)
  const { key0: _, ...less } = all
  app.write(less)
  const seen = app.type('push --prune', 40)
  await seen.until(/- key0/)
  await seen.until(/Delete 1 key on the server\?/)
  seen.press(ENTER)
  t.equal(await seen.ended, 1, 'Enter alone deletes nothing')
  t.match(seen.text(), 'Nothing was pushed')
  t.strictSame(await app.stored(), all)

  const again = app.type('push --prune')
  await again.until(/Delete 1 key on the server\?/)
  again.press('y')
  const [, revision] = /parlance undo ([0-9a-f]{40})/.exec(await again.until(/parlance undo [0-9a-f]{40}/))!
  t.equal(await again.ended, 0)
  t.strictSame(await app.stored(), less)

  const undo = app.type(`undo ${revision}`)
  await undo.until(/\?/)
  undo.press('y')
  t.equal(await undo.ended, 0)
  t.strictSame(await app.stored(), all)
}
