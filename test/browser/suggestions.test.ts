/** Suggestions in the editor: who may not write sends one, and a reviewer decides beside the text. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
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
  const ron = await server.join(acme, 'Ron', 'member')
  await server.narrow(acme, mia, [{ languages: ['de'], may: 'suggest' }])
  await server.narrow(acme, ron, [{ languages: ['de'], may: 'read' }])
  const stored = async (name: string) => (await server.get(`${web}/bundles/de/shop/${name}`, key)).json.message
  const waiting = async (name: string) =>
    (await server.get(`${web}/suggestions?language=de&namespace=shop&key=${name}`, key)).json.suggestions
  const suggest = (name: string, value: string, as = mia) =>
    server.must('POST', `${web}/suggestions/de/shop/${name}`, { as, body: { value } })
  const open = async (t: Test, name: string, as: Session = acme.owner, look: Look = 'light') => {
    const page = await signedIn(t, scene, { at: `/#/projects/web/de/shop?key=${name}`, as, look })
    await fieldOf(page)
      .or(page.getByRole('textbox').and(page.locator('[aria-readonly]')))
      .first()
      .waitFor()
    return page
  }
  const section = (page: Page) => page.getByRole('region', { name: 'Suggestions', exact: true })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  const keys = ['apple', 'bread', 'cheese', 'dates', 'eggs', 'figs', 'grapes']
  for (const [language, word] of [
    ['en', 'Fresh'],
    ['de', 'Frisch'],
  ]) {
    const body = Object.fromEntries(keys.map(name => [name, `${word} ${name} {{name}}`]))
    await server.must('PUT', `${web}/bundles/${language}/shop`, { key, body })
  }

  t.test('a text becomes a suggestion by the keys that save it', async t => {
    const page = await open(t, 'apple', mia)
    await hear(page)
    t.equal(await button(page, 'Save').count(), 0)
    await button(page, 'Suggest').waitFor()
    await axe(t, page, 'the editor of a member who suggests')
    await typeIn(page, ', jetzt')
    await page.getByRole('button', { name: 'unsaved 1' }).waitFor()
    await page.keyboard.press('Control+s')
    await poll(t).ok(() => isSaid(page, 'Suggested: “apple” waits for a review.'))
    await poll(t).equal(() => fieldOf(page).innerText(), 'Frisch apple {{name}}', 'the field has the text of now')
    await rowOf(page).getByText('suggested').waitFor()
    await poll(t).equal(() => rowOf(page).getByText('unsaved').count(), 0)
    t.equal(await stored('apple'), 'Frisch apple {{name}}')
    t.match(await waiting('apple'), [{ message: 'Frisch apple {{name}}, jetzt', by: { id: mia.user.id } }])
    await section(page).getByText('Mia').waitFor()
    await page.getByRole('button', { name: 'suggested 1' }).click()
    await poll(t).equal(() => page.getByRole('rowheader').count(), 1, 'the filter lists it')
  })

  t.test('Ctrl+Enter suggests and goes to the next row', async t => {
    const page = await open(t, 'bread', mia)
    await typeIn(page, '!')
    await page.keyboard.press('Control+Enter')
    await poll(t).match(() => page.url(), /key=cheese/)
    await poll(t).match(() => waiting('bread'), [{ message: 'Frisch bread {{name}}!' }])
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'bread' }) })
    await row.getByText('suggested').waitFor()
  })

  t.test('a member who only reads has a field to read, which says why', async t => {
    const page = await open(t, 'cheese', ron)
    const field = page.getByRole('textbox', { name: /^cheese/ })
    await field.and(page.locator('[aria-readonly=true]')).waitFor()
    const why = 'Your rights allow reading this language, not changing it.'
    await page.getByText(why).waitFor()
    t.match(
      await field.evaluate(
        'document.getElementById(document.activeElement.getAttribute("aria-describedby")).textContent',
      ),
      why,
    )
    await page.keyboard.type('x')
    t.equal(await field.innerText(), 'Frisch cheese {{name}}')
    for (const name of ['Save', 'Save and next', 'Suggest', 'Suggest and next'])
      t.equal(await button(page, name).count(), 0, name)
    for (const name of ['Add key', 'Replace in many texts', 'Edit the source of cheese', 'Add a note'])
      t.equal(await button(page, name).count(), 0, name)
    await button(page, 'More for cheese').click()
    await page.getByRole('menuitem', { name: 'Copy the source' }).waitFor()
    t.equal(await page.getByRole('menuitem', { name: /(Rename|Delete) key/ }).count(), 0)
    await page.keyboard.press('Escape')
    await axeInLooks(t, page, 'a text to read')
    await shot(page, 'suggestions-read-only')
  })

  t.test('accepts a suggestion that another member sends meanwhile, by keyboard', async t => {
    const page = await open(t, 'dates')
    await hear(page)
    await section(page).waitFor({ state: 'detached' })
    await suggest('dates', 'Reif dates')
    await section(page).getByRole('listitem').waitFor()
    await section(page).getByText('Placeholders').waitFor()
    t.match(await section(page).locator('ins').allInnerTexts(), [/Reif/])
    await axe(t, page, 'a suggestion')
    await button(page, 'Accept the suggestion of Mia').press('Enter')
    await poll(t).ok(() => isSaid(page, 'The suggestion of Mia is the text now.'))
    await poll(t).equal(() => fieldOf(page).innerText(), 'Reif dates')
    await section(page).waitFor({ state: 'detached' })
    await poll(t).notOk(() => page.evaluate('document.activeElement === document.body'), 'the focus is somewhere')
    t.strictSame([await stored('dates'), await waiting('dates')], ['Reif dates', []])
  })

  t.test('rejects with a reason, and withdraws an own one', async t => {
    await suggest('eggs', 'Rohe eggs {{name}}')
    await suggest('eggs', 'Eier {{name}}', acme.owner)
    const page = await open(t, 'eggs')
    await hear(page)
    await poll(t).equal(() => section(page).getByRole('listitem').count(), 2)
    await button(page, 'Reject the suggestion of Mia').press('Enter')
    const reason = section(page).getByRole('textbox', { name: 'Reason (optional)' })
    await reason.and(page.locator(':focus')).waitFor()
    await axe(t, page, 'the form of a rejection')
    await reason.press('Escape')
    await button(page, 'Reject the suggestion of Mia').and(page.locator(':focus')).press('Enter')
    await reason.fill('Nobody cooks them')
    await reason.press('Enter')
    await poll(t).ok(() => isSaid(page, 'The suggestion of Mia is rejected.'))
    await poll(t).match(() => waiting('eggs'), [{ message: 'Eier {{name}}' }])
    await button(page, 'Withdraw').press('Enter')
    await poll(t).ok(() => isSaid(page, 'Your suggestion is withdrawn.'))
    await poll(t).strictSame(() => waiting('eggs'), [])
    t.equal(await stored('eggs'), 'Frisch eggs {{name}}')
  })

  t.test('says that the source has changed since, and accepts it anyway', async t => {
    await suggest('figs', 'Reife figs {{name}}')
    await server.must('PUT', `${web}/bundles/en/shop/figs`, { key, body: { value: 'Dried figs {{name}}' } })
    const page = await open(t, 'figs')
    await section(page).getByText('source has changed').waitFor()
    t.equal(await button(page, 'Accept the suggestion of Mia').count(), 0)
    await button(page, 'Accept the suggestion of Mia anyway').click()
    await poll(t).equal(() => fieldOf(page).innerText(), 'Reife figs {{name}}')
  })

  t.test('a member who suggests withdraws, and neither accepts nor rejects', async t => {
    await suggest('grapes', 'Süße grapes {{name}}')
    await suggest('grapes', 'Saure grapes {{name}}', acme.owner)
    const page = await open(t, 'grapes', mia)
    await poll(t).equal(() => section(page).getByRole('listitem').count(), 2)
    t.equal(
      await section(page)
        .getByRole('button', { name: /^(Accept|Reject)/ })
        .count(),
      0,
    )
    t.equal(await section(page).getByRole('button', { name: 'Withdraw' }).count(), 1)
    await section(page).getByRole('button', { name: 'Edit the suggestion of Ann in the field' }).click()
    await poll(t).equal(() => fieldOf(page).innerText(), 'Saure grapes {{name}}')
  })

  t.test('has its icon in the matrix', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web' })
    const without = `[...document.querySelectorAll('[data-sign]')]
      .filter(each => !getComputedStyle(each, '::before').maskImage.includes('url('))
      .map(each => each.dataset.sign)`
    await page.locator('[data-sign=suggested]').first().waitFor()
    t.strictSame(await page.evaluate(without), [])
  })

  t.test('looks well everywhere', async t => {
    const page = await open(t, 'grapes')
    await section(page).getByRole('listitem').first().waitFor()
    await axeInLooks(t, page, 'suggestions')
    for (const look of ['light', 'dark', 'arabic'] as const) {
      await wear(page, look)
      await shot(page, `suggestions-${look}`)
    }
    const phone = await open(t, 'grapes', mia, 'phone')
    await axe(t, phone, 'the field on a phone')
    await shot(phone, 'suggestions-phone-field')
    await phone.getByRole('button', { name: 'Details of the text' }).click()
    await section(phone).getByRole('listitem').first().waitFor()
    await axe(t, phone, 'suggestions on a phone')
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
    await poll(t).equal(() => phone.evaluate(isWider), false, 'nothing is wider than the window')
    await shot(phone, 'suggestions-phone')
  })
})
