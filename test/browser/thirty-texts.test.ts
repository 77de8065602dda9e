/** Thirty texts in a row by keyboard, and thirty by mouse; and the focus is seen on the main pages. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { noBrowser } from './browser.ts'
import { fieldOf, rowOf } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'

const TEXTS = Array.from({ length: 30 }, (_, at) => `text${String(at + 10)}`)
/** Px that the pointer may move for the next button: a row of one line. */
const A_ROW = 44

interface Point {
  x: number
  y: number
}

const distance = (one: Point, other: Point) => Math.max(Math.abs(one.x - other.x), Math.abs(one.y - other.y))

/** The focused element, if neither it nor the two elements around it have an outline; else ''. */
const UNSEEN = `(() => {
  const focused = document.activeElement
  if (!focused || focused === document.body) return ''
  const isOutlined = one => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(one)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && !/ 0\\)$|transparent/.test(outlineColor)
  }
  for (let one = focused, up = 0; one && up < 3; one = one.parentElement, up++) if (isOutlined(one)) return ''
  return focused.outerHTML.slice(0, 120)
})()`

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  for (const namespace of ['keys', 'mouse']) {
    const body = Object.fromEntries(TEXTS.map(name => [name, `A sentence of ${name} for {{name}}`]))
    await server.must('PUT', `${web}/bundles/en/${namespace}`, { key, body })
  }
  const saved = async (namespace: string, language = 'de') =>
    Object.keys((await server.call('GET', `${web}/bundles/${language}/${namespace}`, { key })).json).length
  const labelOf = (page: Page) => fieldOf(page).getAttribute('aria-label')
  /** An open row is measured and shown again two frames later. */
  const framesOf = (page: Page) =>
    page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))')
  const middleOfNext = async (page: Page): Promise<Point> => {
    const { x, y, width, height } = (await page.getByRole('button', { name: 'Save and next' }).boundingBox())!
    return { x: x + width / 2, y: y + height / 2 }
  }

  t.test('thirty by keyboard: one key saves and goes on', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/de/keys' })
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    for (const name of TEXTS) {
      await poll(t).match(() => labelOf(page), new RegExp(name))
      await page.keyboard.type(`Satz ${name} `)
      await page.keyboard.press('Alt+1')
      await page.keyboard.press('Control+Enter')
    }
    await poll(t).equal(() => saved('keys'), TEXTS.length)
  })

  t.test('thirty by mouse: the button of the next text is at most a row away', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/de/mouse' })
    await page
      .getByRole('gridcell', { name: /missing/ })
      .first()
      .click()
    let before: Point | undefined
    for (const name of TEXTS) {
      await poll(t).match(() => labelOf(page), new RegExp(name))
      // At once: a placeholder that is half typed has a line about it, and the button moves.
      await page.keyboard.insertText(`Satz ${name} {{name}}`)
      await framesOf(page)
      const at = await middleOfNext(page)
      if (before) {
        const far = distance(at, before)
        t.ok(far <= A_ROW, `${name}: ${far} px`)
      }
      before = at
      await page.mouse.click(at.x, at.y)
    }
    await poll(t).equal(() => saved('mouse'), TEXTS.length)
  })

  t.test('by mouse through texts with plural forms: the button stays under the pointer', async t => {
    // Each third one has a field for each form of Polish.
    const body = Object.fromEntries(
      TEXTS.flatMap((name, at) =>
        at % 3 === 1
          ? [
              [`${name}_one`, '{{count}} page'],
              [`${name}_other`, '{{count}} pages'],
            ]
          : [[name, 'A page']],
      ),
    )
    await server.must('PUT', `${web}/bundles/en/forms`, { key, body })
    const page = await signedIn(t, scene, { at: '/#/projects/web/pl/forms' })
    await page
      .getByRole('gridcell', { name: /missing/ })
      .first()
      .click()
    const headings = page.getByRole('row').first()
    let before: Point | undefined
    let moved = 0
    for (const name of TEXTS) {
      await poll(t).match(() => fieldOf(page).first().getAttribute('aria-label'), new RegExp(name))
      await framesOf(page)
      const fields = await fieldOf(page).all()
      const far = before ? distance(await middleOfNext(page), before) : 0
      // Neither at the top of the list nor where the row begins below the headings the list can go there.
      const scrolled = Number(await page.evaluate(`document.querySelector('[role=grid]').parentElement.scrollTop`))
      const top = (await rowOf(page).boundingBox())!.y - (await headings.boundingBox())!.y
      const isFree = scrolled > 0 && top >= 2 * A_ROW
      t.ok(far <= A_ROW || !isFree, `${name}: ${far} px at ${top} of ${scrolled}`)
      if (isFree && fields.length > 1) moved++
      for (const field of fields) {
        await field.focus()
        await page.keyboard.type(fields.length > 1 ? '{{count}} stron' : 'Strona')
      }
      before = await middleOfNext(page)
      await page.mouse.click(before.x, before.y)
    }
    t.ok(moved > 4, `${moved} with plural forms`)
    await poll(t).equal(() => saved('forms', 'pl'), 60)
  })

  for (const look of ['light', 'dark'] as const)
    t.test(`the focus is seen at each stop, in the look ${look}`, async t => {
      const page = await signedIn(t, scene, { look })
      for (const at of [
        'work',
        'projects/web',
        'projects/web/de/common?key=nav.home',
        'projects/web/settings',
        'team',
      ]) {
        await page.evaluate(`location.hash = '#/${at}'`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await poll(t).equal(() => page.getByRole('status', { name: /./ }).count(), 0)
        for (let stop = 0; stop < 25; stop++) {
          await page.keyboard.press('Tab')
          t.equal(await page.evaluate(UNSEEN), '', `${at}: stop ${stop}`)
        }
      }
    })
})
