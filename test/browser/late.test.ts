/** Parts of a page that are loaded when they are first asked for, on a line that is slow or gone. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { eventually } from '../eventually.ts'
import { axeInLooks } from './axe.ts'
import { expectFaults, noBrowser } from './browser.ts'
import { fieldOf } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

/** What menus, choices and dialogs are drawn with. */
const CONTROLS = /assets\/controls-/

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  /** A page that has none of them. @returns lets them come, or fail */
  const open = async (t: Test, at: string) => {
    const page = await signedIn(t, scene, { at: '/#/nowhere' })
    const { promise, resolve } = Promise.withResolvers<'continue' | 'abort'>()
    await page.addInitScript('requestIdleCallback = () => 0')
    await page.route(CONTROLS, async route => route[await promise]())
    await page.goto(`${scene.server.base}/?anew#/${at}`)
    return { page, line: resolve }
  }
  const comes = (page: Page) => page.locator('[popover]').waitFor()

  t.test('what is typed while a dialog is on its way stands in its field', async t => {
    const { page, line } = await open(t, 'projects')
    await page.getByRole('button', { name: 'New project' }).press('Enter')
    await comes(page)
    await page.keyboard.type('Shoxp')
    for (const key of ['Backspace', 'Backspace', 'p', '!']) await page.keyboard.press(key)
    line('continue')
    const field = page.getByRole('dialog', { name: 'New project' }).locator('input:focus')
    await field.waitFor()
    t.ok(await eventually(async () => (await field.inputValue()) === 'Shop!'))
    await page.keyboard.type('?')
    await poll(t).equal(() => field.inputValue(), 'Shop!?')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('button:focus', { hasText: 'New project' }).waitFor()
  })

  t.test('Enter after what is typed while a dialog is on its way sends its form', async t => {
    const { page, line } = await open(t, 'account')
    await page.getByRole('button', { name: 'Turn on' }).press('Enter')
    await comes(page)
    await page.keyboard.type(scene.acme.owner.password)
    await page.keyboard.press('Enter')
    line('continue')
    await page.getByRole('region', { name: 'Secret' }).waitFor()
  })

  t.test('keys for a menu that is on its way do nothing to the field that one came from', async t => {
    const { page, line } = await open(t, 'projects/web/de/common?key=nav.home')
    await fieldOf(page).focus()
    await page.keyboard.press('Alt+i')
    await comes(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    line('continue')
    await page.getByRole('menuitem').nth(1).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await poll(t).equal(() => fieldOf(page).innerText(), 'Start')
  })

  t.test('a part without focus leaves the keys to the button that opens and closes it', async t => {
    const page = await signedIn(t, scene, { at: '/#/nowhere' })
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route(/assets\/key-revisions-.*js/, route => promise.then(() => route.continue()))
    await page.goto(`${scene.server.base}/?anew#/projects/web/de/common?key=nav.home`)
    const button = page.getByRole('region', { name: 'Details of the text' }).getByRole('button', { name: 'History' })
    await button.press('Enter')
    await comes(page)
    await page.keyboard.press('Enter')
    await poll(t).equal(() => button.getAttribute('aria-expanded'), 'false')
    await page.keyboard.press('Enter')
    resolve()
    await page.locator('[popover]').waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await poll(t).equal(() => button.getAttribute('aria-expanded'), 'false')
  })

  t.test('letters for a list that is on its way choose nothing before it is seen', async t => {
    const { page, line } = await open(t, 'team/invitations')
    await page.getByRole('button', { name: /Role/ }).press('ArrowDown')
    await comes(page)
    await page.keyboard.type('o')
    await poll(t).match(() => page.getByRole('button', { name: /Role/ }).innerText(), 'Member')
    line('continue')
    await page.locator('[role=option]:focus', { hasText: 'Owner' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Owner Role' }).waitFor()
  })

  t.test('a click elsewhere redirects the typed keys', async t => {
    const { page, line } = await open(t, 'team/invitations')
    await page.getByRole('button', { name: /Role/ }).press('ArrowDown')
    await comes(page)
    await page.keyboard.type('x')
    await page.getByLabel('E-mail address').click()
    await page.keyboard.type('eve@example.com')
    await poll(t).equal(() => page.getByLabel('E-mail address').inputValue(), 'eve@example.com')
    line('continue')
    await page.getByRole('listbox').waitFor()
  })

  t.test('a part that cannot be loaded says so in its place, and what is typed stays', async t => {
    const { page, line } = await open(t, 'team/invitations')
    expectFaults(page, /net::ERR_/)
    await page.getByLabel('E-mail address').fill('eve@example.com')
    line('abort')
    await page.getByRole('button', { name: /Role/ }).press('Enter')
    const said = page.getByRole('alertdialog', { name: 'Something went wrong' })
    await said.getByRole('button', { name: 'Try again' }).and(page.locator(':focus')).waitFor()
    await axeInLooks(t, page, 'a part that cannot be loaded')
    await shot(page, 'late-failed')
    await page.keyboard.press('Escape')
    await said.waitFor({ state: 'detached' })
    await page.locator('button:focus', { hasText: 'Member' }).waitFor()
    await page.keyboard.press('Enter')
    await said.waitFor()
    await page.unroute(CONTROLS)
    await page.keyboard.press('Enter')
    await page.locator('[role=option]:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('button:focus', { hasText: 'Member' }).waitFor()
    await poll(t).equal(() => page.getByLabel('E-mail address').inputValue(), 'eve@example.com')
  })

  t.test('without a connection it says that, over an open dialog, too', async t => {
    const { page, line } = await open(t, 'projects')
    expectFaults(page, /net::ERR_/)
    line('continue')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Shop')
    await page.route(/assets\/select-list|\/health/, route => route.abort())
    const list = page.getByRole('dialog').getByRole('button', { name: 'Format' })
    await list.click()
    const said = page.getByRole('alertdialog', { name: 'There is no connection to the server' })
    await said.getByRole('button', { name: 'Close' }).click()
    await said.waitFor({ state: 'detached' })
    await list.and(page.locator(':focus')).waitFor()
    await page.unrouteAll()
    await list.click()
    await page.getByRole('listbox').waitFor()
    await page.keyboard.press('Escape')
    await poll(t).equal(() => page.getByRole('dialog').getByLabel('Name', { exact: true }).inputValue(), 'Shop')
  })

  t.test('its styles come with the next attempt', async t => {
    const { page, line } = await open(t, 'team')
    expectFaults(page, /net::ERR_/)
    line('continue')
    await page.route(/assets\/menu-rows/, route => route.abort())
    await page.getByRole('button', { name: 'Account' }).click()
    const again = page.getByRole('alertdialog').getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unrouteAll()
    await again.click()
    await page.getByRole('menuitem').first().waitFor()
    const shift = `getComputedStyle(document.querySelector('[role=menuitem] svg')).transform`
    await poll(t).match(() => page.evaluate(shift), /matrix/)
  })

  t.test('words on a button that cannot be loaded are not there', async t => {
    const { page, line } = await open(t, 'projects/web/de/common')
    expectFaults(page, /net::ERR_/)
    line('abort')
    const failed = page.waitForEvent('requestfailed')
    await page.getByRole('button', { name: 'Replace in many texts' }).hover()
    await failed
    await page.getByRole('button', { name: 'Add key' }).focus()
    await page.unroute(CONTROLS)
    await page.getByRole('button', { name: 'Replace in many texts' }).focus()
    await poll(t).equal(() => page.getByRole('alertdialog').count(), 0)
    await poll(t).ok(() => page.getByRole('heading', { level: 1, name: 'web' }).isVisible())
  })
})
