/** Languages in the dashboard: found by names, tags and codes in each field for one, and removed with an undo. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { axe, axeInLooks } from './axe.ts'
import { noBrowser } from './browser.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

/** Types into a field for a language and chooses the first match by Enter. */
async function enter(page: Page, label: string, typed: string): Promise<string> {
  const field = page.getByRole('combobox', { name: label })
  await field.fill('')
  await field.pressSequentially(typed)
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('option').first().waitFor({ state: 'detached' })
  return field.inputValue()
}

/**
 * The Arabic texts of a page: whether each is from right to left, ends at the right edge of its place, and isolates its
 * placeholders and tags.
 */
const ARABIC = `[...document.querySelectorAll('main [lang=ar]:not(input, textarea, [contenteditable])')].flatMap(text => {
  if (text.textContent.trim() === '' || text.closest('[aria-hidden=true]')) return []
  const range = document.createRange()
  range.selectNodeContents(text)
  let place = text
  while (getComputedStyle(place).display.startsWith('inline')) place = place.parentElement
  const { paddingRight } = getComputedStyle(place)
  const gap = place.getBoundingClientRect().right - parseFloat(paddingRight) - range.getBoundingClientRect().right
  // A box as narrow as its words has them at both edges.
  const isWide = place.offsetWidth > place.parentElement.clientWidth / 2
  const bare = [...text.querySelectorAll('*'), text].filter(one => {
    const own = [...one.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join('')
    return /\\{\\{|<\\/?\\w/.test(own) && getComputedStyle(one).direction === 'rtl'
  })
  return [{ text: text.textContent, direction: getComputedStyle(text).direction, atEdge: isWide && Math.abs(gap) < 8, bare: bare.length }]
})`

interface ArabicText {
  text: string
  direction: string
  atEdge: boolean
  bare: number
}

/** Every page that shows texts of bundles to read. A new one belongs here. */
const SHOWS_TEXTS = [
  'ar/common',
  'compare?from=first',
  'history?namespace=common&language=ar&key=greeting',
  'history',
  'review/ar',
]

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const read = async (path: string) => (await server.get(path, acme.key)).json

  t.test('chooses the first match of names, tags and codes by Enter in each field for a language', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects' })
    await page.getByRole('button', { name: 'New project' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    for (const [typed, tag] of [
      ['pol', 'pl'],
      ['german', 'de'],
      ['en_US', 'en-US'],
    ] as const)
      t.equal(await enter(page, 'Source language', typed), tag, typed)
    await page.getByLabel('Name', { exact: true }).fill('Codes')
    await page.getByRole('combobox', { name: 'Source language' }).fill('deu')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).press('Enter')
    await page.waitForURL(/projects\/codes$/)
    await poll(t).equal(
      async () => (await read('/api/projects/codes')).sourceLanguage,
      'de',
      'what was typed and sent resolves, too',
    )

    await page.evaluate("location.hash = '#/projects/web'")
    await page.getByRole('button', { name: 'Add language' }).press('Enter')
    const add = page.getByRole('button', { name: 'Translate' })
    const field = page.getByRole('combobox', { name: 'Language' })
    const refused = async (typed: string, sentence: RegExp) => {
      await field.fill(typed)
      await page.keyboard.press('Tab')
      await add.click()
      await page.getByText(sentence).waitFor()
    }
    await refused('deu', /The project already has de/)
    await refused('serb', /“serb” may be Serbian \(sr\).*: choose one/)
    await refused('klingonese', /No language is called “klingonese”/)
    await axe(t, page, 'a language that is refused')
    await refused('xyz', /No language with the tag xyz is known/)
    t.equal(await enter(page, 'Language', 'icelan'), 'is')
    await add.click()
    await page.waitForURL(/#\/projects\/web\/is$/)
  })

  t.test('accepts names and codes in an import', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/import' })
    const buffer = Buffer.from('{"hi":"Cześć"}')
    await page.locator('input[type=file]').setInputFiles({ name: 'more.json', mimeType: 'application/json', buffer })
    const field = page.getByLabel('Language of more.json')
    await field.fill('martian')
    await page.getByLabel('Namespace of more.json').focus()
    await page.getByText('No language is called “martian”').waitFor()
    await field.fill('polish')
    await page.getByRole('rowheader', { name: 'pl/more', exact: true }).waitFor()
    await page.getByLabel('Namespace of more.json').focus()
    await poll(t).equal(() => field.inputValue(), 'pl')
  })

  t.test('a language is removed when its tag was typed, and comes back from the history', async t => {
    const body = { bundles: { pol: { common: { hi: 'Cześć' }, extra: { more: 'Więcej' } } } }
    await server.must('POST', `${web}/push`, { key: acme.key, body })
    const page = await signedIn(t, scene, { at: '/#/projects/web' })
    await page.getByRole('button', { name: 'Actions for English' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Export' }).waitFor()
    await poll(t).equal(() => page.getByRole('menuitem', { name: 'Remove …' }).count(), 0, 'the source language stays')
    await page.keyboard.press('Escape')
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /pol$/ }) })
    await row.getByRole('button', { name: 'Actions for Polish' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Remove …' }).press('Enter')
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('undo that commit there').waitFor()
    const remove = dialog.getByRole('button', { name: 'Remove Polish (pol)' })
    await poll(t).equal(() => remove.isDisabled(), true)
    await dialog.getByRole('textbox').fill('pol')
    await axeInLooks(t, page, 'the removal of a language')
    await shot(page, 'remove-language')
    await remove.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await row.waitFor({ state: 'detached' })
    await poll(t).notOk(async () => (await read(web)).languages.includes('pol'))
    await page.evaluate("location.hash = '#/projects/web/history'")
    await page.getByText('deleted the language').first().waitFor()
    const [{ revision }] = (await read(`${web}/history?limit=1`)).revisions
    await server.must('POST', `${web}/revert`, { key: acme.key, body: { revision } })
    await poll(t).ok(async () => (await read(web)).languages.includes('pol'), 'and comes back by undoing that commit')
  })

  t.test(
    'an Arabic text is at its own edge on every page that shows texts, and its placeholders are isolated',
    async t => {
      await server.must('POST', `${web}/releases`, { key: acme.key, body: { name: 'first' } })
      const body = { value: 'أهلا {{name}}، <1>هنا</1>' }
      // Beside a text of the editor, its mark would stand at the edge.
      await server.must('PUT', `${web}/bundles/en/extra/greeting`, { key: acme.key, body: { value: 'Hi {{name}}' } })
      await server.must('POST', `${web}/suggestions/ar/extra/greeting`, { key: acme.key, body })
      // The newest commit, which the history shows first.
      const value = 'مرحبا {{name}}، <1>هنا</1>'
      await server.must('PUT', `${web}/bundles/ar/common/greeting`, { key: acme.key, body: { value } })
      const page = await signedIn(t, scene, { at: '/#/projects' })
      for (const at of SHOWS_TEXTS) {
        await page.evaluate(`location.hash = '#/projects/web/${at}'`)
        if (at === 'history')
          await page
            .getByRole('button', { name: /^Changes of/ })
            .first()
            .click()
        await page.locator('main [lang=ar]').first().waitFor()
        await poll(t).ok(async () => ((await page.evaluate(ARABIC)) as unknown[]).length > 0, `${at} has some`)
        const faults = async () =>
          ((await page.evaluate(ARABIC)) as ArabicText[]).filter(
            ({ direction, atEdge, bare }) => direction !== 'rtl' || !atEdge || bare > 0,
          )
        await poll(t).strictSame(faults, [], at)
        await shot(page, `arabic-${at.replaceAll(/\W/g, '-')}`)
      }
    },
  )
})
