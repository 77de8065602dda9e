/** Projects in the dashboard: the list, the matrix, adding, import, export, deletion and its undo. */
import { execFileSync } from 'node:child_process'
import { strToU8, zipSync } from 'fflate'
import t from 'tap'
import { axe, axeInLooks, wear } from './axe.ts'
import { noBrowser } from './browser.ts'
import type { Look } from './looks.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

/** The tabs of a project. */
const CURRENT_TAB = `(() => {
  const tabs = [...document.querySelectorAll('main nav a')]
  const current = tabs.find(tab => tab.matches('[aria-current=page]'))
  const { left, right } = current.getBoundingClientRect()
  const { borderBlockEndColor, backgroundColor } = getComputedStyle(current)
  const other = getComputedStyle(tabs.find(tab => tab !== current))
  return {
    inView: left >= 0 && right <= innerWidth,
    isTold: borderBlockEndColor !== other.borderBlockEndColor || backgroundColor !== other.backgroundColor,
  }
})()`

/** The words of cells with an ellipsis, although none of their counts is hidden. */
const CUT = `[...document.querySelectorAll('[role=grid] td span:has(> a + a), [role=grid] td span:has(> a:only-child)')]
  .filter(counts => [...counts.children].every(one => one.checkVisibility()))
  .filter(counts => getComputedStyle(counts, '::after').content !== 'none')
  .map(counts => counts.textContent)`

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const at = (path: string) => `/#/projects/web${path}`
  const read = async (path: string) => (await server.get(`${web}${path}`, acme.key)).json

  for (const looks of [['light', 'dark', 'contrast', 'arabic', 'japanese'], ['phone']] as Look[][]) {
    t.test(`each page of a project in the looks ${looks.join(', ')}`, async t => {
      const page = await signedIn(t, scene, { look: looks[0]!, at: at('') })
      for (const look of looks) {
        if (look !== looks[0]) await wear(page, look)
        for (const name of ['', '/import', '/settings', '/history', '/releases', '/compare']) {
          await page.evaluate(`location.hash = '#/projects/web${name}'`)
          await page.locator('nav a[aria-current=page]').nth(1).waitFor()
          await page.locator('main [role=status]').first().waitFor({ state: 'detached' })
          const wider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
          await poll(t).equal(() => page.evaluate(wider), false, `${look} ${name}: nothing is wider than the window`)
          const { inView, isTold } = await page.evaluate<{ inView: boolean; isTold: boolean }>(CURRENT_TAB)
          t.ok(inView, `${look} ${name}: the current tab is in view`)
          t.ok(isTold, `${look} ${name}: it looks unlike the others`)
          await axe(t, page, `${look} ${name}`)
          await shot(page, `project${name.replace('/', '-')}-${look}`)
        }
      }
    })
  }

  t.test('creates a project by keyboard alone', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects' })
    await page.getByRole('button', { name: 'New project' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('Mobile app')
    await page.keyboard.press('Tab')
    await poll(t).equal(() => page.getByLabel('Short name').inputValue(), 'mobile-app', 'a slug is proposed')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Mobile app', level: 1 }).waitFor()
    t.match(page.url(), /#\/projects\/mobile-app$/)
    await page.getByRole('button', { name: 'Add namespace' }).first().press('Enter')
    const first = page.getByRole('dialog').getByRole('textbox').first()
    await first.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    // What is missing is asked for in place.
    await first.and(page.locator('[aria-describedby$="wrong"]')).waitFor()
    for (const text of ['common', 'title', 'Hello']) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter')
    await page.waitForURL(/mobile-app\/en\/common\?key=title$/)
    const made = await server.get('/api/projects/mobile-app/bundles/en/common', acme.key)
    t.strictSame(made.json, { title: 'Hello' })
  })

  t.test('a language that the project has is not added twice, another opens in the editor', async t => {
    const page = await signedIn(t, scene, { at: at('') })
    await page.getByRole('button', { name: 'Add language' }).click()
    const field = page.getByRole('combobox', { name: 'Language' })
    await field.fill('DE')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Translate' }).click()
    await page.getByText('The project already has de.').waitFor()
    await field.fill('Icelandic')
    await page.getByRole('option', { name: /Icelandic/ }).click()
    await page.getByRole('button', { name: 'Translate' }).click()
    await page.waitForURL(/#\/projects\/web\/is$/)
  })

  t.test('the matrix shows what needs work and links to it', async t => {
    const { key } = acme
    const body = { bundles: { en: { extra: { hi: 'Hi {{name}}' } }, de: { extra: { hi: 'Hallo' } } } }
    await server.must('POST', `${web}/push`, { key, body })
    const page = await signedIn(t, scene, { at: at('') })
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /Deutsch/ }) })
    await row
      .getByRole('link', { name: /1 problem/ })
      .first()
      .waitFor()
    t.strictSame(await page.evaluate(CUT), [], 'a cell that shows all of its counts has no ellipsis')
    await row
      .getByRole('link', { name: /1 problem/ })
      .last()
      .click()
    await page.waitForURL(/#\/projects\/web\/de\/extra\?is=problems$/)
  })

  t.test('a card shows four languages, the number of the others, texts and the last change', async t => {
    const { key } = acme
    const languages = ['en', 'de', 'pl', 'ar', 'ja', 'fr', 'it']
    const texts = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`text${at}`, 'Text']))
    const many = await server.project(key, 'many')
    const bundles = Object.fromEntries(languages.map(language => [language, { common: texts }]))
    await server.must('POST', `${many}/push`, { key, body: { bundles } })
    await server.must('DELETE', `${many}/bundles/pl/common/text0`, { key })
    const page = await signedIn(t, scene, { at: '/#/projects' })
    const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'many' }) })
    await card.getByText('1,200 texts · from English (en)').waitFor()
    await card.getByText('2 more').waitFor()
    await card.getByText(/^changed .* by /).waitFor()
    await poll(t).equal(
      () => card.getByRole('meter').first().getAttribute('aria-label'),
      'Polish',
      'the one that lacks most is first',
    )
    await poll(t).equal(() => card.getByRole('meter').count(), 4)
    await axeInLooks(t, page, 'cards')
    await page.setViewportSize({ width: 768, height: 900 })
    await axe(t, page, 'cards on a tablet')
  })

  t.test('20 namespaces in 10 languages fit on one screen, with the namespaces as rows', async t => {
    const { key } = acme
    const languages = ['en', 'de', 'pl', 'ar', 'ja', 'fr', 'it', 'es', 'pt-BR', 'zh-Hant']
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`namespace${at}`, { hi: 'Hi {{name}}' }]))
    const body = { bundles: Object.fromEntries(languages.map(language => [language, many])) }
    const large = await server.project(key, 'large')
    await server.must('POST', `${large}/push`, { key, body })
    await server.must('PUT', `${large}/bundles/pl/namespace7/hi`, { key, body: { value: 'Cześć' } })
    const page = await signedIn(t, scene, { at: '/#/projects/large' })
    await page.setViewportSize({ width: 1440, height: 900 })
    const grid = page.getByRole('grid')
    const last = grid.getByRole('rowheader', { name: 'namespace19' })
    await last.waitFor()
    const isSeen = `(() => {
      const frame = document.querySelector('[role=grid]').parentElement
      const { bottom, right } = frame.getBoundingClientRect()
      return bottom <= innerHeight && right <= innerWidth &&
        frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight
    })()`
    await poll(t).equal(() => page.evaluate(isSeen), true, 'nothing of it is to be scrolled to')
    await poll(t).equal(
      () => grid.getByRole('row').nth(1).getByRole('rowheader').textContent(),
      'All',
      'the sums come first',
    )
    await axeInLooks(t, page, 'a large matrix')

    await page.getByRole('button', { name: 'Most work first' }).click()
    await page.waitForURL(/sort=work$/)
    await grid
      .getByRole('row')
      .nth(2)
      .and(grid.getByRole('row', { name: /^namespace7/ }))
      .waitFor()
    await grid
      .getByRole('columnheader')
      .nth(2)
      .and(grid.getByRole('columnheader', { name: /^polski/ }))
      .waitFor()

    // One Tab stop, and arrow keys within.
    await page.keyboard.press('Tab')
    const focused = (name: RegExp | string) => page.locator(':focus').and(page.getByRole('link', { name })).waitFor()
    await focused('English: 20 texts')
    await page.keyboard.press('ArrowRight')
    await focused(/^Polish: /)
    await page.keyboard.press('ArrowDown')
    await focused(/^Polish, namespace7: /)
    await page.getByRole('tooltip').getByText('1 problem').waitFor()
    await page.keyboard.press('ArrowRight')
    await focused('1 problem')
    await page.keyboard.press('Home')
    await focused('namespace7')
    await page.keyboard.press('ArrowRight')
    await page
      .locator(':focus')
      .and(page.getByRole('button', { name: 'Actions for namespace7' }))
      .waitFor()
    await page.keyboard.press('ArrowDown')
    await poll(t).equal(() => page.getByRole('menu').count(), 0, 'an arrow key opens no menu')
    await page.keyboard.press('Control+End')
    await focused(/, namespace\d+: 100%/)
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/projects\/large\/zh-Hant\/namespace\d+$/)
  })

  t.test('a namespace and a language are renamed and removed from their menus, one commit each', async t => {
    const { key } = acme
    const names = await server.project(key, 'names')
    const texts = { a: 'A', nav: { home: 'Home' }, item_one: '{{count}} item', item_other: '{{count}} items' }
    const old = { en: { old: texts, other: { b: 'B' } }, de: { old: { ...texts, a: 'AA' }, other: { b: 'BB' } } }
    await server.must('POST', `${names}/push?overwrite=true`, { key, body: { bundles: old } })
    const all = async () => (await server.get(`${names}/export?format=json`, key)).json
    const page = await signedIn(t, scene, { at: '/#/projects/names' })
    const choose = async (of: string, item: string) => {
      await page.getByRole('button', { name: `Actions for ${of}` }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    const dialog = page.getByRole('dialog')
    await choose('old', 'Rename …')
    await dialog.getByLabel('New name').fill('Other')
    await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
    await dialog.getByText('The project already has other.').waitFor()
    await axe(t, page, 'a namespace that is renamed')
    await dialog.getByLabel('New name').fill('new')
    await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('columnheader', { name: 'new' }).waitFor()
    t.strictSame(await all(), { en: { new: texts, other: { b: 'B' } }, de: { new: old.de.old, other: { b: 'BB' } } })

    await choose('German', 'Rename …')
    await dialog.getByRole('combobox').fill('de-AT')
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('rowheader', { name: /de-AT/ }).waitFor()
    t.strictSame(await all(), {
      en: { new: texts, other: { b: 'B' } },
      'de-AT': { new: old.de.old, other: { b: 'BB' } },
    })

    await choose('new', 'Remove …')
    const sure = page.getByRole('alertdialog')
    await sure.getByText('undo that commit there').waitFor()
    await sure.getByRole('textbox').fill('new')
    await sure.getByRole('button', { name: 'Remove new' }).click()
    await page.getByRole('columnheader', { name: 'new' }).waitFor({ state: 'detached' })
    t.strictSame(await all(), { en: { other: { b: 'B' } }, 'de-AT': { other: { b: 'BB' } } })
    const { revisions } = (await server.get(`${names}/history?limit=3`, key)).json
    t.strictSame(
      revisions.map(({ subject }: { subject: string }) => subject),
      [
        'names new: delete the namespace',
        'names de: rename the language to de-AT',
        'names old: rename the namespace to new',
      ],
    )
    for (const { revision } of revisions) await server.must('POST', `${names}/revert`, { key, body: { revision } })
    t.strictSame(await all(), old, 'each is undone in the history')
  })

  t.test('the matrix is printed as a whole, however many languages and namespaces there are', async t => {
    const { key } = acme
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`namespace${at}`, { hi: 'Hi' }]))
    const languages = ['en', 'de', 'pl', 'ar', 'ja', 'fr', 'it', 'es', 'nl', 'sv', 'da', 'fi', 'cs', 'tr']
    const wide = await server.project(key, 'wide')
    const body = { bundles: Object.fromEntries(languages.map(language => [language, many])) }
    await server.must('POST', `${wide}/push`, { key, body })
    const page = await signedIn(t, scene, { at: '/#/projects/wide' })
    await page.getByRole('columnheader', { name: /Deutsch/ }).waitFor()
    await page.setViewportSize({ width: 794, height: 1000 })
    await page.emulateMedia({ media: 'print' })
    const isCut = `[...document.querySelectorAll('main :has(> table)')].some(
      one => getComputedStyle(one).overflow !== 'visible' &&
        (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight))`
    await poll(t).equal(() => page.evaluate(isCut), false, 'nothing of it is cut off')
    await poll(t).equal(() => page.getByRole('button').count(), 0, 'and nothing to press is printed')
  })

  t.test('plans files of the same names again, and applies no two of one bundle', async t => {
    const page = await signedIn(t, scene, { at: at('/import') })
    const drop = (...files: [string, string][]) =>
      page
        .locator('input[type=file]')
        .setInputFiles(files.map(([name, text]) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) })))
    await drop(['again.de.json', '{'])
    await page.getByText('Not JSON').waitFor()
    await drop(['again.de.json', '{"hi":"Hallo"}'])
    await page.getByRole('button', { name: 'Apply 1 change' }).press('Enter')
    await page.getByText('1 key imported.').first().waitFor()
    await page.locator('main button:focus').waitFor()
    await drop(['again.de.json', '{"hi":"Hallo","more":"Mehr","yet":"Noch"}'])
    await page.getByRole('button', { name: 'Apply 2 changes' }).waitFor()
    await drop(['again.de.json', '{"a":"b"}'], ['de-again.json', '{"c":"d"}'], ['again_de.json', '{"e":"f"}'])
    await page.getByText('The same bundle twice').first().waitFor()
    await poll(t).equal(() => page.getByRole('button', { name: /^Apply/ }).getAttribute('disabled'), '')
    await axe(t, page, 'two files of one bundle')
    for (const path of ['de-again.json', 'again_de.json']) await page.getByLabel(`Language of ${path}`).fill('')
    await page.getByText('Left out: say where it goes').first().waitFor()
    await page.getByRole('button', { name: 'Apply 1 change' }).waitFor()
  })
  t.test('files and folders are dropped', async t => {
    const folder = t.testdir({
      de: { 'dropped.json': '{"a":"Eins"}', more: { 'deep.json': '{"b":"Zwei"}' } },
      'dropped.en.json': '{"a":"One","b":"Two","c":"Three"}',
    })
    const page = await signedIn(t, scene, { at: at('/import') })
    const { x, y, width, height } = (await page.getByText('Choose files').boundingBox())!
    const session = await page.context().newCDPSession(page)
    const files = [`${folder}/de`, `${folder}/dropped.en.json`]
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      const data = { items: [], files, dragOperationsMask: 1 }
      await session.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data })
    }
    for (const place of ['de/dropped', 'de/deep', 'en/dropped']) {
      await page.getByRole('rowheader', { name: place, exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'Apply 5 changes' }).waitFor()
  })

  t.test('a file that is dropped on any page of a project is planned, and skipped keys say why', async t => {
    const folder = t.testdir({ 'common.json': '{"greeting":"Servus {{name}}"}' })
    const page = await signedIn(t, scene, { at: at('/import?language=de') })
    const session = await page.context().newCDPSession(page)
    const drag = async (type: 'dragEnter' | 'dragOver' | 'drop') => {
      const data = { items: [], files: [`${folder}/common.json`], dragOperationsMask: 1 }
      await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
    }
    await page.getByText('Choose files').waitFor()
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await drag(type)
    await page.getByRole('rowheader', { name: /de\/common Skipped: another text is there already/ }).waitFor()
    await page.evaluate(`location.hash = '#/projects/web'`)
    await page.getByRole('rowheader', { name: /Deutsch/ }).waitFor()
    for (const type of ['dragEnter', 'dragOver'] as const) await drag(type)
    await page.getByText('Drop the files to import them').waitFor()
    await axe(t, page, 'a file over a project')
    await drag('drop')
    await page.waitForURL(/#\/projects\/web\/import$/)
    await page.getByText('Left out: say where it goes').waitFor()
    await page.getByLabel('Language of common.json').fill('de')
    await page.getByText('another text is there already').waitFor()
  })

  t.test('an archive is planned, imported as one commit, and undone', async t => {
    const page = await signedIn(t, scene, { at: at('/import') })
    const many = Array.from({ length: 30 }, (_, at) => [`nav.text${at}`, `Text ${at}`])
    const archive = zipSync({
      'locales/de/large.json': strToU8(JSON.stringify({ title: 'Titel', ...Object.fromEntries(many) })),
      'locales/de/extra.json': strToU8('{"hi":"Hallo {{name}}","more":"Mehr"}'),
      'fr.json': strToU8('{"hi":"Salut {{name}}"}'),
      'broken.de.json': strToU8('{'),
      'readme.txt': strToU8('x'),
    })
    const before = (await read('/history?limit=1')).revisions[0].revision
    await page.locator('input[type=file]').setInputFiles({
      name: 'texts.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from(archive),
    })
    await page.getByText('Not JSON').waitFor()
    await page.getByLabel('Namespace of fr.json').fill('extra')
    await page.getByRole('button', { name: 'Apply 33 changes' }).waitFor()
    await page.getByText('Overwrite translations that differ').click()
    await page.getByRole('button', { name: 'de/large' }).press('Enter')
    const group = page.getByText('nav. 30')
    await poll(t).equal(() => page.getByText('title', { exact: true }).count(), 1, 'a tree of keys that begin alike')
    await poll(t).equal(() => page.getByText('text29').count(), 0, 'closed')
    await group.click()
    // The browser reports an opened group a moment later.
    await page.getByText('text29').first().waitFor()
    await poll(t).equal(() => page.getByText('text29').count(), 1)
    await page.getByRole('rowheader', { name: 'de/large', exact: true }).waitFor()
    await axe(t, page, 'a plan')
    await page.getByRole('button', { name: 'Apply 34 changes' }).click()
    await page.getByText('34 keys imported.').first().waitFor()
    await poll(t).strictSame(() => read('/bundles/de/extra'), { hi: 'Hallo {{name}}', more: 'Mehr' })
    const [commit, parent] = (await read('/history?limit=2')).revisions
    t.equal(parent.revision, before, 'one commit')
    t.match(commit.subject, /^\w+: import 3 bundles$/)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    await poll(t).strictSame(() => read('/bundles/de/extra'), { hi: 'Hallo' })
    t.equal((await server.get(`${web}/bundles/fr/extra`, acme.key)).status, 404)
  })

  t.test('what is exported is what the API exports', async t => {
    const page = await signedIn(t, scene, { at: at('') })
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Export' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    t.equal(download.suggestedFilename(), 'web.zip')
  })

  t.test('the lines to copy work in a shell that refuses patterns, as zsh does', async t => {
    const page = await signedIn(t, scene, { at: at('') })
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Clone with git' }).click()
    const lines = await page.getByRole('region', { name: 'All texts as JSON' }).textContent()
    const env = { ...process.env, PARLANCE_TOKEN: acme.key }
    const told = execFileSync('bash', ['-O', 'failglob', '-c', `${lines} -fsS`], { env, encoding: 'utf8' })
    t.ok('common' in JSON.parse(told).de)
  })

  t.test('an address of a project of another organization leads there', async t => {
    const dora = await server.join(acme, 'Dora', 'member')
    await server.createOrganization(dora, 'doras')
    const page = await signedIn(t, scene, { as: dora, at: at('/de/common') })
    await page.getByRole('heading', { name: 'There is no project “web”.' }).waitFor()
    await page.getByText('It is not in doras, the organization that you are looking at.').waitFor()
    await axe(t, page, 'a project of another organization')
    await page.getByRole('button', { name: `Look in ${acme.slug}` }).click()
    await page.getByRole('columnheader', { name: 'Key' }).waitFor()
    t.match(page.url(), /#\/projects\/web\/de\/common$/, 'in its place')
    const organizations = page.getByRole('button', { name: acme.slug })
    await organizations.click()
    await page.getByRole('menuitemradio', { name: acme.slug, checked: true }).waitFor()
    await page.getByRole('menuitemradio', { name: 'doras', checked: false }).click()
    await page.getByText('No projects yet').waitFor()
    await page.getByRole('button', { name: 'doras' }).click()
    await page.getByRole('menuitemradio', { name: acme.slug }).click()
    await organizations.waitFor()
    await page.getByRole('heading', { name: 'web' }).waitFor()
    await page.goto(`${server.base}/#/projects/none`)
    await page.getByRole('button', { name: 'Look in doras' }).click()
    await page.getByText('It is not in doras').waitFor()
    await poll(t).equal(
      () => page.getByRole('heading', { level: 1, name: 'none' }).count(),
      1,
      'what is in neither is in neither',
    )
  })

  t.test('a project is deleted when its short name was typed, and comes back from its history', async t => {
    await server.must('POST', '/api/projects', {
      key: acme.key,
      body: { name: 'Old app', slug: 'old', sourceLanguage: 'en' },
    })
    await server.must('PUT', '/api/projects/old/bundles/en/common', { key: acme.key, body: { a: 'b' } })
    const page = await signedIn(t, scene, { at: '/#/projects/old/settings' })
    const save = page.getByRole('button', { name: 'Save' })
    await page.getByLabel('Name', { exact: true }).fill('Older app')
    await save.click()
    await page.getByRole('link', { name: 'Older app' }).waitFor()
    await poll(t).equal(() => save.isDisabled(), true, 'nothing more is to be saved')
    await poll(t).ok(() => save.and(page.locator(':focus')).count(), 'and the focus is where it was')
    await page.getByRole('button', { name: 'Delete project' }).click()
    const dialog = page.getByRole('alertdialog')
    const sure = dialog.getByRole('button', { name: 'Delete project' })
    await poll(t).equal(() => sure.isDisabled(), true)
    await dialog.getByRole('textbox').fill('old')
    await sure.click()
    await page.waitForURL(/#\/projects\/old\/history$/)
    t.equal((await server.get('/api/projects/old', acme.key)).status, 404)
    await page.getByRole('link', { name: 'Languages' }).click()
    await page.getByRole('heading', { name: 'There is no project “old”.' }).waitFor()
    await axe(t, page, 'a project that was deleted')
    await page.evaluate(`location.hash = '#/projects/old/en'`)
    await page.getByRole('link', { name: 'Languages' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByText(/deleted this project/).waitFor()
    await axe(t, page, 'the history of a deleted project')
    await shot(page, 'project-deleted')
    await page.getByRole('button', { name: 'Bring it back' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await page.getByText(/deleted this project/).waitFor({ state: 'detached' })
    t.strictSame((await server.get('/api/projects/old/bundles/en/common', acme.key)).json, { a: 'b' })
  })
})
