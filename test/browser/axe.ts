/** What axe-core finds in a page: WCAG 2.2 A and AA, and its best practices. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const DIALOG = '[role=dialog], [role=alertdialog]'

/** Fails with one line for each element and rule. @param name of what is looked at */
export async function axe(t: Test, page: Page, name: string): Promise<void> {
  const builder = new AxeBuilder({ page }).withTags(TAGS)
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
