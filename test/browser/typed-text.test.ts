/**
 * Nothing typed is lost or silently changed: by another tab, another person, a network that goes, or a project that
 * is deleted.
 */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { eventually } from '../eventually.ts'
import { axe, axeInLooks } from './axe.ts'
import { expectFaults, noBrowser } from './browser.ts'
import { fieldOf, rowOf, typeIn } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme

  /** The editor with a key's row open, in a tab of its own browser or beside another. */
  const open = async (t: Test, path: string, beside?: Page) => {
    const at = `/#/projects/${path}`
    const page = beside ? await beside.context().newPage() : await signedIn(t, scene, { at })
    if (beside) await page.goto(server.base + at)
    await fieldOf(page).waitFor()
    return page
  }
  const put = (at: string, value: string) => server.must('PUT', `${web}/bundles/${at}`, { key, body: { value } })
  const saved = async (at: string) => (await server.must('GET', `${web}/bundles/${at}`, { key })).json.message
  const stale = async (name: string) =>
    (await server.must('GET', `${web}/status/keys?language=de&is=stale`, { key })).json.keys.some(
      (row: { key: string }) => row.key === name,
    )
  const otherTab = (page: Page) => page.getByRole('note').filter({ hasText: 'unsaved text for this key' })
  const conflict = (page: Page) => page.getByRole('note').filter({ hasText: 'Another user changed this text' })

  t.test('two tabs at one text: each saves what its field shows, by every key that saves', async t => {
    const first = await open(t, 'web/de/common?key=nav.search')
    const second = await open(t, 'web/de/common?key=nav.search', first)
    await typeIn(first, ' eins')
    await otherTab(second).locator('ins').filter({ hasText: 'eins' }).waitFor()
    await poll(t).equal(() => fieldOf(second).innerText(), 'Suche', 'words of another tab are shown beside the field')
    await typeIn(second, ' zwei')
    await otherTab(first).locator('ins').filter({ hasText: 'zwei' }).waitFor()
    await axeInLooks(t, first, 'the words of another tab')
    await poll(t).equal(() => fieldOf(first).innerText(), 'Suche eins')
    await poll(t).equal(() => fieldOf(second).innerText(), 'Suche zwei')
    await second.keyboard.press('Control+s')
    await said(second, /nav\.search.*saved/)
    await poll(t).equal(() => saved('de/common/nav.search'), 'Suche zwei')
    await conflict(first).locator('ins').filter({ hasText: 'zwei' }).waitFor()
    await otherTab(first).waitFor({ state: 'detached' })
    await poll(t).equal(() => fieldOf(first).innerText(), 'Suche eins', 'the first has its own')
    for (const pressed of ['Control+s', 'Control+Enter', 'Alt+s', 'Alt+z']) {
      await fieldOf(first).focus()
      await first.keyboard.press(pressed)
      await said(first, pressed === 'Alt+z' ? /nothing/i : /Another user changed .*nav\.search/)
      await poll(t).equal(() => fieldOf(first).innerText(), 'Suche eins', `${pressed} keeps it`)
      await poll(t).equal(() => saved('de/common/nav.search'), 'Suche zwei', `${pressed} saves over nothing unseen`)
    }
    await conflict(first).getByText('Changed by Ann').waitFor()
    await first.getByRole('button', { name: 'Use mine' }).click()
    await first.keyboard.press('Alt+s')
    await said(first, /nav\.search.*saved/)
    await poll(t).equal(() => saved('de/common/nav.search'), 'Suche eins', 'a text is confirmed as it is shown')
    await fieldOf(second)
      .filter({ hasText: /^Suche eins$/ })
      .waitFor()
  })

  t.test('a copy of a tab is another tab, and a reload the same one', async t => {
    const first = await open(t, 'web/de/common?key=nav.home')
    await typeIn(first, ' eins')
    await first.waitForFunction(() => Object.values(localStorage).some(text => `${text}`.includes('eins')))
    const [copy] = await Promise.all([first.waitForEvent('popup'), first.evaluate('void open(location.href)')])
    await fieldOf(copy).waitFor()
    await otherTab(copy).waitFor()
    await typeIn(copy, ' zwei')
    await otherTab(first).locator('ins').filter({ hasText: 'zwei' }).waitFor()
    await poll(t).equal(() => fieldOf(first).innerText(), 'Start eins')
    await first.reload()
    await fieldOf(first)
      .filter({ hasText: /^Start eins$/ })
      .waitFor()
    await poll(t).equal(() => fieldOf(copy).innerText(), 'Start zwei')
  })

  t.test('what was typed in a closed tab is there in the next, both words of two', async t => {
    const first = await open(t, 'web/de/common?key=nav.account')
    const second = await open(t, 'web/de/common?key=nav.account', first)
    await typeIn(second, ' älter')
    await otherTab(first).waitFor()
    await typeIn(first, ' neuer')
    await otherTab(second).waitFor()
    await second.close()
    const last = await first.context().newPage()
    await first.close()
    const item = '{"organization":"ORG","project":"web","language":"de","namespace":"common","key":"nav.cart"}'
    await last.goto(`${server.base}/#/projects/web/de/common?key=nav.account`)
    await fieldOf(last)
      .filter({ hasText: /neuer$/ })
      .waitFor()
    await otherTab(last).filter({ hasText: 'A closed tab left' }).locator('ins').filter({ hasText: 'älter' }).waitFor()
    await otherTab(last).getByRole('button', { name: 'Discard' }).click()
    await otherTab(last).waitFor({ state: 'detached' })
    await last.getByRole('button', { name: 'Undo', exact: true }).click()
    await otherTab(last).getByRole('button', { name: 'Use that text' }).click()
    await poll(t).match(() => fieldOf(last).innerText(), /älter$/)

    // As a version stored it that knew no tabs.
    await last.evaluate(`{
      const [name, value] = Object.entries(localStorage).find(([name]) => name.startsWith('parlance draft '))
      const { address } = JSON.parse(value)
      const draft = { text: 'Von früher', before: 'Warenkorb', time: 1, address: { ...${item}, organization: address.organization } }
      const old = name.slice(0, name.indexOf(' [') + 1)
      localStorage.setItem(old + JSON.stringify([...Object.values(draft.address), '']), JSON.stringify(draft))
    }`)
    await last.goto('about:blank')
    await last.goto(`${server.base}/#/projects/web/de/common?key=nav.cart`)
    await fieldOf(last).filter({ hasText: 'Von früher' }).waitFor()
  })

  t.test('undoes the own save, and not a newer one that the dashboard does not know', async t => {
    const other = await server.join(acme, 'Bea', 'member')
    const as = other
    for (const wasStale of [false, true]) {
      await put('en/checkout/pay', `Pay ${wasStale}`)
      await put('de/checkout/pay', 'Jetzt bezahlen')
      if (wasStale) await put('en/checkout/pay', 'Pay at once')
      const page = await open(t, 'web/de/checkout?key=pay')
      await page.route(/\/api\/events/, route => route.abort())
      expectFaults(page, /net::ERR_FAILED/)
      await page.reload()
      await fieldOf(page).waitFor()
      await typeIn(page, '!')
      await page.keyboard.press('Control+s')
      await said(page, /pay.*saved/)
      await server.must('PUT', `${web}/bundles/de/checkout/pay`, { as, body: { value: 'Von Bea' } })
      await page.keyboard.press('Alt+z')
      await said(page, /Another user changed .*pay.* meanwhile, so it stays/)
      await poll(t).equal(() => saved('de/checkout/pay'), 'Von Bea', `stale before: ${wasStale}`)
      await fieldOf(page).filter({ hasText: 'Von Bea' }).waitFor()
    }
  })

  t.test('a confirmation is of what is shown: a text or source that changed meanwhile is shown first', async t => {
    for (const changed of ['de', 'en']) {
      await put('en/checkout/title', `Till ${changed}`)
      await put('de/checkout/title', 'Kasse')
      await put('en/checkout/title', `Checkout ${changed}`)
      const page = await open(t, 'web/de/checkout?key=title')
      await page.route(/\/api\/events/, route => route.abort())
      expectFaults(page, /net::ERR_FAILED/)
      await page.reload()
      await fieldOf(page).waitFor()
      await put(`${changed}/checkout/title`, 'Unseen')
      if (changed === 'de') {
        await put('en/checkout/title', 'Till')
      }
      await page.keyboard.press('Alt+s')
      await said(page, /Another user changed .*title.* meanwhile: look at it again/)
      await rowOf(page).getByText('Unseen').first().waitFor()
      await poll(t).ok(() => stale('title'), 'it is still stale')
    }
  })

  t.test('a conflict holds one at its row, and is marked and names its author elsewhere', async t => {
    const bea = await server.join(acme, 'Birgit', 'member')
    const page = await open(t, 'web/de/common?key=nav.home')
    await typeIn(page, ' mine')
    const body = { value: 'Beas Startseite' }
    await server.must('PUT', `${web}/bundles/de/common/nav.home`, { as: bea, body })
    await conflict(page).getByText('Changed by Birgit').waitFor()
    await axe(t, page, 'a conflict with its author')
    await fieldOf(page).focus()
    await page.keyboard.press('Control+Enter')
    await said(page, /nav\.home.*decide which one stays/)
    await poll(t).match(() => fieldOf(page).getAttribute('aria-label'), /^nav\.home/, 'one stays')
    await page.keyboard.press('Escape')
    const row = page.getByRole('row', { name: /^nav\.home/ })
    await page.evaluate(`location.hash = '#/projects/web/de/common?key=nav.cart'`)
    await row.getByText('in conflict').waitFor()
    await axe(t, page, 'the mark of a conflict')
  })

  t.test('what is discarded has a way back, at each button that discards', async t => {
    const page = await open(t, 'web/de/common?key=greeting')
    const typed = `${await fieldOf(page).innerText()} getippt`
    await typeIn(page, ' getippt')
    await page.getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('menuitem', { name: 'Discard what is unsaved' }).click()
    await rowOf(page).getByText('unsaved').waitFor({ state: 'detached' })
    await page.getByText('The unsaved text is discarded.').first().waitFor()
    await axe(t, page, 'what was discarded')
    const undo = page.getByRole('button', { name: 'Undo', exact: true })
    await undo.click()
    await rowOf(page).getByText('unsaved').waitFor()
    await poll(t).equal(() => fieldOf(page).innerText(), typed)
    await put('de/common/greeting', 'Servus, {{name}}')
    await page.getByRole('button', { name: 'Use theirs' }).click()
    await fieldOf(page).filter({ hasText: 'Servus' }).waitFor()
    await undo.click()
    await fieldOf(page).filter({ hasText: 'getippt' }).waitFor()
    await server.must('POST', `${web}/delete-key`, { key, body: { namespace: 'common', key: 'greeting' } })
    const gone = page.getByRole('note').filter({ hasText: 'There is no key “greeting”' })
    await gone.getByRole('button', { name: 'Discard what is unsaved' }).click()
    await gone.getByText('getippt').waitFor({ state: 'detached' })
    await undo.click()
    await gone.getByText('getippt').waitFor()
    await gone.getByRole('button', { name: 'Copy the text of “greeting”' }).waitFor()
  })

  t.test('what is replaced in many texts stays stale, and its undo stops before newer texts', async t => {
    await put('en/checkout/pay', 'Pay')
    await put('de/checkout/pay', 'Altes Wort')
    await put('en/checkout/pay', 'Pay now')
    await poll(t).ok(() => stale('pay'))
    const page = await signedIn(t, scene, { at: '/#/projects/web/de/checkout' })
    await page.getByRole('button', { name: 'Replace in many texts' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.locator(':focus').waitFor()
    await page.keyboard.type('Altes')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Neues')
    await dialog.getByRole('button', { name: 'Replace in 1 text' }).click()
    await said(page, /1 text is replaced/)
    await poll(t).equal(() => saved('de/checkout/pay'), 'Neues Wort')
    await poll(t).ok(() => stale('pay'), 'the replacement did not compare it with its source')
    await page.getByRole('row', { name: /^pay/ }).getByText('stale').waitFor()
    await put('de/checkout/pay', 'Neuer')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await said(page, /undone/)
    await poll(t).equal(() => saved('de/checkout/pay'), 'Neuer')
    await poll(t).notOk(() => stale('pay'))
  })

  t.test('a network error disappears when the connection returns, and the text is still there', async t => {
    const page = await open(t, 'web/de/common?key=nav.search')
    expectFaults(page, /net::ERR_INTERNET_DISCONNECTED/)
    await typeIn(page, ' offline')
    await page.context().setOffline(true)
    await page.keyboard.press('Control+s')
    await rowOf(page).getByText('Not saved').waitFor()
    await page.context().setOffline(false)
    await rowOf(page).getByText('Not saved').waitFor({ state: 'detached' })
    await rowOf(page).getByText('unsaved').waitFor()
    await poll(t).match(() => fieldOf(page).innerText(), /offline$/)
    await page.evaluate(`location.hash = '#/account'`)
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill('Ann Else')
    await page.context().setOffline(true)
    await name.press('Enter')
    const wrong = page.getByRole('alert').filter({ hasText: 'There is no connection' })
    await wrong.waitFor()
    await page.context().setOffline(false)
    await wrong.waitFor({ state: 'detached' })
    await poll(t).equal(() => name.inputValue(), 'Ann Else')
  })

  t.test('what was typed for a project, a namespace or a membership that is gone can be read and copied', async t => {
    await server.project(key, 'short')
    const bundles = { en: { a: { x: 'X' }, b: { y: 'Y' } }, de: { a: { x: 'Iks' }, b: { y: 'Ypsilon' } } }
    const { origin } = new URL(server.base)
    await server.must('POST', '/api/projects/short/push?overwrite=true', { key, body: { bundles } })
    const cara = await server.join(acme, 'Cara', 'admin')
    const page = await signedIn(t, scene, { at: '/#/projects/short/de/a?key=x', as: cara })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
    await fieldOf(page).waitFor()
    await typeIn(page, ' getippt')
    await rowOf(page).getByText('unsaved').waitFor()
    for (const language of ['en', 'de'])
      await server.must('DELETE', `/api/projects/short/bundles/${language}/a`, { key })
    expectFaults(page, /404/, /403/)
    const texts = page.getByText('Your unsaved texts')
    await texts.waitFor()
    await page.getByText('Iks getippt').waitFor()
    await server.must('DELETE', '/api/projects/short', { key })
    await page.getByRole('heading', { name: /short/ }).first().waitFor()
    await page.getByText('Iks getippt').waitFor()
    await axeInLooks(t, page, 'texts typed for a project that is gone')
    await page.getByRole('button', { name: 'Copy the text of “x”' }).click()
    t.ok(await eventually(async () => (await page.evaluate('navigator.clipboard.readText()')) === 'Iks getippt'))
    await page.getByRole('button', { name: 'Discard the text of “x”' }).click()
    await page.getByText('Iks getippt').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('Iks getippt').waitFor()
    await page.evaluate(`location.hash = '#/projects'`)
    await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
    await page.getByText('Iks getippt').waitFor()
    const body = { memberIdOrEmail: cara.user.email }
    await server.must('POST', '/api/auth/organization/remove-member', { as: acme.owner, body })
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText('Iks getippt').waitFor()
  })
})

/** Waits until screen readers have announced it. */
const said = (page: Page, what: RegExp) =>
  page.getByRole('status').filter({ hasText: what }).first().waitFor({ state: 'attached' })
