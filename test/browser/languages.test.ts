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
    await refused('deu', /The project has de already/)
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
    await page.getByText('delete the language').first().waitFor()
    const [{ revision }] = (await read(`${web}/history?limit=1`)).revisions
    await server.must('POST', `${web}/revert`, { key: acme.key, body: { revision } })
    await poll(t).ok(async () => (await read(web)).languages.includes('pol'), 'and comes back by undoing that commit')
  })
})
