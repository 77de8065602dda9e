/** The start page for a stranger and for a member: complete, clean in every look, and small. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { axe, axeInLooks, wear } from './axe.ts'
import { countBytes, expectFaults, faultsIn, noBrowser, openPage } from './browser.ts'
import type { Look } from './looks.ts'
import { fieldOf } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene } from './scene.ts'
import { shot } from './shot.ts'

/** Maximum bytes over the wire of a first visit, in brotli, by reader. React alone has 59,000 of them. */
const VISITS = { stranger: 106_000, member: 124_600 }
/** The main pages. */
const PAGES = [
  'projects',
  'projects/web',
  'projects/web/de/common?key=nav.home',
  'projects/web/history',
  'projects/web/import',
  'team',
  'team/tokens',
  'account',
]
/** Of one that begins at a key in the editor. Its panel loads after it, when the browser is idle. */
const EDITOR_VISIT = 165_400

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)

  for (const [who, most] of Object.entries(VISITS)) {
    const as = who === 'member' ? scene.acme.owner : undefined

    for (const looks of [['light', 'dark', 'contrast'], ['phone'], ['arabic'], ['japanese']] as Look[][]) {
      t.test(`the first page of a ${who} in the looks ${looks.join(', ')}`, async t => {
        const page = await openPage(t, scene.server, { as, look: looks[0]! })
        for (const look of looks) {
          if (look !== looks[0]) await wear(page, look)
          const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
          await poll(t).equal(() => page.evaluate(isWider), false, `${look}: nothing is wider than the window`)
          const direction = await page.evaluate('getComputedStyle(document.body).direction')
          t.equal(direction, look === 'arabic' ? 'rtl' : 'ltr', `${look}: the direction`)
          await axe(t, page, look)
          await shot(page, `start-${who}-${look}`)
        }
      })
    }

    t.test(`a first visit of a ${who} loads at most ${most} bytes`, async t => {
      const counted = countBytes()
      await openPage(t, scene.server, { as, counted })
      const { bytes, files } = await counted.total()
      t.ok(bytes > 50_000, 'something was counted')
      t.ok(bytes <= most, `${bytes} bytes: ${files.join(', ')}`)
      t.comment(`${bytes} bytes`)
    })
  }

  t.test('a first visit of a key in the editor', async t => {
    const counted = countBytes()
    const path = `${scene.web}/bundles/en/common/hello`
    await scene.server.must('PUT', path, { key: scene.acme.key, body: { value: 'Hello' } })
    const at = '/#/projects/web/de/common?key=hello'
    const page = await openPage(t, scene.server, { as: scene.acme.owner, counted, at })
    await fieldOf(page).waitFor()
    const { bytes, files } = await counted.total()
    t.ok(bytes <= EDITOR_VISIT, `${bytes} bytes: ${files.join(', ')}`)
    t.comment(`${bytes} bytes`)
  })

  for (const look of ['light', 'phone'] as const) {
    t.test(`nothing that is seen of a page moves as it loads, in the look ${look}`, async t => {
      const page = await openPage(t, scene.server, { as: scene.acme.owner, look })
      await page.addInitScript(`
        window.moved = []
        new PerformanceObserver(list => {
          for (const { value, sources } of list.getEntries())
            moved.push([value, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 80))].join(' '))
        }).observe({ type: 'layout-shift', buffered: true })
      `)
      for (const at of PAGES) {
        await page.goto('about:blank')
        await page.goto(`${scene.server.base}/#/${at}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.getByRole('status', { name: /./ }).waitFor({ state: 'detached' })
        await page.waitForTimeout(300)
        t.strictSame(await page.evaluate('moved'), [], at)
      }
    })
  }

  t.test('for readers who ask for more contrast', async t => {
    const page = await openPage(t, scene.server, { as: scene.acme.owner })
    await page.emulateMedia({ contrast: 'more' })
    await poll(t).match(() => page.evaluate(`getComputedStyle(document.body).color`), /\(0 0 0\)/, 'black on white')
    for (const at of PAGES) {
      await page.evaluate(`location.hash = '#/${at}'`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('status', { name: /./ }).waitFor({ state: 'detached' })
      await axeInLooks(t, page, at)
    }
  })

  t.test('under a path of a proxy', async t => {
    const { hostname, port } = new URL(scene.server.base)
    const proxy = createServer(({ url = '', method, headers }, response) => {
      if (!url.startsWith('/team/')) return response.writeHead(502).end()
      const asked = request({ hostname, port, method, headers, path: url.slice('/team'.length) }, answer => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      return asked.on('error', () => response.destroy()).end()
    })
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
    t.teardown(() => proxy.close().closeAllConnections())
    const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/team`
    const page = await openPage(t, { base }, { as: scene.acme.owner })
    await page.getByRole('heading', { name: 'web' }).waitFor()
  })

  t.test('what goes wrong in a page is noticed', async t => {
    const page = await openPage(t, scene.server, { as: scene.acme.owner })
    await page.evaluate(`
      console.error('told')
      document.body.append(Object.assign(document.createElement('style'), { textContent: 'a {}' }))
      setTimeout(() => { throw new Error('thrown late') })
      fetch('https://example.com/').catch(() => {})
      fetch('assets/none.js')
    `)
    await page.waitForTimeout(200)
    const wanted = [/console: told/, /style-src/, /thrown: .*thrown late/, /connect-src/, /404.*none\.js/]
    expectFaults(page, ...wanted, /example\.com/)
    t.strictSame(faultsIn(page), [], 'nothing else')
    for (const line of wanted)
      t.ok(
        faultsIn(page, true).some(fault => line.test(fault)),
        String(line),
      )
  })
})
