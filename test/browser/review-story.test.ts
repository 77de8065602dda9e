/**
 * A stranger founds an organization and invites a German translator, who can only suggest, and a reviewer. Each finds
 * their work, and the app has the text once it is approved. Clicks and keys are counted; typed text is not.
 */
import type { Page } from 'playwright-core'
import t from 'tap'
import { axe } from './axe.ts'
import { noBrowser, openPage, startBuilt } from './browser.ts'
import { fieldOf, rowOf } from './open-field.ts'
import { poll } from './poll.ts'
import { shot } from './shot.ts'

/** Clicks and keys, from the accepted invitation on. */
const TO_WORK = { translator: 3, reviewer: 2 }
/** The same, to the end of the work. */
const TO_END = { translator: 4, reviewer: 3 }

t.test('a team with a translator and a reviewer', { skip: noBrowser }, async t => {
  const server = await startBuilt(t, { SIGN_UP: 'invite' })
  const owner = await openPage(t, server)
  const heading = (name: string) => owner.getByRole('heading', { name, level: 1 }).waitFor()
  const fill = async (...texts: string[]) => {
    for (const [at, text] of texts.entries()) {
      if (at > 0) await owner.keyboard.press('Tab')
      await owner.keyboard.type(text)
    }
    await owner.keyboard.press('Enter')
  }
  await heading('Welcome to Parlance')
  await owner.getByLabel('Name', { exact: true }).and(owner.locator(':focus')).waitFor()
  await fill('Ann', 'ann@example.com', 'correct horse battery')
  await heading('Name your organization')
  await fill('Acme')
  await heading('Create your first project')
  await owner.getByLabel('Name', { exact: true }).and(owner.locator(':focus')).waitFor()
  await fill('Shop')
  await heading('Which language comes first?')
  await owner.keyboard.type('deu')
  await owner.getByRole('option', { name: /^German/ }).waitFor()
  await owner.keyboard.press('Enter')
  await poll(t).equal(() => owner.getByRole('combobox', { name: 'Language' }).inputValue(), 'de')
  await owner.keyboard.press('Enter')
  await heading('Your first text')
  await owner.evaluate("location.hash = '#/projects/shop/import'")
  const file = (language: string, texts: object) => ({
    name: `common.${language}.json`,
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(texts)),
  })
  await owner
    .locator('input[type=file]')
    .setInputFiles([file('en', { hello: 'Hello', bye: 'Goodbye' }), file('de', { hello: 'Hallo' })])
  await owner.getByRole('button', { name: 'Apply 3 changes' }).click()
  const german = async () => {
    const answered = await owner.request.get(`${server.base}/api/projects/shop/bundles/de/common`)
    return answered.json()
  }
  await poll(t).strictSame(german, { hello: 'Hallo' })

  const invite = async (email: string, may: string) => {
    await owner.evaluate("location.hash = '#/team/invitations'")
    await owner.getByLabel('E-mail address').fill(email)
    await owner.getByLabel('Languages').fill('de')
    await owner.getByRole('button', { name: 'May' }).click()
    await owner.getByRole('option', { name: new RegExp(`^${may} `) }).click()
    await owner.getByRole('button', { name: 'Create the link' }).click()
    const link = await owner.getByRole('region', { name: `Invitation for ${email}` }).textContent()
    return link!.slice(server.base.length)
  }
  /** Accepts an invitation. @returns its page, with clicks and keys counted */
  const join = async (name: string, at: string) => {
    const page = await openPage(t, server, { at })
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Create account and join' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    return counted(page)
  }

  const mia = await join('Mia', await invite('mia@example.com', 'Suggest'))
  const max = await join('Max', await invite('max@example.com', 'Review'))

  await mia.click(mia.page.getByRole('link', { name: /^My work/ }))
  await mia.page.getByText('German').waitFor()
  await axe(t, mia.page, 'the work of a new translator')
  await shot(mia.page, 'story-translator')
  await mia.click(mia.page.getByRole('link', { name: '1 text to translate' }))
  const row = mia.page.getByRole('row').filter({ has: mia.page.getByRole('rowheader', { name: 'bye' }) })
  await mia.click(row.getByRole('gridcell').last())
  await fieldOf(mia.page).and(mia.page.locator(':focus')).waitFor()
  t.ok(mia.acts() <= TO_WORK.translator, `${mia.acts()} acts to the first text`)
  await mia.page.keyboard.type('Tschüss')
  await mia.press('Control+s')
  await rowOf(mia.page).getByText('suggested').waitFor()
  t.ok(mia.acts() <= TO_END.translator, `${mia.acts()} acts to the suggestion`)
  t.strictSame(await german(), { hello: 'Hallo' }, 'the app has no text yet')

  await max.click(max.page.getByRole('link', { name: /^My work/ }))
  await max.click(max.page.getByRole('link', { name: '1 text to review' }))
  await max.page.getByRole('region', { name: 'Suggestion for bye' }).and(max.page.locator(':focus')).waitFor()
  t.ok(max.acts() <= TO_WORK.reviewer, `${max.acts()} acts to the suggestion`)
  await shot(max.page, 'story-reviewer')
  await max.press('a')
  await max.page.getByRole('heading', { name: 'No suggestions wait' }).waitFor()
  t.ok(max.acts() <= TO_END.reviewer, `${max.acts()} acts to the decision`)
  t.strictSame(await german(), { hello: 'Hallo', bye: 'Tschüss' }, 'the app has the text')

  await mia.page.evaluate("location.hash = '#/work'")
  // The inbox is read once a minute.
  await mia.page.reload()
  await mia.page.getByText('Max accepted your suggestion for “bye”').waitFor()
})

/** A page that counts clicks and keys. */
function counted(page: Page) {
  let acts = 0
  return {
    page,
    acts: () => acts,
    click: async (place: ReturnType<Page['locator']>) => {
      acts++
      await place.click()
    },
    press: async (key: string) => {
      acts++
      await page.keyboard.press(key)
    },
  }
}
