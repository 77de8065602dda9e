/** The field of the editor in Chromium and Firefox: what is typed, undone, pasted and composed is what is saved. */
import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { eventually } from '../contract/server.ts'
import { newFolder } from '../new-folder.ts'
import { noBrowser } from './browser.ts'
import { type BrowserPage, Firefox } from './firefox.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'

const path = process.env.FIREFOX ?? '/usr/bin/firefox-esr'
const noFirefox = existsSync(path) ? false : `there is no Firefox at ${path}: FIREFOX names another`

const FIELD = 'main [role=textbox][contenteditable]'
const AT = '/#/projects/web/de/common?key=greeting'

const chromium = (page: Page): BrowserPage => ({
  evaluate: expression => page.evaluate(expression),
  click: selector => page.click(selector),
  type: text => page.keyboard.type(text),
  press: keys => page.keyboard.press(keys),
})

/** The texts that are not saved. */
const DRAFTS = `Object.entries(localStorage).filter(([name]) => name.startsWith('parlance draft')).map(([, draft]) => JSON.parse(draft).text).join()`

/** What a field shows, with all of its highlights. */
const HIGHLIGHTS = `Object.fromEntries([...CSS.highlights].map(([name, ranges]) => [name, [...ranges].map(String).sort()]))`

/** Firefox without a screen has no keys that move the caret of a field. */
const END = `getSelection().selectAllChildren(document.querySelector('${FIELD}')) ?? getSelection().collapseToEnd() ?? null`

async function tryField(t: Test, page: BrowserPage, { server, acme, web }: Scene): Promise<void> {
  const until = async (expression: string) => {
    if (!(await eventually(() => page.evaluate<boolean>(expression)))) throw new Error(`never: ${expression}`)
  }
  const empty = async () => {
    await page.press('Control+a')
    await page.press('Delete')
  }
  const saves = async (text: string, what: string) => {
    await page.press('Control+s')
    const saved = async () => (await server.get(`${web}/bundles/de/common/greeting`, acme.key)).json.message
    // The dashboard may not know it yet. The field then loses nothing, now or later.
    await eventually(async () => (await saved()) === text)
    await poll(t).equal(() => saved(), text, what)
  }
  await until(`document.querySelector('${FIELD}') !== null`)
  const is = `(({ lang, dir, spellcheck, ariaMultiLine, contentEditable }) => ({ lang, dir, spellcheck, ariaMultiLine, contentEditable }))(document.querySelector('${FIELD}'))`
  await poll(t).strictSame(() => page.evaluate(is), {
    lang: 'de',
    dir: 'ltr',
    spellcheck: true,
    ariaMultiLine: 'true',
    contentEditable: 'plaintext-only',
  })

  await page.click('[aria-label="More"]')
  const invisible = '[role=menuitemcheckbox][data-key=invisible]'
  await until(`document.querySelector('${invisible}') !== null`)
  await page.click(invisible)
  const signs = `document.querySelectorAll('[role=grid] [data-name=SP]').length`
  await poll(t).equal(() => page.evaluate(signs), 0, 'a space beside a placeholder is at no end of a text')
  await page.click(FIELD)
  await empty()
  await page.type('Hallo  {{name}} {{nme}}, {{name}} ')
  await poll(t).strictSame(() => page.evaluate(HIGHLIGHTS), {
    'parlance-placeholder': ['{{name}}', '{{name}}'],
    'parlance-unknown': ['{{nme}}'],
    'parlance-space': [' ', '  '],
  })
  await saves('Hallo  {{name}} {{nme}}, {{name}} ', 'spaces are ordinary ones, as many as were typed')

  await empty()
  await page.type('one')
  for (const key of ['Enter', 'Enter']) await page.press(key)
  await page.type('two')
  await page.evaluate(`getSelection().modify('move', 'backward', 'character') ?? null`)
  await page.type('-')
  await saves('one\n\ntw-o', 'lines')
  await page.evaluate(END)
  await page.press('Enter')
  await saves('one\n\ntw-o\n', 'a line break at the end is one')
  const mark = `document.querySelector('${FIELD} ~ [aria-hidden] > *').dataset.name`
  await poll(t).equal(() => page.evaluate(mark), '↵', 'which is seen')

  await empty()
  await page.type('old text')
  await page.press('Alt+c')
  await saves('Hello {{name}}', 'the source is copied')
  await page.press('Control+z')
  await saves('old text', 'and undone in one step')
  await page.evaluate(`getSelection().collapse(document.querySelector('${FIELD}').firstChild, 3) ?? null`)
  await page.press('Alt+1')
  await saves('old{{name}} text', 'a placeholder is inserted at the caret')
  await page.press('Control+z')
  await saves('old text', 'and undone')

  await empty()
  await page.type('a')
  await page.press('Enter')
  await page.type('b')
  await page.press('Control+a')
  await page.press('Control+c')
  await page.evaluate(END)
  await page.press('Control+v')
  await saves('a\nba\nb', 'pasted')
  await page.press('Control+b')
  await poll(t).equal(
    () => page.evaluate(`document.querySelector('${FIELD} b, ${FIELD} strong')`),
    null,
    'it stays plain',
  )
}

t.test('in Chromium', { skip: noBrowser, timeout: 0 }, async t => {
  const scene = await openScene(t)
  const page = await signedIn(t, scene, { at: AT })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await tryField(t, chromium(page), scene)

  t.test('what an input method composes is heard of when it is done', async t => {
    await page.click(FIELD)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    const devtools = await page.context().newCDPSession(page)
    for (const text of ['に', 'にほ']) {
      await devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    }
    await poll(t).equal(async () => (await page.textContent(FIELD))?.trim(), 'にほ')
    await devtools.send('Input.insertText', { text: '日本' })
    t.ok(await eventually(() => page.evaluate<boolean>(`${DRAFTS} === '日本'`)))
  })
})

t.test('in Firefox', { skip: noFirefox, timeout: 0 }, async t => {
  const scene = await openScene(t)
  const firefox = await Firefox.start(path, newFolder(t))
  t.teardown(() => firefox.close())
  await firefox.open(scene.server.base + AT, scene.acme.owner.cookies)
  await tryField(t, firefox, scene)
})
