/** The looks of each page: themes, a phone, other scripts. */
import type { BrowserContextOptions } from 'playwright-core'

const wide = { viewport: { width: 1280, height: 800 }, locale: 'en' }

/** The browser's settings that a page can read. */
export const LOOKS = {
  light: { ...wide, colorScheme: 'light' },
  dark: { ...wide, colorScheme: 'dark' },
  contrast: { ...wide, forcedColors: 'active' },
  phone: { ...wide, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  arabic: { ...wide, locale: 'ar' },
  japanese: { ...wide, locale: 'ja' },
} as const satisfies Record<string, BrowserContextOptions>

/** The name of one of {@link LOOKS}. */
export type Look = keyof typeof LOOKS
