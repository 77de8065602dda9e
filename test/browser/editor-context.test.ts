/** What the editor says beside a text: its note, its length, similar texts, and its problems by kind. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { axe, axeInLooks, wear } from './axe.ts'
import { expectFaults, noBrowser } from './browser.ts'
import { fieldOf, typeIn } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { hear, isSaid } from './screen-reader.ts'
import { shot } from './shot.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  const put = (at: string, body: object) => server.must('PUT', `${web}/${at}`, { key, body })
  const noteOf = async (name: string) => {
    const { status, json } = await server.get(`${web}/notes/shop/${name}`, key)
    return status === 404 ? undefined : json
  }
  const open = async (t: Test, at: string) => {
    const page = await signedIn(t, scene, { at: `/#/projects/web/${at}` })
    await page.getByRole('grid').waitFor()
    return page
  }
  const go = (page: Page, at: string) => page.evaluate(`location.hash = '#/projects/web/${at}'`)
  const section = (page: Page, name: string) =>
    page.getByRole('region', { name: 'Details of the text' }).getByRole('region', { name, exact: true })
  const textsIn = async (page: Page) =>
    (await section(page, 'Similar texts').getByRole('listitem').allInnerTexts()).map(text =>
      text.replaceAll(/\s+/g, ' '),
    )

  await put('bundles/en/shop', {
    buy: 'Buy now',
    cart: 'Put {{name}} into the cart',
    cart_gift: 'Put {{name}} into the gift cart',
    cart_later: 'Put {{name}} into the cart later',
    items_one: 'One item in the cart',
    items_other: '{{count}} items in the cart',
    lonely: 'Xylophone',
    pieces_one: 'One item in the box',
    pieces_other: '{{count}} items in the box',
    trailing: 'Total: ',
  })
  await put('bundles/de/shop', {
    buy: 'Jetzt kaufen',
    cart: '{{name}} in den Warenkorb legen',
    cart_gift: '{{name}} in den Geschenkkorb legen',
    items_one: 'Ein Artikel im Warenkorb',
    items_other: '{{count}} Artikel im Warenkorb',
    trailing: 'Summe:',
  })
  await put('bundles/ar/shop', { buy: 'اشترِ الآن' })
  await put('notes/shop/buy', { note: 'Label of the main button.\nA command.', max: 14, tags: ['checkout'] })
  const notes = { shop: { buy: { refs: ['src/cart.tsx:12', 'src/pay.tsx:7'] }, cart: { note: 'The aria-label.' } } }
  await server.must('POST', `${web}/push`, { key, body: { bundles: {}, notes } })

  t.test('shows the note of a key, asked for once for its namespace', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web' })
    const asked: string[] = []
    page.on('request', request => /\/notes\//.test(request.url()) && asked.push(request.method()))
    await go(page, 'de/shop?key=buy')
    const note = section(page, 'Note')
    await note.getByText('Label of the main button.').waitFor()
    for (const words of ['Written by a person · At most 14 characters', 'checkout', 'src/cart.tsx:12']) {
      await note.getByText(words).waitFor()
    }
    await axeInLooks(t, page, 'a note')
    await shot(page, 'context-note')
    await page.keyboard.press('Alt+ArrowDown')
    await note.getByText('The aria-label.').waitFor()
    await note.getByText('From the code').waitFor()
    await page.keyboard.press('Alt+ArrowDown')
    await note.getByText('There is no note.').waitFor()
    await server.must('POST', `${web}/push`, {
      key,
      body: { bundles: {}, notes: { shop: { cart_gift: { note: 'Pushed meanwhile.' } } } },
    })
    await note.getByText('Pushed meanwhile.').waitFor()
    t.strictSame(asked, ['GET', 'GET'], 'once, and again after the push of another client')
  })

  t.test('edits a note in place, by keyboard', async t => {
    const page = await open(t, 'de/shop?key=lonely')
    await hear(page)
    const note = section(page, 'Note')
    await note.getByRole('button', { name: 'Add a note' }).press('Enter')
    const words = note.getByRole('textbox', { name: 'What translators have to know' })
    await words.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('An instrument.')
    await note.getByRole('textbox', { name: 'Maximum length' }).fill('none')
    await page.keyboard.press('Enter')
    await note.getByText('Write a whole number from 1 to 100,000, or nothing.').waitFor()
    await axe(t, page, 'a faulty note')
    await note.getByRole('textbox', { name: 'Maximum length' }).fill('9')
    await words.press('Control+Enter')
    await note.getByText('Written by a person · At most 9 characters').waitFor()
    t.ok(await isSaid(page, 'The note is saved.'))
    t.match(await noteOf('lonely'), { note: 'An instrument.', max: 9, from: 'person' })
    await page.locator('[data-edit]:focus').press('Enter')
    await words.fill('')
    await note.getByRole('textbox', { name: 'Maximum length' }).fill('')
    await note.getByRole('button', { name: 'Save' }).click()
    await note.getByText('There is no note.').waitFor()
    t.equal(await noteOf('lonely'), undefined)
  })

  t.test('a typed note survives leaving the row and a reload, and is discarded with a way back', async t => {
    const page = await open(t, 'de/shop?key=cart_later')
    const note = section(page, 'Note')
    const words = note.getByRole('textbox', { name: 'What translators have to know' })
    await note.getByRole('button', { name: 'Add a note' }).click()
    await words.fill('Half a')
    await go(page, 'de/shop?key=buy')
    await note.getByText('Label of the main button.').waitFor()
    await go(page, 'de/shop?key=cart_later')
    await poll(t).equal(() => words.inputValue(), 'Half a')
    await page.reload()
    await poll(t).equal(() => words.inputValue(), 'Half a')
    await note.getByRole('button', { name: 'Cancel' }).click()
    await note.getByRole('button', { name: 'Add a note' }).waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await poll(t).equal(() => words.inputValue(), 'Half a')
    t.equal(await noteOf('cart_later'), undefined, 'nothing was written')
  })

  t.test('a note that another user changed meanwhile is not overwritten, and other notes do not matter', async t => {
    const page = await open(t, 'de/shop?key=cart')
    const note = section(page, 'Note')
    const words = note.getByRole('textbox', { name: 'What translators have to know' })
    await note.getByRole('button', { name: 'Edit the note' }).click()
    await note.getByText('This note comes from the code.').waitFor()
    await words.fill('Mine')
    // Events cannot refresh the notes here: the refused write has to.
    await page.route('**/notes/shop', route => route.fulfill({ status: 503, json: { error: 'Later.' } }))
    await put('notes/shop/other', { note: 'Of another key' })
    await put('notes/shop/cart', { note: 'Theirs' })
    await page.unroute('**/notes/shop')
    expectFaults(page, /412/, /503/)
    await words.press('Control+Enter')
    await note.getByText('Another user changed this note while you were writing.').waitFor()
    t.match(await noteOf('cart'), { note: 'Theirs' })
    await poll(t).equal(() => words.inputValue(), 'Mine', 'the typed note is still there')
    await axe(t, page, 'a note in conflict')
    await shot(page, 'context-conflict')
    await note.getByRole('button', { name: 'Use mine' }).click()
    await note.getByRole('button', { name: 'Save' }).click()
    await note.getByText('Mine', { exact: true }).waitFor()
    await poll(t).match(() => noteOf('cart'), { note: 'Mine', from: 'person' })
  })

  t.test('a refused note is named, and stays in its form', async t => {
    const page = await open(t, 'de/shop?key=trailing')
    const note = section(page, 'Note')
    await note.getByRole('button', { name: 'Add a note' }).click()
    const words = note.getByRole('textbox', { name: 'What translators have to know' })
    await words.fill('A label')
    await page.route('**/notes/shop/trailing', route =>
      route.fulfill({ status: 403, json: { error: 'This token may not write.' } }),
    )
    expectFaults(page, /403/)
    await words.press('Control+Enter')
    await note.getByText('This token may not write.').waitFor()
    t.equal(await words.inputValue(), 'A label')
  })

  t.test('counts the characters of a text with a maximum while one writes', async t => {
    const page = await open(t, 'de/shop?key=buy')
    await hear(page)
    const cell = page.getByRole('gridcell').filter({ has: fieldOf(page) })
    await cell.getByText('12 / 14').waitFor()
    await typeIn(page, ' 👩‍👩‍👧‍👦{{name}}')
    await cell.getByText('14 / 14').waitFor()
    t.equal(await cell.getByText('too long').count(), 0)
    await page.keyboard.type('!!')
    await cell.getByText('16 / 14').waitFor()
    await cell.getByText('2 characters too long').waitFor()
    t.ok(await isSaid(page, '2 characters too long'))
    await axeInLooks(t, page, 'a text that is too long')
    await shot(page, 'context-length')
    await page.keyboard.press('Backspace')
    await cell.getByText('1 character too long').waitFor()
    await go(page, 'de/shop?key=cart')
    await page.locator('[aria-label^="cart "]:focus').waitFor()
    t.equal(await page.getByText(/\d+ \/ \d+/).count(), 0, 'no counter without a maximum')
  })

  t.test('lists similar texts, and a key inserts one as a draft', async t => {
    const page = await open(t, 'de/shop?key=cart_later')
    await poll(t).match(
      () => textsIn(page),
      [
        /^\d+% Use {{name}} in den Warenkorb legen Put {{name}} into the cart added: later .* shop \/ cart$/,
        /^\d+% Use {{name}} in den Geschenkkorb legen .* removed: gift .* added: later .* shop \/ cart_gift$/,
      ],
    )
    await axeInLooks(t, page, 'similar texts')
    await shot(page, 'context-memory')
    await fieldOf(page).focus()
    await page.keyboard.press('Alt+Shift+Digit2')
    await poll(t).equal(() => fieldOf(page).innerText(), '{{name}} in den Geschenkkorb legen')
    await page.keyboard.press('Control+z')
    await poll(t).equal(() => fieldOf(page).innerText(), '', 'the undo of the field')
    await section(page, 'Similar texts').getByRole('button', { name: 'Use match 1, of cart' }).click()
    await poll(t).equal(() => fieldOf(page).innerText(), '{{name}} in den Warenkorb legen')
    await page.getByRole('button', { name: 'unsaved 1' }).waitFor()
    t.equal((await server.get(`${web}/bundles/de/shop/cart_later`, key)).status, 404, 'a draft')
  })

  t.test('plurals match form by form, a row never matches itself, and nothing is said quietly', async t => {
    const page = await open(t, 'de/shop?key=pieces')
    await poll(t).match(async () => (await textsIn(page))[0], /Ein Artikel im Warenkorb/)
    await fieldOf(page).last().focus()
    await poll(t).match(async () => (await textsIn(page))[0], /\{\{count\}\} Artikel im Warenkorb/)
    await page.keyboard.press('Alt+Shift+Digit1')
    await poll(t).equal(() => fieldOf(page).last().innerText(), '{{count}} Artikel im Warenkorb')
    await go(page, 'de/shop?key=lonely')
    await section(page, 'Similar texts').locator('p.quiet').waitFor()
    t.strictSame(await textsIn(page), [])
    await go(page, 'de/shop?key=cart')
    await poll(t).match(() => textsIn(page), [/cart_gift/])
    t.notMatch((await textsIn(page)).join(' '), /shop \/ cart( |$)/, 'its own pair is no match')
  })

  t.test('searches the memory once a row stays in hand, and says when not all was compared', async t => {
    const page = await open(t, 'de/shop')
    const asked: string[] = []
    await page.route('**/api/memory?*', async route => {
      asked.push(new URL(route.request().url()).searchParams.get('source')!)
      await route.fulfill({ json: { matches: [], complete: false, notice: 'Matches may be missing.' } })
    })
    await page.getByRole('rowheader', { name: 'buy', exact: true }).click()
    // At once: a round trip between two presses may last longer than a row stays in hand.
    await Promise.all([1, 2, 3].map(() => page.keyboard.press('ArrowDown')))
    await section(page, 'Similar texts').getByText('Not all texts were compared').waitFor()
    t.strictSame(asked, ['Put {{name}} into the cart later'], 'rows that one passes are not searched for')
  })

  t.test('filters problems by kind, and says the kind at the text', async t => {
    const page = await open(t, 'de/shop?key=trailing')
    const row = page.getByRole('row').filter({ has: fieldOf(page) })
    await row.getByText('Outer spaces: The source ends with a space or line break. It is missing here.').waitFor()
    t.equal(await page.getByRole('button', { name: /^! Outer spaces/ }).count(), 0, 'kinds come with the problems')
    await put('bundles/de/shop/cart_gift', { value: 'Geschenkkorb' })
    await page.getByRole('button', { name: /problems 2/ }).click()
    await page.getByRole('button', { name: 'Outer spaces 1' }).click()
    await page.getByText('1 of 8').waitFor()
    await poll(t).match(() => page.url(), /problem=space/)
    await axeInLooks(t, page, 'problems by kind')
    await shot(page, 'context-problems')
    await page.getByRole('button', { name: 'Placeholders 1' }).click()
    await page.getByText('2 of 8').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Placeholders 1', pressed: true }).waitFor()
    await page.getByText('2 of 8').waitFor()
    await page.getByRole('button', { name: /^All/ }).click()
    await poll(t).notMatch(() => page.url(), /problem=/)
  })

  t.test('a problem is dismissed by key, the undo shows it again, and so does its own button', async t => {
    const page = await open(t, 'de/shop?key=trailing')
    const row = page.getByRole('row').filter({ has: fieldOf(page) })
    const problem = row.getByText('Outer spaces: The source ends with a space or line break.')
    const dismissed = async () => {
      const { keys } = (await server.get(`${web}/status/keys?language=de&is=dismissed`, key)).json
      return keys.map((one: { key: string }) => one.key)
    }
    const dismiss = async () => {
      await problem.waitFor()
      // A button that still waits for its write ignores presses. The message goes after some seconds.
      const done = 'Outer spaces: dismissed for “trailing”, until the text or its source changes.'
      await Promise.all([
        page.getByText(done).first().waitFor(),
        row.getByRole('button', { name: 'Dismiss: Outer spaces' }).press('Enter'),
      ])
      await row.getByText('Dismissed: Outer spaces').waitFor()
      await problem.waitFor({ state: 'detached' })
      t.strictSame(await dismissed(), ['trailing'])
      await page.locator('[aria-label^="trailing "]:focus').waitFor()
    }
    await dismiss()
    await axeInLooks(t, page, 'a dismissed problem')
    await shot(page, 'context-dismissed')
    await page.getByRole('button', { name: 'Undo' }).click()
    await problem.waitFor()
    t.strictSame(await dismissed(), [])
    await dismiss()
    await row.getByRole('button', { name: 'Show again: Outer spaces' }).press('Enter')
    await problem.waitFor()
    t.strictSame(await dismissed(), [])
  })

  t.test('a text that is too long says so once, and its problem can be dismissed', async t => {
    const page = await open(t, 'de/shop?key=buy')
    await put('bundles/de/shop/buy', { value: 'Jetzt sofort kaufen' })
    const row = page.getByRole('row').filter({ has: fieldOf(page) })
    await row.getByText('5 characters too long').first().waitFor()
    await row.getByRole('button', { name: 'Dismiss: Length' }).waitFor()
    t.equal(await row.getByText('Length: ').count(), 0, 'the counter alone states it')
    await shot(page, 'context-too-long')
    await put('bundles/de/shop/buy', { value: 'Jetzt kaufen' })
    await row.getByRole('button', { name: 'Dismiss: Length' }).waitFor({ state: 'detached' })
  })

  t.test('shows earlier translations of similar texts, with who replaced them and when', async t => {
    await put('bundles/en/doors?overwrite=true', { leave: 'Leave the shop', left: 'Leave the shop?' })
    await put('bundles/de/doors?overwrite=true', { leave: 'Laden verlassen' })
    const page = await open(t, 'de/doors?key=left')
    const texts = section(page, 'Similar texts')
    const past = texts.getByRole('list', { name: 'Earlier translations' })
    const button = texts.getByRole('button', { name: 'Earlier translations' })
    await button.press('Enter')
    await texts.getByText('The similar texts have no earlier translation.').waitFor()
    await button.press('Enter')
    await put('bundles/de/doors?overwrite=true', { leave: 'Geschäft verlassen' })
    await button.press('Enter')
    await past.getByText('Laden verlassen').waitFor()
    await past.getByText(/^Replaced · ci · /).waitFor()
    t.match(await past.getByRole('link').getAttribute('href'), /web\/de\/doors\?key=leave/)
    await axeInLooks(t, page, 'earlier translations')
    await shot(page, 'context-past')
  })

  t.test('a kind that the dashboard does not know is named and counted', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web' })
    const problem = (kind: string) => ({ kind, missing: [], extra: ['kaufen'] })
    const lacking = { kind: 'term', missing: ['Warenkorb'], extra: [] }
    const text = { namespace: 'shop', key: 'buy', source: 'Buy now', message: 'Jetzt kaufen' }
    const keys = [
      { ...text, is: ['translated', 'problems'], problems: [problem('avoid'), problem('unheard'), lacking] },
    ]
    await page.route('**/status/keys?*', route => route.fulfill({ json: { keys, next: null } }))
    await go(page, 'de/shop?key=buy&is=problems')
    const row = page.getByRole('row').filter({ has: fieldOf(page) })
    await row.getByText('Forbidden words: kaufen').waitFor()
    await row.getByText('Check “unheard”: kaufen').waitFor()
    await row.getByText('Words of the glossary: Warenkorb is missing.').waitFor()
    await page.getByRole('button', { name: 'Check “unheard” 1' }).click()
    await page.getByText('1 of 8').waitFor()
    await typeIn(page, '!')
    await row.getByText('Forbidden words: ').waitFor({ state: 'detached' })
  })

  t.test('on a phone', async t => {
    const page = await signedIn(t, scene, { look: 'phone', at: '/#/projects/web/de/shop?key=buy' })
    await page.getByRole('button', { name: 'Details of the text' }).first().click()
    await section(page, 'Note').getByText('Label of the main button.').waitFor()
    await section(page, 'Similar texts').waitFor()
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
    await poll(t).equal(() => page.evaluate(isWider), false, 'nothing is wider than the window')
    await axe(t, page, 'the sheet')
    await shot(page, 'context-sheet')
    await section(page, 'Note').getByRole('button', { name: 'Edit the note' }).click()
    await axe(t, page, 'the form in the sheet')
    await shot(page, 'context-sheet-form')
    await wear(page, 'arabic')
    await shot(page, 'context-sheet-arabic')
  })
})
