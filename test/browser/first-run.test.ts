/** From an empty server to the first translated key, by keyboard alone; each line of the dashboard to copy works. */
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import t from 'tap'
import { gitClone } from '../../src/dashboard/project/snippets.ts'
import { ENTER, inTerminal } from '../cli/pty.ts'
import { axe, wear } from './axe.ts'
import { noBrowser, openPage, startBuilt } from './browser.ts'
import { poll } from './poll.ts'
import { shot } from './shot.ts'

const run = promisify(execFile)

/** Presses of a button between an empty server and the lines of an app, the one for the token included. */
const CLICKS = 7

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
  await page.getByText('Enter a name.').waitFor()
  await page.evaluate(
    "clicks = 0; addEventListener('click', ({ target }) => { if (target.closest('button')) clicks++ }, true)",
  )
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
  await keyboard.type('Hello, {{name}}!')
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
  await page.getByText('Hello, {{name}}!').waitFor()
  await page.getByLabel('German (de)').waitFor()
  await keyboard.type('Hallo, {{name}}!')
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await heading('Ready for your app')

  t.equal(1 + (await page.evaluate<number>('clicks')), CLICKS, 'clicks, with the one for the token below')

  await t.test('each step can be gone back to, with what was entered', async t => {
    const step = (name: RegExp) => page.getByRole('list', { name: 'First steps' }).getByRole('link', { name })
    await step(/^Project/).click()
    await heading('Project')
    await poll(t).equal(() => page.getByLabel('Name', { exact: true }).inputValue(), 'Web shop')
    await axe(t, page, 'the project again')
    await shot(page, 'start-project-again')
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading('Ready for your app')
    await step(/^Language/).click()
    await heading('Which language comes first?')
    const language = page.getByRole('combobox', { name: 'Language' })
    await poll(t).equal(() => language.inputValue(), 'de')
    for (const [typed, tag] of [
      ['brazilian', 'pt-BR'],
      ['pt_BR', 'pt-BR'],
      ['deu', 'de'],
    ] as const) {
      await language.fill(typed)
      await page.getByRole('option').first().waitFor()
      await keyboard.press('Enter')
      await poll(t).equal(() => language.inputValue(), tag, typed)
    }
    await page.getByRole('link', { name: 'Back' }).click()
    await heading('Project')
    await step(/^Text/).click()
    await heading('Your first text')
    await poll(t).equal(() => page.getByLabel('English (en)').inputValue(), 'Hello, {{name}}!')
    await shot(page, 'start-text-again')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await heading('Its first translation')
    await poll(t).equal(() => page.getByLabel('German (de)').inputValue(), 'Hallo, {{name}}!')
    await shot(page, 'start-translation-again')
    await page.setViewportSize({ width: 360, height: 740 })
    await shot(page, 'start-translation-phone')
    await page.setViewportSize({ width: 1440, height: 900 })
    await wear(page, 'arabic')
    await shot(page, 'start-translation-arabic')
    await wear(page, 'dark')
    await shot(page, 'start-translation-dark')
    await wear(page, 'light')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await heading('Ready for your app')
    await shot(page, 'start-use')
  })

  await press(page, 'Create a token that reads')
  const curl = await snippet(page, 'curl')
  const { stdout } = await run('sh', ['-c', `${curl} -fsS`])
  t.strictSame(JSON.parse(stdout), { greeting: 'Hallo, {{name}}!' }, 'curl gets the translation')

  const lines = await snippet(page, 'i18next')
  const app = join(t.testdirName, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'app.mjs'), lines)
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(app, 'node_modules'))
  const shown = await run(process.execPath, [join(app, 'app.mjs')])
  t.match(shown.stdout, /^Hallo, Ann!$/m, 'so does the app of the lines, unchanged')
  t.match(lines, "fallbackLng: 'en'", 'the language of the project')
  t.notMatch(lines, '"', 'one style of quotes')

  await t.test('on a computer', async t => {
    await press(page, 'Create a token that writes')
    const folder = t.testdir({ app: { locales: { en: { 'common.json': '{"greeting":"Hello, {{name}}!"}\n' } } } })
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
