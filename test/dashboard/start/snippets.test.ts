/** The lines to copy; `test/browser/first-run.test.ts` runs them. */
import t from 'tap'
import { commandLine, curl, gitClone, i18next, NO_TOKEN } from '../../../src/dashboard/start/snippets.ts'

const used = {
  base: 'https://host.example.com/parlance',
  project: 'web',
  source: 'en',
  language: 'de',
  namespace: 'common',
  key: 'it\'s "quoted"',
  token: NO_TOKEN,
}

t.test('each line has the address of the server with its path, and the place of the token', async t => {
  for (const [name, lines] of Object.entries({ curl, i18next, commandLine, gitClone })) {
    t.match(lines(used), used.base, `${name}: the server`)
    t.match(lines(used), NO_TOKEN, `${name}: the token`)
  }
  t.match(i18next(used), String.raw`i18next.t("it's \"quoted\"")`, 'a key is a literal of JavaScript')
  const { key: _, ...without } = used
  t.notMatch(i18next(without), 'console.log', 'without a key no text is shown')
})
