/** What axe-core finds in a page: WCAG 2.2 A and AA, and its best practices. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Fails with one line for each element and rule. @param name of what is looked at */
export async function axe(t: Test, page: Page, name: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze()
  const lines = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => {
      const [, why = ''] = failureSummary.split('\n')
      return `${id} (${help}): ${target.join(' ')}: ${why.trim()}`
    }),
  )
  t.strictSame(lines, [], `axe finds nothing in ${name}`)
}
