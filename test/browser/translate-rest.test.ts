/** “Translate the rest” of a project: the plan, the run with its progress, and its undo. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { FakeMachine, openaiAnswer, translating } from '../machine/fake-machine.ts'
import { newFolder } from '../new-folder.ts'
import { axe, axeInLooks, wear } from './axe.ts'
import { expectFaults, noBrowser } from './browser.ts'
import type { Look } from './looks.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { hear, isSaid } from './screen-reader.ts'
import { shot } from './shot.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const fake = await FakeMachine.open(t)
  const file = join(newFolder(t, { list: '[]' }), 'list')
  const price = { currency: 'USD', perMillionInputTokens: 2000, perMillionOutputTokens: 2000 }
  const languages = ['de', 'ar']
  writeFileSync(file, JSON.stringify([fake.row('openai', { name: 'Polyglot', languages, price, batch: 1 })]))
  chmodSync(file, 0o600)
  const scene: Scene = await openScene(t, { MACHINES_FILE: file })
  const { server, acme, web } = scene
  const { key } = acme
  const texts = async () => (await server.get(`${web}/bundles/de/jobs`, key)).json
  const open = async (t: Test, look: Look = 'light') => {
    const page = await signedIn(t, scene, { at: '/#/projects/web', look })
    // The memory may still be built.
    expectFaults(page, /dryRun=true: 503$/)
    return page
  }
  const dialog = (page: Page) => page.getByRole('dialog')
  const runs = (page: Page) => page.getByRole('region', { name: 'Machine jobs' })
  const latest = (page: Page) => runs(page).getByRole('listitem').first()

  await server.must('PUT', `${web}/bundles/en/jobs`, {
    key,
    body: { buy: 'Buy {{name}}', pay: 'Pay now', trap: 'Salute {{name}}' },
  })
  await server.must('PUT', `${web}/bundles/de/jobs`, { key, body: { pay: 'Jetzt zahlen' } })

  /** Answers wait until it resolves. */
  let released = Promise.withResolvers<void>()
  const answer = translating(source => (source.startsWith('Salute') ? 'Gruß' : source.replace('Buy', 'Kaufe')))
  fake.script = (request, response) => {
    void released.promise.then(() => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer(request, response) ?? openaiAnswer({})))
    })
  }

  /** Opens the dialog for the namespace, for German alone. */
  const plan = async (page: Page) => {
    await page.getByRole('button', { name: 'Actions for jobs' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Translate the rest …' }).press('Enter')
    await dialog(page).getByText('Translate the rest of jobs').waitFor()
    const arabic = dialog(page).getByRole('checkbox', { name: /^Arabic/ })
    await arabic.press(' ')
    await poll(t).equal(() => arabic.isChecked(), false)
    await dialog(page)
      .getByText(/^\d texts?,/)
      .waitFor()
  }
  const start = async (page: Page) => {
    await dialog(page).getByRole('button', { name: 'Translate', exact: true }).press('Enter')
    await dialog(page).waitFor({ state: 'detached' })
    await latest(page).getByRole('progressbar').waitFor()
  }

  t.test('plans in words, survives a reload, lists refusals, and is undone', async t => {
    const page = await open(t)
    await plan(page)
    t.equal(
      await dialog(page)
        .getByRole('checkbox', { name: /^Polish/ })
        .count(),
      0,
      'not of this machine',
    )
    await dialog(page)
      .getByText(/^2 texts, about \$/)
      .waitFor()
    await axeInLooks(t, page, 'the plan of a run')
    for (const look of ['dark', 'arabic', 'light'] as const) {
      await wear(page, look)
      await shot(page, `translate-rest-${look}`)
    }
    await start(page)
    await poll(t).equal(() => runs(page).and(page.locator(':focus')).count(), 1, 'the focus is on the runs')
    await axeInLooks(t, page, 'a run')
    await shot(page, 'translate-rest-running')
    await page.reload()
    const bar = latest(page).getByRole('progressbar', { name: 'Progress of the machine' })
    await bar.waitFor()
    await poll(t).match(() => bar.getAttribute('aria-valuetext'), /^[01] of 2$/)
    await hear(page)
    released.resolve()
    const done = latest(page).getByText(/^Done: 1 text written, 1 refused, \$/)
    const words = await done.innerText()
    await poll(t).ok(() => isSaid(page, words))
    t.strictSame(await texts(), { buy: 'Kaufe {{name}}', pay: 'Jetzt zahlen' })
    await latest(page).getByText('1 refused', { exact: true }).click()
    const refused = latest(page).getByRole('link', { name: 'de / jobs / trap' })
    await refused.waitFor()
    t.match(await refused.getAttribute('href'), '/projects/web/de/jobs?key=trap')
    await axeInLooks(t, page, 'a run with refusals')
    const sentences = {
      japanese: '{{name}}がありません。',
      dark: '{{name}} is missing.',
      arabic: 'ينقص \u2066{{name}}\u2069.',
      light: '{{name}} is missing.',
    } as const
    for (const [look, sentence] of Object.entries(sentences) as [Look, string][]) {
      await wear(page, look)
      await page.getByText(sentence).waitFor()
      await shot(page, `machine-jobs-${look}`)
    }
    await latest(page).getByRole('button', { name: 'Undo this run' }).press('Enter')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Undo', exact: true }).click()
    await runs(page).getByText('The run is undone.').waitFor()
    await poll(t).strictSame(texts, { pay: 'Jetzt zahlen' })
  })

  t.test('lists the refused texts as a filter of the editor', async t => {
    const page = await open(t)
    await latest(page).getByText('1 refused', { exact: true }).click()
    await latest(page).getByRole('link', { name: 'Refused in German' }).click()
    const filter = page.getByRole('button', { name: /^refused 1$/ })
    await filter.waitFor()
    await poll(t).equal(() => filter.getAttribute('aria-pressed'), 'true')
    await poll(t).strictSame(() => page.getByRole('rowheader').allInnerTexts(), ['trap jobs'])
    await axeInLooks(t, page, 'the filter of refused texts')
    await shot(page, 'refused-filter')
  })

  t.test('sends refused texts again on request alone', async t => {
    const page = await open(t)
    await page.getByRole('button', { name: 'Actions for jobs' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Translate the rest …' }).press('Enter')
    await dialog(page)
      .getByRole('checkbox', { name: /^Arabic/ })
      .press(' ')
    await dialog(page).getByText('1: refused before').waitFor()
    await shot(page, 'translate-rest-again')
    const again = dialog(page).getByRole('checkbox', { name: 'Send refused texts again' })
    await again.press(' ')
    await dialog(page).getByText('refused before').waitFor({ state: 'detached' })
    t.equal(await again.isChecked(), true)
    await axeInLooks(t, page, 'a plan with refused texts')
  })

  t.test('is cancelled', async t => {
    released = Promise.withResolvers()
    const page = await open(t)
    await plan(page)
    await start(page)
    await latest(page).getByRole('button', { name: 'Cancel' }).press('Enter')
    released.resolve()
    await latest(page)
      .getByText(/^Cancelled/)
      .waitFor()
  })

  t.test('says why a run failed, and how to go on, in the language of its reader', async t => {
    const script = fake.script
    fake.script = (_, response) => void response.writeHead(401).end()
    await server.must('PUT', `${web}/bundles/en/jobs/late`, { key, body: { value: 'Too late' } })
    const page = await open(t)
    await plan(page)
    await dialog(page).getByRole('button', { name: 'Translate', exact: true }).press('Enter')
    const sentences = {
      light: /^Polyglot has the wrong address, model or key\..* Start again for the rest/,
      dark: /^Polyglot has the wrong address/,
      japanese: /^Polyglotのアドレス.*二重に課金/,
      arabic: /^عنوان خدمة \u2068Polyglot\u2069.*لن يُدفع/,
    } as const
    await latest(page)
      .getByText(/^Failed/)
      .waitFor()
    for (const [look, sentence] of Object.entries(sentences) as [Look, RegExp][]) {
      await wear(page, look)
      await page.getByText(sentence).first().scrollIntoViewIfNeeded()
      await shot(page, `machine-job-failed-${look}`)
    }
    await axe(t, page, 'a failed run')
    fake.script = script
  })

  t.test('fits on a phone', async t => {
    const page = await open(t, 'phone')
    await runs(page).waitFor()
    await plan(page)
    await axe(t, page, 'the plan on a phone')
    await shot(page, 'translate-rest-phone')
    await wear(page, 'arabic')
    await axe(t, page, 'the plan on a phone, in Arabic')
    await shot(page, 'translate-rest-phone-arabic')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
    for (const look of ['arabic', 'light'] as const) {
      await wear(page, look)
      await poll(t).equal(() => page.evaluate(isWider), false, 'nothing is wider than the window')
      await page.locator('li').last().scrollIntoViewIfNeeded()
      await shot(page, `machine-jobs-phone-${look}`)
    }
  })
})
