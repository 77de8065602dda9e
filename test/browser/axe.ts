/** What axe-core finds in a page: WCAG 2.2 A and AA, and its best practices. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { LOOKS, type Look } from './looks.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const DIALOG = '[role=dialog], [role=alertdialog]'

/** A page or a part of it that has not come yet. */
const LOADING = '[role=status] > span[aria-hidden]'

/**
 * Resolves once a page has its heading and nothing of it is loading, for five seconds at most. After a change of the
 * address, it may be.
 */
async function isThere(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  // Some tests look at what is there while it loads.
  await page
    .locator(LOADING)
    .first()
    .waitFor({ state: 'detached', timeout: 5000 })
    .catch(() => {})
}

/** Fails with one line for each element and rule. @param name of what is looked at */
export async function axe(t: Test, page: Page, name: string): Promise<void> {
  await isThere(page)
  // Injected once, into a document without frames: a blank page with a fresh axe is four times slower.
  const isInjected = await page.evaluate("'axe' in window")
  const builder = new AxeBuilder(isInjected ? { page, axeSource: ';' } : { page })
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
  await isThere(page)
}

type Worn = { colorScheme?: 'light' | 'dark'; forcedColors?: 'active' | 'none'; locale: string }
