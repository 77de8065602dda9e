/**
 * The editor over networks as people have them, and over a server that goes and comes back: nothing typed is lost,
 * nothing is written twice.
 */
import type { CDPSession, Page, Request } from 'playwright-core'
import t, { type Test } from 'tap'
import { launch, start } from '../contract/process.ts'
import { dataFolder, eventually } from '../contract/server.ts'
import { freePort } from '../free-port.ts'
import { axe } from './axe.ts'
import { expectFaults, noBrowser, openPage } from './browser.ts'
import { fieldOf, rowOf, typeIn } from './open-field.ts'
import { poll } from './poll.ts'
import { fillScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

/** Chromium's messages for unanswered requests. */
const UNANSWERED = /Failed to load resource: net::ERR_/
/** Answers of a server that is about to end. */
const STOPPING = / 503\b/

t.test('in a browser', { skip: noBrowser }, async t => {
  const dataDir = dataFolder(t)
  const port = String(await freePort())
  const run = await start(t, dataDir, { PORT: port })
  const scene: Scene = await fillScene(run.server)
  const { server, acme, web } = scene
  const { key } = acme
  const open = async (t: Test, at: string) => {
    const page = await signedIn(t, scene, { at: `/#/projects/web/${at}` })
    await fieldOf(page).waitFor()
    // What a test does to the line would meet them on their way.
    await loadedAhead(t, page, 'menu-rows', 'select-list', 'dialog-window', 'tooltip-words', 'replace-dialog')
    return page
  }
  const saved = async (at: string) => (await server.must('GET', `${web}/bundles/${at}`, { key })).json.message
  const commits = async (name: string) =>
    (await server.must('GET', `${web}/history?language=de&namespace=checkout&key=${name}`, { key })).json.revisions
      .length

  t.test('shows progress on a slow line and loads one part after the other', async t => {
    const page = await open(t, 'de/checkout?key=pay')
    const session = await page.context().newCDPSession(page)
    await through(session, { latency: 300, downloadThroughput: 40_000, uploadThroughput: 20_000 })
    // However busy this machine is, it is seen while it loads.
    const { promise: wasSeen, resolve: goOn } = Promise.withResolvers<void>()
    await page.route('**/api/projects/web/status', async route => {
      await wasSeen
      await route.continue()
    })
    await page.evaluate(`location.hash = '#/projects/web'`)
    await page.getByRole('heading', { level: 1, name: 'web' }).waitFor()
    await page.getByRole('status', { name: 'Loading …' }).first().waitFor()
    await axe(t, page, 'what is still loading')
    goOn()
    await page.getByRole('rowheader', { name: /Deutsch/ }).waitFor()
    await page.evaluate(`location.hash = '#/projects/web/de/checkout?key=pay'`)
    await typeIn(page, ' bitte')
    await page.keyboard.press('Control+s')
    await page.getByText('Saving …').waitFor()
    await page.keyboard.type(' sofort')
    await said(page, /pay.*saved/)
    await poll(t).equal(
      () => fieldOf(page).innerText(),
      'Jetzt bezahlen bitte sofort',
      'what was typed meanwhile stays',
    )
    await page.keyboard.press('Control+s')
    await rowOf(page).getByText('unsaved').waitFor({ state: 'detached' })
    await poll(t).equal(() => saved('de/checkout/pay'), 'Jetzt bezahlen bitte sofort')
  })

  t.test('a save with a lost answer is no conflict and no second commit', async t => {
    const page = await open(t, 'de/checkout?key=title')
    const before = await commits('title')
    expectFaults(page, UNANSWERED)
    for (const live of [true, false]) {
      const text = `Kasse ${live}`
      if (!live) {
        await page.route(/\/events/, route => route.abort())
        await page.reload()
        await fieldOf(page).waitFor()
      }
      let isLost = false
      await page.route(/checkout\/title$/, async route => {
        if (isLost || route.request().method() !== 'PUT') return route.continue()
        isLost = true
        await route.fetch()
        await route.abort('connectionreset')
      })
      await typeOver(page, text)
      await page.keyboard.press('Control+s')
      await said(page, /title.*was not saved/)
      await poll(t).equal(() => saved('de/checkout/title'), text, 'the server has it')
      if (live) {
        await rowOf(page).getByText('unsaved').waitFor({ state: 'detached' })
        await rowOf(page).getByText('Not saved').waitFor({ state: 'detached' })
      } else {
        await page.keyboard.press('Control+s')
        await said(page, /title.*is saved/)
      }
      await poll(t).equal(() => fieldOf(page).innerText(), text)
      await poll(t).equal(() => page.getByText('Another user').count(), 0, 'no other user wrote')
    }
    t.equal(await commits('title'), before + 2, 'a commit for each text')
  })

  t.test('where every third request fails, all of it comes in the end', async t => {
    const page = await openPage(t, server, { as: acme.owner, at: '/#/projects' })
    expectFaults(page, UNANSWERED)
    let asked = 0
    await page.route(/\/api\/(?!.*events)/, route => (++asked % 3 === 0 ? route.abort() : route.continue()))
    await page.evaluate(`location.hash = '#/projects/web/de/common?key=greeting'`)
    await fieldOf(page).waitFor()
    await typeOver(page, 'Hallo du, {{name}}')
    const isSaved = async () => {
      await page.keyboard.press('Control+s')
      await page.getByText('Saving …').waitFor({ state: 'detached' })
      return (await rowOf(page).getByText('unsaved').count()) === 0
    }
    t.ok(await eventually(isSaved), 'saved, if not by the first attempt')
    await poll(t).equal(() => saved('de/common/greeting'), 'Hallo du, {{name}}')
    t.ok(asked < 60, `${asked} requests`)
  })

  t.test('reports a page with parts that fail to load, and shows it at the next attempt', async t => {
    const page = await openPage(t, server, { as: acme.owner, at: '/#/projects' })
    expectFaults(page, UNANSWERED, /dynamically imported module/, /\[object/)
    const { promise: wasSeen, resolve: goOn } = Promise.withResolvers<void>()
    await page.route(/assets\/compare-page/, async route => {
      await wasSeen
      await route.continue()
    })
    await page.evaluate(`location.hash = '#/projects/web/compare'`)
    await page.getByRole('status', { name: 'Loading …' }).waitFor()
    goOn()
    await page.getByRole('heading', { name: 'Compare' }).waitFor()
    await page.route(/assets\/(releases|import)-page/, route => route.abort())
    await page.evaluate(`location.hash = '#/projects/web/releases'`)
    await page.getByRole('heading', { name: 'This page could not be shown', level: 1 }).waitFor()
    await axe(t, page, 'a page that is not there')
    await page.evaluate(`location.hash = '#/projects/web/history'`)
    await page.getByRole('heading', { name: 'History', exact: true }).first().waitFor()
    await page.evaluate(`location.hash = '#/projects/web/import'`)
    await page.getByRole('heading', { name: 'This page could not be shown', level: 1 }).waitFor()
    await page.unroute(/assets\/(releases|import)-page/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Choose files').waitFor()
  })

  t.test('offline: said once, typed on, saved when the line is back, without a storm', async t => {
    const page = await open(t, 'de/common?key=nav.home')
    expectFaults(page, UNANSWERED)
    const session = await page.context().newCDPSession(page)
    const asked = count(page)
    const [wasAsked, comesLate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(/\/history\?.*key=nav\.cart/, async route => {
      const response = await route.fetch()
      wasAsked.resolve()
      await comesLate.promise
      await route.fulfill({ response })
    })
    await page.evaluate(`location.hash = '#/projects/web/de/common?key=nav.cart'`)
    await wasAsked.promise
    await through(session, { offline: true })
    await typeOver(page, 'Korb')
    await page.keyboard.press('Control+s')
    await rowOf(page).getByText('Not saved: There is no connection').waitFor()
    await page.getByText('The server cannot be reached').waitFor()
    comesLate.resolve()
    await page.getByText('The first texts').first().waitFor()
    await poll(t).ok(
      () => page.getByText('The server cannot be reached').isVisible(),
      'late answers do not clear the warning',
    )
    await axe(t, page, 'offline')
    await shot(page, 'network-offline')
    const atFirst = asked.length
    await page.waitForTimeout(5000)
    t.ok(asked.length - atFirst <= 6, `asked in five seconds: ${asked.slice(atFirst)}`)
    await poll(t).equal(() => page.getByRole('status', { name: 'Loading …' }).count(), 0, 'nothing waits for ever')
    await through(session, { offline: false })
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await page.getByText('The server cannot be reached').waitFor({ state: 'detached' })
    await poll(t).equal(() => fieldOf(page).innerText(), 'Korb')
    await fieldOf(page).focus()
    await page.keyboard.press('Control+s')
    await said(page, /nav\.cart.*is saved/)
    await poll(t).equal(() => saved('de/common/nav.cart'), 'Korb')
  })

  t.test(
    'menus, choices and dialogs are there when the line is not: they come once a page has what it shows',
    async t => {
      const page = await openPage(t, server, { as: acme.owner, at: '/#/projects' })
      expectFaults(page, UNANSWERED)
      await loadedAhead(t, page, 'menu-rows', 'new-project')
      await page.evaluate(`location.hash = '#/projects/web/de/common'`)
      const replace = page.getByRole('button', { name: 'Replace in many texts' })
      await replace.waitFor()
      await loadedAhead(t, page, 'tooltip-words', 'replace-dialog')
      await through(await page.context().newCDPSession(page), { offline: true })
      await page.getByRole('button', { name: 'Account' }).click()
      await page.getByRole('menuitem', { name: 'Language and theme' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Theme' }).click()
      await page.getByRole('option', { name: 'Dark' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await replace.hover()
      await page.getByRole('tooltip').waitFor()
      await replace.click()
      await page.getByRole('dialog', { name: 'Replace in many texts' }).waitFor()
    },
  )

  t.test('a page that was not loaded before the line went comes once it is back', async t => {
    const page = await open(t, 'de/common?key=nav.home')
    expectFaults(page, /./)
    const session = await page.context().newCDPSession(page)
    await typeOver(page, 'Heim')
    await through(session, { offline: true })
    await page.evaluate(`location.hash = '#/team'`)
    await page.getByRole('heading', { level: 1, name: 'This page could not be shown' }).waitFor()
    await page.getByText('There is no connection to the server. What you typed is still here.').waitFor()
    await shot(page, 'network-not-loaded')
    await through(session, { offline: false })
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    await page.evaluate(`location.hash = '#/projects/web/de/common?key=nav.home'`)
    await fieldOf(page).waitFor()
    await poll(t).equal(() => fieldOf(page).innerText(), 'Heim', 'what was typed before is still there')
  })

  t.test('a server that can be read but not written', async t => {
    const page = await open(t, 'de/common?key=nav.home')
    expectFaults(page, /503/)
    const full = { status: 503, json: { error: 'The disk is full.' } }
    await page.route(/bundles\/de\/common\/nav\.home$/, route =>
      route.request().method() === 'PUT' ? route.fulfill(full) : route.continue(),
    )
    await page.route(/\/api\/health$/, route => route.fulfill(full))
    await typeOver(page, 'Zuhause')
    await page.keyboard.press('Control+s')
    await rowOf(page).getByText('Not saved: The disk is full.').waitFor()
    await page.getByText('The server cannot save at the moment. What you type stays here.').waitFor()
    await poll(t).equal(() => fieldOf(page).innerText(), 'Zuhause')
    await axe(t, page, 'a server that does not write')
    await shot(page, 'network-read-only')
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByText('The server cannot save').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+s')
    await said(page, /nav\.home.*is saved/)
    await page.route(/\/api\/projects/, async route => {
      const response = await route.fetch()
      await route.fulfill({ response, headers: { ...response.headers(), 'parlance-stale': '7' } })
    })
    await page.evaluate(`location.hash = '#/projects/web/releases'`)
    await page.getByText('The server cannot save at the moment, and what you see may be old.').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByText('The server cannot save').waitFor({ state: 'detached' })
  })

  t.test('an open editor survives a restart of the server', async t => {
    const page = await open(t, 'de/common?key=nav.account')
    expectFaults(page, UNANSWERED, STOPPING)
    await typeOver(page, 'Mein Konto')
    const asked = count(page)
    await server.close()
    await page.keyboard.press('Control+s')
    await page.getByText('The server cannot be reached').waitFor()
    await poll(t).equal(() => fieldOf(page).innerText(), 'Mein Konto')
    const again = launch(dataDir, { PORT: port })
    t.teardown(async () => {
      again.child.kill('SIGKILL')
      await again.exit
    })
    await page.getByText('The server cannot be reached').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+s')
    await said(page, /nav\.account.*is saved/)
    await server.must('PUT', `${web}/bundles/de/common/nav.account`, { key, body: { value: 'Konto' } })
    await fieldOf(page)
      .filter({ hasText: /^Konto$/ })
      .waitFor()
    t.ok(asked.length < 60, `requests: ${asked.length}`)
  })
})

/** Waits for parts that are loaded before they are needed, and for what they need themselves. */
async function loadedAhead(t: Test, page: Page, ...parts: string[]): Promise<void> {
  const loaded = () =>
    page.evaluate<string[]>(`performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1))`)
  for (const part of parts)
    t.ok(await eventually(async () => (await loaded()).some(name => name.startsWith(part))), part)
  const asked = `[...document.querySelectorAll('link[href]')].map(({ href }) => href.split('/').at(-1))`
  const isWhole = async () => {
    const there = new Set(await loaded())
    return (await page.evaluate<string[]>(asked)).every(name => there.has(name))
  }
  t.ok(await eventually(isWhole), 'with what they need')
}

/** In the place of what stands there. */
async function typeOver(page: Page, text: string): Promise<void> {
  await fieldOf(page).focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

/** Waits until screen readers have announced it. */
const said = (page: Page, what: RegExp) =>
  page.getByRole('status').filter({ hasText: what }).waitFor({ state: 'attached' })

/** Each request of the API from now on. */
function count(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request: Request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) asked.push(`${request.method()} ${pathname}`)
  })
  return asked
}

/** A connection with this number of bytes a second, and this delay in ms of each answer. */
const through = (session: CDPSession, line: Partial<typeof UNLIMITED>) =>
  session.send('Network.emulateNetworkConditions', { ...UNLIMITED, ...line })

const UNLIMITED = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }
