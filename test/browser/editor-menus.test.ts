/** The editor by its menus, switches and filters, as a pointer uses them. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { eventually } from '../eventually.ts'
import { noBrowser } from './browser.ts'
import { fieldOf, typeIn } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  const open = (t: Test, place: string) => signedIn(t, scene, { at: `/#/projects/web/${place}` })
  const saved = async (path: string) => (await server.must('GET', `${web}/bundles/${path}`, { key })).json.message
  const put = (path: string, value: string) => server.must('PUT', `${web}/bundles/${path}`, { key, body: { value } })
  const keysIn = (page: Page) => page.getByRole('rowheader').allInnerTexts()
  const comesToBe = (page: Page, text: RegExp) =>
    eventually(async () => text.test(await fieldOf(page).first().innerText()))

  t.test('languages beside, and what is written in one of them', async t => {
    const page = await open(t, 'de/checkout')
    await page.getByRole('button', { name: 'Compare languages' }).click()
    await page.getByRole('menuitemcheckbox', { name: /^Polish/, checked: false }).click()
    await page.getByRole('columnheader', { name: /Polish/ }).waitFor()
    await page.getByRole('button', { name: 'Compare languages' }).click()
    await page.getByRole('menuitemcheckbox', { name: /^Polish/, checked: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Search in' }).click()
    await poll(t).equal(() => page.getByRole('menuitem').count(), 0, 'each row of a menu with states is one')
    await page.getByRole('menuitemcheckbox', { checked: true }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    t.match(page.url(), /with=pl/, 'the address has it')
    await page.getByRole('row').filter({ hasText: 'title' }).first().getByRole('gridcell').last().click()
    await fieldOf(page).last().focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' dwa')
    await page.keyboard.press('Control+s')
    await page.getByText('“title” is saved.').waitFor({ state: 'attached' })
    await poll(t).match(() => saved('pl/checkout/title'), / dwa$/)
    await poll(t).notMatch(() => saved('de/checkout/title'), / dwa/)
  })

  t.test('a placeholder by a click, an invisible character, a copy of another language', async t => {
    await put('en/checkout/hello', 'Hello {{name}}')
    await put('pl/checkout/hello', 'Cześć {{name}}')
    await put('de/checkout/hello', 'Hallo')
    const page = await open(t, 'de/checkout?key=hello&with=pl')
    await fieldOf(page).first().focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' ')
    await page.getByRole('button', { name: 'Insert {{name}}' }).first().click()
    await poll(t).match(() => fieldOf(page).first().innerText(), 'Hallo {{name}}')
    await page.getByRole('button', { name: 'Insert an invisible character' }).first().click()
    await page.getByRole('menuitem', { name: /^No-break space/ }).click()
    t.ok(await comesToBe(page, /\u00a0/))
    await page.getByRole('button', { name: 'More for hello' }).first().click()
    await page.getByRole('menuitem', { name: 'Copy from Polish (pl)' }).click()
    t.ok(await comesToBe(page, /^Cześć \{\{name\}\}$/))
  })

  t.test('theirs is taken', async t => {
    await put('de/checkout/hello', 'Hallo')
    const page = await open(t, 'de/checkout?key=hello')
    await typeIn(page, ' von mir')
    await put('de/checkout/hello', 'Hallo von ihr')
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Use theirs' }).click()
    t.ok(await comesToBe(page, /^Hallo von ihr$/))
    await poll(t).equal(() => saved('de/checkout/hello'), 'Hallo von ihr')
  })

  t.test('as a tree, and as a list again', async t => {
    const page = await open(t, 'de/common')
    await page.getByRole('rowheader', { name: 'nav.home' }).waitFor()
    const turn = async () => {
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitemcheckbox', { name: 'As a tree' }).click()
    }
    await turn()
    const branch = page.getByRole('row', { expanded: true }).filter({ hasText: 'nav' }).first()
    await branch.waitFor()
    await poll(t).notOk(
      async () => (await keysIn(page)).some(name => name.includes('nav.home')),
      'a key has the name of its last part',
    )
    await branch.getByRole('rowheader').click()
    await page.getByRole('row', { expanded: false }).filter({ hasText: 'nav' }).first().waitFor()
    await turn()
    await page.getByRole('rowheader', { name: 'nav.home' }).waitFor()
  })

  t.test('lists are opened, gone through and left by keys', async t => {
    const page = await open(t, 'de/checkout')
    const language = (name: string) => page.getByRole('button', { name: `${name} Language`, exact: true })
    await language('German (de)').press('p')
    await page.waitForURL(/web\/pl\/checkout/)
    await language('Polish (pl)').press('ArrowRight')
    await page.locator('button:focus', { hasText: 'checkout' }).waitFor()
    t.match(page.url(), /web\/pl\/checkout/, 'in a toolbar, an arrow goes to the next control')
    await language('Polish (pl)').press('j')
    await page.waitForURL(/web\/ja\/checkout/)
    await language('Japanese (ja)').press('ArrowDown')
    await page.locator('[role=option]:focus').filter({ hasText: 'Japanese' }).waitFor()
    await page.keyboard.type('ger')
    await page.locator('[role=option]:focus').filter({ hasText: 'German' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/web\/de\/checkout/)
    const where = page.getByRole('button', { name: 'Search in' })
    await where.press('ArrowUp')
    await page.locator('[role^=menuitem]:focus').filter({ hasText: 'Translation' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('button:focus', { hasText: 'Search in' }).waitFor()
    await where.press('Enter')
    await page.locator('[role^=menuitem]:focus').filter({ hasText: 'Key' }).waitFor()
    await page.keyboard.press('Escape')
  })

  t.test('what changed since a revision', async t => {
    const { json } = await server.get(`${web}/history?limit=1`, key)
    await put('de/checkout/pay', 'Bezahlen, bitte')
    const page = await open(t, 'de/checkout')
    await page.getByRole('button', { name: 'Changes', exact: true }).click()
    await page.getByLabel('Changed since').fill(json.revisions[0].revision)
    await page.keyboard.press('Enter')
    await page.getByRole('rowheader', { name: 'title' }).waitFor({ state: 'detached' })
    await page.getByRole('rowheader', { name: 'pay' }).waitFor()
    await poll(t).strictSame(() => keysIn(page), ['pay'])
  })
})
