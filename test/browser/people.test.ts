/** What each role sees; leaving and deleting an organization; passwords and sessions; the provider; the audit trail. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { CLIENT, startProvider } from '../auth/oidc-provider.ts'
import { Session } from '../contract/server.ts'
import { freePort } from '../free-port.ts'
import { axe, axeInLooks, wear } from './axe.ts'
import { expectFaults, noBrowser, openPage } from './browser.ts'
import type { Look } from './looks.ts'
import { fieldOf, typeIn } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

type Role = 'owner' | 'admin' | 'member'

const LANGUAGES_OF_MAX = 'Languages of Max: All languages'

/** By page: what only some roles find there, and each role in one look. */
const FINDS: Record<string, Record<Role, string[]>> = {
  projects: { owner: ['New project'], admin: ['New project'], member: [] },
  'projects/web': { owner: ['Settings'], admin: ['Settings'], member: [] },
  'projects/web/settings': { owner: ['Delete project'], admin: ['Delete project'], member: [] },
  team: {
    owner: ['Audit trail', 'Invitations', 'Invite a member', LANGUAGES_OF_MAX, 'Remove Ida', 'Remove Max'],
    admin: ['Invitations', 'Invite a member', LANGUAGES_OF_MAX, 'Remove Max'],
    member: [],
  },
  'team/invitations': { owner: ['Create the link'], admin: ['Create the link'], member: [] },
  'team/tokens': { owner: ['New token', 'Revoke ci'], admin: ['New token', 'Revoke ci'], member: [] },
  'team/organization': { owner: ['Delete Acme', 'Save'], admin: ['Leave Acme', 'Save'], member: ['Leave Acme'] },
}
const LOOK_OF: Record<Role, Look> = { owner: 'dark', admin: 'contrast', member: 'light' }

/** What stands in the place of a page that a role may not use. */
const SENTENCES = {
  'projects/web/settings': 'Owners and admins change',
  'team/invitations': 'Owners and admins invite people.',
  'team/audit': 'Only owners read the audit trail.',
  start: 'Owners and admins create projects',
}

t.test('people', { skip: noBrowser }, async t => {
  const port = String(await freePort())
  const base = `http://127.0.0.1:${port}`
  const { provider } = await startProvider(t, `${base}/api/auth/callback/oidc`)
  const oidc = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret }
  const scene: Scene = await openScene(t, {
    PORT: port,
    SIGN_UP: 'open',
    BASE_URL: base,
    OIDC_NAME: 'Acme Login',
    ...oidc,
  })
  const { server, acme } = scene
  const renamed = { organizationId: acme.id, data: { name: 'Acme' } }
  await server.must('POST', '/api/auth/organization/update', { as: acme.owner, body: renamed })
  const ida = await server.join(acme, 'Ida', 'admin')
  const max = await server.join(acme, 'Max', 'member')
  const team = { owner: acme.owner, admin: ida, member: max }
  const visit = (page: Page, at: string) => page.evaluate(`location.hash = '#/${at}'`)
  const open = (t: Test, as: Session, at: string, look: Look = 'light') =>
    signedIn(t, scene, { as, at: `/#/${at}`, look })
  /** The same person's sign-in on another device. */
  const elsewhere = async ({ user, password }: Session) => {
    const session = Object.assign(new Session(), { user, password })
    session.keep((await server.signIn(user.email, password)).headers)
    await server.activate(session, acme.id)
    return session
  }

  t.test('a stranger creates an account and an organization when sign-up is open', async t => {
    const page = await openPage(t, server)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Gil')
    await page.getByLabel('E-mail address').fill('gil@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Name your organization' }).waitFor()
    await axe(t, page, 'the organization of a newcomer')
    await page.getByLabel('Name', { exact: true }).fill('Gils')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Gils' }).waitFor()
  })

  for (const role of ['owner', 'admin', 'member'] as const) {
    t.test(`${role}: finds what the role may do, and nothing else`, async t => {
      const page = await open(t, team[role], 'account', LOOK_OF[role])
      for (const [at, finds] of Object.entries(FINDS)) {
        await visit(page, at)
        const found = (name: string) => {
          const named = { name, exact: true }
          return page.getByRole('button', named).or(page.getByRole('link', named))
        }
        for (const name of finds[role]) await found(name).waitFor()
        await page.locator('main [role=status]').first().waitFor({ state: 'detached' })
        for (const name of new Set(Object.values(finds).flat())) {
          // What only waits for a change is there, too.
          const isThere = (await found(name).and(page.locator(':not(:disabled)')).count()) > 0
          t.equal(isThere, finds[role].includes(name), `${name} at ${at}`)
        }
      }
      if (role !== 'member') return
      for (const [at, sentence] of Object.entries(SENTENCES)) {
        await visit(page, at)
        await page.getByText(sentence).waitFor()
        await axe(t, page, `${at} for a member`)
      }
    })
  }

  t.test('an open page follows a withdrawn role', async t => {
    const page = await open(t, ida, 'team/tokens')
    const newToken = page.getByRole('button', { name: 'New token' })
    await newToken.waitFor()
    const owner = await open(t, acme.owner, 'team')
    await owner.getByRole('button', { name: 'Role of Ida' }).click()
    await owner.getByRole('option', { name: /^Member/ }).click()
    await owner.getByRole('status').filter({ hasText: 'Ida is now: Member' }).waitFor({ state: 'attached' })
    await owner.locator('main button:focus').waitFor()
    await newToken.click()
    await page.getByLabel('Name', { exact: true }).fill('late')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor()
    await page.keyboard.press('Escape')
    await newToken.waitFor({ state: 'detached' })
  })

  t.test('removes entries from a list that another user deleted meanwhile', async t => {
    const eve = await server.join(acme, 'Eve', 'member')
    const { json: invitation } = await server.invite(acme.owner, 'fred@example.com', 'member')
    const { json: token } = await server.must('POST', '/api/tokens', { as: acme.owner, body: { name: 'old' } })
    const page = await open(t, acme.owner, 'team')
    const ended = async (at: string, [label, doIt]: [string, string], end: () => Promise<unknown>, said: string) => {
      await visit(page, at)
      await page.getByRole('button', { name: label }).click()
      await end()
      await page.getByRole('alertdialog').getByRole('button', { name: doIt }).click()
      await page.getByRole('status').filter({ hasText: said }).waitFor({ state: 'attached' })
      await page.getByRole('button', { name: label }).waitFor({ state: 'detached' })
    }
    const post = (act: string, body: object) =>
      server.must('POST', `/api/auth/organization/${act}`, { as: acme.owner, body })
    const remove = () => post('remove-member', { memberIdOrEmail: eve.user.email })
    await ended('team', ['Remove Eve', 'Remove'], remove, 'Eve is removed')
    const withdraw = () => post('cancel-invitation', { invitationId: invitation.id })
    const whose = 'Withdraw the invitation of fred@example.com'
    await ended('team/invitations', [whose, 'Withdraw'], withdraw, 'The invitation of fred@example.com is withdrawn')
    const revoke = () => server.must('DELETE', `/api/tokens/${token.id}`, { as: acme.owner })
    await ended('team/tokens', ['Revoke old', 'Revoke'], revoke, 'old is revoked')
  })

  t.test('a new role for a member who was removed meanwhile', async t => {
    const eli = await server.join(acme, 'Eli', 'member')
    const page = await open(t, acme.owner, 'team')
    await page.getByRole('button', { name: 'Role of Eli' }).press('ArrowDown')
    await page.getByRole('option', { name: 'Admin' }).waitFor()
    const body = { memberIdOrEmail: eli.user.email }
    await server.must('POST', '/api/auth/organization/remove-member', { as: acme.owner, body })
    await page.getByRole('option', { name: 'Admin' }).click()
    await page.getByText('Eli is removed').waitFor({ state: 'attached' })
    await page.getByText(eli.user.email).waitFor({ state: 'detached' })
    await page.locator('main a:focus, main button:focus').waitFor()
  })

  t.test('the languages of a member are chosen in the invitation, and changed in the list', async t => {
    const page = await open(t, acme.owner, 'team/invitations')
    await page.getByLabel('E-mail address', { exact: true }).fill('gil@example.com')
    await page.getByLabel('Languages').fill('de, german!')
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByText('“german!” is not a language tag.').waitFor()
    await page.getByLabel('Languages').fill('de, fr')
    await axe(t, page, 'an invitation for some languages')
    await page.getByLabel('Languages').press('Enter')
    await page.getByRole('listitem').filter({ hasText: 'gil@example.com' }).getByText('de, fr · Translate').waitFor()

    const hal = await server.join(acme, 'Hal', 'member')
    const write = (language: string, value: string) =>
      server.call('PUT', `/api/projects/web/bundles/${language}/common/nav.home`, { as: hal, body: { value } })
    await visit(page, 'team')
    await page.getByRole('button', { name: 'Languages of Hal: All languages' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Languages of Hal' })
    await dialog.getByLabel('Languages').fill('de')
    await axeInLooks(t, page, 'the languages of a member')
    await shot(page, 'languages of a member')
    await dialog.getByLabel('Languages').press('Enter')
    await page.getByRole('button', { name: 'Languages of Hal: de · Translate' }).waitFor()
    await dialog.waitFor({ state: 'detached' })
    t.equal((await write('pl', 'Start')).status, 403)
    t.equal((await write('de', 'Anfang')).status, 200)

    await page.getByRole('button', { name: 'Languages of Hal: de · Translate' }).press('Enter')
    await dialog.getByRole('button', { name: 'May' }).press('ArrowDown')
    await page.getByRole('option', { name: /^Suggest/ }).waitFor()
    const names = new AxeBuilder({ page, axeSource: ';' }).include('[role=listbox]')
    const { violations } = await names.setLegacyMode().withRules(['label-content-name-mismatch']).analyze()
    t.strictSame(
      violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)),
      [],
      'the name of an option has all of its visible words',
    )
    t.equal(await page.getByRole('option', { name: 'Suggest A reviewer decides on each text', exact: true }).count(), 1)
    await page.getByRole('option', { name: /^Suggest/ }).click()
    await dialog.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByRole('button', { name: 'Languages of Hal: de · Suggest' }).waitFor()
    const whoami = await server.must('GET', '/api/whoami', { as: hal })
    t.strictSame(whoami.json.rights, [{ languages: ['de'], may: 'suggest' }])
    await page.getByRole('button', { name: 'Languages of Hal: de · Suggest' }).press('Enter')
    await dialog.getByLabel('Languages').fill('')
    await dialog.getByRole('button', { name: 'May' }).press('ArrowDown')
    await page.getByRole('option', { name: /^Review/ }).click()
    await dialog.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByRole('button', { name: 'Languages of Hal: All languages' }).waitFor()

    const rights = [{ projects: ['web'], languages: ['pl'], may: 'review' }]
    const membership = await server.membership(acme, hal)
    await server.must('PUT', `/api/members/${membership}/rights`, { as: acme.owner, body: { rights } })
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: hal.user.email })
    await row.getByText('Rights set over the API').waitFor()
    t.equal(await row.getByRole('button', { name: /^Languages/ }).count(), 0, 'the list would lose what it cannot show')
    await row.getByRole('button', { name: 'Remove Hal' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await row.waitFor({ state: 'detached' })
  })

  t.test('reports a removal to a member with an open page, and stores the typed text', async t => {
    const fay = await server.join(acme, 'Fay', 'member')
    const page = await open(t, fay, 'projects/web/de/common?key=nav.home')
    await typeIn(page, ' von Fay')
    const body = { memberIdOrEmail: fay.user.email }
    await server.must('POST', '/api/auth/organization/remove-member', { as: acme.owner, body })
    await page.getByRole('heading', { name: /You are no longer in/ }).waitFor()
    const { json } = await server.invite(acme.owner, fay.user.email, 'member')
    await server.accept(fay, json.id)
    await server.activate(fay, acme.id)
    await page.reload()
    await fieldOf(page)
      .filter({ hasText: /von Fay$/ })
      .waitFor()
  })

  t.test('the last owner stays; another member leaves, and deletes after typing the name', async t => {
    const page = await open(t, acme.owner, 'team/organization')
    await page.getByText('An organization needs an owner: give another member that role first.').waitFor()
    await poll(t).equal(() => page.getByRole('button', { name: 'Leave Acme' }).isDisabled(), true)
    await axe(t, page, 'the last owner')
    await visit(page, 'organizations/new')
    await page.getByLabel('Name', { exact: true }).fill('Second')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Second' }).waitFor()
    await visit(page, 'team/organization')
    await page.getByRole('button', { name: 'Delete Second' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete Second' })
    const sure = dialog.getByRole('button', { name: 'Delete the organization' })
    await poll(t).equal(() => sure.isDisabled(), true, 'before its name was typed')
    await axeInLooks(t, page, 'the deletion of an organization')
    await dialog.getByRole('textbox').fill('second')
    await sure.click()
    await page.getByRole('status').filter({ hasText: 'Second is deleted' }).waitFor({ state: 'attached' })

    const his = await open(t, max, 'team/organization')
    await his.getByRole('button', { name: 'Leave Acme' }).click()
    await his.getByRole('alertdialog').getByRole('button', { name: 'Leave', exact: true }).click()
    await his.getByRole('heading', { name: 'You are no longer in Acme' }).waitFor()
    // React Aria's announcement of a pending button outlives the button by some seconds.
    await his.locator('[data-live-announcer] [role=img]').first().waitFor({ state: 'detached' })
    await axe(t, his, 'after leaving')
  })

  t.test('a new password ends the other sessions; a session is ended by itself', async t => {
    const [here, there] = [await elsewhere(ida), await elsewhere(ida)]
    const other = await open(t, there, 'projects/web/de/common?key=greeting')
    await other.getByRole('textbox', { name: /^greeting/ }).waitFor()
    await other.keyboard.press('Control+End')
    await other.keyboard.type('!')
    const page = await open(t, here, 'account')
    await page.getByLabel('Your password').fill('not this one')
    await page.getByLabel('New password').fill('an entirely new one')
    await page.keyboard.press('Enter')
    await page.getByText('This is not your password.').waitFor()
    await page.getByLabel('Your password').fill(ida.password)
    const ended = { status: 401, json: { error: 'Sign in first.', code: 'UNAUTHORIZED', message: 'Sign in first.' } }
    await page.route('**/change-password', route => route.fulfill(ended), { times: 1 })
    await page.keyboard.press('Enter')
    await page.getByText(/^You are signed out\. Sign in again to continue/).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Password changed. All other sessions have ended.').first().waitFor()
    const again = other.getByRole('alertdialog', { name: 'Sign in again' })
    await again.waitFor()
    await again.getByLabel('Password').fill('an entirely new one')
    await other.keyboard.press('Enter')
    await again.waitFor({ state: 'detached' })
    await poll(t).equal(
      () => other.getByRole('textbox', { name: /^greeting/ }).innerText(),
      'Hallo {{name}}!',
      'typed before',
    )
    await page.reload()
    const ends = page.getByRole('button', { name: /^End the session/ })
    await ends.waitFor()
    await axe(t, page, 'sessions')
    await ends.click()
    await page.getByRole('status').filter({ hasText: 'Session ended' }).waitFor({ state: 'attached' })
    await ends.waitFor({ state: 'detached' })
    await again.waitFor()
  })

  t.test('a user signs in by the provider, and sees a sentence when it refuses', async t => {
    provider.user = { sub: 'u-7', email: 'eva@example.com', email_verified: true, name: 'Eva' }
    const page = await openPage(t, server, { at: '/#/team' })
    expectFaults(page, new RegExp(`asks for ${provider.issuer}`))
    const button = page.getByRole('button', { name: 'Sign in with Acme Login' })
    provider.spoiling = { denies: true }
    await button.click()
    await page.getByText('The provider did not let you in.').waitFor()
    t.notMatch(page.url(), /error/, 'the address is clean again')
    await axe(t, page, 'a provider that refuses')
    provider.spoiling = {}
    await button.click()
    await page.getByRole('heading', { name: /Name your organization|You are in no organization yet/ }).waitFor()
    await visit(page, 'account')
    await page.getByText('Your account is connected: you can sign in with Acme Login.').waitFor()
    await poll(t).equal(() => page.getByLabel('Your password').count(), 0, 'who has no password is asked for none')
    await poll(t).equal(() => page.getByRole('button', { name: 'Turn on' }).count(), 0)
  })

  t.test('the audit trail is looked through by what happened, and by whom', async t => {
    const owner = await elsewhere(acme.owner)
    const page = await open(t, owner, 'team/audit')
    await page.getByRole('table').waitFor()
    await wear(page, 'arabic')
    await axe(t, page, 'the audit trail in Arabic')
    await wear(page, 'light')
    const rows = page.getByRole('table').getByRole('rowheader')
    await rows.filter({ hasText: 'Token created' }).first().waitFor()
    await page.getByRole('button', { name: /What/ }).click()
    await page.getByRole('option', { name: 'Role changed' }).click()
    await rows.filter({ hasText: 'Token created' }).waitFor({ state: 'detached' })
    await rows.first().waitFor()
    await poll(t).equal(() => rows.count(), 1, 'one role was changed')
    await page.getByRole('button', { name: /Who/ }).click()
    await page.getByRole('option', { name: /^Ida/ }).click()
    await rows.filter({ hasText: /^Role changed: .*, from Admin to Member/ }).waitFor()
    await page.getByRole('button', { name: /What/ }).click()
    await page.getByRole('option', { name: 'Member left' }).click()
    await page.getByText('No entries of this kind').waitFor()
    const rights = [{ languages: ['de', 'pl'], may: 'translate' }]
    const membership = await server.membership(acme, ida)
    await server.must('PUT', `/api/members/${membership}/rights`, { as: owner, body: { rights } })
    await server.must('PUT', `/api/members/${membership}/rights`, { as: owner, body: { rights: null } })
    await page.reload()
    await rows.filter({ hasText: /^Rights changed: .*, de, pl · Translate$/ }).waitFor()
    await rows.filter({ hasText: /^Rights changed: .*, from de, pl · Translate to All languages$/ }).waitFor()
    await axe(t, page, 'an empty trail')
  })
})
