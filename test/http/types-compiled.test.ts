/** Real code compiled against the types of a project by TypeScript 7; types-compiled.long.test.ts has every combination. */
import t from 'tap'
import { startServer } from './server.ts'
import { APPS, compile, I18NEXT, typedApp } from './typed-apps.ts'

t.test('what an app may write compiles, and what it may not does not', async t => {
  t.testdir()
  const server = await startServer(t)
  const acme = await server.organization('Ann')
  for (const name of Object.keys(APPS)) {
    const folder = await typedApp(t, server, acme, name)
    const versions = name === 'nested' ? (Object.keys(I18NEXT) as (keyof typeof I18NEXT)[]) : (['27'] as const)
    for (const version of versions) {
      t.equal((await compile(folder, version, '7')).said, '', `${name}, i18next ${version}`)
    }
  }
})
