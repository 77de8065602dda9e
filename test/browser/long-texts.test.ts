/** Texts that browsers reorder, and texts so long that each key press would be slow. */
import type { CDPSession, Page } from 'playwright-core'
import t from 'tap'
import { axe, axeInLooks } from './axe.ts'
import { noBrowser } from './browser.ts'
import { fieldOf, typeIn } from './open-field.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

/**
 * As it is seen from left to right: the characters of each element that should be isolated, by where they are drawn.
 */
const SEEN = (selector: string, wanted: string) => `(() => {
  const seen = []
  for (const element of document.querySelectorAll(${JSON.stringify(selector)})) {
    if (!element.checkVisibility()) continue
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode
      // The field itself is plain text, in which browsers reorder: the line below it tells how it reads.
      if (node.parentElement.isContentEditable) continue
      for (let at = node.data.indexOf(${JSON.stringify(wanted)}); at !== -1; at = node.data.indexOf(${JSON.stringify(wanted)}, at + 1)) {
        const drawn = Array.from(${JSON.stringify(wanted)}, (character, index) => {
          const range = document.createRange()
          range.setStart(node, at + index)
          range.setEnd(node, at + index + 1)
          return { character, left: range.getBoundingClientRect().left }
        })
        seen.push(drawn.sort((a, b) => a.left - b.left).map(({ character }) => character).join(''))
      }
    }
  }
  return seen
})()`

const TEXT = 'مرحبا <1>أحمد</1>، لديك {{count}} رسائل <br/> في $t(inbox)'
const LATER = 'أهلا <1>أحمد</1>، عندك {{count}} رسائل <br/> في $t(inbox)'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const put = (path: string, value: string) =>
    server.must('PUT', `${web}/bundles/${path}`, { key: acme.key, body: { value } })
  const source = 'Hello <1>Ann</1>, you have {{count}} messages <br/> in $t(inbox)'
  await put('en/tags/mail', source)
  await put('ar/tags/mail', TEXT)
  await put('ar/tags/mail', LATER)

  t.test('tags and placeholders stay in order in Arabic, in each place that shows texts', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/ar/tags' })
    const isWhole = async (where: string) => {
      for (const tag of ['</1>', '{{count}}', '<br/>', '$t(inbox)']) {
        await page.waitForFunction(`${SEEN('main', tag)}.length > 0`)
        const seen = await page.evaluate<string[]>(SEEN('main', tag))
        t.ok(
          seen.every(one => one === tag),
          `${where}: ${seen.join(' ')}`,
        )
      }
    }
    await page.getByText('أهلا').first().waitFor()
    await isWhole('rows')
    await page.getByRole('row').filter({ hasText: 'mail' }).getByRole('gridcell').last().click()
    await fieldOf(page).waitFor()
    await page.getByText('In reading order').waitFor()
    await isWhole('below the field')
    await axeInLooks(t, page, 'a text of the other direction')
    await shot(page, 'arabic-field')
    await page.evaluate("location.hash = '#/projects/web/history?key=mail&namespace=tags'")
    await page.getByText('أهلا').or(page.locator('ins')).first().waitFor()
    await isWhole('history')
    await page.evaluate("location.hash = '#/projects/web/compare?from=HEAD~1'")
    await page.evaluate(`localStorage.setItem('parlance.language', 'ar'); dispatchEvent(new Event('storage'))`)
    await page.evaluate("location.hash = '#/projects/web/ar/tags?key=mail'")
    await fieldOf(page).waitFor()
    await page.evaluate('document.activeElement.blur()')
    await isWhole('the dashboard in Arabic')
    await shot(page, 'arabic-page')
  })

  t.test('a key press costs little in any text', async t => {
    const many = (count: number, of: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => of(at)).join(' ')
    const texts = {
      'a short text': 'Hello {{name}}',
      '150 placeholders': many(150, at => `{{n${at}}}`),
      '1,200 placeholders': many(1200, at => `word {{n${at}}}`),
      '11,000 placeholders': many(11_000, at => `{{${at.toString(36)}}}`),
      '8,000 tags': many(8000, at => `<${at % 90}>x</${at % 90}>`),
      '10,000 lines': 'Hi\n'.repeat(10_000),
      '90,000 letters': 'word '.repeat(18_000),
    }
    const keys = Object.keys(texts)
    for (const [at, text] of Object.values(texts).entries()) {
      await put(`en/long/key${at}`, text)
      await put(`de/long/key${at}`, text)
    }
    const costs: Record<string, number> = {}
    for (const [at, name] of keys.entries()) {
      const page = await signedIn(t, scene, { at: `/#/projects/web/de/long?key=key${at}` })
      const cdp = await page.context().newCDPSession(page)
      await fieldOf(page).waitFor()
      await typeIn(page, 'a')
      costs[name] = await costOf(page, cdp)
      t.comment(`${name}: ${costs[name].toFixed(1)} ms of processor a letter`)
      if (at === 2) {
        await page.getByText('is shown without highlights and preview').first().waitFor()
        await axe(t, page, 'a text without highlights')
      }
      await page.context().close()
    }
    // The browser's own layout of a paragraph grows with it.
    const base = Math.max(costs['a short text']!, 4)
    for (const name of keys)
      t.ok(costs[name]! < 20 * base, `${name}: ${(costs[name]! / base).toFixed(1)} x a short text`)
  })
})

const LETTERS = 5

/** Ms of processor time for one letter, with all its effects. */
async function costOf(page: Page, cdp: CDPSession): Promise<number> {
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const used = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return 1000 * metrics.find(({ name }) => name === 'TaskDuration')!.value
  }
  const before = await used()
  for (let at = 0; at < LETTERS; at++) {
    await page.keyboard.press('x')
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }
  return ((await used()) - before) / LETTERS
}
