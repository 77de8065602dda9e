/** Screenshots for people, in a folder that git ignores: `SHOTS=1 npm run test:browser`. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const folder = join(import.meta.dirname, '../../.shots')

/** Saves a full-page picture as `.shots/<name>.png`; without SHOTS it does nothing, as each needs half a second. */
export async function shot(page: Page, name: string): Promise<void> {
  if (!process.env.SHOTS) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
