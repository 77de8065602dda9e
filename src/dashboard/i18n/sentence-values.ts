/** Values in sentences: numbers as their language writes them, names that hold their own direction. */
import type { FormatterModule, InterpolationOptions } from 'i18next'

/**
 * Replaces i18next's formatter: no text of the dashboard names a format. In Arabic, `b@example.com, de` would read
 * `de, b@example.com`: each name is in Unicode isolates. A phrase that has some is in order.
 */
export const SENTENCE_VALUES: FormatterModule = {
  type: 'formatter',
  init() {},
  add() {},
  addCached() {},
  format: (value, _format, language) =>
    typeof value === 'number'
      ? value.toLocaleString(language)
      : language === 'ar' && typeof value === 'string' && /^[^\u2069]+$/.test(value)
        ? `\u2068${value}\u2069`
        : value,
}

/** React escapes. */
export const INTERPOLATION: InterpolationOptions = { escapeValue: false, alwaysFormat: true }
