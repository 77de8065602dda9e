/** Unsaved texts outside the editor, the matrix under a finger, and files that are dropped on the editor. */
import t from 'tap'
import { axe, axeInLooks } from './axe.ts'
import { noBrowser } from './browser.ts'
import { fieldOf, typeIn } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { acme, server } = scene

  t.test('unsaved texts are counted in the header, on the card and in the matrix, of every tab', async t => {
    const first = await signedIn(t, scene, { at: '/#/projects/web/de/common?key=nav.home' })
    await fieldOf(first).waitFor()
    const link = first.getByRole('banner').getByRole('link', { name: /unsaved/ })
    t.equal(await link.count(), 0, 'nothing is unsaved yet')
    await typeIn(first, ' eins')
    await link.filter({ hasText: '1 unsaved' }).waitFor()

    const second = await first.context().newPage()
    await second.goto(`${server.base}/#/projects/web/pl/common?key=nav.cart`)
    await fieldOf(second).waitFor()
    await typeIn(second, ' dwa')
    await link.filter({ hasText: '2 unsaved' }).waitFor()

    await second.goto(`${server.base}/#/projects`)
    const card = second.getByRole('listitem').filter({ has: second.getByRole('link', { name: 'web', exact: true }) })
    await card.getByText('2 unsaved').waitFor()
    await axeInLooks(t, second, 'unsaved texts on a card')
    await shot(second, 'unsaved on a card')

    await second.goto(`${server.base}/#/projects/web`)
    const german = second.getByRole('row').filter({ has: second.getByRole('rowheader', { name: /German/ }) })
    const polish = second.getByRole('row').filter({ has: second.getByRole('rowheader', { name: /Polish/ }) })
    await poll(t).equal(() => german.getByRole('link', { name: '1 unsaved' }).count(), 2, 'the sum and the namespace')
    await poll(t).equal(() => polish.getByRole('link', { name: '1 unsaved' }).count(), 2)
    await axeInLooks(t, second, 'unsaved texts in the matrix')
    await shot(second, 'unsaved in the matrix')

    await german.getByRole('link', { name: '1 unsaved' }).last().click()
    await second.waitForURL(/\/projects\/web\/de\/common\?is=unsaved$/)
    await second.getByRole('rowheader', { name: 'nav.home', exact: true }).waitFor({ timeout: 20_000 })
    t.pass('the filter lists the text of the other tab')

    await second.setViewportSize({ width: 360, height: 740 })
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    await poll(t).equal(() => second.evaluate(overflow), 0, 'the header has room for the number on a phone')
    await second.setViewportSize({ width: 1280, height: 800 })

    await second.getByRole('banner').getByRole('link', { name: '2 unsaved' }).click()
    await second.waitForURL(/\/projects\/web\/de\/common\?key=nav\.home$/)
    await fieldOf(second).waitFor()

    await fieldOf(first).focus()
    await first.keyboard.press('Alt+s')
    await second.getByRole('banner').getByRole('link', { name: '1 unsaved' }).waitFor()
    await poll(t).equal(() => link.innerText(), '1 unsaved', 'also where it was saved')
  })

  t.test('an unsaved note is counted in the header and on the card until it is saved', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/de/common?key=nav.home' })
    const link = page.getByRole('banner').getByRole('link', { name: /unsaved/ })
    const note = page.getByRole('region', { name: 'Note', exact: true })
    const words = note.getByRole('textbox', { name: 'What translators have to know' })
    await note.getByRole('button', { name: 'Add a note' }).click()
    await words.fill('Half a')
    await link.filter({ hasText: '1 unsaved' }).waitFor()
    await axe(t, page, 'an unsaved note')

    const second = await page.context().newPage()
    await second.goto(`${server.base}/#/projects`)
    const card = second.getByRole('listitem').filter({ has: second.getByRole('link', { name: 'web', exact: true }) })
    await card.getByText('1 unsaved').waitFor()
    await second.goto(`${server.base}/#/projects/web`)
    await second.getByRole('rowheader', { name: /German/ }).waitFor()
    t.equal(
      await second
        .getByRole('row')
        .getByRole('link', { name: /unsaved/ })
        .count(),
      0,
      'a note has no language',
    )
    await second.getByRole('banner').getByRole('link', { name: '1 unsaved' }).click()
    await second.waitForURL(/\/projects\/web\/de\/common\?key=nav\.home$/)
    await poll(t).equal(
      () => second.getByRole('textbox', { name: 'What translators have to know' }).inputValue(),
      'Half a',
    )
    await note.getByRole('button', { name: 'Save' }).click()
    await link.waitFor({ state: 'detached' })
    await second
      .getByRole('banner')
      .getByRole('link', { name: /unsaved/ })
      .waitFor({ state: 'detached' })
  })

  t.test('a tap on a cell of the matrix shows its details as links, and keys follow the links as before', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web', look: 'phone' })
    const cell = page
      .getByRole('gridcell')
      .or(page.getByRole('cell'))
      .getByRole('link', { name: /^German, common: / })
    await cell.tap()
    const menu = page.getByRole('menu')
    await menu.getByRole('menuitem', { name: /^German, common: [\d,]+ of [\d,]+/ }).waitFor()
    t.match(page.url(), /#\/projects\/web$/, 'the first tap leads nowhere')
    await axe(t, page, 'the details of a cell under a finger')
    await shot(page, 'details under a finger')
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await cell.tap()
    await menu.getByRole('menuitem').first().tap()
    await page.waitForURL(/#\/projects\/web\/de\/common/)

    await page.goto(`${server.base}/#/projects/web`)
    await cell.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/projects\/web\/de\/common/)
  })

  t.test('a file dropped on the editor opens the import plan of its language and namespace', async t => {
    const folder = t.testdir({ 'common.json': '{"fresh":"Neu"}' })
    const page = await signedIn(t, scene, { at: '/#/projects/web/de/common' })
    await page.getByRole('grid').waitFor()
    const session = await page.context().newCDPSession(page)
    const drag = async (type: 'dragEnter' | 'dragOver' | 'drop') => {
      const data = { items: [], files: [`${folder}/common.json`], dragOperationsMask: 1 }
      await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
    }
    for (const type of ['dragEnter', 'dragOver'] as const) await drag(type)
    await page.getByText('Drop the files to import them').waitFor()
    await axe(t, page, 'a file over the editor')
    await shot(page, 'a file over the editor')
    await drag('drop')
    await page.waitForURL(/\/projects\/web\/import\?language=de&namespace=common$/)
    await page.getByRole('button', { name: /^Apply/ }).waitFor()
    await axe(t, page, 'the plan of a file that was dropped on the editor')
  })

  t.test('unsaved texts follow a language or a namespace that another user renames', async t => {
    const project = await server.project(acme.key, 'moving')
    const bundles = {
      en: { shop: { cart: 'Cart' }, account: { name: 'Name' } },
      pl: { shop: { cart: 'Koszyk' }, account: { name: 'Nazwa' } },
    }
    await server.must('POST', `${project}/push?overwrite=true`, { key: acme.key, body: { bundles } })
    const rename = (part: string, from: string, to: string) =>
      server.must('POST', `${project}/rename-${part}`, { key: acme.key, body: { from, to } })
    const page = await signedIn(t, scene, { at: '/#/projects/moving/pl/shop?key=cart' })
    const link = page.getByRole('banner').getByRole('link', { name: /unsaved/ })
    await fieldOf(page).waitFor()
    await typeIn(page, ' pełny')

    await rename('language', 'pl', 'pl-PL')
    await page.waitForURL(/\/projects\/moving\/pl-PL\/shop\?key=cart$/)
    await poll(t).equal(() => fieldOf(page).innerText(), 'Koszyk pełny', 'the open editor follows')
    await rename('namespace', 'shop', 'store')
    await page.waitForURL(/\/projects\/moving\/pl-PL\/store\?key=cart$/)
    await poll(t).equal(() => fieldOf(page).innerText(), 'Koszyk pełny')
    await poll(t).equal(() => link.innerText(), '1 unsaved')

    // Nothing listens meanwhile.
    await page.goto('about:blank')
    await rename('language', 'pl-PL', 'pl-Latn')
    await rename('language', 'pl-Latn', 'pl')
    await rename('language', 'pl', 'cs')
    await rename('namespace', 'store', 'market')
    await page.goto(`${server.base}/#/projects`)
    await link.click()
    await page.waitForURL(/\/projects\/moving\/cs\/market\?key=cart$/)
    await poll(t).equal(() => fieldOf(page).innerText(), 'Koszyk pełny', 'the history shows the names since')
  })

  t.test('a typed note and a typed comment follow their key and namespace', async t => {
    const project = await server.project(acme.key, 'noting')
    const texts = { cart: 'Cart', other: 'Other' }
    const bundles = { en: { shop: texts, account: texts }, de: { shop: texts, account: texts } }
    await server.must('POST', `${project}/push?overwrite=true`, { key: acme.key, body: { bundles } })
    const rename = (part: string, body: object) =>
      server.must('POST', `${project}/rename-${part}`, { key: acme.key, body })
    const page = await signedIn(t, scene, { at: '/#/projects/noting/de/shop?key=cart' })
    const section = (name: string) =>
      page.getByRole('region', { name: 'Details of the text' }).getByRole('region', { name, exact: true })
    const note = section('Note').getByRole('textbox', { name: 'What translators have to know' })
    const comment = section('Comments').getByRole('textbox', { name: 'Write a comment' })
    const areThere = async (when: string) => {
      await poll(t).equal(() => note.inputValue(), 'Half a note', when)
      await poll(t).equal(() => comment.inputValue(), 'Half a comment', when)
    }
    await section('Note').getByRole('button', { name: 'Add a note' }).click()
    await note.fill('Half a note')
    await comment.fill('Half a comment')

    await page.getByRole('button', { name: 'More for cart', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Rename key …' }).click()
    await page.getByRole('dialog').getByLabel('New name').fill('basket')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename', exact: true }).click()
    await page.waitForURL(/key=basket/)
    await areThere('renamed here')
    await rename('key', { namespace: 'shop', from: 'basket', to: 'bag' })
    await page.waitForURL(/key=bag/)
    await areThere('renamed by another user')
    await rename('namespace', { from: 'shop', to: 'store' })
    await page.waitForURL(/\/de\/store\?key=bag/)
    await areThere('the namespace renamed')
    const link = page.getByRole('banner').getByRole('link', { name: /unsaved/ })
    await poll(t).equal(() => link.innerText(), '1 unsaved')

    // Nothing listens meanwhile.
    await page.goto('about:blank')
    await rename('namespace', { from: 'store', to: 'market' })
    await page.goto(`${server.base}/#/projects`)
    await link.click()
    await page.waitForURL(/\/de\/market\?key=bag$/)
    await areThere('the namespace renamed meanwhile')
    await page.goto('about:blank')
    await rename('key', { namespace: 'market', from: 'bag', to: 'sack' })
    await page.goto(`${server.base}/#/projects`)
    await link.click()
    await page.waitForURL(/\/de\/market\?key=sack$/)
    await areThere('the key renamed meanwhile')
    t.equal((await server.get(`${project}/notes/market/sack`, acme.key)).status, 404, 'nothing was written')
  })

  t.test('unsaved texts of a deleted language are shown, to copy and to discard', async t => {
    const project = await server.project(acme.key, 'ending')
    const bundles = { en: { shop: { cart: 'Cart' } }, pl: { shop: { cart: 'Koszyk' } } }
    await server.must('POST', `${project}/push?overwrite=true`, { key: acme.key, body: { bundles } })
    const page = await signedIn(t, scene, { at: '/#/projects/ending/pl/shop?key=cart' })
    const link = page.getByRole('banner').getByRole('link', { name: /unsaved/ })
    await fieldOf(page).waitFor()
    await typeIn(page, ' pełny')
    await page.goto('about:blank')
    await server.must('DELETE', `${project}/bundles/pl`, { key: acme.key })
    await page.goto(`${server.base}/#/projects`)
    await link.click()
    await page.getByText('“pl” is not in this project').waitFor()
    await page.getByText('Koszyk pełny').waitFor()
    await page.getByRole('button', { name: 'Copy the text of “cart”' }).waitFor()
    await axe(t, page, 'texts of a deleted language')
    await shot(page, 'texts of a deleted language')
    await page.getByRole('button', { name: 'Discard the text of “cart”' }).click()
    await link.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Koszyk pełny').waitFor()
    await page.goto(`${server.base}/#/projects/ending/de/shop?key=cart`)
    await fieldOf(page).waitFor()
    t.pass('a language that never was is begun as before')
  })
})
