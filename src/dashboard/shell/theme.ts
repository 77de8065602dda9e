/** Light, dark or as the system is. */

const CHOICE = 'parlance.theme'

/** `system` follows the browser's setting. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** The theme that was chosen in this browser. */
export const themeHere = (): Theme => THEMES.find(theme => theme === localStorage.getItem(CHOICE)) ?? 'system'

/** Shows a theme now and at the next visits. */
export function setTheme(theme: Theme): void {
  localStorage.setItem(CHOICE, theme)
  showTheme()
}

/** Applies the chosen theme. */
export function showTheme(): void {
  const theme = themeHere()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
