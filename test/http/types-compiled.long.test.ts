/** Real code, and 10,000 keys, compiled against the types of a project by TypeScript 5.9 and 7. */
import { basename } from 'node:path'
import t from 'tap'
import { startServer } from './server.ts'
import { appFolder, compile, compileApps, type I18NEXT, TYPESCRIPT } from './typed-apps.ts'

t.test('accepts and refuses the same lines in TypeScript 5.9 with the oldest and the newest i18next', async t => {
  await compileApps(t, '5.9', ['25', '27'])
})

t.test('accepts and refuses the same lines in TypeScript 7 with every i18next', async t => {
  await compileApps(t, '7')
})

t.test('compiles 10,000 keys in seconds', async t => {
  const server = await startServer(t)
  const { key } = await server.organization('Ann')
  await server.project(key, 'large')
  const body: Record<string, Record<string, string>> = {}
  for (let n = 0; n < 10_000; n++) (body[`section${n % 200}`] ??= {})[`key${n}`] = `Text ${n} of {{name}}`
  await server.must('PUT', '/api/projects/large/bundles/en/common', { key, body })
  const types = await server.must('GET', '/api/projects/large/types.d.ts', { key })
  const byName = appFolder(t, 'large', {
    'i18next.d.ts': types.text,
    'app.ts': `
import { t } from 'i18next'
t('section1.key1', { name: 'Ann' })
// @ts-expect-error a key of another section
t('section1.key2', { name: 'Ann' })
`,
  })
  const bySelector = appFolder(t, 'selector', {
    'i18next.d.ts': types.text,
    'own.d.ts': `import 'i18next'\ndeclare module 'i18next' { interface CustomTypeOptions { enableSelector: 'optimize' } }\n`,
    'app.ts': `
import { t } from 'i18next'
export const text: string = t($ => $.section1.key1, { name: 'Ann' })
// @ts-expect-error a key of another section
t($ => $.section1.key2, { name: 'Ann' })
`,
  })
  const small = appFolder(t, 'small', { 'app.ts': `import { t } from 'i18next'\nexport const text: string = t('x')\n` })
  for (const version of Object.keys(TYPESCRIPT) as (keyof typeof TYPESCRIPT)[]) {
    const { seconds: alone } = await compile(small, '27', version)
    const compiled = async (folder: string, i18next: keyof typeof I18NEXT) => {
      const { seconds, said } = await compile(folder, i18next, version)
      t.equal(
        said,
        '',
        `${basename(folder)}, i18next ${i18next}, TypeScript ${version}: ${seconds} s of processor time`,
      )
      return seconds
    }
    const named = await compiled(byName, '27')
    t.comment(`TypeScript ${version}: ${named} s of processor time, ${alone} s without keys`)
    // The types of i18next check each key for each call of another shape.
    t.ok(named < alone * 20, `${named} s, ${alone} s without keys`)
    for (const i18next of ['26', '27'] as const) {
      const selected = await compiled(bySelector, i18next)
      t.comment(`with selectors that are optimized, i18next ${i18next}: ${selected} s`)
      t.ok(selected < named * 0.8, `${selected} s by selectors, ${named} s by names`)
    }
  }
})
