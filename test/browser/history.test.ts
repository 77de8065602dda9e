/**
 * The history in the dashboard: new commits, undo of one and of several, restore, releases, comparison, a key's past.
 */
import type { Page } from 'playwright-core'
import t from 'tap'
import { axe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { poll } from './poll.ts'
import { openScene, type Scene, signedIn } from './scene.ts'
import { shot } from './shot.ts'

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const { server, acme, web } = scene
  const { key } = acme
  const at = (path: string) => `/#/projects/web${path}`
  const bundle = `${web}/bundles/en/notes`
  const put = (name: string, value: string) => server.must('PUT', `${bundle}/${name}`, { key, body: { value } })
  const texts = async () => (await server.get(bundle, key)).json
  const newest = async () => (await server.get(`${web}/history?limit=1`, key)).json.revisions[0]
  const opened = (page: Page) => page.getByRole('alertdialog')
  await put('first', 'One')
  await put('second', 'Two')
  const who = (await newest()).author.name

  t.test('undoes a commit after a preview, and undoes the undo', async t => {
    await put('first', 'One day')
    const page = await signedIn(t, scene, { at: at('/history?namespace=notes') })
    await page.getByRole('button', { name: `Changes of “${who} changed first in English, notes”` }).press('Enter')
    await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter')
    await opened(page).getByText('day').waitFor()
    await axe(t, page, 'an undo')
    await opened(page).getByRole('button', { name: 'Undo' }).click()
    await page.getByText(`Undone: ${who} changed first in English, notes`).first().waitFor()
    await poll(t).strictSame(() => texts(), { first: 'One', second: 'Two' })
    await page.getByRole('button', { name: 'Undo this' }).press('Enter')
    await opened(page).getByText('day').waitFor()
    await opened(page).getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The state before is restored.').first().waitFor()
    await poll(t).strictSame(() => texts(), { first: 'One day', second: 'Two' })
  })

  t.test('a commit that comes while one looks moves nothing until it is asked for', async t => {
    const page = await signedIn(t, scene, { at: at('/history') })
    await page.getByText('redid “changed first in English, notes”').waitFor()
    const rows = page.getByRole('main').getByRole('listitem')
    const before = await rows.count()
    await put('second', 'Two days')
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor()
    await poll(t).equal(() => rows.count(), before)
    await page.getByRole('button', { name: 'Show 1 new' }).click()
    await page.getByText('added second in English, notes').waitFor()
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor({ state: 'detached' })
  })

  t.test('what is printed is what was done, without what can be pressed', async t => {
    const page = await signedIn(t, scene, { at: at('/history') })
    await page.getByRole('button', { name: `Changes of “${who} added second in English, notes”` }).click()
    const added = page.locator('ins').filter({ hasText: 'Two' })
    // Its changes are asked for after its buttons are there.
    await added.waitFor()
    await page.emulateMedia({ media: 'print' })
    await poll(t).ok(() => page.getByText('added second in English, notes').isVisible())
    await poll(t).ok(() => added.isVisible(), 'what is opened is printed')
    for (const role of ['navigation', 'checkbox'] as const)
      await poll(t).equal(() => page.getByRole(role).count(), 0, role)
    await poll(t).strictSame(
      () => page.getByRole('button').allInnerTexts(),
      ['All', 'All'],
      'the labels of the part stay',
    )
  })

  t.test('all that one person did since a time is undone as one commit', async t => {
    const { author } = await newest()
    const page = await signedIn(t, scene, {
      at: at(`/history?namespace=notes&author=${encodeURIComponent(author.email)}`),
    })
    await page.getByLabel('Everything since').waitFor()
    await page.getByRole('link', { name: author.name }).first().press('Enter')
    await page.waitForURL(url => !url.hash.includes('namespace'))
    await page.locator('main button:focus').waitFor()
    await page.goBack()
    await page.waitForURL(/namespace=notes/)
    await page.getByRole('button', { name: 'Choose all' }).click()
    await page.getByText('4 chosen').first().waitFor()
    await page.getByRole('checkbox').last().press('Space')
    await page.getByText('3 chosen').first().waitFor()
    await axe(t, page, 'some are chosen')
    await shot(page, 'history-chosen')
    await page.getByRole('button', { name: 'Undo together' }).click()
    await page.getByRole('alertdialog', { name: 'Undo 3 commits' }).getByText('days').waitFor()
    await opened(page).getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone: 3 commits').first().waitFor()
    await poll(t).strictSame(() => texts(), { first: 'One' })
    await poll(t).equal(async () => (await newest()).subject, 'web: undo 3 commits')
  })

  t.test('creates a release, compares it with now and restores it', async t => {
    const page = await signedIn(t, scene, { at: at('/releases') })
    await page.getByRole('button', { name: 'New release' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('v1')
    await page.keyboard.press('Enter')
    await page.getByRole('rowheader', { name: /v1/ }).waitFor()
    await put('first', 'Uno')
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByText('1 changed').waitFor()
    t.equal(await page.getByRole('combobox', { name: 'From' }).inputValue(), 'v1', 'the last release against now')
    await page.goBack()
    await page.getByRole('link', { name: 'Compare with now' }).click()
    await page.waitForURL(/compare\?from=v1$/)
    await page.getByText('1 changed').waitFor()
    await page.getByText('Uno').waitFor()
    await axe(t, page, 'a comparison')
    await shot(page, 'history-compare')
    await page.getByRole('button', { name: 'Restore v1' }).click()
    await opened(page).getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('Restored.').first().waitFor()
    await page.getByText('No key differs.').waitFor()
    await poll(t).strictSame(() => texts(), { first: 'One' })
    await page.goto(`${server.base}${at('/releases')}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await opened(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No releases yet').waitFor()
    t.strictSame((await server.get(`${web}/releases`, key)).json.releases, [])
    // Without a release the comparison begins a week ago, before this project.
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByText(/^\d+ added$/).waitFor()
    const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10)
    t.equal(await page.getByRole('combobox', { name: 'From' }).inputValue(), weekAgo)
    t.equal(await page.getByRole('button', { name: /^Restore/ }).count(), 0, 'there was no project to restore')
    await page.getByRole('combobox', { name: 'From' }).fill('')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: '1 month ago' }).waitFor()
    await shot(page, 'history-compare-days')
    await page.keyboard.press('Escape')
  })

  t.test('what changed of the project itself is shown, and restored', async t => {
    const { revision } = await newest()
    await server.must('PATCH', web, { key, body: { name: 'Web shop' } })
    const page = await signedIn(t, scene, { at: at('/compare') })
    await page.getByRole('combobox', { name: 'From' }).fill(revision)
    await page.keyboard.press('Enter')
    await page.getByText('The project itself').waitFor()
    // The focus stays.
    await page.locator('[role=combobox]:focus').waitFor()
    await page.getByRole('button', { name: `Restore ${revision}` }).click()
    await opened(page).getByText('The project itself').waitFor()
    await opened(page).getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('Restored.').first().waitFor()
    const { projects } = (await server.get('/api/projects', key)).json
    t.equal(projects.find(({ slug }: { slug: string }) => slug === 'web').name, 'web')
    await page.evaluate(`location.hash = '${at('/history?language=xx').slice(2)}'`)
    await page.getByText('Project "web" has no language "xx".').waitFor()
    await page.evaluate(`location.hash = '${at('/compare?from=nope').slice(2)}'`)
    await page.getByText('There is no revision "nope".').waitFor()
    await poll(t).equal(
      () => page.getByRole('button', { name: /^Restore/ }).count(),
      0,
      'what is not there is not restored',
    )
  })

  t.test('a key’s past stands beside its field, and comes back from there', async t => {
    const page = await signedIn(t, scene, { at: at('/en/notes?key=first') })
    await page.getByRole('button', { name: 'History', exact: true }).click()
    await page.getByRole('button', { name: 'Restore this state' }).first().waitFor()
    await axe(t, page, 'a key’s history')
    await shot(page, 'history-key')
    await page.getByRole('button', { name: 'Restore this state' }).first().click()
    await opened(page).getByText('Uno').waitFor()
    await opened(page).getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('Restored.').first().waitFor()
    await poll(t).strictSame(() => texts(), { first: 'Uno' })
  })
})
