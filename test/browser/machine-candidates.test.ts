/** Candidates of machines in the editor's panel: asked by a key, used by a key, with their problems. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Session } from '../contract/server.ts'
import { FakeMachine, openaiAnswer, translating } from '../machine/fake-machine.ts'
import { newFolder } from '../new-folder.ts'
import { axe, axeInLooks, wear } from './axe.ts'
import { expectFaults, noBrowser, openPage } from './browser.ts'
import type { Look } from './looks.ts'
import { fieldOf } from './open-field.ts'
import { poll } from './poll.ts'
import { openScene, type Scene } from './scene.ts'
import { hear, isSaid } from './screen-reader.ts'
import { shot } from './shot.ts'

/** A browser with a translator of its own, which forgets the placeholders. */
const TRANSLATOR = `globalThis.Translator = {
  availability: async () => 'available',
  create: async () => ({ translate: async text => 'Hier: ' + text.replace(/\\{\\{.*?\\}\\}/g, '').trim() }),
}`

t.test('in a browser', { skip: noBrowser }, async t => {
  const fake = await FakeMachine.open(t)
  const file = join(newFolder(t, { list: '[]' }), 'list')
  writeFileSync(file, JSON.stringify([fake.row('openai', { name: 'Polyglot', languages: ['de', 'ar'] })]))
  chmodSync(file, 0o600)
  const scene: Scene = await openScene(t, { MACHINES_FILE: file })
  const { server, acme, web } = scene
  const { key } = acme
  const ron = await server.join(acme, 'Ron', 'member')
  await server.narrow(acme, ron, [{ languages: ['de'], may: 'read' }])
  const stored = async (name: string) => (await server.get(`${web}/bundles/de/shop/${name}`, key)).json.message
  const open = async (t: Test, at: string, as: Session = acme.owner, look: Look = 'light') => {
    const page = await openPage(t, server, { as, look, at: `/#/projects/web/${at}` })
    await page.getByRole('grid').waitFor()
    return page
  }
  const section = (page: Page) => page.getByRole('region', { name: 'Machine', exact: true })
  const asks = (page: Page, by: string) => section(page).getByRole('button', { name: by, exact: true })
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.ariaLabel ?? ""')

  await server.must('PUT', `${web}/bundles/en/shop`, {
    key,
    body: { buy: 'Buy {{name}}', pack_one: '{{count}} pack', pack_other: '{{count}} packs', trap: 'Hello {{name}}' },
  })
  await server.must('PUT', `${web}/bundles/de/shop`, { key, body: { buy: 'Kauf' } })

  t.test('one key asks, the next one fills the field, and nothing is saved', async t => {
    fake.script = translating(source => source.replace('Buy', 'Kaufe'))
    const page = await open(t, 'de/shop?key=buy')
    await asks(page, 'Ask Polyglot').waitFor()
    t.equal(fake.requests.length, 0, 'nothing was asked before')
    await fieldOf(page).focus()
    await page.keyboard.press('Alt+m')
    await poll(t).equal(() => focused(page), 'Use the translation by Polyglot')
    await axe(t, page, 'a candidate')
    await page.keyboard.press('Enter')
    await poll(t).equal(() => fieldOf(page).innerText(), 'Kaufe {{name}}')
    await page.getByRole('button', { name: 'unsaved 1' }).waitFor()
    await poll(t).match(() => focused(page), /^buy/, 'the focus is in the field')
    t.equal(await stored('buy'), 'Kauf')
    t.equal(fake.requests.length, 1)
    await page.keyboard.press('Control+z')
    await poll(t).equal(() => fieldOf(page).innerText(), 'Kauf', 'and the field undoes it')
  })

  t.test('a plural fills the field of each form', async t => {
    fake.script = translating((source, name) => source.replace(/packs?/, `Packung ${name}`))
    const page = await open(t, 'de/shop?key=pack')
    await asks(page, 'Ask Polyglot').waitFor()
    await fieldOf(page).first().focus()
    await page.keyboard.press('Alt+m')
    await poll(t).equal(() => focused(page), 'Use the translation by Polyglot')
    await page.keyboard.press('Enter')
    await poll(t).strictSame(() => fieldOf(page).allInnerTexts(), ['{{count}} Packung one', '{{count}} Packung other'])
  })

  t.test('says why a machine has none', async t => {
    fake.script = () => openaiAnswer('HACKED')
    const page = await open(t, 'de/shop?key=trap')
    await asks(page, 'Ask Polyglot').click()
    await section(page)
      .getByText('The translation by Polyglot is unusable: The answer does not have the expected structure.')
      .waitFor()
    await axeInLooks(t, page, 'a refused translation')
    expectFaults(page, /suggest: 502$/)
    fake.script = (_, response) => void response.writeHead(401).end()
    await asks(page, 'Ask Polyglot').click()
    await section(page).getByText('Polyglot has the wrong address, model or key.').waitFor()
  })

  t.test('is absent where nothing may or can be translated, and the key says so', async t => {
    const page = await open(t, 'pl/common?key=greeting')
    await hear(page)
    await page.getByRole('region', { name: 'Similar texts' }).waitFor()
    t.equal(await section(page).count(), 0)
    await fieldOf(page).focus()
    await page.keyboard.press('Alt+m')
    await poll(t).ok(() => isSaid(page, 'No machine translates this text.'))
    const reader = await open(t, 'de/shop?key=buy', ron)
    await reader.getByRole('region', { name: 'Similar texts' }).waitFor()
    t.equal(await section(reader).count(), 0)
  })

  t.test("offers the browser's own translator with its problems, and sends the server nothing", async t => {
    fake.requests.length = 0
    fake.script = translating(() => 'Kaufe {{name}}')
    const page = await open(t, 'de/shop?key=trap')
    await page.addInitScript(TRANSLATOR)
    await page.reload()
    await asks(page, 'Ask this browser').press('Enter')
    await poll(t).equal(() => focused(page), 'Use the translation by This browser')
    await section(page).getByText('Hier: Hello').waitFor()
    await section(page)
      .getByText(/Placeholders: .*{{name}}.* is missing/)
      .waitFor()
    t.equal(fake.requests.length, 0)
    await asks(page, 'Ask Polyglot').press('Enter')
    await poll(t).equal(() => section(page).getByRole('listitem').count(), 2)
    await axeInLooks(t, page, 'two candidates')
    for (const look of ['light', 'dark', 'arabic'] as const) {
      await wear(page, look)
      await page.locator('[data-candidate]').last().scrollIntoViewIfNeeded()
      await shot(page, `machine-candidates-${look}`)
    }
  })

  t.test('fits on a phone', async t => {
    const page = await open(t, 'de/shop?key=pack', acme.owner, 'phone')
    fake.script = translating((source, name) => source.replace(/packs?/, `Packung ${name}`))
    await page.getByRole('button', { name: 'Details of the text' }).click()
    await asks(page, 'Ask Polyglot').click()
    await section(page).getByRole('listitem').waitFor()
    await axe(t, page, 'candidates on a phone')
    await section(page).scrollIntoViewIfNeeded()
    await shot(page, 'machine-candidates-phone')
  })
})
