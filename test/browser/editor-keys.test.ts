/**
 * Keys in the dashboard: added, renamed, deleted, and replaced in several texts. Each change is one commit with an
 * undo.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { axe, wear } from './axe.ts'
import { noBrowser } from './browser.ts'
import { LOOKS, type Look } from './looks.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

/** The names of the buttons as a look has them. */
const wordsOf = (look: Look): string[] => {
  const language = LOOKS[look].locale
  const file = join(import.meta.dirname, `../../src/dashboard/locales/${language}/keys.json`)
  const { add, replaceIn } = JSON.parse(readFileSync(file, 'utf8'))
  return [add, replaceIn]
}

const texts = {
  en: { nav: { home: 'Home page', back: 'Back to the home page' }, hello: 'Hello {{name}}', home: 'Homeland' },
  de: { nav: { home: 'Startseite', back: 'Zur Startseite' }, hello: 'Hallo {{name}}', home: 'Heimat' },
  fr: { nav: { home: 'Accueil' } },
}

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme } = scene
  const keys = await server.project(acme.key, 'keys')
  const bundles = Object.fromEntries(Object.entries(texts).map(([language, common]) => [language, { common }]))
  await server.must('POST', `${keys}/push?overwrite=true`, { key: acme.key, body: { bundles } })
  const read = async (path: string) => (await server.get(`${keys}/bundles/${path}`, acme.key)).json
  const subjects = async () =>
    (await server.get(`${keys}/history?limit=3`, acme.key)).json.revisions.map(
      (one: { subject: string }) => one.subject,
    )
  const editor = (query = '') => `/#/projects/keys/de/common${query}`
  const said = (page: Page, words: string | RegExp) => page.getByRole('note').filter({ hasText: words }).waitFor()
  const ofRow = async (page: Page, key: string, item: string) => {
    await page.getByRole('button', { name: `More for ${key}`, exact: true }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  for (const looks of [['light', 'dark', 'contrast', 'arabic', 'japanese'], ['phone']] as Look[][]) {
    t.test(`the dialogs in the looks ${looks.join(', ')}`, async t => {
      const page = await signedIn(t, scene, { look: looks[0]!, at: editor('?key=hello') })
      for (const look of looks) {
        if (look !== looks[0]) await wear(page, look)
        for (const at of look === 'light' || look === 'phone' ? [0, 1] : [1]) {
          const dialog = page.getByRole('dialog')
          await page.getByRole('button', { name: wordsOf(look)[at]!, exact: true }).click()
          await dialog.waitFor()
          if (at === 1) {
            await dialog.getByRole('textbox').first().fill('a')
            await dialog.getByRole('listitem').first().waitFor()
          }
          await axe(t, page, `${look} ${at}`)
          await shot(page, `keys-${at}-${look}`)
          await page.keyboard.press('Escape')
          await dialog.waitFor({ state: 'detached' })
        }
      }
    })
  }

  t.test('a plural with a context is added by keyboard as one commit, and stands open', async t => {
    const page = await signedIn(t, scene, { at: editor('?q=hello') })
    await page.getByRole('button', { name: 'Add key' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.type('hello')
    await dialog.getByText('There is a key “hello” already.').waitFor()
    await dialog.getByLabel('Key', { exact: true }).fill('friend_one')
    await dialog.getByText('This would be a plural form of “friend”').waitFor()
    await dialog.getByLabel('Key', { exact: true }).fill('friend')
    await dialog.getByRole('button', { name: /Kind/ }).press('Enter')
    await page.getByRole('option', { name: /Plural/ }).press('Enter')
    await dialog.getByLabel('Variants by context').fill('male')
    for (const name of ['friend_one', 'friend_other', 'friend_male_one', 'friend_male_other']) {
      await dialog.getByLabel(name, { exact: true }).fill(`${name} {{count}}`)
    }
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Add key' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await said(page, '“friend” is added.')
    await page.locator('[aria-label^="friend one"]:focus').waitFor()
    const { friend_one, friend_male_other } = await read('en/common')
    t.strictSame([friend_one, friend_male_other], ['friend_one {{count}}', 'friend_male_other {{count}}'])
  })

  t.test(
    'a key that no browser can name is not saved, which is said in words for people; what is typed stays',
    async t => {
      const dots = await server.project(acme.key, 'dots', 'en', 'i18next-json-flat')
      const body = { bundles: { en: { common: { '..': 'Two dots' } } } }
      await server.must('POST', `${dots}/push?overwrite=true`, { key: acme.key, body })
      const page = await signedIn(t, scene, { at: '/#/projects/dots/de/common?key=..' })
      await page.locator('[aria-label^=".."]:focus').waitFor()
      await page.keyboard.type('Zwei Punkte')
      await page.keyboard.press('Control+s')
      await page.getByText('A browser cannot send the names “.” and “..”').first().waitFor()
      await axe(t, page, 'a key that cannot be saved')
      await page.reload()
      await page.locator('[aria-label^=".."]').getByText('Zwei Punkte').waitFor()
    },
  )

  t.test('removes a form that exists only as a draft when it is emptied, and focuses the remaining text', async t => {
    const write = (value: unknown) =>
      server.must('PUT', `${keys}/bundles/en/common/thing`, { key: acme.key, body: { value } })
    await write({ one: 'one thing', other: '{{count}} things' })
    const page = await signedIn(t, scene, { at: editor('?key=thing') })
    const other = page.locator('[aria-label^="thing other"]')
    await page.locator('[aria-label^="thing one"]:focus').waitFor()
    await other.focus()
    await page.keyboard.type('x')
    await page.getByText('unsaved').first().waitFor()
    await server.must('POST', `${keys}/push?prune=true`, {
      key: acme.key,
      body: { bundles: { en: { common: { ...texts.en, thing: 'a thing' } } } },
    })
    await page.locator('[aria-label^="thing text"]').waitFor()
    await other.focus()
    await page.keyboard.press('Backspace')
    await other.waitFor({ state: 'detached' })
    await page.locator('[aria-label^="thing "]:focus').waitFor()
    await server.must('POST', `${keys}/delete-key`, { key: acme.key, body: { namespace: 'common', key: 'thing' } })
  })

  t.test('a key is renamed in all languages with what is unsaved of it; undone by one button', async t => {
    const page = await signedIn(t, scene, { at: editor('?key=nav.home') })
    const field = page.getByRole('textbox', { name: /^nav\.home/ })
    await field.waitFor()
    await page.locator('[aria-label^="nav.home"]:focus').waitFor()
    await page.keyboard.type('Unsaved ')
    await ofRow(page, 'nav.home', 'Rename key …')
    await page.getByRole('dialog').getByLabel('New name').fill('nav.start')
    await page.keyboard.press('Enter')
    await said(page, '“nav.home” is called “nav.start” now, in 3 languages.')
    await page.waitForURL(/key=nav\.start/)
    await page.locator('[aria-label^="nav.start"]:focus').waitFor()
    await poll(t).match(() => page.getByRole('textbox', { name: /^nav\.start/ }).textContent(), /Unsaved/)
    await poll(t).equal(async () => (await read('fr/common')).nav.start, 'Accueil')
    await poll(t).match(async () => (await subjects())[0], /rename nav\.home to nav\.start/)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await said(page, 'It is undone.')
    await poll(t).equal(async () => (await read('fr/common')).nav.home, 'Accueil')
  })

  t.test('a key is deleted in all languages after what goes was shown, and comes back', async t => {
    const page = await signedIn(t, scene, { at: editor('?key=nav.back') })
    await ofRow(page, 'nav.back', 'Delete key …')
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('Back to the home page').waitFor()
    await axe(t, page, 'what goes')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await said(page, '“nav.back” is deleted in 2 languages.')
    await poll(t).equal(async () => (await read('de/common')).nav.back, undefined)
    await poll(t).match(() => subjects(), [/delete nav\.back/])
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await said(page, 'It is undone.')
    await poll(t).equal(async () => (await read('de/common')).nav.back, 'Zur Startseite')
  })

  t.test('what goes of a key of dots alone is shown, too', async t => {
    const bundles = { en: { dots: { '..': 'And so on', rest: 'Rest' } } }
    await server.must('POST', `${keys}/push`, { key: acme.key, body: { bundles } })
    const page = await signedIn(t, scene, { at: '/#/projects/keys/en/dots' })
    await page.getByRole('rowheader', { name: '..' }).press('Enter')
    await ofRow(page, '..', 'Delete key …')
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('And so on').waitFor()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await said(page, '“..” is deleted in 1 language.')
  })

  t.test(
    'the translation of the same text elsewhere is used by a key or a click; the last change leads to its commit',
    async t => {
      const path = await server.project(acme.key, 'alike')
      const bundles = { en: { common: { ok: 'OK', done: 'Ok', sure: 'OK' } }, de: { common: { ok: 'Gut' } } }
      await server.must('POST', `${path}/push`, { key: acme.key, body: { bundles, message: 'Texts of 1f7a7a4' } })
      const page = await signedIn(t, scene, { at: '/#/projects/alike/de/common?key=done' })
      const field = page.getByRole('textbox', { name: /^done/ })
      await page.locator('[aria-label^="done"]:focus').waitFor()
      await page.keyboard.press('Alt+u')
      t.equal(await field.textContent(), 'Gut', 'of the two others the one that says something')
      await page.keyboard.press('Control+z')
      t.equal(await field.textContent(), '', 'as if it had been typed')
      await page.getByRole('button', { name: 'Use the translation of ok' }).click()
      t.equal(await field.textContent(), 'Gut')
      await axe(t, page, 'the same text elsewhere')
      await page.keyboard.press('Control+s')
      await page
        .getByRole('status')
        .filter({ hasText: /done.*saved/ })
        .waitFor({ state: 'attached' })
      t.equal((await server.get(`${path}/bundles/de/common`, acme.key)).json.done, 'Gut')
      await page.getByRole('button', { name: 'Go to ok' }).click()
      await page.getByRole('link', { name: 'Texts of 1f7a7a4' }).first().click()
      await page.waitForURL(/history\?language=de&namespace=common&key=ok&commit=/)
      await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
    },
  )

  t.test('texts are replaced as one commit: those that are shown, ticked and still as they were looked at', async t => {
    const page = await signedIn(t, scene, { at: editor() })
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Replace in many texts' }).press('Enter')
    await dialog.waitFor()
    await page.keyboard.type('startSEITE')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Hauptseite')
    await dialog.getByText('2 texts would change, 2 chosen.').waitFor()
    await dialog.getByText('Whole words').click()
    await dialog.getByText('2 texts would change').waitFor()
    await dialog.getByText('nav.back').click()
    await dialog.getByText('2 texts would change, 1 chosen.').waitFor()
    await dialog.getByText('nav.back').click()
    const theirs = { key: acme.key, body: { value: 'Von jemand anderem' } }
    let isFirst = true
    await page.route('**/bundles/de/common', async route => {
      if (isFirst) await server.must('PUT', `${keys}/bundles/de/common/nav.home`, theirs)
      isFirst = false
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Replace in 2 texts' }).click()
    await dialog.getByText('Another user changed “nav.home” meanwhile.').waitFor()
    await poll(t).equal(async () => (await read('de/common')).nav.back, 'Zur Startseite', 'nothing was written')
    await dialog.getByText('1 text would change, 1 chosen.').waitFor()
    await dialog.getByRole('button', { name: 'Replace in 1 text' }).click()
    await said(page, '1 text is replaced.')
    await poll(t).strictSame(async () => (await read('de/common')).nav, {
      home: 'Von jemand anderem',
      back: 'Zur Hauptseite',
    })
    await poll(t).match(async () => (await subjects())[0], /replace "startSEITE" by "Hauptseite" in 1 text/)
    await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter')
    await said(page, 'It is undone.')
    await page.locator('main button:focus').waitFor()
    await poll(t).equal(async () => (await read('de/common')).nav.back, 'Zur Startseite')
  })

  t.test('terminates an endless expression and reports a lost placeholder', async t => {
    const page = await signedIn(t, scene, { at: editor('?q=hello') })
    const dialog = page.getByRole('dialog')
    const value = `${'a'.repeat(40)}!`
    await server.must('PUT', `${keys}/bundles/de/common/hello`, { key: acme.key, body: { value } })
    await page.getByText(value).first().waitFor()
    await page.getByRole('button', { name: 'Replace in many texts' }).press('Enter')
    await dialog.getByText('Regular expression').click()
    await dialog.getByLabel('Find').fill('(a+)+$')
    await dialog.getByText('This expression is too slow').waitFor()
    await server.must('PUT', `${keys}/bundles/de/common/hello`, { key: acme.key, body: { value: 'Hallo {{name}}' } })
    await dialog.getByLabel('Find').fill('\\{\\{(\\w+)\\}\\}')
    await dialog.getByLabel('Replace by').fill('$1')
    await dialog.getByText('1 text would change, 0 chosen.').waitFor()
    await dialog.getByText('{{name}} is missing.').waitFor()
    await dialog.getByLabel('Find').fill('(')
    await poll(t).match(() => dialog.getByRole('alert').textContent(), /The regular expression is not valid: /)
  })

  t.test('names the namespace of a change when the project has several', async t => {
    const inBoth = (texts: object) => ({ common: texts, shop: texts })
    const body = { bundles: { en: inBoth({ flat: 'Flat' }), de: inBoth({ flat: 'Wohnung' }) } }
    await server.must('POST', `${keys}/push`, { key: acme.key, body })
    const page = await signedIn(t, scene, { at: '/#/projects/keys/de' })
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Replace in many texts' }).press('Enter')
    await dialog.waitFor()
    await page.keyboard.type('Wohn')
    await dialog.getByText('2 texts would change, 2 chosen.').waitFor()
    for (const name of ['flat common', 'flat shop']) {
      await poll(t).equal(() => dialog.getByRole('checkbox', { name, exact: true }).count(), 1, name)
    }
    await axe(t, page, 'changes in two namespaces')
  })
})
