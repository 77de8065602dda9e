/** The lines to copy; `test/browser/first-run.test.ts` runs them. */
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { commandLine, curl, gitClone, i18next, NO_TOKEN, shellWord } from '../../../src/dashboard/project/snippets.ts'

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
  t.match(i18next(used), String.raw`i18next.t('it\'s "quoted"')`, 'a key is a literal of JavaScript')
  const { key: _, ...without } = used
  t.notMatch(i18next(without), 'console.log', 'without a key no text is shown')
})

t.test('no shell expands an address', async t => {
  const addresses = [
    'http://127.0.0.1:3000/api/projects/web/export?format=json',
    'http://[::1]:3000/parlance/cli',
    "http://host/it's&more",
    'https://host.example.com/~ann/%20/cli',
  ]
  for (const address of addresses) {
    // As zsh does by itself, bash refuses a pattern that no file fits.
    const told = execFileSync('bash', ['-O', 'failglob', '-c', `printf %s ${shellWord(address)}`], { encoding: 'utf8' })
    t.equal(told, address)
  }
  t.equal(shellWord(used.base), used.base, 'what needs no quotes has none')
  const here = { ...used, base: 'http://[::1]:3000' }
  for (const [name, lines] of Object.entries({ curl, commandLine, gitClone })) {
    t.match(lines(here), "'http://[::1]:3000", `${name}: quoted`)
  }
})

t.test('the lines of i18next are complete, in one style of quotes', async t => {
  const values = { name: 'Ann', 'user.mail': 'ann@example.com', count: 3, day: new Date(0), all: ['a', "b's"] }
  const interpolation = { prefix: '<%', suffix: '%>' }
  const lines = i18next({ ...used, key: 'greeting', values, isFlat: true, interpolation })
  t.match(lines, /^\/\/ npm install i18next i18next-http-backend\n/, 'the packages to install')
  t.match(
    lines,
    "keySeparator: false,\n  interpolation: { prefix: '<%', suffix: '%>' },\n",
    'the options of the project',
  )
  t.match(lines, 'bundles/{{lng}}/{{ns}}', 'the address, by the syntax of the backend')
  const given =
    "{ name: 'Ann', user: { mail: 'ann@example.com' }, count: 3, day: new Date('1970-01-01T00:00:00.000Z'), all: ['a', 'b\\'s'] }"
  t.match(lines, `console.log(i18next.t('greeting', ${given}))`, 'the variables of the text')
  t.notMatch(lines, '"')
  t.notMatch(i18next(used), /keySeparator|interpolation:/, 'nothing that i18next does by default')
})
