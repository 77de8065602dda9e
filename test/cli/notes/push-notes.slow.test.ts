/** `parlance push` without a usable i18next-cli, and with one that is replaced. */
import t, { type Test } from 'tap'
import { Checkout, newProject } from '../checkout.ts'
import { type Parlance, startParlance } from '../command.ts'
import { NOTES_APP } from './notes-app.ts'

/** An i18next-cli with this code. */
const toolOf = (code: string) => ({
  'node_modules/i18next-cli/package.json': '{ "name": "i18next-cli", "type": "module", "exports": "./index.js" }',
  'node_modules/i18next-cli/index.js': code,
})

/** Reports one use of `close` for each note in `said.json`. Node loads it once for all apps. */
const KEYS = `import { readFileSync } from 'node:fs'
export async function findKeys({ plugins }) {
  const [plugin] = plugins
  plugin.setup()
  for (const note of JSON.parse(readFileSync('said.json'))) {
    plugin.onLoad('t()', 'src/a.ts')
    const span = { start: 0, end: 3 }
    const options = { type: 'ObjectExpression', span, properties: [
      { key: { value: 'tDescription' }, value: { type: 'StringLiteral', value: note } },
    ] }
    const key = { expression: { type: 'StringLiteral', span, value: 'close' } }
    plugin.onVisitNode({ type: 'CallExpression', span, arguments: [key, { expression: options }] })
    plugin.onKeySubmitted({ key: 'close', ns: 'common', locations: [] })
    plugin.onKeySubmitted({ key: 'none', ns: 'common', locations: [] })
  }
  plugin.onEnd()
  return { allKeys: new Map([['common:close', {}]]) }
}`

/** An app with these notes in its code. */
const saying = (...notes: string[]) => ({ ...toolOf(KEYS), 'said.json': notes })

t.test('notes from the code, without the real i18next-cli', async t => {
  const parlance = await startParlance(t)
  const pushed = async (t: Test, files: Record<string, unknown>, words = 'push') => {
    const { app, web } = await appOf(t, parlance, files)
    const result = await app.run(words)
    t.equal(result.code, 0, result.err)
    t.match(await web.get('en/common'), { close: 'Close' }, 'the texts are pushed')
    return { app, web, ...result, notes: await notesOf(parlance, web.path) }
  }

  await t.test('says that i18next-cli is missing where package.json names it', async t => {
    const { err, notes } = await pushed(t, {})
    t.equal(err, 'No notes from the code: i18next-cli is not installed here; install it, or give --no-notes.\n')
    t.strictSame(notes, {})
  })

  await t.test('says nothing where nothing asks for notes', async t => {
    t.equal((await pushed(t, { 'package.json': '{}' })).err, '')
    const config = "export default { locales: ['en', 'de'], extract: { defaultNS: 'common' } }"
    t.equal((await pushed(t, { 'i18next.config.ts': config })).err, '')
    const { requests, err } = await pushed(t, saying('A verb'), 'push --no-notes')
    t.equal(err, '')
    t.notOk(requests.some(one => one.includes('/notes/')))
  })

  await t.test('goes on with texts when i18next-cli fails or is too old', async t => {
    const failing = await pushed(t, toolOf("export async function findKeys() { throw new Error('No such glob\\nat') }"))
    t.equal(failing.err, 'No notes from the code: i18next-cli failed: No such glob\n')
    const old = await pushed(t, toolOf('export const findKeys = async () => ({ allKeys: new Map([[1, 2]]) })'))
    t.equal(old.err, 'No notes from the code: this needs i18next-cli 1.48 or newer.\n')
  })

  await t.test('joins different notes of a key, and leaves out keys without a text', async t => {
    const { notes } = await pushed(t, saying('A verb', 'A verb', 'On a button'))
    t.strictSame(notes, { close: { note: 'A verb\nOn a button', refs: ['src/a.ts:1'], from: 'code' } })
  })

  await t.test('cuts a note that is longer than the server accepts', async t => {
    const { notes } = await pushed(t, saying('ü'.repeat(3000)))
    t.match(notes, { close: { note: /^ü{2044} …$/ } })
  })

  await t.test('prints the changes of a dry run, and sends nothing', async t => {
    const { app, web } = await pushed(t, saying('A verb'))
    const before = await web.commits()
    app.write('said.json', ['A noun'])
    const { out } = await app.run('push --dry-run --json')
    const changes = [{ namespace: 'common', key: 'close', before: 'A verb', after: 'A noun', refs: ['src/a.ts:1'] }]
    t.match(JSON.parse(out), { revision: null, changes: [], notes: changes })
    t.strictSame(await web.commits(), before)
  })

  await t.test('sends notes apart from texts that are too large together', async t => {
    const { app, web } = await appOf(t, parlance, saying('A verb'))
    let isFirst = true
    const { code, out } = await app.run('push', {
      send: async (url, what) => {
        const { request } = await import('../../../src/cli/api/request.ts')
        const isWhole = what.method === 'POST' && !url.search.includes('dryRun=true') && isFirst
        if (!isWhole) return request(url, what)
        isFirst = false
        return request(new URL('/api/projects/none/push', url), { ...what, body: ' '.repeat(2 ** 26 + 1) })
      },
    })
    t.equal(code, 0)
    t.equal(out.match(/parlance undo/g)?.length, 2, 'two commits')
    t.match(await notesOf(parlance, web.path), { close: { note: 'A verb' } })
  })
})

async function appOf(t: Test, parlance: Parlance, files: Record<string, unknown>) {
  const web = await newProject(parlance)
  return { web, app: new Checkout(t, web.env, { ...NOTES_APP, ...files }) }
}

const notesOf = async ({ server, acme }: Parlance, path: string) =>
  (await server.get(`${path}/notes/common`, acme.key)).json.notes
