/** Several windows of one browser: one stream of events for all, one session, one look. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { eventually } from '../eventually.ts'
import { axe, axeInLooks } from './axe.ts'
import { noBrowser } from './browser.ts'
import { fieldOf, rowOf, typeIn } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'

const METRICS = 'metrics-of-the-windows'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t, { METRICS_TOKEN: METRICS })
  const { server, acme, web } = scene
  const { key } = acme

  /** The editor with a key's row open, in a window of its own or beside another. */
  const open = async (t: Test, path: string, beside?: Page, as = acme.owner) => {
    const at = `/#/projects/web/${path}`
    const page = beside ? await beside.context().newPage() : await signedIn(t, scene, { at, as })
    if (beside) await page.goto(server.base + at)
    await fieldOf(page).waitFor()
    return page
  }
  const put = (at: string, value: string) => server.must('PUT', `${web}/bundles/${at}`, { key, body: { value } })
  const streams = async () => {
    const { text } = await server.get('/metrics', undefined, { authorization: `Bearer ${METRICS}` })
    return Number(/^parlance_event_streams (\d+)/m.exec(text)![1])
  }

  t.test('one stream serves all windows; the next one continues where a closed one ended', async t => {
    const first = await open(t, 'de/common?key=greeting')
    t.ok(await eventually(async () => (await streams()) === 1), 'the first window listens')
    const asked: string[] = []
    const second = await open(t, 'de/checkout?key=pay', first)
    const third = await open(t, 'de/common?key=nav.home', first)
    for (const page of [second, third]) {
      page.on('request', request => /\/api\/events/.test(request.url()) && asked.push(request.url()))
    }
    await put('de/checkout/pay', 'Zahlen')
    await put('de/common/nav.home', 'Anfang')
    await fieldOf(second).filter({ hasText: 'Zahlen' }).waitFor()
    await fieldOf(third).filter({ hasText: 'Anfang' }).waitFor()
    await poll(t).equal(() => streams(), 1, 'at the server')
    t.strictSame(asked, [], 'the others ask for none')

    await first.close()
    // Written while possibly no window listens.
    await put('de/checkout/pay', 'Bezahlen')
    await put('de/common/nav.home', 'Beginn')
    await fieldOf(second).filter({ hasText: 'Bezahlen' }).waitFor()
    await fieldOf(third).filter({ hasText: 'Beginn' }).waitFor()
    t.equal(asked.length, 1, 'one of the two became the leader')
    t.match(asked[0], /\?since=[0-9a-f]{40}$/, 'from where the other had ended')
    t.ok(await eventually(async () => (await streams()) === 1), 'and it is one stream')
  })

  t.test('what was typed in a window that crashed is there in the next', async t => {
    const first = await open(t, 'de/common?key=nav.account')
    await typeIn(first, ' vor dem Absturz')
    await rowOf(first).getByText('unsaved').waitFor()
    const text = `Object.values(localStorage).some(text => text.includes('vor dem Absturz'))`
    t.ok(await eventually(() => first.evaluate<boolean>(text)), 'kept')
    const session = await first.context().newCDPSession(first)
    session.send('Page.crash').catch(() => {})
    await first.waitForEvent('crash')
    const second = await open(t, 'de/common?key=nav.account', first)
    await fieldOf(second)
      .filter({ hasText: /vor dem Absturz$/ })
      .waitFor()
  })

  t.test('a sign-out in one window ends the other gently, and stores its typed text', async t => {
    const bea = await server.join(acme, 'Bea', 'member')
    const second = await open(t, 'de/common?key=nav.cart', undefined, bea)
    const first = await second.context().newPage()
    await first.goto(`${server.base}/#/projects`)
    await typeIn(second, ' unsaved')
    await first.getByRole('button', { name: 'Account' }).click()
    await first.getByRole('menuitem', { name: 'Sign out' }).click()
    await first.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    const dialog = second.getByRole('alertdialog', { name: 'Sign in again' })
    await dialog.waitFor()
    await axeInLooks(t, second, 'a session that was ended in another window')
    await dialog.getByLabel('Password').fill(bea.password)
    await second.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await poll(t).equal(() => fieldOf(second).innerText(), 'Warenkorb unsaved')
    await fieldOf(second).focus()
    await second.keyboard.press('Control+s')
    await said(second, /nav\.cart.*saved/)
    await put('de/common/nav.cart', 'Korb')
    await fieldOf(second)
      .filter({ hasText: /^Korb$/ })
      .waitFor()
  })

  t.test('theme and language that are chosen in one are shown by all', async t => {
    const first = await open(t, 'de/common?key=greeting')
    const second = await open(t, 'de/common?key=greeting', first)
    await typeIn(second, ' noch')
    await first.getByRole('button', { name: 'Account' }).click()
    await first.getByRole('menuitem', { name: 'Language and theme' }).waitFor()
    await axe(t, first, 'the menu of the account')
    await first.getByRole('menuitem', { name: 'Language and theme' }).click()
    for (const [label, choice] of [
      ['Theme', 'Dark'],
      ['Language of this page', 'Deutsch'],
    ]) {
      await first.getByRole('button', { name: label! }).click()
      await first.getByRole('option', { name: choice! }).click()
    }
    await second.locator('html[lang=de][data-theme=dark]').waitFor()
    await second.getByRole('columnheader', { name: 'Schlüssel' }).waitFor()
    await poll(t).match(() => fieldOf(second).innerText(), /noch/, 'what is typed there stays')
    await axe(t, second, 'in another language and theme')
  })
})

/** Waits until screen readers have announced it. */
const said = (page: Page, what: RegExp) =>
  page.getByRole('status').filter({ hasText: what }).waitFor({ state: 'attached' })
