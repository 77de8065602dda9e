/** People: invitations, tokens, a removed member, a session that ends, the second factor. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { codeOf } from '../auth/totp.ts'
import { Session } from '../contract/server.ts'
import { axe, wear } from './axe.ts'
import { noBrowser, openPage } from './browser.ts'
import type { Look } from './looks.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

const PASSWORD = 'another long one'

/** Each page in the dark, on a phone and in Arabic. */
const LOOKED_AT: Partial<Record<Look, string[]>> = {
  light: ['team', 'team/organization'],
  dark: ['team', 'team/invitations', 'team/tokens', 'team/audit', 'team/organization', 'account', 'start'],
  contrast: ['team', 'team/audit'],
  phone: ['team', 'team/invitations', 'team/audit', 'team/tokens', 'team/organization', 'account', 'start'],
  arabic: ['team', 'team/invitations', 'team/audit', 'team/tokens', 'team/organization', 'account', 'start'],
  japanese: ['team/invitations'],
}

t.test('people', { skip: noBrowser }, async whole => {
  const t = whole
  const scene: Scene = await openScene(t, { SIGN_UP: 'invite' })
  const { server, acme } = scene
  let bobs: Page

  t.test('an invitation leads a newcomer in', async t => {
    const page = await signedIn(t, scene, { at: '/#/team/invitations' })
    await page.getByLabel('E-mail address').fill('bob@example.com')
    await page.keyboard.press('Enter')
    const region = page.getByRole('region', { name: 'Invitation for bob@example.com' })
    const link = (await region.textContent())!
    await page.getByText('Expires in 1 week').waitFor()
    await axe(t, page, 'invitations')
    await page.clock.setFixedTime(Date.now() + 7 * 86_400_000 - 20_000)
    await page.goto(`${server.base}/#/team`)
    await page.goto(`${server.base}/#/team/invitations`)
    await page.getByText('Expires in less than a minute').waitFor()
    await page.clock.setFixedTime(Date.now())
    bobs = await openPage(whole, server, { at: link.slice(server.base.length) })
    await bobs.getByLabel('Name', { exact: true }).fill('Bob')
    await poll(t).equal(() => bobs.getByLabel('E-mail address').inputValue(), 'bob@example.com', 'the address is there')
    await bobs.getByLabel('Password').fill(PASSWORD)
    await bobs.keyboard.press('Enter')
    await bobs.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.goto(`${server.base}/#/team`)
    await page.getByText('bob@example.com', { exact: true }).waitFor()
    const ofRoles = 'A new role applies at once.'
    await poll(t).equal(() => page.getByText(ofRoles).count(), 1)
    await bobs.goto(`${server.base}/#/team`)
    await bobs.getByText('bob@example.com', { exact: true }).waitFor()
    await poll(t).equal(
      () => bobs.getByText(ofRoles).count(),
      0,
      'does not mention roles to a reader who cannot change them',
    )
    const menu = bobs.getByRole('button', { name: 'Account of Bob' })
    await poll(t).ok(() => menu.getByText('Bob').isVisible(), 'the menu of the account has a name')
    await bobs.goto(link)
    await bobs.getByText('This invitation was accepted before').waitFor()
    await poll(t).equal(() => bobs.getByText('for another address').count(), 0, 'and nothing else is wrong with it')
    await bobs.getByRole('link', { name: 'To the projects' }).click()
  })

  t.test('a withdrawn or declined invitation expires, and its link disappears', async t => {
    const page = await signedIn(t, scene, { at: '/#/team/invitations' })
    const linkFor = async (email: string) => {
      await page.getByLabel('E-mail address').fill(email)
      await page.keyboard.press('Enter')
      return (await page.getByRole('region', { name: `Invitation for ${email}` }).textContent())!
    }
    const withdrawn = await linkFor('dee@example.com')
    await page.getByRole('button', { name: 'Withdraw the invitation of dee@example.com' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('region', { name: 'Invitation for dee@example.com' }).waitFor({ state: 'detached' })
    const link = await linkFor('dee@example.com')
    // An account that is created before the invitation is opened in the dashboard.
    const dee = new Session()
    const [, invitation] = /invitations\/([^?]+)/.exec(link)!
    const body = { name: 'Dee', email: 'dee@example.com', password: PASSWORD }
    const headers = { origin: server.base }
    dee.keep((await server.must('POST', `/api/auth/sign-up/email?invitation=${invitation}`, { body, headers })).headers)
    const hers = await openPage(t, server, { as: dee, at: link.slice(server.base.length) })
    await hers.getByRole('button', { name: 'Decline' }).click()
    await hers.getByRole('heading', { name: 'You are in no organization yet' }).waitFor()
    await hers.goto(link)
    await hers.getByText('This invitation was declined').waitFor()
    await hers.goto(withdrawn)
    await hers.getByText('This invitation was withdrawn').waitFor()
  })

  t.test('a session that ends under a page is begun again in place', async t => {
    await bobs.goto(`${server.base}/#/projects/web`)
    await bobs.getByRole('heading', { level: 1, name: 'web' }).waitFor()
    const cookies = await bobs.context().cookies()
    await bobs.context().clearCookies()
    const [wasAsked, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await bobs.route(/assets\/again-dialog/, async route => {
      wasAsked.resolve()
      await goesOn.promise
      await route.continue()
    })
    await bobs.goto(`${server.base}/#/team`)
    await wasAsked.promise
    await poll(t).ok(() => bobs.getByRole('navigation').first().isVisible(), 'the table stays while the dialog loads')
    goesOn.resolve()
    await bobs.getByRole('alertdialog').waitFor()
    await bobs.getByLabel('Password').fill(PASSWORD)
    await bobs.keyboard.press('Enter')
    await bobs.getByRole('alertdialog').waitFor({ state: 'detached' })
    await bobs.getByText('bob@example.com', { exact: true }).waitFor()
    t.not((await bobs.context().cookies())[0]?.value, cookies[0]?.value, 'by a new session')
  })

  t.test('a token for an agent suggests in one project, and comes with the config of clients', async t => {
    const page = await signedIn(t, scene, { at: '/#/team/tokens' })
    await page.getByRole('button', { name: 'For an agent' }).click()
    const dialog = page.getByRole('dialog', { name: 'Token for an agent' })
    await dialog.getByRole('checkbox', { checked: true }).waitFor()
    await axe(t, page, 'a new token for an agent')
    await shot(page, 'agent-token-form')
    await dialog.getByRole('button', { name: 'Create the token' }).click()
    const key = (await page.getByRole('region', { name: 'Token', exact: true }).textContent())!
    const { json: who } = await server.get('/api/whoami', key)
    t.match(who, { name: 'agent', scope: 'suggest', projects: ['web'] })
    const shown = async (name: string) => (await page.getByRole('region', { name, exact: true }).textContent())!
    const json = async (name: string) => JSON.parse(await shown(name))
    const url = `${server.base}/api/mcp`
    const headers = { Authorization: `Bearer ${key}` }
    t.strictSame(
      [
        (await json('.mcp.json, Cursor')).mcpServers,
        (await json('VS Code')).servers,
        (await json('opencode.json')).mcp,
      ],
      [
        { parlance: { type: 'http', url, headers } },
        { parlance: { type: 'http', url, headers } },
        { parlance: { type: 'remote', url, headers } },
      ],
    )
    for (const name of ['Claude Code', 'Gemini CLI'])
      t.ok((await shown(name)).includes(`--header 'Authorization: Bearer ${key}'`), name)
    t.match(await shown('Codex'), `export PARLANCE_TOKEN=${key}\ncodex mcp add parlance --url ${url}`)
    const { parlance } = (await json('stdio')).mcpServers
    t.match(parlance, { args: ['mcp'], env: { PARLANCE_URL: server.base, PARLANCE_TOKEN: key } })
    await axe(t, page, 'a token for an agent')
    await shot(page, 'agent-token')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('Suggest', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Revoke agent' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('button', { name: 'Revoke agent' }).waitFor({ state: 'detached' })
  })

  t.test('a token is minted, used, and revoked', async t => {
    const page = await signedIn(t, scene, { at: '/#/team/tokens' })
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name', { exact: true }).fill('shop')
    await axe(t, page, 'a new token')
    await page.keyboard.press('Enter')
    const key = (await page.getByRole('region', { name: 'Token', exact: true }).textContent())!
    t.equal((await server.call('GET', `${scene.web}/bundles/de/common`, { key })).status, 200, 'it reads')
    await axe(t, page, 'a token that is shown once')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('button', { name: 'Revoke shop' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke shop' }).waitFor({ state: 'detached' })
    await page.locator('main a:focus, main button:focus').waitFor()
    t.equal((await server.call('GET', `${scene.web}/bundles/de/common`, { key })).status, 401, 'and no longer')
  })

  t.test('a removed member sees it', async t => {
    const page = await signedIn(t, scene, { at: '/#/team' })
    await page.getByRole('button', { name: 'Remove Bob' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('bob@example.com', { exact: true }).waitFor({ state: 'detached' })
    await page.goto(`${server.base}/#/team/audit`)
    await page.getByRole('button', { name: 'Who' }).click()
    await page.getByRole('option', { name: 'bob@example.com' }).click()
    await page.getByRole('rowheader', { name: 'Member removed: bob@example.com, role Member' }).waitFor()
    await page.getByRole('rowheader', { name: 'Token revoked' }).waitFor({ state: 'detached' })
    await poll(t).ok(
      () => page.getByRole('rowheader', { name: 'Invitation accepted' }).count(),
      'the trail of a former member',
    )
    await bobs.goto(`${server.base}/#/projects`)
    await bobs.getByRole('heading', { name: /You are no longer in/ }).waitFor()
    await axe(t, bobs, 'for a removed member')
  })

  for (const looks of [['light', 'dark', 'contrast', 'arabic'], ['phone']] as Look[][]) {
    t.test(`pages of people in the looks ${looks.join(', ')}`, async t => {
      const data = { name: 'Acme Überorganisation für Lokalisierungsangelegenheiten aller Art' }
      const body = { organizationId: acme.id, data }
      await server.must('POST', '/api/auth/organization/update', { as: acme.owner, body })
      const page = await signedIn(t, scene, { look: looks[0]!, at: '/#/team' })
      for (const look of looks) {
        if (look !== looks[0]) await wear(page, look)
        for (const at of LOOKED_AT[look] ?? []) {
          await page.goto(`${server.base}/#/${at}`)
          await page.getByRole('heading', { level: 1 }).waitFor()
          await page.getByRole('status', { name: /./ }).waitFor({ state: 'detached' })
          const isWider = `[document.documentElement, ...document.querySelectorAll(':has(> table)')].some(
            ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)`
          await poll(t).equal(() => page.evaluate(isWider), false, `nothing of ${at} is wider than the window`)
          await axe(t, page, `${at}, ${look}`)
          await shot(page, `${at.replace('/', '-')}-${look}`)
        }
        const direction = `getComputedStyle(document.querySelector('header button span')).direction`
        await poll(t).equal(() => page.evaluate(direction), 'ltr', 'a long name is cut off at its end')
      }
      await server.must('PATCH', scene.web, { key: acme.key, body: { name: 'x'.repeat(100) } })
      await page.goto(`${server.base}/#/team/tokens`)
      await page.getByRole('main').getByRole('button').first().click()
      await page.getByRole('dialog').waitFor()
      const isWider = `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('[role=dialog]'))`
      await poll(t).equal(() => page.evaluate(isWider), false, 'nor is the dialog of a new token')
    })
  }

  t.test('the second factor', async t => {
    const page = await signedIn(t, scene, { at: '/#/account' })
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('dialog').getByLabel('Your password').fill(acme.owner.password)
    await page.keyboard.press('Enter')
    const secret = (await page.getByRole('region', { name: 'Secret' }).textContent())!
    const address = `otpauth://totp/x?secret=${secret}`
    await axe(t, page, 'the QR code')
    const field = page.getByLabel('The code that the app shows now')
    await field.press('Enter')
    await page.locator('[aria-invalid=true]:focus').waitFor()
    await field.fill(codeOf(address))
    await page.keyboard.press('Enter')
    const list = page.getByRole('list', { name: 'Backup codes' })
    await list.waitFor()
    const codes = await list.getByRole('listitem').allTextContents()
    t.equal(codes.length, 10, 'backup codes')
    await page.keyboard.press('Escape')
    await page.emulateMedia({ media: 'print' })
    await poll(t).ok(() => list.isVisible(), 'printed')
    await poll(t).equal(() => page.locator('h1:visible, button:visible').count(), 0, 'and nothing but them')
    await page.emulateMedia({ media: null })
    await page.getByRole('button', { name: 'I have stored them' }).click()
    await page.getByRole('button', { name: 'New backup codes' }).waitFor()

    const other = await openPage(t, server)
    await other.getByLabel('E-mail address').fill(acme.owner.user.email)
    await other.getByLabel('Password').fill('wrong one here')
    await other.keyboard.press('Enter')
    await other.getByText('Address or password are wrong.').waitFor()
    await poll(t).ok(() => other.locator('[type=password]:focus').count(), 'the focus stays where one goes on')
    await other.getByLabel('Password').fill(acme.owner.password)
    await other.keyboard.press('Enter')
    await other.getByRole('button', { name: 'Use a backup code' }).click()
    await other.getByLabel('Backup code').fill(codes[0]!)
    await other.keyboard.press('Enter')
    await other.getByRole('heading', { name: 'Projects' }).waitFor()

    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('dialog').getByLabel('Your password').fill(acme.owner.password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    const without = await server.signIn(acme.owner.user.email, acme.owner.password)
    t.match(without.json, { user: { twoFactorEnabled: false } }, 'the password is enough again')
  })
})
