/** Reviews: their settings in a project, approvals and texts by machines in the editor, and the band of bars. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { textDigest } from '../../src/bundle/text-digest.ts'
import type { Session } from '../contract/server.ts'
import { axe, axeInLooks, wear } from './axe.ts'
import { noBrowser } from './browser.ts'
import type { Look } from './looks.ts'
import { fieldOf, rowOf, typeIn } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { hear, isSaid } from './screen-reader.ts'
import { shot } from './shot.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  const mia = await server.join(acme, 'Mia', 'member')
  const max = await server.join(acme, 'Max', 'member')
  await server.narrow(acme, mia, [{ languages: ['de'], may: 'translate' }])
  await server.narrow(acme, max, [{ languages: ['de'], may: 'review' }])
  const review = async () => (await server.get(web, key)).json.review
  const keys = ['apple', 'bread', 'cheese', 'dates', 'eggs', 'figs']
  for (const [language, word] of [
    ['en', 'Fresh'],
    ['de', 'Frisch'],
  ]) {
    const body = Object.fromEntries(keys.map(name => [name, `${word} ${name}`]))
    await server.must('PUT', `${web}/bundles/${language}/shop`, { key, body })
  }
  await server.must('PATCH', web, { as: acme.owner, body: { review: { de: { fourEyes: false } } } })
  const approve = (...keys: string[]) =>
    server.must('POST', `${web}/approve`, { as: max, body: { language: 'de', namespace: 'shop', keys } })
  const listed = async (is: string) => {
    const { json } = await server.get(`${web}/status/keys?language=de&namespace=shop&is=${is}`, key)
    return json.keys.map((row: { key: string }) => row.key)
  }
  const open = async (t: Test, name: string, as: Session = max, look: Look = 'light') => {
    const page = await signedIn(t, scene, { at: `/#/projects/web/de/shop?key=${name}`, as, look })
    await fieldOf(page).waitFor()
    return page
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const row = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) })

  t.test('turns the review of a language on and off in the settings', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/settings' })
    await hear(page)
    const polish = page.getByRole('group', { name: 'Polish pl' })
    const isOn = polish.getByRole('checkbox', { name: 'Review on' })
    const fourEyes = polish.getByRole('checkbox', { name: 'Another person must accept' })
    await isOn.waitFor()
    await poll(t).equal(() => fourEyes.isDisabled(), true)
    await poll(t).equal(() => page.getByRole('group', { name: 'English en' }).count(), 0, 'the source has no review')
    await isOn.press('Space')
    await fourEyes.press('Space')
    await axeInLooks(t, page, 'the settings of a review')
    await shot(page, 'review-settings')
    await wear(page, 'dark')
    await shot(page, 'review-settings-dark')
    await wear(page, 'arabic')
    await shot(page, 'review-settings-arabic')
    await wear(page, 'light')
    const save = page.getByRole('region').or(page.locator('section')).filter({ has: polish }).last()
    await save.getByRole('button', { name: 'Save' }).press('Enter')
    await poll(t).ok(() => isSaid(page, 'The review settings are saved.'))
    t.strictSame(await review(), { de: { fourEyes: false }, pl: { fourEyes: true } })
    await fourEyes.press('Space')
    await save.getByRole('button', { name: 'Save' }).press('Enter')
    await poll(t).strictSame(review, { de: { fourEyes: false }, pl: { fourEyes: false } })
    await isOn.press('Space')
    await save.getByRole('button', { name: 'Save' }).press('Enter')
    await poll(t).strictSame(review, { de: { fourEyes: false } })
    await poll(t).equal(() => fourEyes.isDisabled(), true)
    const phone = await signedIn(t, scene, { at: '/#/projects/web/settings', look: 'phone' })
    await phone.getByRole('group', { name: 'German de' }).waitFor()
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
    await poll(t).equal(() => phone.evaluate(isWider), false)
    await axe(t, phone, 'the settings on a phone')
    await shot(phone, 'review-settings-phone')
  })

  t.test('a reviewer approves by Alt+A and by the button, and undoes it', async t => {
    const page = await open(t, 'apple')
    await hear(page)
    await rowOf(page).getByText('not approved').waitFor()
    await poll(t).equal(() => row(page, 'bread').getByText('not approved').count(), 0, 'most texts are like it')
    await axeInLooks(t, page, 'a text that is not approved')
    await page.keyboard.press('Alt+a')
    await poll(t).ok(() => isSaid(page, '“apple” is approved.'))
    await rowOf(page).getByText('approved', { exact: true }).waitFor()
    await poll(t).equal(() => button(page, 'Approve').count(), 0)
    t.strictSame(await listed('approved'), ['apple'])
    await page.keyboard.press('Alt+z')
    await rowOf(page).getByText('not approved').waitFor()
    await poll(t).strictSame(() => listed('approved'), [])
    await button(page, 'Approve').press('Enter')
    await rowOf(page).getByText('approved', { exact: true }).waitFor()
    await poll(t).strictSame(() => listed('approved'), ['apple'])
    await page.keyboard.press('Escape')
    await row(page, 'apple').getByText('approved', { exact: true }).waitFor({ state: 'attached' })
    await button(page, 'approved 1').click()
    await poll(t).equal(() => page.getByRole('rowheader').count(), 1, 'the filter lists it')
    await button(page, 'approved 1').click()
    await button(page, 'not approved 5').click()
    await poll(t).equal(() => page.getByRole('rowheader').count(), 5)
    await axeInLooks(t, page, 'approved texts')
    await shot(page, 'approved')
    await button(page, 'All 6').click()
    await server.must('POST', `${web}/approve`, { as: max, body: { language: 'de' } })
    await server.must('POST', `${web}/unapprove`, {
      as: max,
      body: { language: 'de', namespace: 'shop', keys: ['eggs'] },
    })
    await row(page, 'eggs').getByText('not approved').waitFor()
    const exceptions = () => page.getByRole('gridcell').getByText('not approved').count()
    await poll(t).equal(exceptions, 1, 'the exception')
    await shot(page, 'approved-most')
    await server.must('POST', `${web}/unapprove`, { as: max, body: { language: 'de' } })
  })

  t.test('withdraws an approval by the menu', async t => {
    const page = await open(t, 'bread')
    await page.keyboard.press('Alt+a')
    await rowOf(page).getByText('approved', { exact: true }).waitFor()
    await button(page, 'More for bread').press('Enter')
    await page.getByRole('menuitem', { name: 'Withdraw approval' }).press('Enter')
    await rowOf(page).getByText('not approved').waitFor()
    await poll(t).strictSame(() => listed('approved'), [])
  })

  t.test('does not approve a text that another user changed meanwhile', async t => {
    const page = await open(t, 'cheese')
    await hear(page)
    await rowOf(page).getByText('not approved').waitFor()
    await page.route('**/api/events', route => route.abort())
    let isFirst = true
    // Only the conflict reports the change.
    await page.route('**/approve', async route => {
      if (isFirst) {
        isFirst = false
        await server.must('PUT', `${web}/bundles/de/shop/cheese`, { key, body: { value: 'Alt cheese' } })
      }
      await route.continue()
    })
    await page.keyboard.press('Alt+a')
    const why = 'Another user changed “cheese” or its source meanwhile: look at it again. Its approval stays as it was.'
    await poll(t).ok(() => isSaid(page, why))
    await poll(t).equal(() => fieldOf(page).innerText(), 'Alt cheese')
    t.notOk((await server.get(`${web}/status/keys?language=de&is=approved`, key)).json.keys.some(isBy(max)))
  })

  t.test('a save of a reviewer is approved at once, one of a translator is a suggestion', async t => {
    const page = await open(t, 'dates')
    await rowOf(page).getByText('not approved').waitFor()
    await typeIn(page, '!')
    await page.keyboard.press('Alt+a')
    await rowOf(page).getByText('approved', { exact: true }).waitFor()
    await poll(t).ok(async () => (await listed('approved')).includes('dates'))
    const hers = await open(t, 'eggs', mia)
    await rowOf(hers).getByText('not approved').waitFor()
    await poll(t).equal(() => button(hers, 'Approve').count(), 0, 'a translator approves nothing')
    await hers.keyboard.press('Alt+a')
    await button(hers, 'Suggest').waitFor()
    await typeIn(hers, '?')
    await hers.keyboard.press('Control+s')
    await rowOf(hers).getByText('suggested').waitFor()
    t.notOk((await listed('approved')).includes('eggs'))
    await hers.getByRole('button', { name: 'suggested 1' }).waitFor()
  })

  t.test('a text by a machine has a mark until a person changes it', async t => {
    const of = textDigest('Fresh figs', 'Frisch figs')
    const at = '2026-11-22T09:30:00Z'
    const file = join(server.repository(acme.id), 'web/marks/de/shop.json')
    mkdirSync(join(file, '..'), { recursive: true })
    const marks = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    writeFileSync(file, `${JSON.stringify({ ...marks, figs: { machine: { at, by: 'apertium', of } } }, null, 2)}\n`)
    await poll(t).strictSame(() => listed('machine'), ['figs'])
    const page = await open(t, 'figs')
    await rowOf(page).getByText('by a machine').waitFor()
    await axeInLooks(t, page, 'a text by a machine')
    await shot(page, 'machine-made')
    await wear(page, 'arabic')
    await shot(page, 'machine-made-arabic')
    await wear(page, 'dark')
    await shot(page, 'machine-made-dark')
    await wear(page, 'light')
    await button(page, 'by a machine 1').click()
    await poll(t).equal(() => page.getByRole('rowheader').count(), 1)
    await typeIn(page, ' und reif')
    await page.keyboard.press('Control+s')
    await poll(t).equal(() => rowOf(page).getByText('by a machine').count(), 0)
    await poll(t).strictSame(() => listed('machine'), [])
  })

  t.test('bars show approved texts as a band, with the number in words', async t => {
    await approve('bread', 'cheese')
    const page = await signedIn(t, scene, { at: '/#/projects/web' })
    const cell = page.getByRole('link', { name: /^German, shop: .*, \d approved$/ })
    await cell.waitFor()
    await page
      .locator('p')
      .filter({ hasText: 'In all languages' })
      .getByText(/\d approved$/)
      .waitFor()
    await axeInLooks(t, page, 'a matrix with approved texts')
    await cell.hover()
    await page.getByText(/^6 of 6 keys translated, \d approved$/).waitFor()
    await shot(page, 'approved-matrix')
    await wear(page, 'dark')
    await shot(page, 'approved-matrix-dark')
    await wear(page, 'light')
    await page.evaluate("location.hash = '#/projects'")
    const meter = page.getByRole('meter', { name: 'German' })
    await poll(t).match(() => meter.getAttribute('aria-valuetext'), /, \d approved$/)
    await axe(t, page, 'a card with approved texts')
    await shot(page, 'approved-card')
  })

  t.test('the editor opens after the review page', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/review/de', as: max })
    const body = { value: 'Eier' }
    await server.must('POST', `${web}/suggestions/de/shop/eggs`, { as: mia, body })
    await page.getByRole('region', { name: 'Suggestion for eggs' }).waitFor()
    await page.evaluate("location.hash = '#/projects/web/de/shop?key=eggs'")
    await fieldOf(page).waitFor()
    await rowOf(page).getByText('suggested').waitFor()
  })
})

const isBy =
  ({ user }: Session) =>
  ({ key, approved }: { key: string; approved?: { by: { id: string } } }) =>
    key === 'cheese' && approved?.by.id === user.id
