/** From an empty server to the first translated key, by keyboard alone; each line of the dashboard to copy works. */
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { createInstance } from 'i18next'
import HttpBackend, { type HttpBackendOptions } from 'i18next-http-backend'
import type { Page } from 'playwright-core'
import t from 'tap'
import { gitClone } from '../../src/dashboard/project/snippets.ts'
import { ENTER, inTerminal } from '../cli/pty.ts'
import { axe } from './axe.ts'
import { noBrowser, openPage, startBuilt } from './browser.ts'
import { poll } from './poll.ts'

const run = promisify(execFile)

t.test('the first run', { skip: noBrowser }, async t => {
  const server = await startBuilt(t, { SIGN_UP: 'invite' })
  const page = await openPage(t, server)
  const { keyboard } = page
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  /** Types into the fields in their order and submits the form. The first field has the focus. */
  const fill = async (...texts: string[]) => {
    for (const [at, text] of texts.entries()) {
      if (at > 0) await keyboard.press('Tab')
      await keyboard.type(text)
    }
    await keyboard.press('Enter')
  }

  await heading('Welcome to Parlance')
  await axe(t, page, 'the first account')
  await keyboard.press('Enter')
  await page.getByText('Give a name.').waitFor()
  await fill('Ann', 'ann@example.com', 'correct horse battery')
  await heading('Name your organization')
  await axe(t, page, 'the first organization')
  await fill('Acme')
  await heading('Create your first project')
  await page.getByLabel('Name', { exact: true }).waitFor()
  await fill('Web shop')
  await heading('Which language comes first?')
  // The field accepts a name in any language, a tag or a code. Enter chooses the first match.
  await keyboard.type('deu')
  await page.getByRole('option', { name: /^German/ }).waitFor()
  await keyboard.press('Enter')
  await poll(t).equal(() => page.getByRole('combobox', { name: 'Language' }).inputValue(), 'de')
  await keyboard.press('Enter')
  await heading('Your first text')
  await page.getByLabel('English (en)').waitFor()
  await keyboard.type('Hello, world!')
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await heading('Its first translation')
  await page.goBack()
  await heading('Your first text')
  await page.goBack()
  await heading('Which language comes first?')
  await page.goForward()
  await heading('Your first text')
  await page.goForward()
  await heading('Its first translation')
  await page.getByText('Hello, world!').waitFor()
  await keyboard.type('Hallo, Welt!')
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await heading('Ready for your app')

  await press(page, 'Create a token that reads')
  const curl = await snippet(page, 'curl')
  const { stdout } = await run('sh', ['-c', `${curl} -fsS`])
  t.strictSame(JSON.parse(stdout), { greeting: 'Hallo, Welt!' }, 'curl gets the translation')

  const lines = await snippet(page, 'i18next')
  const loadPath = /loadPath: '([^']+)'/.exec(lines)![1]!
  const key = /'x-api-key': '([^']+)'/.exec(lines)![1]!
  const i18next = createInstance()
  await i18next.use(HttpBackend).init<HttpBackendOptions>({
    lng: 'de',
    ns: ['common'],
    defaultNS: 'common',
    backend: { loadPath, customHeaders: { 'x-api-key': key } },
  })
  t.equal(i18next.t('greeting'), 'Hallo, Welt!', 'so does i18next')

  await t.test('on a computer', async t => {
    await press(page, 'Create a token that writes')
    const folder = t.testdir({ app: { locales: { en: { 'common.json': '{"greeting":"Hello, world!"}\n' } } } })
    const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, CI: '1' }
    const commands = (await snippet(page, 'Command line (Node 24)')).trim().replace(/ init .*/, '$& --yes')
    const told = await run('sh', ['-ec', commands], { cwd: `${folder}/app`, env })
    t.match(told.stdout, /web-shop is the project of this folder/, 'the command line finds the project')
    const empty = `${folder}/empty`
    mkdirSync(empty)
    const [init = ''] = /(?<= parlance\.mjs )init .*/.exec(await snippet(page, 'Command line (Node 24)')) ?? []
    const seen = inTerminal(t, `${folder}/app/parlance.mjs`, init.split(' '), {
      cwd: empty,
      env: { HOME: folder, XDG_CONFIG_HOME: folder },
    })
    await seen.until(/Where are they, or will they be\?/)
    seen.press(ENTER)
    await seen.until(/Go on\?/)
    seen.press('y')
    await seen.until(/web-shop is the project of this folder/)
    t.equal(await seen.ended, 0, 'in an empty folder it asks where the texts will be')
  })

  type Listed = { name: string; scope: string; projects?: string[]; expiresAt: string | null }[]
  const tokens = await page.evaluate<Listed>("fetch('api/tokens').then(it => it.json()).then(it => it.tokens)")
  t.strictSame(tokens.map(({ scope }) => scope).sort(), ['read', 'write'])
  for (const { name, projects, expiresAt } of tokens) {
    t.strictSame(projects, ['web-shop'], `${name}: the token reaches no other project`)
    t.ok(expiresAt !== null && Date.parse(expiresAt) > Date.now(), `${name}: the token expires`)
  }
  await poll(t).equal(
    () => page.getByText('It reaches only the project web-shop and expires on ').count(),
    2,
    'both notices say so',
  )

  await t.test('git clones with a token of all projects', async t => {
    const body = JSON.stringify({ name: 'clone', scope: 'read', expiresInDays: 1 })
    const init = `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)} }`
    const token = await page.evaluate<string>(`fetch('api/tokens', ${init}).then(it => it.json()).then(it => it.key)`)
    const names = { project: 'web-shop', source: 'en', language: 'de', namespace: 'common' }
    const folder = t.testdir()
    await run('sh', ['-c', gitClone({ base: server.base, token, ...names })], { cwd: folder })
    const cloned = await run('git', ['-C', `${folder}/translations`, 'log', '--format=%an'])
    t.match(cloned.stdout, /^Ann$/m, 'git clones the history')
  })

  // React Aria's announcement of a pending button outlives the button by some seconds.
  await page.locator('[data-live-announcer] [role=img]').first().waitFor({ state: 'detached' })
  await axe(t, page, 'the end of the first run')
})

/** Presses a button by keyboard. */
async function press(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name })
  await button.focus()
  await page.keyboard.press('Enter')
  await button.waitFor({ state: 'detached' })
  await page.locator(':focus').getByText('It is displayed only now').waitFor()
}

const snippet = async (page: Page, label: string) =>
  (await page.getByRole('region', { name: label, exact: true }).textContent()) ?? ''
