/** The glossary: an owner adds terms, a translator sees and uses them at a text, two editors meet at one term. */
import t, { type Test } from 'tap'
import type { GlossaryTerm } from '../../src/glossary/glossary.ts'
import { axe, axeInLooks } from './axe.ts'
import { expectFaults, noBrowser } from './browser.ts'
import type { Look } from './looks.ts'
import { fieldOf, rowOf } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

/** The browser reports a refused request. */
const REFUSED = /status of 4\d\d/

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  const cat = await server.join(acme, 'Cat', 'member')
  const CART: GlossaryTerm = {
    term: 'cart',
    note: 'Where a customer collects products.',
    translations: { de: { use: ['Warenkorb', 'Korb, voll'], avoid: ['Einkaufswagen'] } },
  }
  const termsAt = async (path: string): Promise<GlossaryTerm[]> => (await server.must('GET', path, { key })).json.terms
  const replace = (path: string, terms: readonly GlossaryTerm[]) =>
    server.must('PUT', path, { key, body: { terms: [...terms] } })
  const open = (t: Test, at: string, look: Look = 'light') => signedIn(t, scene, { at: `/#/${at}`, look })
  await server.must('PUT', `${web}/bundles/en/shop`, {
    key,
    body: { heading: 'Your carts at Acme', pay: 'Pay {{cart}} now', plain: 'Nothing here' },
  })

  t.test('an owner adds a term by the keyboard, in one commit', async t => {
    const page = await open(t, 'projects/web/glossary')
    await page.getByRole('heading', { name: 'No terms yet' }).waitFor()
    await axe(t, page, 'an empty glossary')
    await shot(page, 'glossary-empty')
    const commits = await server.commits(acme.id)
    await page.getByRole('button', { name: 'Add term' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add term' })
    await dialog.getByLabel('Term', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByText('Enter a term.').waitFor()
    await page.keyboard.type('cart')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Where a customer collects products.')
    await dialog.getByRole('textbox', { name: 'Use: German (de)' }).focus()
    await page.keyboard.type('Warenkorb, "Korb, voll')
    await poll(t).equal(
      () => dialog.getByRole('textbox', { name: 'Use: German (de)' }).inputValue(),
      '"Korb, voll',
      'still one word',
    )
    await page.keyboard.type('"')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Remove Korb, voll from Use: German (de)' }).waitFor()
    await dialog.getByRole('textbox', { name: 'Avoid: German (de)' }).focus()
    await page.keyboard.type('wagen')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Backspace')
    await poll(t).equal(
      () => dialog.getByRole('textbox', { name: 'Avoid: German (de)' }).inputValue(),
      'wagen',
      'returns to be changed',
    )
    await page.keyboard.press('Home')
    await page.keyboard.type('Einkaufs')
    await axeInLooks(t, page, 'the form of a term')
    await shot(page, 'glossary-form')
    // The last word is added by saving.
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('rowheader', { name: 'cart' }).waitFor()
    t.strictSame(await termsAt(`${web}/glossary`), [CART])
    t.equal(await server.commits(acme.id), commits + 1)
  })

  t.test('terms of the organization stand in each project, and members read them', async t => {
    await replace(`${web}/glossary`, [CART])
    const page = await open(t, 'team/glossary')
    await page.getByRole('button', { name: 'Add term' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Term', { exact: true }).fill('Acme')
    await dialog.getByText('Stays as it is in every language').click()
    await dialog.getByRole('combobox', { name: 'Another language' }).fill('german')
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Add language' }).click()
    await dialog.getByRole('textbox', { name: 'Avoid: German (de)' }).fill('Akme')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('rowheader', { name: 'Acme stays as it is' }).waitFor()
    t.strictSame(await termsAt('/api/glossary'), [
      { term: 'Acme', keep: true, translations: { de: { avoid: ['Akme'] } } },
    ])

    const hers = await signedIn(t, scene, { as: cat, at: '/#/team/glossary' })
    await hers.getByRole('rowheader', { name: 'Acme' }).waitFor()
    t.equal(await hers.getByRole('button', { name: /^(Add|Edit|Delete)/ }).count(), 0, 'without the right, no controls')
    await axe(t, hers, 'a glossary to read')
    await hers.goto(`${server.base}/#/projects/web/glossary`)
    await hers.getByRole('rowheader', { name: 'Acme stays as it is organization' }).waitFor()
    await hers.getByRole('button', { name: 'Edit cart' }).waitFor()
    t.equal(await hers.getByRole('button', { name: 'Edit Acme' }).count(), 0)
    await axeInLooks(t, hers, 'the glossary of a project')
    await shot(hers, 'glossary')
    await replace('/api/glossary', [{ term: 'Acme', keep: true }, { term: 'Zip code' }])
    await hers.getByRole('rowheader', { name: 'Zip code' }).waitFor()
  })

  t.test('a translator sees the terms at a text, and uses a word', async t => {
    await replace(`${web}/glossary`, [CART])
    await replace('/api/glossary', [{ term: 'Acme', keep: true }, { term: 'Zip code' }])
    const page = await signedIn(t, scene, { as: cat, at: '/#/projects/web/de/shop?key=heading' })
    const term = rowOf(page).getByRole('button', { name: /^carts · Warenkorb/ })
    await term.waitFor()
    await rowOf(page)
      .getByRole('button', { name: /^Acme · stays as it is/ })
      .waitFor()
    await axeInLooks(t, page, 'a term at its text')
    await term.hover()
    const words = page.getByRole('tooltip')
    await words.getByText('Warenkorb, Korb, voll · avoid: Einkaufswagen').waitFor()
    await axe(t, page, 'the open words of a term')
    await shot(page, 'glossary-editor')
    const section = page.getByRole('region', { name: 'Terms', exact: true })
    await section.getByText('Einkaufswagen').waitFor()
    await fieldOf(page).focus()
    await page.keyboard.type('Ihr  bei ')
    for (let times = 0; times < 5; times++) await page.keyboard.press('ArrowLeft')
    await section.getByRole('button', { name: 'Use Warenkorb' }).click()
    await poll(t).equal(() => fieldOf(page).innerText(), 'Ihr Warenkorb bei ', 'at the caret')
    await page.keyboard.press('End')
    await section.getByRole('button', { name: 'Use Acme' }).click()
    await poll(t).equal(() => fieldOf(page).innerText(), 'Ihr Warenkorb bei Acme')
    await page.keyboard.press('Control+Enter')
    await page.locator('[aria-label^="pay"]:focus').waitFor()
    await poll(t).equal(() => section.count(), 0, 'a placeholder is no term')
    await section.waitFor({ state: 'detached' })
    const stored = async () => (await server.get(`${web}/bundles/de/shop`, key)).json.heading
    await poll(t).equal(stored, 'Ihr Warenkorb bei Acme', 'saved')
  })

  t.test('the underlined word opens the details on a phone', async t => {
    await replace(`${web}/glossary`, [CART])
    const page = await signedIn(t, scene, { as: cat, at: '/#/projects/web/de/shop?key=heading', look: 'phone' })
    await page.getByRole('button', { name: /^carts · Warenkorb/ }).tap()
    await page.getByRole('region', { name: 'Terms', exact: true }).waitFor()
    await axe(t, page, 'terms on a phone')
    await shot(page, 'glossary-editor-phone')
  })

  t.test('a conflict merges by field and loses nothing that was typed', async t => {
    const path = `${web}/glossary`
    await replace(path, [{ term: 'cart', note: 'First.', translations: { de: { use: ['Korb'] } } }])
    const page = await open(t, 'projects/web/glossary')
    await page.getByRole('button', { name: 'Edit cart' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit cart' })
    const note = dialog.getByLabel('Note', { exact: true })
    await note.fill('Mine.')
    await dialog.getByRole('textbox', { name: 'Use: Polish (pl)' }).fill('koszyk')
    // Another user's term is no conflict, though the glossary differs.
    const theirs = { term: 'cart', note: 'Theirs.', translations: { de: { use: ['Warenkorb'] } } }
    await replace(path, [theirs, { term: 'order' }])
    expectFaults(page, REFUSED)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('note').getByText('Another user changed this term meanwhile').waitFor()
    await poll(t).equal(() => note.inputValue(), 'Mine.')
    const change = dialog.getByRole('note').getByRole('listitem')
    await poll(t).equal(() => change.count(), 2, 'the note and the German words')
    await dialog.getByRole('button', { name: 'Remove Warenkorb from Use: German (de)' }).waitFor()
    await dialog.getByRole('button', { name: 'Remove koszyk from Use: Polish (pl)' }).waitFor()
    await axe(t, page, 'a conflict of terms')
    await shot(page, 'glossary-conflict')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.strictSame(await termsAt(path), [
      { term: 'cart', note: 'Mine.', translations: { de: { use: ['Warenkorb'] }, pl: { use: ['koszyk'] } } },
      { term: 'order' },
    ])
  })

  t.test('other terms that changed meanwhile are no conflict, and a deleted one can be added again', async t => {
    const path = `${web}/glossary`
    const cart = { term: 'cart', note: 'First.' }
    await replace(path, [cart])
    const page = await open(t, 'projects/web/glossary')
    // No event arrives: the form writes with the old entity tag.
    const edit = async () => {
      await page.getByRole('button', { name: 'Edit cart' }).click()
      await page.getByRole('dialog').getByLabel('Note', { exact: true }).fill('Second.')
    }
    await edit()
    await replace(path, [cart, { term: 'order' }])
    expectFaults(page, REFUSED)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.strictSame(await termsAt(path), [{ term: 'cart', note: 'Second.' }, { term: 'order' }])
    await edit()
    await replace(path, [{ term: 'order' }])
    await page.getByRole('dialog').getByLabel('Term', { exact: true }).fill('basket')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('note').getByText('Another user deleted this term meanwhile').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.strictSame(await termsAt(path), [{ term: 'basket', note: 'Second.' }, { term: 'order' }])
    await page.getByRole('button', { name: 'Delete basket' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('rowheader', { name: 'basket' }).waitFor({ state: 'detached' })
    t.strictSame(await termsAt(path), [{ term: 'order' }])
  })

  t.test('refusals stand at the field that they are about', async t => {
    await replace(`${web}/glossary`, [{ term: 'order' }])
    const page = await open(t, 'projects/web/glossary')
    expectFaults(page, REFUSED)
    await page.getByRole('button', { name: 'Add term' }).click()
    const dialog = page.getByRole('dialog')
    const term = dialog.getByLabel('Term', { exact: true })
    const save = dialog.getByRole('button', { name: 'Save' })
    const described = async (name: string) => {
      const field = dialog.getByRole('textbox', { name, exact: true })
      const id = (await field.getAttribute('aria-describedby'))?.split(' ').at(-1)
      return id === undefined ? '' : dialog.locator(`[id="${id}"]`).innerText()
    }
    await term.fill('Order')
    await save.click()
    await poll(t).equal(() => described('Term'), 'The glossary already has “Order”.')
    await term.fill('x'.repeat(201))
    await save.click()
    await poll(t).match(() => described('Term'), /200 characters/)
    await term.fill('bill')
    await dialog.getByRole('textbox', { name: 'Avoid: German (de)' }).fill('y'.repeat(201))
    await save.click()
    await poll(t).match(() => described('Avoid: German (de)'), /200 characters/)
    await axe(t, page, 'a refused word')
    t.strictSame(await termsAt(`${web}/glossary`), [{ term: 'order' }])
  })

  t.test('imports a file after a preview, and exports', async t => {
    await replace(`${web}/glossary`, [CART])
    const page = await open(t, 'projects/web/glossary')
    const files = page.getByRole('button', { name: 'Import and export' })
    await files.waitFor()
    const buffer = Buffer.from('term,de\r\norder,Bestellung\r\n')
    await page.locator('input[type=file]').setInputFiles({ name: 'terms.csv', mimeType: 'text/csv', buffer })
    const dialog = page.getByRole('dialog', { name: 'Import terms.csv' })
    await dialog.getByText('1 term added · 0 changed · 0 removed').waitFor()
    await dialog.getByText('Remove terms that the file lacks').click()
    await dialog.getByText('1 term added · 0 changed · 1 removed').waitFor()
    await axe(t, page, 'the plan of an import')
    await shot(page, 'glossary-import')
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('rowheader', { name: 'order' }).waitFor()
    t.strictSame(await termsAt(`${web}/glossary`), [{ term: 'order', translations: { de: { use: ['Bestellung'] } } }])
    for (const format of ['csv', 'tbx']) {
      const downloads = page.waitForEvent('download')
      await files.press('Enter')
      await page.getByRole('menuitem', { name: `Export as ${format.toUpperCase()}` }).click()
      t.equal((await downloads).suggestedFilename(), `web-glossary.${format}`)
    }
  })

  t.test('10,000 terms render as few rows as a hundred, and one of them is found', async t => {
    await replace('/api/glossary', [{ term: 'Acme', keep: true }, { term: 'Zip code' }])
    const use = (at: number) => ({ de: { use: [`Wort ${at}`] }, pl: { use: [`słowo ${at}`] } })
    const many = Array.from({ length: 10_000 }, (_, at) => ({ term: `term ${at}`, translations: use(at) }))
    await replace(`${web}/glossary`, many)
    const page = await open(t, 'projects/web/glossary?language=de')
    await page.getByText('10,002 terms').waitFor()
    const rendered = () => page.getByRole('row').count()
    await poll(t).ok(async () => (await rendered()) > 10)
    t.ok((await rendered()) < 150, `${await rendered()} rows`)
    t.equal(await page.getByText('słowo').count(), 0, 'only German words')
    await page.getByRole('region', { name: '10,002 terms' }).focus()
    // The end is estimated until its rows are rendered.
    await poll(t).ok(async () => {
      await page.keyboard.press('End')
      return page.getByRole('rowheader', { name: 'Zip code' }).isVisible()
    }, 'the last term is reached')
    t.ok((await rendered()) < 150, `${await rendered()} rows`)
    await page.getByRole('searchbox', { name: 'Search terms' }).fill('wort 4711')
    await page.getByRole('rowheader', { name: 'term 4711' }).waitFor()
    await poll(t).equal(rendered, 2)
    await page.getByRole('button', { name: 'Edit term 4711' }).click()
    await page.getByRole('dialog').getByLabel('Note', { exact: true }).fill('Found.')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Found.' }).waitFor()
    t.equal((await termsAt(`${web}/glossary`)).length, 10_000)
  })

  t.test('fits a phone', async t => {
    for (const at of ['projects/web/glossary?search=term 11', 'team/glossary']) {
      const page = await open(t, at, 'phone')
      await page.getByRole('rowheader').first().waitFor()
      const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
      await poll(t).equal(() => page.evaluate(isWider), false, at)
      await axe(t, page, `${at} on a phone`)
      await shot(page, `glossary-phone-${at.split('/')[0]}`)
      await page.getByRole('button', { name: 'Add term' }).tap()
      await page.getByRole('dialog').getByLabel('Term', { exact: true }).waitFor()
      await axe(t, page, `the form of ${at} on a phone`)
      await shot(page, `glossary-phone-form-${at.split('/')[0]}`)
    }
  })
})
