/**
 * A translator's hour by a screen reader's eyes: the accessibility tree of each step, and what is said without being
 * asked for.
 */
import { strToU8, zipSync } from 'fflate'
import type { Page } from 'playwright-core'
import t from 'tap'
import { axeInLooks } from './axe.ts'
import { noBrowser } from './browser.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { described, hear, isSaid, looksLike } from './screen-reader.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  const put = (at: string, value: string) => server.must('PUT', `${web}/bundles/${at}`, { key, body: { value } })
  const go = (page: Page, at: string) => page.evaluate(`location.hash = '#/projects/web${at}'`)
  await put('en/common/greeting', 'Hello there, {{name}}')

  t.test('from the list of projects to the texts', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects' })
    await page.getByRole('meter', { name: 'German' }).waitFor()
    await looksLike(
      t,
      page.getByRole('main'),
      `
      - main:
        - heading "Projects" [level=1]
        - button "New project"
        - list:
          - listitem:
            - heading "web" [level=2]:
              - link "web"
            - paragraph:
              - time: …
            - paragraph: 21 texts · from English (en)
            - term: Japanese ja
            - definition:
              - meter "Japanese"
            - term: Arabic ar
            - definition:
              - meter "Arabic"
            - term: Polish pl
            - definition:
              - meter "Polish"
            - term: German de
            - definition:
              - meter "German"`,
    )
    await poll(t).equal(
      () => page.getByRole('meter', { name: 'German' }).getAttribute('aria-valuetext'),
      '18 of 21 keys translated',
    )
    await hear(page)
    await page.getByRole('link', { name: 'web' }).press('Enter')
    const german = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /Deutsch/ }) })
    await german.waitFor()
    t.ok(await isSaid(page, 'web'), 'announces the title of the opened page')
    await poll(t).equal(() => page.evaluate('document.activeElement.localName'), 'main', 'and has the focus')
    await looksLike(
      t,
      page.getByRole('navigation', { name: 'Pages of web' }),
      `
      - navigation "Pages of web":
        - toolbar "Pages of web":
          - link "Languages"
          - link "Glossary"
          - link "History"
          - link "Releases"
          - link "Compare"
          - link "Import"
          - link "Settings"`,
    )
    await looksLike(
      t,
      german,
      `
      - row "Deutsch German de German: 85% , 18 of 21 keys translated 1 stale 2 missing 1 empty German, checkout: 83% , 5 of 6 keys translated 1 empty German, common: 86% , 13 of 15 keys translated 1 stale 2 missing":
        - rowheader "Deutsch German de":
          - link "Deutsch German de"
          - button "Actions for German"
        - gridcell "German: 85% , 18 of 21 keys translated 1 stale 2 missing 1 empty":
          - link "German: 85% , 18 of 21 keys translated"
          - link "1 stale"
          - link "2 missing"
          - link "1 empty"
        - gridcell "German, checkout: 83% , 5 of 6 keys translated 1 empty":
          - link "German, checkout: 83% , 5 of 6 keys translated"
          - link "1 empty"
        - gridcell "German, common: 86% , 13 of 15 keys translated 1 stale 2 missing":
          - link "German, common: 86% , 13 of 15 keys translated"
          - link "1 stale"
          - link "2 missing"`,
    )
  })

  t.test('a text is found, written, checked and saved; its row stays and says that it no longer matches', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/de/checkout' })
    const grid = page.getByRole('grid', { name: 'Texts in German' })
    await grid.waitFor()
    await hear(page)
    await page.getByRole('button', { name: /^empty/ }).press('Space')
    t.ok(await isSaid(page, '1 key is shown.'), 'what a filter finds is said')
    await looksLike(
      t,
      grid,
      `
      - grid "Texts in German":
        - rowgroup:
          - row "Key English en · source German de":
            - columnheader "Key"
            - columnheader "English en · source"
            - columnheader "German de"
        - rowgroup:
          - row "terms I accept the <1>terms</1> empty":
            - rowheader "terms"
            - gridcell "I accept the <1>terms</1>"
            - gridcell "empty"`,
    )
    await poll(t).strictSame(
      () => page.evaluate(POSITIONS),
      ['2 3 1 1 2 3', '2 3 2 1 2 3'],
      'rows and columns are counted',
    )
    await grid.locator('[tabindex="0"]').focus()
    await page.keyboard.press('Enter')
    const field = grid.getByRole('textbox', { name: 'terms (de)', exact: true })
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Ich akzeptiere die <1>AGB')
    t.ok(await isSaid(page, 'Placeholders: </1> is missing.'), 'announced when typing is finished')
    const cell = grid.getByRole('gridcell').filter({ has: page.getByRole('textbox', { name: 'terms (de)' }) })
    const written = (state: string, rest: string) => `
      - gridcell "Placeholders Ich akzeptiere die ${rest}":
        - group "Placeholders":
          - button "Insert <1>"
          - button "Insert </1>"
        - textbox "terms (de)"${state}
        - button "Insert an invisible character"
        - button "More for terms"
        - button "Save"
        - button "Save and next"`
    await looksLike(
      t,
      cell,
      written(
        ` [invalid]
        - paragraph: Placeholders: </1> is missing.
        - text: problems unsaved`,
        '<1>AGB Placeholders: </1> is missing. problems unsaved Insert an invisible character More for terms Save Save and next',
      ),
    )
    await poll(t).match(() => described(page), 'Placeholders: </1> is missing.', 'the field says what is wrong with it')
    await page.keyboard.type('</1>')
    await page.keyboard.press('Control+s')
    await cell.getByText('no longer matches').waitFor()
    await looksLike(
      t,
      cell,
      written(
        `
        - text: no longer matches`,
        '<1>AGB</1> no longer matches Insert an invisible character More for terms Save Save and next',
      ),
    )
    t.strictSame(await hear(page), ['“terms” is saved.'], 'once, and nothing else')
  })

  t.test('a conflict that arrives, and a save that fails, are said once each', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/de/checkout?key=pay' })
    const field = page.getByRole('textbox', { name: 'pay (de)', exact: true })
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.type(' bitte')
    await hear(page)
    await put('de/checkout/pay', 'Zahlen')
    const note = page.getByRole('note')
    await looksLike(
      t,
      note,
      `
      - note:
        - text: Another user changed this text while you were writing. Their change:
        - deletion: removed: Jetzt bezahlen end of change
        - insertion: added: Zahlen end of change
        - paragraph: Changed by ci.
        - button "Use theirs"
        - button "Use mine"`,
    )
    const conflict = 'Another user changed “pay” meanwhile: your text is still here, decide which one stays.'
    // The title is announced when it is known, which may be as late as this.
    const heard = async () => (await hear(page)).filter(words => !words.endsWith('· web'))
    t.strictSame(await heard(), [conflict])
    await axeInLooks(t, page, 'a conflict')
    await page.getByRole('button', { name: 'Use mine' }).press('Enter')
    await note.waitFor({ state: 'detached' })
    await poll(t).ok(() => field.and(page.locator(':focus')).count(), 'the focus goes back to the field')
    t.strictSame(await heard(), [], 'in another language, announces the title only')
    await page.route(/checkout\/pay$/, route => route.fulfill({ status: 413, json: { error: 'Too much.' } }))
    await page.keyboard.press('Control+s')
    await page.getByText('Not saved: Too much.', { exact: true }).waitFor()
    t.strictSame(await heard(), ['“pay” was not saved: Too much.'])
  })

  t.test('what changed in the source is said, not only coloured', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/de/common?key=greeting' })
    await looksLike(
      t,
      page.getByRole('region', { name: /^What changed/ }),
      `
      - region "What changed in the source since this translation":
        - heading "What changed in the source since this translation" [level=2]
        - paragraph:
          - text: Hello
          - insertion: added: there, end of change
          - text: {{name}}`,
    )
    await axeInLooks(t, page, 'a stale text')
  })

  t.test('a dialog is named, holds the focus and gives it back', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/de/common' })
    const opener = page.getByRole('button', { name: 'Add key' })
    await opener.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add key' })
    await dialog.getByRole('textbox', { name: 'Key', exact: true }).and(page.locator(':focus')).waitFor()
    const isHidden = `document.querySelector('main').closest('[inert], [aria-hidden=true]') !== null`
    await poll(t).equal(() => page.evaluate(isHidden), true, 'the content behind it is out of reach')
    await page.keyboard.type('greeting')
    await dialog.getByText('There is a key “greeting” already.').waitFor()
    await poll(t).match(() => described(page), /There is a key “greeting” already\./)
    const isInside = `document.activeElement.closest('[role=dialog]') !== null`
    let inside = 0
    for (let times = 0; times < 12; times++) {
      await page.keyboard.press('Tab')
      if (await page.evaluate(isInside)) inside++
    }
    t.equal(inside, 12, 'Tab stays inside')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await opener.and(page.locator(':focus')).waitFor()
  })

  t.test('history and the plan of an import', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/history' })
    const commit = page.getByRole('listitem').filter({ hasText: 'changed greeting in English, common' })
    await commit.getByRole('button', { name: /^Changes of/ }).press('Enter')
    await commit.getByRole('insertion').waitFor()
    await looksLike(
      t,
      commit.first(),
      `
      - listitem:
        - checkbox "Choose “ci changed greeting in English, common”"
        - link "ci"
        - text: changed greeting in English, common
        - time: …
        - text: … 1 changed
        - button "Changes of “ci changed greeting in English, common”" [expanded]
        - button "Undo"
        - button "Restore this state"
        - button "Copy the revision": Copy
        - heading "en/common" [level=3]
        - list:
          - listitem:
            - paragraph:
              - text: Changed
              - link "greeting"
            - paragraph:
              - text: Hello
              - insertion: added: there, end of change
              - text: {{name}}`,
    )
    await go(page, '/import')
    const archive = zipSync({ 'de/extra.json': strToU8('{"hi":"Hallo"}'), 'broken.de.json': strToU8('{') })
    const file = { name: 'texts.zip', mimeType: 'application/zip', buffer: Buffer.from(archive) }
    await page.locator('input[type=file]').setInputFiles(file)
    const apply = page.getByRole('button', { name: 'Apply 1 change' })
    await apply.waitFor()
    await looksLike(
      t,
      page.getByRole('table', { name: 'Where the files go' }),
      `
      - table "Where the files go":
        - rowgroup:
          - row "File Language Namespace":
            - columnheader "File"
            - columnheader "Language"
            - columnheader "Namespace"
        - rowgroup:
          - row "de/extra.json de extra":
            - rowheader "de/extra.json"
            - cell "de":
              - textbox "Language of de/extra.json": de
            - cell "extra":
              - textbox "Namespace of de/extra.json": extra
          - row "broken.de.json Not JSON de broken":
            - rowheader "broken.de.json Not JSON"
            - cell "de":
              - textbox "Language of broken.de.json" [disabled]: de
            - cell "broken":
              - textbox "Namespace of broken.de.json" [disabled]: broken`,
    )
    await hear(page)
    await apply.press('Enter')
    t.ok(await isSaid(page, '1 key imported.'))
  })
})

/** Of each row: how many rows and columns the grid has, its number, and those of its cells. */
const POSITIONS = `[...document.querySelectorAll('[role=grid] [role=row]')].map(row => {
  const { ariaRowCount, ariaColCount } = row.closest('[role=grid]')
  return [ariaRowCount, ariaColCount, row.ariaRowIndex, ...[...row.children].map(cell => cell.ariaColIndex)].join(' ')
})`
