/** Comments beside a text: the thread of a key, what its reader may do, and what others write meanwhile. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { axe, axeInLooks, wear } from './axe.ts'
import { expectFaults, noBrowser } from './browser.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { hear, isSaid } from './screen-reader.ts'
import { shot } from './shot.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  const mia = await server.join(acme, 'Mia', 'member')
  const at = (name: string) => `${web}/comments/talk/${name}`
  const stored = async (name: string) => (await server.get(at(name), key)).json.comments
  const say = async (name: string, text: string, as = mia, more: object = {}) =>
    (await server.must('POST', at(name), { as, body: { text, ...more } })).json.id as string
  const open = async (t: Test, name: string, as = acme.owner) => {
    const page = await signedIn(t, scene, { at: `/#/projects/web/de/talk?key=${name}`, as })
    await section(page).waitFor()
    return page
  }
  const go = (page: Page, name: string) => page.evaluate(`location.hash = '#/projects/web/de/talk?key=${name}'`)
  const section = (page: Page) =>
    page.getByRole('region', { name: 'Details of the text' }).getByRole('region', { name: 'Comments', exact: true })
  const field = (page: Page) => section(page).getByRole('textbox', { name: 'Write a comment' })
  const textsIn = (page: Page) => section(page).locator('li > p[dir]').allInnerTexts()

  const keys = ['alpha', 'asked', 'busy', 'clear', 'draft', 'full']
  for (const language of ['en', 'de']) {
    const body = Object.fromEntries(keys.map(name => [name, `Text ${name} ${language}`]))
    await server.must('PUT', `${web}/bundles/${language}/talk`, { key, body })
  }

  t.test('writes a comment by keyboard, and announces it', async t => {
    const page = await open(t, 'alpha')
    await hear(page)
    await field(page).fill(' ')
    await field(page).press('Control+Enter')
    await section(page).getByText('Write a text first.').waitFor()
    await axe(t, page, 'a comment without a text')
    await field(page).fill('@Mia Is this a verb?\nOr a noun?')
    await field(page).press('Control+Enter')
    await poll(t).strictSame(() => textsIn(page), ['@Mia Is this a verb?\nOr a noun?'])
    await poll(t).ok(() => isSaid(page, 'The comment is sent. It mentions 1 member.'))
    await poll(t).equal(() => field(page).inputValue(), '')
    await field(page).and(page.locator(':focus')).waitFor()
    await section(page).getByText('just now · German').waitFor()
    t.match(await stored('alpha'), [{ language: 'de', by: { id: acme.owner.user.id }, text: /verb/ }])
  })

  t.test('shows what another user writes, resolves and deletes meanwhile', async t => {
    await say('asked', 'Which cart?')
    const page = await open(t, 'asked')
    await poll(t).strictSame(() => textsIn(page), ['Which cart?'])
    const id = await say('asked', 'The one of the shop?')
    await poll(t).strictSame(() => textsIn(page), ['Which cart?', 'The one of the shop?'])
    await field(page).fill('Yes, that')
    await server.must('PATCH', `${at('asked')}/${id}`, { as: mia, body: { resolved: true } })
    await section(page).getByText('1 resolved comment').waitFor()
    await server.must('DELETE', `${at('asked')}/${id}`, { as: mia })
    await section(page).getByText('1 resolved comment').waitFor({ state: 'detached' })
    t.equal(await field(page).inputValue(), 'Yes, that', 'the typed text stays')
    await field(page).press('Control+Enter')
    await poll(t).strictSame(() => textsIn(page), ['Which cart?', 'Yes, that'])
  })

  t.test('resolves, reopens, changes and deletes by keyboard, and the focus stays near', async t => {
    await say('busy', 'Own words', acme.owner)
    await say('busy', 'Of Mia')
    const page = await open(t, 'busy')
    await hear(page)
    const button = (name: string) => section(page).getByRole('button', { name, exact: true })
    await button('Edit: Own words').press('Enter')
    const own = section(page).getByRole('textbox', { name: 'Your comment' })
    await own.and(page.locator(':focus')).waitFor()
    t.equal(await own.inputValue(), 'Own words')
    await axe(t, page, 'the form of a comment')
    await own.fill('Own words, changed')
    await own.press('Control+Enter')
    await button('Edit: Own words, changed').and(page.locator(':focus')).waitFor()
    t.ok(await isSaid(page, 'The comment is changed.'))
    t.equal(await button('Edit: Of Mia').count(), 0, 'the text of another user')
    await button('Resolve: Of Mia').press('Enter')
    await poll(t).ok(() => isSaid(page, 'The comment is resolved.'))
    await section(page).getByText('1 resolved comment').click()
    await button('Reopen: Of Mia').press('Enter')
    await poll(t).ok(() => isSaid(page, 'The comment is open again.'))
    await button('Delete: Of Mia').press('Enter')
    const dialog = page.getByRole('alertdialog', { name: 'Delete this comment?' })
    await axe(t, page, 'the question before a deletion')
    await dialog.getByRole('button', { name: 'Delete' }).press('Enter')
    await poll(t).ok(() => isSaid(page, 'The comment is deleted.'))
    await poll(t).strictSame(() => textsIn(page), ['Own words, changed'])
    await poll(t).notOk(() => page.evaluate('document.activeElement === document.body'), 'the focus is somewhere')
  })

  t.test('a member changes and deletes own comments alone', async t => {
    await say('clear', 'Of Ann', acme.owner)
    await say('clear', 'Of Mia')
    const page = await open(t, 'clear', mia)
    await poll(t).equal(() => section(page).getByRole('listitem').count(), 2)
    const named = (name: RegExp) => section(page).getByRole('button', { name }).count()
    t.strictSame([await named(/^Resolve: /), await named(/^Edit: /), await named(/^Delete: /)], [2, 1, 1])
  })

  t.test('an unsent comment survives leaving the row and a reload', async t => {
    const page = await open(t, 'draft')
    await field(page).fill('Half a')
    await go(page, 'alpha')
    await section(page).getByText('Is this a verb?').waitFor()
    await poll(t).equal(() => field(page).inputValue(), '')
    await go(page, 'draft')
    await poll(t).equal(() => field(page).inputValue(), 'Half a')
    await page.reload()
    await poll(t).equal(() => field(page).inputValue(), 'Half a')
    t.strictSame(await stored('draft'), [], 'nothing was written')
    await page.route('**/comments/talk/draft', route =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 503, json: { error: 'The disk is full.' } })
        : route.fallback(),
    )
    expectFaults(page, /503/)
    await section(page).getByRole('button', { name: 'Send' }).click()
    await section(page).getByText('The disk is full.').waitFor()
    t.equal(await field(page).inputValue(), 'Half a', 'a refused comment stays')
  })

  t.test('asks for the threads of keys with comments alone', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web' })
    const asked: string[] = []
    page.on('request', request => {
      const { pathname } = new URL(request.url())
      if (pathname.includes('/comments/')) asked.push(pathname.slice(pathname.indexOf('/talk')))
    })
    await go(page, 'full')
    await section(page).waitFor()
    await go(page, 'draft')
    await go(page, 'alpha')
    await section(page).getByText('Is this a verb?').waitFor()
    t.strictSame(asked, ['/talk', '/talk/alpha'])
  })

  t.test('looks well everywhere', async t => {
    await say(
      'full',
      'Which of the two meanings is it? https://acme.example/a/very/long/address/without/any/space/in/it',
    )
    await say('full', 'Settled long ago.', acme.owner, { language: 'de' })
    const { id } = (await stored('full'))[1]
    await server.must('PATCH', `${at('full')}/${id}`, { as: mia, body: { resolved: true } })
    await say('full', '@Ann هل هذا فعل أم اسم؟\nThe first one, I think.', mia, { language: 'de' })
    const page = await open(t, 'full')
    await section(page).getByText('1 resolved comment').waitFor()
    await field(page).scrollIntoViewIfNeeded()
    await shot(page, 'comments')
    await axeInLooks(t, page, 'comments')
    await wear(page, 'dark')
    await shot(page, 'comments-dark')
    const phone = await signedIn(t, scene, { look: 'phone', at: '/#/projects/web/de/talk?key=full' })
    await phone.getByRole('button', { name: 'Details of the text' }).first().click()
    await section(phone).getByText('1 resolved comment').click()
    await field(phone).scrollIntoViewIfNeeded()
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
    await poll(t).equal(() => phone.evaluate(isWider), false, 'nothing is wider than the window')
    await axe(t, phone, 'the sheet')
    await shot(phone, 'comments-sheet')
    await wear(phone, 'arabic')
    await shot(phone, 'comments-sheet-arabic')
  })
})
