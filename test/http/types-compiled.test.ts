/** Real code compiled against the types of a project by TypeScript 7; types-compiled.long.test.ts does more. */
import t from 'tap'
import { compileApps } from './typed-apps.ts'

t.test('compiles valid lines of an app and refuses invalid ones with the newest i18next', async t => {
  await compileApps(t, '7', ['27'])
})
