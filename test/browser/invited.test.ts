/** A waiting invitation is offered wherever its person lands after signing in or up. */
import t from 'tap'
import { CLIENT, startProvider } from '../auth/oidc-provider.ts'
import { freePort } from '../free-port.ts'
import { axe, axeInLooks, wear } from './axe.ts'
import { expectFaults, noBrowser, openPage } from './browser.ts'
import { poll } from './poll.ts'
import { openScene, type Scene } from './scene.ts'
import { shot } from './shot.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
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
  const invite = async (email: string, as = acme.owner) => {
    const { json, status, text } = await server.invite(as, email, 'member')
    if (status !== 200) throw new Error(text)
    return json as { id: string }
  }

  t.test('by the provider: in no organization, then in another one', async t => {
    await invite('eva@example.com')
    provider.user = { sub: 'u-7', email: 'eva@example.com', email_verified: true, name: 'Eva' }
    const page = await openPage(t, server)
    expectFaults(page, new RegExp(`asks for ${provider.issuer}`))
    await page.getByRole('button', { name: 'Sign in with Acme Login' }).click()
    // No step of a founder comes before the invitation.
    await page.getByRole('heading', { name: /^You are (invited to|in no organization yet)/ }).waitFor()
    await poll(t).equal(() => page.getByRole('list', { name: 'First steps' }).count(), 0, 'no steps of a founder')
    await page.evaluate("location.hash = '#/organizations/new'")
    await page.getByRole('heading', { name: 'Name your organization' }).waitFor()
    const row = page.getByText(acme.slug).first()
    await row.waitFor()
    await poll(t).equal(() => page.getByRole('list', { name: 'First steps' }).count(), 0, 'no steps of a founder')
    const primary = () => page.locator('main [class*="_primary_"]').allTextContents()
    await poll(t).strictSame(primary, ['Join'], 'to join is the main action')
    await axe(t, page, 'an invitation beside the first organization')
    await shot(page, 'invited-first-organization')
    await page.evaluate("location.hash = '#/projects'")
    await page.getByRole('heading', { name: 'You are in no organization yet' }).waitFor()
    await row.waitFor()
    await poll(t).strictSame(primary, ['Join'], 'to join is the main action')
    await page.getByRole('button', { name: `Join ${acme.slug}` }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.getByText('You are invited to').first().waitFor({ state: 'detached' })
    await poll(t).equal(() => page.getByText('You are invited to').count(), 0, 'an accepted invitation waits no longer')

    const other = await server.organization('Dora')
    const { id } = await invite('eva@example.com', other.owner)
    for (const at of ['projects', 'projects/web/de', 'account', 'team']) {
      await page.goto(`${base}/#/${at}`)
      await page.reload()
      await page.getByRole('link', { name: `You are invited to ${other.slug}` }).waitFor()
    }
    await axeInLooks(t, page, 'an invitation above a page')
    await wear(page, 'arabic')
    await shot(page, 'invited-arabic')
    await wear(page, 'light')
    await page.getByRole('link', { name: `You are invited to ${other.slug}` }).click()
    t.match(page.url(), new RegExp(`#/invitations/${id}$`))
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.getByText('You are invited to').waitFor({ state: 'detached' })
  })

  t.test('by a password, after the link of the invitation was left', async t => {
    const { id } = await invite('fay@example.com')
    const page = await openPage(t, server, { at: `/#/invitations/${id}` })
    await page.evaluate("location.hash = '#/sign-up'")
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Fay')
    await page.getByLabel('E-mail address').fill('fay@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `You are invited to ${acme.slug}` }).waitFor()
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await poll(t).equal(() => page.getByText('You have an open invitation').count(), 0)
  })

  t.test('by the link: the account and the membership by one click', async t => {
    const { id } = await invite('gil@example.com')
    const page = await openPage(t, server, { at: `/#/invitations/${id}?for=gil%40example.com&to=Acme` })
    await page.getByRole('heading', { name: 'You are invited to Acme' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Gil')
    await page.getByLabel('Password').fill('correct horse battery')
    await shot(page, 'invited-sign-up')
    await page.getByRole('button', { name: 'Create account and join' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.getByRole('heading', { name: 'web' }).waitFor()
  })

  t.test('reports why, when the invitation of the link is withdrawn meanwhile', async t => {
    const { id } = await invite('hal@example.com')
    const page = await openPage(t, server, { at: `/#/invitations/${id}?for=hal%40example.com&to=Acme` })
    await page.getByLabel('Name', { exact: true }).fill('Hal')
    await page.getByLabel('Password').fill('correct horse battery')
    expectFaults(page, /40[034]/)
    await server.must('POST', '/api/auth/organization/cancel-invitation', {
      as: acme.owner,
      body: { invitationId: id },
    })
    await page.getByRole('button', { name: 'Create account and join' }).click()
    await page.getByText('Signed in as hal@example.com').waitFor()
    await page.getByRole('link', { name: 'To the projects' }).click()
    await page.getByRole('heading', { name: 'You are in no organization yet' }).waitFor()
  })
})
