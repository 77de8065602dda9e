/** `parlance init` as a person answers it, by the one bundled file, with a config in TypeScript. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bundled } from '../../bundled.ts'
import { newFolder } from '../../new-folder.ts'
import { startParlance } from '../command.ts'
import { ENTER, inTerminal } from '../pty.ts'

const program = bundled(join(import.meta.dirname, '../../../src/cli/main.ts'))

t.test('questions, the plan of the first push, and an app that pulls afterwards', async t => {
  const { server, tokens, env } = await startParlance(t)
  const cwd = newFolder(t, {
    'package.json': '{"name": "@acme/shop"}',
    'i18next.config.ts': `import { defineConfig } from 'i18next-cli'
enum Language { En = 'en', De = 'de' }
export default defineConfig({ locales: [Language.En, Language.De], extract: { input: 'src', output: 'locales/{{language}}/{{namespace}}.json' } })`,
    locales: {
      en: { 'common.json': '{\n  "hello": "Hello"\n}\n' },
      de: { 'common.json': '{\n  "hello": "Hallo"\n}\n' },
    },
  })
  const seen = inTerminal(t, program, ['init'], { cwd, env: { ...env, HOME: cwd } })
  await seen.until(/Which project of the server is this\?/)
  await seen.until(/shop/)
  seen.press(ENTER)
  await seen.until(/Found i18next\.config\.ts: 2 bundles of en \(the source\), de\./)
  await seen.until(/Go on\?/)
  seen.press('y')
  await seen.until(/hello/)
  await seen.until(/Push this now\?/)
  seen.press('y')
  await seen.until(/Created shop\.\s+Pushed: 2 added/)
  t.equal(await seen.ended, 0)
  t.notMatch(seen.text(), /Warning/)
  t.match(JSON.parse(readFileSync(join(cwd, 'parlance.config.json'), 'utf8')), { project: 'shop', url: server.base })
  const bundle = (await server.get('/api/projects/shop/bundles/de/common', tokens.write)).json
  t.same(bundle, { hello: 'Hallo' })

  const declined = inTerminal(t, program, ['init', '--project', 'other'], { cwd, env: { ...env, HOME: cwd } })
  await declined.until(/Go on\?/)
  declined.press('n')
  await declined.until(/Nothing was done\./)
  t.equal(await declined.ended, 1)
})
