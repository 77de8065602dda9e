/** What every page has: no scrollbar without need, an address of its own, sentences for what is refused. */
import t from 'tap'
import { axe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'

/** Overflow of the content beyond the window in px, across and down. */
const BEYOND = `(() => {
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement
  return [scrollWidth - clientWidth, scrollHeight - clientHeight]
})()`

/** Where a page begins: the heading, or the name of the project or organization above it. */
const BEGINNING = `(() => {
  const { left, top } = document.querySelector('main').querySelector('h1, p').getBoundingClientRect()
  return [left, top].map(Math.round)
})()`

/** Tags of languages that wrap, tables and menus that are cut, and names that reach below the menu beside them. */
const CUT = `[
  ...[...document.querySelectorAll('main code')].filter(one => /^[a-z]{2,3}(-\\w+)*$/.test(one.textContent) && one.offsetHeight > 30),
  ...[...document.querySelectorAll('main table:not([role])')].filter(one => one.offsetWidth > one.parentElement.clientWidth),
  ...[...document.querySelectorAll('thead th a > *')].filter(one => {
    const menu = one.closest('th').querySelector('button').getBoundingClientRect()
    const { left, right } = one.getBoundingClientRect()
    return left < menu.right && right > menu.left
  }),
].map(one => one.outerHTML.slice(0, 120))`

const PAGES = ['projects', 'projects/web', 'projects/web/import', 'projects/web/settings', 'team', 'team/organization']

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)

  t.test('no page reaches a pixel beyond the window', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects' })
    for (const width of [360, 414, 768, 1024, 1280, 1366, 1920]) {
      // Higher than any of these pages: what goes beyond it is no content.
      await page.setViewportSize({ width, height: 4000 })
      for (const name of ['projects', 'projects/web', 'projects/web/import', 'projects/web/de', 'team', 'account']) {
        await page.evaluate(`location.hash = '#/${name}'`)
        await page.locator('h1').first().waitFor()
        await page.locator('main [role=status]').first().waitFor({ state: 'detached' })
        await poll(t).strictSame(() => page.evaluate(BEYOND), [0, 0], `${name} at ${width}`)
      }
    }
  })

  t.test('the heading is at the same place on every page', async t => {
    const page = await signedIn(t, scene, { at: '/#/account' })
    for (const width of [360, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      await page.evaluate("location.hash = '#/account'")
      await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
      const [left, top] = (await page.evaluate(BEGINNING)) as [number, number]
      for (const at of PAGES) {
        await page.evaluate(`location.hash = '#/${at}'`)
        await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor({ state: 'detached' })
        await page.locator('h1').first().waitFor()
        await poll(t).ok(async () => {
          const [x, y] = (await page.evaluate(BEGINNING)) as [number, number]
          return x === left && Math.abs(y - top) <= 4
        }, `${at} at ${width}`)
      }
    }
  })

  t.test('axe finds nothing at the widths between a phone and a desktop', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects' })
    for (const width of [360, 768, 1024, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      for (const at of [...PAGES, 'projects/web/de/common', 'account']) {
        await page.evaluate(`location.hash = '#/${at}'`)
        await page.locator('h1').first().waitFor()
        await page.locator('main [role=status]').first().waitFor({ state: 'detached' })
        await axe(t, page, `${at} at ${width}`)
      }
    }
  })

  t.test('no name covers its menu, no tag wraps, and no table is cut', async t => {
    const { server, acme, web } = scene
    await server.join(acme, 'Bob', 'member')
    const bundles = { 'pt-BR': Object.fromEntries('abcdefghi'.split('').map(name => [name, { a: 'Texto' }])) }
    await server.must('POST', `${web}/push`, { key: acme.key, body: { bundles } })
    const words = { use: ['Warenkorb', 'Korb, voll'], avoid: ['Einkaufswagen'] }
    const terms = [{ term: 'cart', translations: { de: words, 'pt-BR': words } }]
    await server.must('PUT', `${web}/glossary`, { key: acme.key, body: { terms } })
    const page = await signedIn(t, scene)
    for (const width of [360, 768, 1024])
      for (const at of ['projects/web', 'projects/web/glossary', 'projects/web/releases', 'team', 'team/audit']) {
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate(`location.hash = '#/${at}'`)
        await page.locator('h1').first().waitFor()
        await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
        await poll(t).strictSame(() => page.evaluate(CUT), [], `${at} at ${width}`)
      }
  })

  t.test('the editor has the tabs of its project, and the window at 200 % zoom', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/de/common' })
    const tabs = page.getByRole('navigation', { name: 'Pages of web' })
    await tabs.getByRole('link', { name: 'History' }).waitFor()
    await poll(t).equal(() => tabs.getByRole('link', { name: 'Languages' }).getAttribute('aria-current'), 'true')
    const grid = page.getByRole('grid')
    await grid.waitFor()
    const header = page.getByRole('banner')
    const high = (await header.boundingBox())!.height
    await page.setViewportSize({ width: 720, height: 450 })
    await tabs.waitFor({ state: 'hidden' })
    await poll(t).ok(async () => {
      const { y, height } = (await grid.locator('..').boundingBox())!
      return Math.abs(y + height - 450) < 1
    }, 'the grid ends where the window does')
    await poll(t).ok(async () => (await header.boundingBox())!.height < high * 0.75, 'the header is lower')
    await page.getByRole('heading', { level: 1 }).getByRole('link', { name: 'web' }).click()
    await tabs.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  })

  t.test('the address of a new project opens its form, and asks for no project', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects' })
    const asked: string[] = []
    page.on('response', response => response.status() === 404 && asked.push(response.url()))
    await page.evaluate("location.hash = '#/projects/new'")
    await page.getByRole('dialog', { name: 'New project' }).waitFor()
    await axe(t, page, 'a new project by its address')
    await page.keyboard.press('Escape')
    await page.waitForURL(/#\/projects$/)
    t.strictSame(asked, [])
    const body = { name: 'News', slug: 'new', sourceLanguage: 'en' }
    await scene.server.must('POST', '/api/projects', { key: scene.acme.key, body })
    await page.getByRole('link', { name: /News/ }).click()
    await page.getByRole('heading', { name: 'News', level: 1 }).waitFor()
  })

  t.test('what a proxy refuses without a sentence has one', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects' })
    await page.route('**/api/projects/web', route =>
      route.fulfill({ status: 403, contentType: 'text/html', body: 'no' }),
    )
    await page.evaluate("location.hash = '#/projects/web/import'")
    await page.getByText('You may not do this here, or a proxy before the server refuses it.').first().waitFor()
    await poll(t).equal(() => page.getByText(/status 403/).count(), 0)
    await page.unrouteAll()
  })
})
