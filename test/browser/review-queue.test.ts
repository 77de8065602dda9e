/** The review queue: its order, a decision by one key each, the undo, and what others decide meanwhile. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Session } from '../contract/server.ts'
import { axe, axeInLooks, wear } from './axe.ts'
import { noBrowser } from './browser.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { hear, isSaid } from './screen-reader.ts'
import { shot } from './shot.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  const mia = await server.join(acme, 'Mia', 'member')
  const max = await server.join(acme, 'Max', 'member')
  const give = async (who: Session, may: string) => {
    const body = { rights: [{ languages: ['de', 'pl', 'ar', 'ja'], may }] }
    const membership = await server.membership(acme, who)
    await server.must('PUT', `/api/members/${membership}/rights`, { as: acme.owner, body })
  }
  await give(mia, 'suggest')
  await give(max, 'review')
  const names = ['alpha', 'beta', 'gamma', 'delta']
  for (const language of ['en', 'de', 'pl', 'ar']) {
    const body = Object.fromEntries(names.map(name => [name, `Text ${name} ${language}`]))
    await server.must('PUT', `${web}/bundles/${language}/queue`, { key, body })
  }
  const suggest = (language: string, name: string, value: string, as = mia) =>
    server.must('POST', `${web}/suggestions/${language}/queue/${name}`, { as, body: { value } })
  const textOf = async (language: string, name: string) =>
    (await server.get(`${web}/bundles/${language}/queue`, key)).json[name]
  const waiting = async (language: string) =>
    (await server.get(`${web}/suggestions?language=${language}`, key)).json.suggestions.length
  const card = (page: Page, name: string) => page.getByRole('region', { name: `Suggestion for ${name}`, exact: true })
  const open = (t: Test, language: string, as: Session = max) =>
    signedIn(t, scene, { at: `/#/projects/web/review/${language}`, as })

  t.test('says in words that no suggestion waits', async t => {
    const page = await open(t, 'ja')
    await page.getByRole('heading', { name: 'No suggestions wait' }).waitFor()
    await axeInLooks(t, page, 'an empty queue')
  })

  t.test('decides by one key each, the riskiest first, and undoes the last decision', async t => {
    await suggest('de', 'alpha', 'Erster Text')
    await suggest('de', 'beta', 'Text {{name}}')
    await suggest('de', 'gamma', 'Dritter Text')
    await suggest('de', 'delta', 'Vierter Text')
    const page = await open(t, 'de')
    await hear(page)
    await card(page, 'beta').and(page.locator(':focus')).waitFor()
    await card(page, 'beta').getByRole('list', { name: 'Look closely' }).getByText('Problems').waitFor()
    await axeInLooks(t, page, 'a suggestion')
    await shot(page, 'review')
    await page.keyboard.press('s')
    await card(page, 'alpha').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('a')
    await card(page, 'gamma').and(page.locator(':focus')).waitFor()
    t.ok(await isSaid(page, '1 suggestion is accepted.'))
    t.equal(await textOf('de', 'alpha'), 'Erster Text')

    await page.keyboard.press('e')
    const own = card(page, 'gamma').getByRole('textbox', { name: 'Your text' })
    await own.and(page.locator(':focus')).waitFor()
    await own.fill('Dritter, besser')
    await axe(t, page, 'a suggestion with an edited text')
    await page.reload()
    await poll(t).ok(async () => (await card(page, 'beta').count()) + (await own.count()) > 0)
    if ((await own.count()) === 0) {
      await card(page, 'beta').and(page.locator(':focus')).waitFor()
      await page.keyboard.press('s')
    }
    await poll(t).equal(() => own.inputValue(), 'Dritter, besser', 'the typed text survives a reload')
    await own.press('Control+Enter')
    await card(page, 'delta').and(page.locator(':focus')).waitFor()
    t.equal(await textOf('de', 'gamma'), 'Dritter, besser')

    await page.keyboard.press('r')
    const reason = card(page, 'delta').getByRole('textbox', { name: 'Reason (optional)' })
    await reason.fill('Too formal')
    await axe(t, page, 'the reason of a rejection')
    await reason.press('Enter')
    await card(page, 'beta').and(page.locator(':focus')).waitFor()
    t.equal(await textOf('de', 'delta'), 'Text delta de')
    t.equal(await waiting('de'), 1)

    await page.keyboard.press('u')
    await card(page, 'delta').and(page.locator(':focus')).waitFor()
    t.equal(await waiting('de'), 2, 'the rejected suggestion is back')
  })

  t.test('follows what others decide meanwhile', async t => {
    const { json } = await suggest('pl', 'alpha', 'Pierwszy')
    const page = await open(t, 'pl')
    await card(page, 'alpha').waitFor()
    const body = { language: 'pl', ids: [json.suggestion.id] }
    await server.must('POST', `${web}/suggestions/accept`, { as: acme.owner, body })
    await page.getByRole('heading', { name: 'No suggestions wait' }).waitFor()
    await suggest('pl', 'beta', 'Drugi')
    await card(page, 'beta').waitFor()
  })

  t.test('accepts all of a person after a question with the number', async t => {
    for (const name of names) await suggest('ar', name, `نص ${name}`)
    const page = await open(t, 'ar')
    await page.getByRole('button', { name: 'Accept all 4 of Mia' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Accept all 4 of Mia' })
    await axe(t, page, 'the question before a batch')
    const sending = page.waitForRequest(/suggestions\/accept$/)
    await dialog.getByRole('button', { name: 'Accept', exact: true }).click()
    t.match((await sending).postDataJSON(), { ids: { length: 4 } }, 'only those that were listed')
    await page.getByRole('heading', { name: 'No suggestions wait' }).waitFor()
    t.equal(await textOf('ar', 'delta'), 'نص delta')
  })

  t.test('knows its keys in another layout of the keyboard, and with Caps Lock', async t => {
    await suggest('ar', 'alpha', 'أول')
    await suggest('ar', 'beta', 'ثان')
    const page = await open(t, 'ar')
    await card(page, 'alpha').dispatchEvent('keydown', { key: 'ش', code: 'KeyA' })
    await card(page, 'beta').waitFor()
    t.equal(await textOf('ar', 'alpha'), 'أول')
    await card(page, 'beta').dispatchEvent('keydown', { key: 'A', code: 'KeyQ' })
    await page.getByRole('heading', { name: 'No suggestions wait' }).waitFor()
    t.equal(await textOf('ar', 'beta'), 'ثان')
  })

  t.test('an author withdraws, and decides on nothing else', async t => {
    await suggest('pl', 'gamma', 'Trzeci')
    await suggest('pl', 'delta', 'Czwarty', acme.owner)
    const page = await open(t, 'pl', mia)
    await page.getByText('A reviewer of this language decides on them.').waitFor()
    await card(page, 'beta')
      .getByRole('button', { name: /^Withdraw/ })
      .waitFor()
    t.equal(await page.getByRole('button', { name: /^(Accept|Edit)/ }).count(), 0)
    await axe(t, page, 'a queue for reading')
  })

  t.test('offers no decision that needs another person', async t => {
    await server.must('PATCH', web, { as: acme.owner, body: { review: { ja: { fourEyes: true } } } })
    await suggest('ja', 'alpha', 'テキスト', max)
    await suggest('ja', 'beta', 'テキスト {{name}} {{name}}')
    const page = await open(t, 'ja')
    const others = card(page, 'beta')
    await others.getByRole('button', { name: 'Accept A' }).waitFor()
    const problems = others.getByRole('list', { name: 'Problems' }).getByRole('listitem')
    t.match(await problems.allInnerTexts(), [/^Placeholder/])
    t.equal(await page.getByRole('button', { name: 'Edit E' }).count(), 0)
    await page.keyboard.press('e')
    await page.keyboard.press('s')
    const own = card(page, 'alpha')
    await own.and(page.locator(':focus')).waitFor()
    await own.getByRole('button', { name: 'Reject R' }).waitFor()
    t.equal(await page.getByRole('button', { name: /^(Accept A|Edit E)$/ }).count(), 0)
    await page.keyboard.press('a')
    await axe(t, page, 'a suggestion that another person must accept')
    t.equal(await waiting('ja'), 2)
  })

  t.test('is no wider than a phone, in each look', async t => {
    const long = 'Ein sehr langer Vorschlag mit {{placeholder}} und <1>Auszeichnung</1>. '.repeat(6)
    await suggest('de', 'alpha', long)
    const page = await signedIn(t, scene, { at: '/#/projects/web/review/de', as: max, look: 'phone' })
    await card(page, 'alpha').waitFor()
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
    await poll(t).equal(() => page.evaluate(isWider), false)
    await axe(t, page, 'a phone')
    await shot(page, 'review-phone')
    const wide = await open(t, 'de')
    await card(wide, 'alpha').waitFor()
    for (const look of ['dark', 'arabic'] as const) {
      await wear(wide, look)
      await shot(wide, `review-${look}`)
    }
  })
})
