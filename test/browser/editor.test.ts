/** The editor at work: by keyboard alone, with a second translator in the same texts. */
import { execFileSync } from 'node:child_process'
import type { Page } from 'playwright-core'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { axe, wear } from './axe.ts'
import { noBrowser, openPage } from './browser.ts'
import type { Look } from './looks.ts'
import { fieldOf, typeIn } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

const GRID = '[role="grid"]'

/** On which side of their cells the texts of a row stand. */
const SIDES = `[...document.querySelectorAll('[role=row] [lang]')]
  .filter(text => /^(Checkout|Kasse|Zamówienie)$/.test(text.textContent))
  .map(text => {
    const words = document.createRange()
    words.selectNodeContents(text)
    const [{ left, right }, cell] = [words, text.closest('[role=gridcell]')].map(one => one.getBoundingClientRect())
    return left - cell.left < cell.right - right ? 'left' : 'right'
  }).join(' ')`

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const key = acme.key

  /** The editor at an address, when its texts are there. */
  const open = async (t: Parameters<typeof signedIn>[0], at: string, look: Look = 'light', as = acme.owner) => {
    const page = await signedIn(t, scene, { at: `/#/projects/web/${at}`, look, as })
    await page.locator(GRID).waitFor()
    return page
  }
  const saved = async (at: string) => (await server.must('GET', `${web}/bundles/${at}`, { key })).json.message

  t.test('an hour of a translator, by keyboard alone', async t => {
    const page = await openPage(t, server)
    await page.getByLabel('E-mail address').and(page.locator(':focus')).waitFor()
    await page.keyboard.type(acme.owner.user.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(acme.owner.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'web' }).waitFor()
    await tabTo(page, /^web$/)
    await page.keyboard.press('Enter')
    await page.getByRole('rowheader', { name: /Deutsch/ }).waitFor()
    await tabTo(page, /^English/)
    await goTo(page, /^Deutsch/, 'ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator(GRID).waitFor()
    await tabTo(page, /^Search/)
    await goTo(page, /^All/, 'ArrowRight')
    for (const kind of [/missing/, /empty/, /incomplete/]) {
      await goTo(page, kind, 'ArrowRight')
      await page.keyboard.press('Space')
    }
    await page.waitForURL(/is=missing(,|%2C)empty(,|%2C)incomplete/)
    // Said a second later, and over what is said before it.
    await said(page, /3 keys are shown/)
    await tabTo(page, /^terms/)
    await poll(t).match(() => focused(page), { role: 'rowheader', text: /terms/ })
    await page.keyboard.press('End')
    await poll(t).match(() => focused(page), { role: 'gridcell' }, 'the last cell of the row')
    await page.keyboard.press('Control+End')
    await poll(t).match(() => focused(page), { text: /missing/ }, 'of the last row')
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Enter')
    await poll(t).match(() => focused(page), { role: 'textbox', label: /^terms/ })
    await page.keyboard.type('Ich akzeptiere die ')
    await page.keyboard.press('Alt+1')
    await page.keyboard.type('AGB')
    await poll(t).match(
      () => page.locator('[role="row"]:has([role="textbox"])').innerText(),
      /<\/1> is missing/,
      'checked as one types',
    )
    await page.keyboard.press('Alt+2')
    await poll(t).equal(async () => (await focused(page)).text, 'Ich akzeptiere die <1>AGB</1>')
    await page.keyboard.press('Control+Enter')
    await said(page, /terms.*saved/)
    await poll(t).equal(() => saved('de/checkout/terms'), 'Ich akzeptiere die <1>AGB</1>')
    await poll(t).match(
      () => focused(page),
      { role: 'textbox', label: /^invited_female/ },
      'at the next that the filter asks for',
    )
    await poll(t).match(
      () => page.locator('[role="row"][data-gone]').innerText(),
      /no longer matches/,
      'what was saved stays, marked',
    )

    await page.keyboard.type('Eine Frau')
    await page.keyboard.press('Escape')
    await poll(t).match(
      () => focused(page),
      { role: 'gridcell', text: /Eine Frau.*unsaved/s },
      'stores typed text as a draft and does not save it',
    )
    t.equal((await server.call('GET', `${web}/bundles/de/common/invited_female`, { key })).status, 404)
    await page.reload()
    await page.locator('[role="textbox"]').first().waitFor()
    await poll(t).match(() => focused(page), { role: 'textbox', label: /^invited_female/ }, 'the address names the row')
    await poll(t).equal(() => page.locator('[role="textbox"]').first().innerText(), 'Eine Frau', 'after a reload too')
    await page.keyboard.press('Control+s')
    await said(page, /invited_female.*saved/)
    await poll(t).strictSame(() => saved('de/common/invited_female'), { cardinal: { one: 'Eine Frau' } })
    await page.keyboard.press('Alt+z')
    await said(page, /as it was before/)
    t.equal((await server.call('GET', `${web}/bundles/de/common/invited_female`, { key })).status, 404, 'taken back')

    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await poll(t).match(() => page.getByRole('dialog').innerText(), /Save and go to the next/)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // A frame after the dialog is gone.
    t.ok(await eventually(async () => (await focused(page)).role === 'gridcell'), 'the focus is where it was')
    await page.keyboard.press('/')
    await page.keyboard.type('invited')
    await page.locator('[role="row"]', { hasText: 'terms' }).waitFor({ state: 'detached' })
    t.match(page.url(), /q=invited/, 'a search stands in the address')
  })

  t.test('a stale text shows what changed in its source, and is confirmed by a key', async t => {
    await server.must('PUT', `${web}/bundles/en/common/greeting`, { key, body: { value: 'Hello there, {{name}}' } })
    const page = await open(t, 'de/common?is=stale&key=greeting')
    await poll(t).match(() => page.locator('ins').innerText(), /there/)
    const stale = async () => (await server.must('GET', `${web}/status/keys?language=de&is=stale`, { key })).json.keys
    await page.locator('[role="textbox"]').focus()
    await page.keyboard.type('!')
    await page.keyboard.press('Control+s')
    await said(page, /saved/i)
    await poll(t).strictSame(() => stale(), [])
    await page.keyboard.press('Alt+z')
    await said(page, /as it was before/)
    await poll(t).match(() => stale(), [{ key: 'greeting' }], 'a save that is undone leaves it stale')
    await page.locator('ins').waitFor()
    await page.locator('[role="textbox"]').focus()
    await page.keyboard.press('Alt+s')
    await said(page, /still right/)
    await poll(t).strictSame(() => stale(), [])
    await page.keyboard.press('Alt+z')
    await said(page, /as it was before/)
    await poll(t).match(() => stale(), [{ key: 'greeting' }], 'the confirmation can be undone')
    await page.locator('ins').waitFor()
    await page.keyboard.press('Alt+s')
    await said(page, /still right/)

    await page.goto(`${page.url().split('#')[0]}#/projects/web/history`)
    await page
      .getByRole('button', { name: /^Changes of “.* confirmed greeting in German, common”$/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Undo', exact: true }).first().click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('1 translation becomes stale again.').waitFor()
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await poll(t).match(() => stale(), [{ key: 'greeting' }], 'in the history too, at any age')
  })

  t.test('reports a conflict when two translators edit one text, and overwrites no unseen change', async t => {
    const page = await open(t, 'de/checkout?key=title')
    await page.keyboard.type(' zwei')
    await server.must('PUT', `${web}/bundles/de/checkout/pay`, { key, body: { value: 'Zahlen' } })
    await server.must('PUT', `${web}/bundles/de/checkout/title`, { key, body: { value: 'Bezahlung' } })
    await page.keyboard.press('Control+s')
    const theirs = page.getByText('Another user changed this text')
    await theirs.waitFor()
    await poll(t).equal(() => saved('de/checkout/title'), 'Bezahlung', 'theirs stays')
    await poll(t).match(async () => (await focused(page)).text, /zwei/, 'yours too')
    await page.getByRole('button', { name: 'Use mine' }).click()
    await theirs.waitFor({ state: 'detached' })
    await page.locator('[role="textbox"]').focus()
    await page.keyboard.press('Control+s')
    await said(page, /title.*saved/)
    await poll(t).equal(() => saved('de/checkout/title'), 'Kasse zwei')
    await poll(t).equal(() => saved('de/checkout/pay'), 'Zahlen', 'other keys of the bundle are no conflict')
  })

  t.test('two browsers and a curl at one text: each shows theirs beside what was before', async t => {
    await server.must('PUT', `${web}/bundles/de/checkout/terms`, { key, body: { value: 'Unsere Bedingungen' } })
    const bea = await server.join(acme, 'Bea', 'member')
    const [anns, beas] = [await open(t, 'de/checkout?key=terms'), await open(t, 'de/checkout?key=terms', 'light', bea)]
    await typeIn(anns, ' von Ann')
    await typeIn(beas, ' von Bea')
    await beas.keyboard.press('Control+s')
    await said(beas, /terms.*saved/)
    const conflict = (page: Page) => page.getByRole('note').filter({ hasText: 'Another user changed this text' })
    await conflict(anns).locator('ins').filter({ hasText: 'von Bea' }).waitFor()
    await typeIn(beas, ' noch')
    const url = `${server.base}${web}/bundles/de/checkout/terms`
    const sent = ['-H', `x-api-key: ${key}`, '-H', 'content-type: application/json', '-d', '{"value":"Von curl"}']
    execFileSync('curl', ['-fsS', '-X', 'PUT', ...sent, url])
    for (const [page, before] of [
      [anns, 'Unsere Bedingungen'],
      [beas, 'Unsere Bedingungen von Bea'],
    ] as const) {
      await conflict(page).locator('ins').filter({ hasText: 'curl' }).waitFor()
      await poll(t).match(() => conflict(page).locator('del').innerText(), before, 'what was before')
    }
    await poll(t).match(() => fieldOf(anns).innerText(), /von Ann$/)
    await poll(t).match(() => fieldOf(beas).innerText(), /von Bea noch$/)
    await poll(t).equal(() => saved('de/checkout/terms'), 'Von curl')
  })

  t.test('texts that are saved while one before is still being saved go one after the other', async t => {
    const page = await open(t, 'de/checkout?key=pay')
    const answers: string[] = []
    page.on('response', answer => {
      const { pathname } = new URL(answer.url())
      if (pathname.includes('/bundles/de')) answers.push(`${answer.request().method()} ${answer.status()}`)
    })
    const { promise: answered, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/bundles/de/checkout/*', async route => {
      if (route.request().method() === 'PUT') await answered
      await route.continue()
    })
    const keys = ['pay', 'terms', 'title']
    for (const name of keys) {
      await page.evaluate(`location.hash = '#/projects/web/de/checkout?key=${name}'`)
      await page.locator(`[role="textbox"][aria-label^="${name} "]:focus`).waitFor()
      await page.keyboard.press('End')
      await page.keyboard.type('!')
      await page.keyboard.press('Control+s')
    }
    const saving = page.getByText('Saving …')
    t.ok(await eventually(async () => (await saving.count()) === keys.length), 'what waits for its turn is said so')
    release()
    await saving.first().waitFor({ state: 'detached' })
    for (const name of keys) await poll(t).match(() => saved(`de/checkout/${name}`), /!/)
    const expected = ['HEAD 200', 'GET 200', ...keys.map(() => 'PUT 200')]
    t.strictSame(answers, expected, 'no write is refused and retried')
  })

  t.test('an address follows a key that was renamed, and says when one is gone', async t => {
    const body = { namespace: 'common', from: 'footer.imprint', to: 'footer.legal' }
    const renamed = await server.call('POST', `${web}/rename-key`, { key, body })
    t.equal(renamed.status, 200, renamed.text)
    const page = await open(t, 'de/common?key=footer.imprint')
    await page.waitForURL(/key=footer\.legal/)
    await page.getByRole('textbox', { name: /^footer\.legal/ }).waitFor()
    // The source never had it.
    await server.must('PUT', `${web}/bundles/de/common/only.german`, { key, body: { value: 'Nur hier' } })
    const extra = { namespace: 'common', from: 'only.german', to: 'german.only' }
    await server.must('POST', `${web}/rename-key`, { key, body: extra })
    await page.evaluate(`location.hash = '#/projects/web/de/common?key=only.german'`)
    await page.waitForURL(/key=german\.only/)
    await server.must('PUT', `${web}/bundles/en/common/blank`, { key, body: { value: '' } })
    await server.must('POST', `${web}/rename-key`, { key, body: { namespace: 'common', from: 'blank', to: 'bare' } })
    await page.evaluate(`location.hash = '#/projects/web/de/common?key=blank'`)
    await page.waitForURL(/key=bare/)
    await server.must('POST', `${web}/delete-key`, { key, body: { namespace: 'common', key: 'german.only' } })
    const gone = await open(t, 'de/common?key=never.there')
    await gone.getByText('There is no key “never.there”').waitFor()
  })

  t.test('moves typed text along when another user renames its key, and shows it when the key is deleted', async t => {
    const page = await open(t, 'de/common?key=friend')
    await typeIn(page, ' von mir')
    const body = { namespace: 'common', from: 'friend', to: 'companion' }
    await server.must('POST', `${web}/rename-key`, { key, body })
    await page.waitForURL(/key=companion/)
    await page.getByRole('textbox', { name: /^companion/ }).waitFor()
    await poll(t).equal(() => fieldOf(page).innerText(), 'Ein Freund von mir')
    // Seen from another row: nothing in the address asks for the key.
    await page.goto(`${page.url().split('?')[0]}?key=nav.home`)
    await page.getByRole('textbox', { name: /^nav\.home/ }).waitFor()
    await server.must('POST', `${web}/rename-key`, {
      key,
      body: { namespace: 'common', from: 'companion', to: 'friend' },
    })
    await page.getByRole('row', { name: /^friend .*Ein Freund von mir.*unsaved/s }).waitFor()
    await server.must('POST', `${web}/delete-key`, { key, body: { namespace: 'common', key: 'friend' } })
    const gone = page.getByRole('note').filter({ hasText: 'There is no key “friend”' })
    await gone.getByText('Ein Freund von mir').waitFor()
    await page.reload()
    await gone.getByText('Ein Freund von mir').waitFor()
    await poll(t).equal(() => gone.getByText('Ein Freund von mir').getAttribute('lang'), 'de')
    await gone.getByRole('button', { name: 'Discard what is unsaved' }).click()
    await gone.waitFor({ state: 'detached' })
  })

  t.test('an undo removes a text that the save had added', async t => {
    const body = { seat: 'Seat', seat_one: '{{count}} seat', seat_other: '{{count}} seats' }
    await server.must('PUT', `${web}/bundles/en/common`, { key, body })
    await server.must('PUT', `${web}/bundles/de/common/seat`, { key, body: { value: 'Platz' } })
    const page = await open(t, 'de/common?key=seat')
    await page.getByRole('textbox', { name: /^seat.*other/ }).focus()
    await page.keyboard.type('{{count}} Plätze')
    await page.keyboard.press('Control+s')
    await said(page, /seat.*saved/)
    await poll(t).strictSame(() => saved('de/common/seat'), { text: 'Platz', cardinal: { other: '{{count}} Plätze' } })
    await page.keyboard.press('Alt+z')
    await said(page, /as it was before/)
    await poll(t).equal(() => saved('de/common/seat'), 'Platz')
  })

  t.test('what is typed for a form that the source has no longer is seen, and can be let go', async t => {
    const page = await open(t, 'ja/checkout?key=place')
    await typeIn(page, '{{count}}番')
    await server.must('DELETE', `${web}/bundles/en/checkout/place`, { key })
    await server.must('PUT', `${web}/bundles/en/checkout/place`, { key, body: { value: 'Place' } })
    await page.getByRole('textbox', { name: /^place.*text/ }).waitFor()
    await poll(t).equal(() => page.getByRole('textbox', { name: /^place.*ordinal/ }).innerText(), '{{count}}番')
    await page.getByRole('button', { name: /^More.*place/ }).click()
    await page.getByRole('menuitem', { name: 'Discard what is unsaved' }).click()
    await page.getByRole('textbox', { name: /^place.*ordinal/ }).waitFor({ state: 'detached' })
  })

  t.test(
    'a preview finds what is nested from another namespace, and fills the source where nothing is translated',
    async t => {
      const body = { nests: 'To $t(checkout:pays), {{name}}' }
      await server.must('PUT', `${web}/bundles/en/common`, { key, body })
      await server.must('PUT', `${web}/bundles/en/checkout`, { key, body: { pays: 'Pay {{amount}}' } })
      const page = await open(t, 'de/common?key=nests')
      const preview = page.getByRole('region', { name: 'Preview' })
      await preview.getByText('To Pay 3, Ann').waitFor()
      await preview.getByLabel(/amount/).fill('7')
      await preview.getByText('To Pay 7, Ann').waitFor()
    },
  )

  t.test('lines that a keyboard gives as one text stay lines', async t => {
    const page = await open(t, 'de/checkout?key=title')
    await fieldOf(page).focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('a\nb\n\nc')
    await page.keyboard.press('Control+s')
    await said(page, /title.*saved/)
    await poll(t).equal(() => saved('de/checkout/title'), 'a\nb\n\nc')
    await page.keyboard.press('Alt+z')
    await said(page, /as it was before/)
  })

  t.test('an address leads to a key with a per cent sign', async t => {
    for (const language of ['en', 'de'])
      await server.must('PUT', `${web}/bundles/${language}/common/${encodeURIComponent('100%25 cent')}`, {
        key,
        body: { value: 'All' },
      })
    const page = await open(t, `de/common?key=${encodeURIComponent('100%25 cent')}`)
    await page.getByRole('textbox', { name: /^100%25 cent/ }).waitFor()
    await poll(t).notOk(() => page.getByText('There is no key').count())
  })

  t.test('what is printed is the whole list, under the name of its project', async t => {
    const body = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`text${at}`, `Text ${at}`]))
    const long = await server.project(key, 'long')
    await server.must('PATCH', long, { key, body: { name: 'Long list' } })
    await server.must('PUT', `${long}/bundles/en/common`, { key, body })
    const page = await signedIn(t, scene, { at: '/#/projects/long/en' })
    const rows = page.locator(GRID).getByRole('row')
    await rows.nth(5).waitFor()
    await page.evaluate('window.printed = []')
    await page.evaluate(
      `addEventListener('beforeprint', () => printed.push(document.querySelectorAll('[role=row]').length))`,
    )
    const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g)!.length
    t.strictSame(await page.evaluate('printed'), [301], 'all rows are rendered for the browser’s snapshot')
    t.ok(pages > 5, `pages: ${pages}`)
    await page.emulateMedia({ media: 'print' })
    await poll(t).ok(() => page.getByRole('heading', { level: 1, name: 'Long list' }).isVisible())
    await poll(t).notOk(() => page.getByPlaceholder('Search').isVisible(), 'nothing to press is printed')
    await page.emulateMedia({ media: null })
    t.ok(await eventually(async () => (await rows.count()) < 100), 'and those that are seen afterwards')
  })

  t.test('one click opens a text below an open one, and the first letter moves nothing', async t => {
    const page = await open(t, 'de/common?key=friend_female')
    const field = page.locator('[role="textbox"]')
    await field.waitFor()
    const below = page.locator('[role="row"]', { hasText: 'nav.home' }).locator('[role="gridcell"]').last()
    await below.click()
    await page.locator('[aria-label^="nav.home"]:focus').waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    const top = async () => (await page.locator(GRID).boundingBox())!.y
    const before = await top()
    await page.keyboard.type('x')
    await page.getByRole('button', { name: /unsaved/i }).waitFor()
    await poll(t).equal(() => top(), before)
    await page.keyboard.press('Control+z')
  })

  t.test('what others do moves nothing that one reads under a filter', async t => {
    const put = (name: string, value: string) =>
      server.must('PUT', `${web}/bundles/de/moved/${name}`, { key, body: { value } })
    await server.must('PUT', `${web}/bundles/en/moved`, { key, body: { a: 'A', b: 'B', c: 'C' } })
    await put('b', '')
    const page = await open(t, 'de/moved?is=missing')
    const row = page.locator('[role="row"]', { hasText: 'c' }).last()
    const before = (await row.boundingBox())!.y
    await put('a', 'Von anderen')
    await page.getByText('1 no longer matches.').waitFor()
    await shot(page, 'editor-moved')
    const after = (await row.boundingBox())!.y
    // The text of the row above is other words.
    t.ok(Math.abs(after - before) < 2, `it was at ${before} and is at ${after} px`)
    await page.getByRole('button', { name: 'Renew list' }).click()
    await page.getByText('1 no longer matches.').waitFor({ state: 'detached' })
  })

  t.test('filters by author over the last commits, and says when there are more', async t => {
    const many = await server.project(key, 'many')
    await server.must('PUT', `${many}/bundles/en/common`, { key, body: { a: 'A', b: 'B' } })
    for (let at = 0; at < 100; at++)
      await server.must('PUT', `${many}/bundles/de/common/a`, { key, body: { value: String(at) } })
    const [{ author }] = (await server.must('GET', `${many}/history?limit=1`, { key })).json.revisions
    const at = `/#/projects/many/de/common?by=${encodeURIComponent(author.email)}`
    const page = await signedIn(t, scene, { at })
    const rows = page.locator(`${GRID} [role="row"]`)
    await rows.filter({ hasText: '99' }).waitFor()
    const cut = page.getByText(/Only the last 100 commits/)
    await poll(t).equal(() => cut.count(), 0, 'all of them were looked at')
    await server.must('PUT', `${many}/bundles/de/common/b`, { key, body: { value: 'B' } })
    await page.reload()
    await cut.waitFor()
    await poll(t).equal(() => rows.count(), 3, 'the heading and both')
  })

  t.test('no menu stands alone below the buttons of a narrow column', async t => {
    const page = await open(t, 'de/checkout?key=pay&with=pl')
    const topOf = async (name: string | RegExp) => (await page.getByRole('button', { name }).first().boundingBox())!.y
    await poll(t).equal(() => topOf('More for pay'), await topOf('Insert an invisible character'))
  })

  t.test('the field of a long source stays in sight while one reads on', async t => {
    const lines = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} of the terms.`).join('\n')
    await server.must('PUT', `${web}/bundles/en/long/terms`, { key, body: { value: lines } })
    const page = await open(t, 'de/long?key=terms')
    const field = page.locator('[aria-label^="terms"]')
    await field.waitFor()
    await page.evaluate(`document.querySelector('[role=grid]').parentElement.scrollTop += 800`)
    await page.evaluate('new Promise(requestAnimationFrame)')
    const last = (await field.boundingBox())!.y
    const seen = await page.evaluate<number>('innerHeight')
    await shot(page, 'editor-long-source')
    t.ok(last > 0 && last < seen / 2, `the field is at ${last} of ${seen} px`)
  })

  t.test('the panel names the commit that the source was pushed from', async t => {
    const message = 'Acme app at 4f1c9a2'
    const bundles = { en: { pushed: { title: 'Pushed' } } }
    await server.must('POST', `${web}/push`, { key, body: { bundles, message } })
    await server.must('PUT', `${web}/bundles/de/pushed/title`, { key, body: { value: 'Geschickt' } })
    const page = await open(t, 'de/pushed?key=title')
    const told = page.locator('dl div', { hasText: 'Source changed' })
    await told.getByRole('link', { name: message }).click()
    await page.getByRole('button', { name: `Changes of “${message}”`, expanded: true }).waitFor()
  })

  t.test('the row of an address is seen as a whole, and its history when it is asked for', async t => {
    const page = await open(t, 'en/common?key=nav.home')
    const hidden = `(({ top, bottom }, view) => Math.max(0, view.top - top, bottom - view.bottom - 1))(
      document.querySelector('[aria-label^="nav.home"]').closest('[role=row]').getBoundingClientRect(),
      document.querySelector('[role=grid]').parentElement.getBoundingClientRect())`
    await page.locator('[aria-label^="nav.home"]:focus').waitFor()
    t.ok(await eventually(async () => (await page.evaluate(hidden)) === 0))

    const { promise: wasSeen, resolve: goOn } = Promise.withResolvers<void>()
    await page.route(/assets\/history-/, async route => {
      await wasSeen
      await route.continue()
    })
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('status', { name: 'Loading …' }).waitFor()
    await poll(t).ok(() => page.locator(GRID).isVisible(), 'the list stays while words of its history are loaded')
    goOn()
    const first = page.getByRole('region', { name: 'History' }).getByRole('time').first()
    await first.waitFor()
    t.ok(await eventually(async () => (await first.boundingBox())!.y < 800), 'which is seen when it comes')
  })

  for (const looks of [['light', 'dark', 'contrast', 'arabic'], ['phone']] as Look[][]) {
    t.test(`in the looks ${looks.join(', ')}`, async t => {
      const page = await open(t, 'pl/checkout?key=item&with=de', looks[0])
      await page.locator('[role="textbox"]').first().waitFor()
      for (const look of looks) {
        if (look !== looks[0]) await wear(page, look)
        await poll(t).equal(() => page.evaluate(SIDES), 'left left', 'texts begin at the side of their own direction')
        const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
        await poll(t).equal(() => page.evaluate(isWider), false, `${look}: nothing is wider than the window`)
        await axe(t, page, look)
        await shot(page, `editor-${look}`)
      }
    })
  }
})

const tabTo = (page: Page, name: RegExp) => goTo(page, name, 'Tab')

/** Presses a key until the focus is on what is called so. */
async function goTo(page: Page, name: RegExp, key: string): Promise<void> {
  for (let times = 0; times < 60; times++) {
    await page.keyboard.press(key)
    const { label, text } = await focused(page)
    if (name.test(label ?? text)) return
  }
  throw new Error(`${key} reaches no ${name}, but ${JSON.stringify(await focused(page))}`)
}

interface Focused {
  role: string
  label: string | null
  text: string
}

/** What has the focus, as screen readers hear it. */
const focused = (page: Page): Promise<Focused> =>
  page.evaluate(`(({ activeElement: element }) => ({
    role: element.getAttribute('role') ?? element.tagName,
    label: element.getAttribute('aria-label'),
    text: element.textContent,
  }))(document)`)

/** Waits until screen readers have announced it. */
const said = (page: Page, what: RegExp) =>
  page.getByRole('status').filter({ hasText: what }).waitFor({ state: 'attached' })
