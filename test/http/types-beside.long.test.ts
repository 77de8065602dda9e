/** Types of Parlance beside those of i18next-cli, compiled together as docs/types.md shows. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServer } from './server.ts'
import { appFolder, compile, I18NEXT } from './typed-apps.ts'

// Real compilers beside each other.
t.setTimeout(0)

const tools = join(import.meta.dirname, '../../node_modules/.cache/i18next-cli/node_modules')
const skip = !existsSync(join(tools, 'i18next-cli')) && '`npm run test:long` installs i18next-cli first'

/** The rest of i18next-cli's `i18next.d.ts` that docs/types.md recommends. */
const LEFT = `import 'i18next'

declare module 'i18next' {
  interface CustomTypeOptions {
    enableSelector: false
  }
}
`

t.test('compiles when only one of both files declares the resources', { skip }, async t => {
  t.ok(readFileSync(join(import.meta.dirname, '../../docs/types.md'), 'utf8').includes(LEFT), 'as the guide shows it')
  const server = await startServer(t)
  const { key } = await server.organization('Ann')
  await server.project(key, 'web')
  await server.must('PUT', '/api/projects/web/bundles/en/common', { key, body: { title: 'Hello' } })
  const { text } = await server.must('GET', '/api/projects/web/types.d.ts?defaultNS=common', { key })
  const app = appFolder(t, 'app', {
    'parlance.d.ts': text,
    'app.ts': `import { t } from 'i18next'
export const title: string = t('title')
// @ts-expect-error no such key
t('tittle')
`,
    'common.json': '{"title":"Hello"}',
    'i18next.config.mjs': `export default {
  locales: ['en'],
  extract: { input: ['app.ts'], output: '{{namespace}}.json' },
  types: { input: ['common.json'], output: 'types/i18next.d.ts' },
}
`,
  })
  const generate = () =>
    execFileSync(process.execPath, [join(tools, 'i18next-cli/dist/esm/cli.js'), 'types', '--quiet'], {
      cwd: app,
      env: { PATH: process.env.PATH, HOME: app, CI: '1' },
      stdio: 'pipe',
    })
  const theirs = join(app, 'types/i18next.d.ts')
  generate()
  const { said } = await compile(app, '27', '5.9')
  t.match(said, /TS2717/, 'both files unchanged conflict')

  writeFileSync(theirs, LEFT)
  generate()
  t.equal(readFileSync(theirs, 'utf8'), LEFT, 'i18next-cli leaves the file as it is')
  for (const version of Object.keys(I18NEXT) as (keyof typeof I18NEXT)[]) {
    t.equal((await compile(app, version, '5.9')).said, '', `with i18next ${version}`)
  }
})
