/** Real code compiled against the types of a project by TypeScript 7; types-compiled.long.test.ts does it by 5.9. */
import t from 'tap'
import { compileApps } from './typed-apps.ts'

t.test('compiles valid lines of an app and refuses invalid ones with every i18next', async t => {
  await compileApps(t, '7')
})
