/** What axe-core finds in a page: WCAG 2.2 A and AA, and its best practices. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { LOOKS, type Look } from './looks.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const DIALOG = '[role=dialog], [role=alertdialog]'

/** Fails with one line for each element and rule. @param name of what is looked at */
export async function axe(t: Test, page: Page, name: string): Promise<void> {
  // Injected once, into a document without frames: a blank page with a fresh axe is four times slower.
  const isThere = await page.evaluate("'axe' in window")
  const builder = new AxeBuilder(isThere ? { page, axeSource: ';' } : { page })
  builder
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .withTags(TAGS)
  // What is behind a dialog is hidden from everybody, and axe guesses by the pixels whether one is open.
  const { violations } = await ((await page.locator(DIALOG).count()) > 0 ? builder.include(DIALOG) : builder).analyze()
  const lines = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => {
      const [, why = ''] = failureSummary.split('\n')
      return `${id} (${help}): ${target.join(' ')}: ${why.trim()}`
    }),
  )
  t.strictSame(lines, [], `axe finds nothing in ${name}`)
}

/** One state of an English page, in each theme and in Arabic. They change in place, as the state is slow to reach. */
export async function axeInLooks(t: Test, page: Page, name: string): Promise<void> {
  for (const look of ['dark', 'contrast', 'arabic', 'light'] as const) {
    await wear(page, look)
    await axe(t, page, `${name}, ${look}`)
  }
}

/** Changes the theme and the language in place, on a desktop: a fresh page needs three seconds to open. */
export async function wear(page: Page, look: Look): Promise<void> {
  const { colorScheme = 'light', forcedColors = 'none', locale }: Worn = LOOKS[look]
  await page.emulateMedia({ colorScheme, forcedColors })
  // As another window of the browser that chose it.
  await page.evaluate(`localStorage.setItem('parlance.language', '${locale}'); dispatchEvent(new Event('storage'))`)
  await page.locator(`html[lang=${locale}]`).waitFor({ state: 'attached' })
  // After a change of the address, the next page may still load.
  await page.locator('h1').first().waitFor()
}

type Worn = { colorScheme?: 'light' | 'dark'; forcedColors?: 'active' | 'none'; locale: string }
