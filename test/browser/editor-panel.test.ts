/** The editor's rows, its search, and the panel about the text in hand: beside the grid, or as a sheet below it. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { axe, axeInLooks } from './axe.ts'
import { noBrowser } from './browser.ts'
import { fieldOf } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

/** Px that a row of one line may be high. */
const COMFORT = { least: 40, most: 44 }

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  const put = (at: string, body: object) => server.must('PUT', `${web}/bundles/${at}`, { key, body })
  const open = async (t: Test, at: string) => {
    const page = await signedIn(t, scene, { at: `/#/projects/web/${at}` })
    await page.getByRole('grid').waitFor()
    return page
  }
  const panelOf = (page: Page) => page.getByRole('region', { name: 'Details of the text' })
  const focused = (page: Page) =>
    page.evaluate<string>(
      `(({ role, localName, ariaLabel, textContent }) => [role ?? localName, ariaLabel ?? textContent].join(' '))(document.activeElement)`,
    )
  const rowOf = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) })

  await put('en/parts', {
    apple: 'Order',
    berry: 'Order',
    cherry: 'Order',
    date: 'Order',
    elder: 'Elder <strong>berry</strong>, see the <1>list</1>',
    fig: 'Fig with $t(apple)',
    grape: '{{count}} grapes',
  })
  await put('de/parts', { apple: 'Bestellung', berry: 'Auftrag', cherry: 'Bestellung', grape: 'Trauben' })

  t.test('rows of one line are 40 to 44 px high, compact ones lower, and a reload remembers the choice', async t => {
    const page = await open(t, 'de/parts')
    const height = async () => (await rowOf(page, 'apple').boundingBox())!.height
    const high = await height()
    t.ok(high >= COMFORT.least && high <= COMFORT.most, `${high} px`)
    t.equal(await rowOf(page, 'apple').getByText('translated').count(), 0, 'an ordinary text has no mark')
    await rowOf(page, 'date').getByText('missing').waitFor()
    const compact = page.getByRole('menuitemcheckbox', { name: 'Compact rows' })
    const more = page.getByRole('button', { name: 'More', exact: true })
    await more.click()
    await axe(t, page, 'how rows are shown')
    await compact.click()
    await poll(t).ok(async () => (await height()) < high - 8)
    await axe(t, page, 'compact rows')
    await page.reload()
    await poll(t).ok(async () => (await height()) < high - 8)
    await more.click()
    await compact.and(page.locator('[aria-checked=true]')).waitFor()
  })

  t.test('a closed row has two lines at most, and shows how long texts begin', async t => {
    const long = 'A sentence of a long text. '.repeat(60)
    const forms = Object.fromEntries(
      ['zero', 'one', 'two', 'few', 'many', 'other'].map(form => [`days_${form}`, `{{count}} ${form}`]),
    )
    await put('en/tall', {
      ...{ source: long, translation: 'Short', lines: 'One\nTwo\nThree\nFour', middle: 'm'.repeat(90) },
      ...{ days_one: '{{count}} day', days_other: `{{count}} days ${long}` },
    })
    await put('ar/tall', { source: 'قصير', translation: `مرحبا ${long}`, ...forms })
    for (const width of [1440, 360]) {
      const page = await open(t, 'ar/tall')
      await page.setViewportSize({ width, height: 900 })
      const heights = () =>
        page.evaluate<number[]>(
          `[...document.querySelectorAll('[role=grid] [role=gridcell]')].map(cell => cell.getBoundingClientRect().height)`,
        )
      await poll(t).equal(async () => (await heights()).length, 10)
      await poll(t).ok(async () => Math.max(...(await heights())) < 70, `${width}: ${await heights()}`)
      await poll(t).ok(() =>
        rowOf(page, 'source')
          .getByText(/^A sentence/)
          .isVisible(),
      )
      await axe(t, page, `long texts at ${width}`)
      await shot(page, `long texts at ${width}`)
    }
  })

  t.test('only the active cell of the open row is tinted', async t => {
    const page = await open(t, 'de/parts?key=apple&with=pl')
    await fieldOf(page).first().focus()
    const grounds = () =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('[role=row]:has([contenteditable]) > *')].map(cell => getComputedStyle(cell).backgroundColor)`,
      )
    const activeOf = async () => {
      const all = await grounds()
      return all.map((ground, at) => (all.indexOf(ground) === all.lastIndexOf(ground) ? at : undefined)).filter(Boolean)
    }
    await poll(t).strictSame(activeOf, [2])
    await fieldOf(page).last().focus()
    await poll(t).strictSame(activeOf, [3])
  })

  t.test('the first Tab stop leads to the texts', async t => {
    const page = await open(t, 'de/parts')
    await page.keyboard.press('Tab')
    await poll(t).equal(() => focused(page), 'a Skip to the texts')
    await page.keyboard.press('Enter')
    await poll(t).equal(() => focused(page), 'gridcell Bestellung')
    await page.evaluate(`location.hash = '#/projects/web'`)
    await page.getByRole('rowheader', { name: /Deutsch/ }).waitFor()
    await poll(t).equal(() => page.getByText('Skip to the content').count(), 1, 'as on any other page')
  })

  t.test('four Tab stops are before the texts, and arrows reach every control of each', async t => {
    const page = await open(t, 'de/parts')
    const stops: string[] = []
    const tab = async () => {
      await page.keyboard.press('Tab')
      stops.push(await focused(page))
      return stops.at(-1)!
    }
    while (!/^(rowheader|body)/.test(await tab()) && stops.length < 20);
    t.strictSame(stops, [
      'a Skip to the texts',
      'a Parlance: projects',
      'a Languages',
      'input Search',
      'rowheader apple',
    ])

    // Each from its Tab stop to its end and around, by one arrow key.
    for (const [bar, stop] of [
      ['Parlance', 'a Parlance: projects'],
      ['Pages of web', 'a Languages'],
      ['Tools', 'input Search'],
    ] as const) {
      const toolbar = page.getByRole('toolbar', { name: bar })
      await toolbar.locator('[tabindex="0"]').focus()
      t.equal(await focused(page), stop)
      const visible = `[...document.querySelectorAll('[role=toolbar][aria-label="${bar}"] :is(a, button, input)')].filter(one => one.checkVisibility({ visibilityProperty: true })).length`
      const count = await page.evaluate<number>(visible)
      const reached = new Set<string>()
      for (let times = 0; times < count; times++) {
        await page.keyboard.press('ArrowRight')
        reached.add(await page.evaluate<string>(`document.activeElement.outerHTML`))
      }
      t.equal(reached.size, count, `all ${count} of ${bar}`)
      t.equal(await focused(page), stop, 'around')
    }
  })

  t.test('in the search an arrow moves the caret, and leaves at an end of its words', async t => {
    const page = await open(t, 'de/parts')
    await page.keyboard.press('/')
    await page.keyboard.type('ab')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('c')
    const search = page.getByRole('searchbox')
    await poll(t).equal(() => search.inputValue(), 'acb')
    await page.keyboard.press('ArrowRight')
    await poll(t).equal(() => focused(page), 'input Search', 'at the end')
    await page.keyboard.press('ArrowRight')
    await poll(t).equal(() => focused(page), 'button Search in')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Home')
    await poll(t).equal(() => focused(page), 'input Search')
    await page.keyboard.press('ArrowLeft')
    await poll(t).equal(() => focused(page), 'button More', 'at the beginning')
  })

  t.test('searches from anywhere by one key, and goes on to the first row by another', async t => {
    const page = await open(t, 'de/parts')
    await page.getByRole('button', { name: 'Add key' }).focus()
    await page.keyboard.press('/')
    await poll(t).equal(() => focused(page), 'input Search')
    await page.keyboard.type('order')
    await page.getByText('4 of 7').waitFor()
    await page.getByRole('button', { name: 'All 4' }).waitFor()
    await page.getByRole('button', { name: 'missing 1' }).press('Enter')
    await page.getByText('1 of 7').waitFor()
    await page.getByRole('button', { name: 'All 4' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.press('ArrowDown')
    await poll(t).match(() => focused(page), /^gridcell .*missing/)
    await page.keyboard.press('Enter')
    await page.locator('[aria-label^="date"]:focus').waitFor()
    await page.keyboard.type('a/b')
    await poll(t).equal(() => fieldOf(page).innerText(), 'a/b', 'in a field it is a letter')
  })

  t.test('the panel follows the position, and renders the text as apps do', async t => {
    const page = await open(t, 'de/parts')
    const panel = panelOf(page)
    await panel.getByText('Choose a text').waitFor()
    await page.getByRole('rowheader', { name: 'apple' }).click()
    await panel.getByText('apple', { exact: true }).waitFor()
    for (let times = 0; times < 4; times++) await page.keyboard.press('ArrowDown')
    const preview = panel.getByRole('region', { name: 'Preview' })
    await preview.locator('strong', { hasText: 'berry' }).waitFor()
    await preview.locator('bdi', { hasText: /^1$/ }).waitFor()
    await page.keyboard.press('Enter')
    await fieldOf(page).waitFor()
    await page.keyboard.type('Holunder')
    await poll(t).equal(() => preview.count(), 0, 'a text without tags and placeholders looks as it is written')
    await page.keyboard.type(' <strong>x</strong>')
    await preview.locator('strong', { hasText: 'x' }).waitFor()
    await axeInLooks(t, page, 'the panel')
    await shot(page, 'editor-panel')
  })

  t.test('groups the translations of the same text, and names the texts that nest a key', async t => {
    const page = await open(t, 'de/parts?key=date')
    const panel = panelOf(page)
    const same = panel.getByRole('region', { name: 'Same text elsewhere' })
    await poll(t).strictSame(
      async () => (await same.getByRole('listitem').allInnerTexts()).map(text => text.replaceAll(/\s+/g, ' ')),
      ['Bestellung Use 2 keys', 'Auftrag Use berry', 'berry'],
    )
    await same.getByRole('button', { name: '2 keys' }).click()
    await same.getByRole('button', { name: 'Use the translation of apple' }).click()
    await poll(t).equal(() => fieldOf(page).innerText(), 'Bestellung')
    await same.getByRole('button', { name: 'Go to apple' }).click()
    await page.locator('[aria-label^="apple"]:focus').waitFor()
    await panel.getByRole('region', { name: 'Used in' }).getByRole('button', { name: 'Go to fig' }).waitFor()
  })

  t.test('in a narrow window it is a sheet, which a key or a button opens and Escape closes', async t => {
    const page = await open(t, 'de/parts?key=grape')
    await page.setViewportSize({ width: 900, height: 800 })
    const panel = panelOf(page)
    await panel.waitFor({ state: 'detached' })
    await fieldOf(page).first().focus()
    await page.keyboard.press('Alt+p')
    await poll(t).equal(() => focused(page), 'section Details of the text')
    await panel.getByText('grape', { exact: true }).waitFor()
    const field = (await fieldOf(page).first().boundingBox())!
    t.ok(field.y + field.height <= (await panel.boundingBox())!.y, 'the field stays in sight')
    await axeInLooks(t, page, 'the sheet')
    await shot(page, 'editor-sheet')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.locator('[aria-label^="grape"]:focus').waitFor()
    await rowOf(page, 'grape').getByRole('button', { name: 'Details of the text' }).click()
    await panel.waitFor()
    await panel.getByRole('button', { name: 'Close' }).click()
    await panel.waitFor({ state: 'detached' })
  })

  t.test('the actions and the source of a long text stay in sight', async t => {
    await put('de/parts/cherry', { value: Array.from({ length: 120 }, (_, at) => `Zeile ${at}`).join('\n') })
    const page = await open(t, 'de/parts?key=cherry')
    await fieldOf(page).waitFor()
    const isSeen = async (name: string) => {
      const box = (await rowOf(page, 'cherry').getByText(name, { exact: true }).first().boundingBox())!
      return box.y > 0 && box.y + box.height <= 800
    }
    for (const scrolled of [0, 600, 1500]) {
      await page.evaluate(`document.querySelector('[role=grid]').parentElement.scrollTop = ${scrolled} + 100`)
      await poll(t).ok(() => isSeen('Save and next'), `the actions at ${scrolled}`)
      await poll(t).ok(() => isSeen('Order'), `the source at ${scrolled}`)
    }
  })

  t.test('the source is edited in its column', async t => {
    const page = await open(t, 'de/parts?key=fig')
    await page.getByRole('button', { name: 'Edit the source of fig' }).click()
    const field = page.getByRole('textbox', { name: 'fig (en)' })
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('!')
    await page.keyboard.press('Control+s')
    await page.getByText('“fig” is saved.').waitFor({ state: 'attached' })
    const source = (await server.must('GET', `${web}/bundles/en/parts/fig`, { key })).json.message
    t.match(source, '!')
    await poll(t).strictSame(
      () => page.getByRole('columnheader').allInnerTexts(),
      ['Key', 'English en · source', 'German de'],
    )
  })

  t.test('the buttons of placeholders name their field', async t => {
    await put('en/parts', { melon_one: '{{count}} melon', melon_other: '{{count}} melons' })
    const page = await open(t, 'pl/parts?key=melon')
    for (const form of ['one', 'few', 'many', 'other']) {
      await page.getByRole('button', { name: `Insert {{count}} into ${form}`, exact: true }).waitFor()
    }
  })
})
