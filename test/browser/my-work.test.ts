/** My work: what waits by language, own suggestions, the inbox, and the feed; and the way of a new team to it. */
import t, { type Test } from 'tap'
import type { Session } from '../contract/server.ts'
import { axe, axeInLooks, wear } from './axe.ts'
import { expectFaults, noBrowser } from './browser.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { hear, isSaid } from './screen-reader.ts'
import { shot } from './shot.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const mia = await server.join(acme, 'Mia', 'member')
  const max = await server.join(acme, 'Max', 'member')
  const give = async (who: Session, may: string, languages: string[]) => {
    const membership = await server.membership(acme, who)
    const body = { rights: [{ languages, may }] }
    await server.must('PUT', `/api/members/${membership}/rights`, { as: acme.owner, body })
  }
  const open = (t: Test, as: Session) => signedIn(t, scene, { at: '/#/work', as })

  t.test('says in words that nothing waits', async t => {
    await give(max, 'read', ['*'])
    const page = await open(t, max)
    await page.getByText('Nothing waits for you.').waitFor()
    await page.getByText('None of your suggestions wait.').waitFor()
    await page.getByText('Nothing new.').waitFor()
    await axeInLooks(t, page, 'no work')
  })

  t.test('says why a list is not read, and reads it again', async t => {
    const page = await signedIn(t, scene, { at: '/#/account', as: max })
    expectFaults(page, /\/api\/projects\/web\/(status|suggestions\S*): 503$/)
    for (const part of ['status', 'suggestions?*']) {
      await page.route(`**/projects/web/${part}`, route => route.fulfill({ status: 503, json: { error: 'Later.' } }))
    }
    await page.getByRole('link', { name: /^My work/ }).click()
    await poll(t).equal(() => page.getByText('Later.').count(), 2, 'both lists say why')
    t.equal(await page.getByText(/^Nothing waits|^None of your/).count(), 0, 'neither list says that it is empty')
    for (const part of ['status', 'suggestions?*']) await page.unroute(`**/projects/web/${part}`)
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await page.getByText('Nothing waits for you.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('None of your suggestions wait.').waitFor()
  })

  t.test('a translator and a reviewer find their work in few clicks', async t => {
    await give(mia, 'suggest', ['de'])
    await give(max, 'review', ['de'])
    const body = { value: 'Anfang der Seite' }
    await server.must('POST', `${web}/suggestions/de/common/nav.home`, { as: mia, body })
    const hers = await signedIn(t, scene, { at: '/#/projects', as: mia })
    await hers.getByRole('link', { name: /^My work/ }).click()
    await hers.getByRole('region').or(hers.locator('main')).first().waitFor()
    await hers.getByText('Anfang der Seite').waitFor()
    t.equal(await hers.getByRole('link', { name: /to review$/ }).count(), 0, 'a translator reviews nothing')
    await axe(t, hers, 'the work of a translator')

    const his = await signedIn(t, scene, { at: '/#/projects', as: max })
    let clicks = 0
    const click = async (name: RegExp) => {
      clicks++
      await his.getByRole('link', { name }).click()
    }
    await click(/^My work/)
    await click(/^1 text to review$/)
    await his.getByRole('region', { name: 'Suggestion for nav.home' }).waitFor()
    t.ok(clicks <= 2, `${clicks} clicks to the suggestion`)
    await his.keyboard.press('a')
    await his.getByRole('heading', { name: 'No suggestions wait' }).waitFor()
    await hers.getByText('None of your suggestions wait.').waitFor()
    await hers.reload()
    await hers.getByText('Max accepted your suggestion for “nav.home”').waitFor()
    await server.must('POST', `${web}/suggestions/de/common/nav.home`, { as: mia, body: { value: 'Los' } })
    const rejecting = { language: 'de', by: mia.user.id, reason: 'Too short for a link' }
    await server.must('POST', `${web}/suggestions/reject`, { as: max, body: rejecting })
    await hers.reload()
    await hers.getByText('Max rejected your suggestion for “nav.home”').waitFor()
    await hers.getByText('Too short for a link').waitFor()
    await axeInLooks(t, hers, 'an inbox')
    await shot(hers, 'my-work')
    await wear(hers, 'dark')
    await shot(hers, 'my-work-dark')
  })

  t.test('marks all as read, by keyboard', async t => {
    const page = await open(t, mia)
    await hear(page)
    await page.getByRole('button', { name: 'Mark all as read' }).press('Enter')
    await page.getByText('Nothing new.').waitFor()
    await poll(t).ok(() => isSaid(page, 'All items are read.'))
    await page.reload()
    await page.getByText('Nothing new.').waitFor()
    const decided = page.getByRole('button', { name: 'Decided suggestions' })
    await decided.press('Enter')
    await page.getByText('Max rejected your suggestion for “nav.home”').waitFor()
    await page.getByText('Max accepted your suggestion for “nav.home”').waitFor()
    await axeInLooks(t, page, 'decided suggestions')
    await shot(page, 'my-work-decided')
    await decided.press('Enter')
    await poll(t).equal(() => page.getByText('Max accepted your suggestion').count(), 0)
  })

  t.test('creates and renews the address of the feed', async t => {
    const page = await open(t, mia)
    await page.getByRole('button', { name: 'Create an address' }).click()
    const address = page.getByRole('region', { name: 'Address of your feed (Atom)' })
    await address.waitFor()
    const first = await address.innerText()
    t.equal((await fetch(first)).status, 200)
    await page.getByRole('button', { name: 'Renew the address' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Renew the address' }).click()
    await poll(t).not(() => address.innerText(), first)
    t.equal((await fetch(first)).status, 404, 'the former address has expired')
    t.equal(await page.getByRole('checkbox').count(), 0, 'this server sends no mail')
    await axe(t, page, 'the address of a feed')
  })

  t.test('writes numbers as the language of the dashboard does', async t => {
    const many = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`text${at}`, `Text ${at}`]))
    await server.must('PUT', `${web}/bundles/en/many`, { key: acme.key, body: many })
    const page = await signedIn(t, scene, { at: '/#/work', as: acme.owner })
    await page
      .getByRole('link', { name: /^1,2\d\d texts to translate$/ })
      .first()
      .waitFor()
  })

  t.test('is no wider than a phone', async t => {
    const page = await signedIn(t, scene, { at: '/#/work', as: acme.owner, look: 'phone' })
    await page
      .getByRole('link', { name: /to translate$/ })
      .first()
      .waitFor()
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
    await poll(t).equal(() => page.evaluate(isWider), false)
    await axe(t, page, 'a phone')
    await shot(page, 'my-work-phone')
  })
})
