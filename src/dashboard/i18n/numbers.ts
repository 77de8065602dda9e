/** Numbers in sentences, which are written as in their language. */
import type { FormatterModule, InterpolationOptions } from 'i18next'

/** Replaces i18next's formatter: no text of the dashboard names a format. */
export const NUMBERS: FormatterModule = {
  type: 'formatter',
  init() {},
  add() {},
  addCached() {},
  format: (value, _format, language) => (typeof value === 'number' ? value.toLocaleString(language) : value),
}

/** React escapes. */
export const INTERPOLATION: InterpolationOptions = { escapeValue: false, alwaysFormat: true }
