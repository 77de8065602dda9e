/** The field of the editor's open row, of one text. */
import type { Page } from 'playwright-core'

export const fieldOf = (page: Page) => page.getByRole('textbox').and(page.locator('[contenteditable]'))

export const rowOf = (page: Page) => page.getByRole('row').filter({ has: fieldOf(page) })

/** At its end. */
export async function typeIn(page: Page, text: string): Promise<void> {
  await fieldOf(page).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(text)
}
