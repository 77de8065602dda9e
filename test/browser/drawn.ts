/** Counts what React draws, by the hook that its developer tools have: the same on every machine. */
import type { Page } from 'playwright-core'

/** Components that ran again since the last look, and those that are new. */
export interface Drawn {
  again: number
  anew: number
}

/**
 * A fiber that has not been looked at in a commit is the child that it was before; of one that ran the flag says so
 * (`PerformedWork`). Tags: 0 function, 11 forwardRef, 14 and 15 memo.
 */
const HOOK = `
  window.drawn = { again: 0, anew: 0 }
  const isComponent = ({ tag }) => tag === 0 || tag === 11 || tag === 14 || tag === 15
  const visit = fiber => {
    const before = fiber.alternate
    if (isComponent(fiber) && !before) drawn.anew++
    else if (isComponent(fiber) && (fiber.flags & 1) !== 0) drawn.again++
    if (before && before.child === fiber.child) return
    for (let child = fiber.child; child; child = child.sibling) visit(child)
  }
  window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: (id, root) => visit(root.current),
    onCommitFiberUnmount() {},
    onPostCommitFiberRoot() {},
  }
`

/** Reloads and counts from then on. */
export async function countDrawn(page: Page): Promise<void> {
  await page.addInitScript(HOOK)
  await page.reload()
  await page.locator('h1').first().waitFor()
}

/** What was drawn since the last call. */
export const drawnSince = (page: Page): Promise<Drawn> =>
  page.evaluate('(() => { const was = drawn; window.drawn = { again: 0, anew: 0 }; return was })()')
