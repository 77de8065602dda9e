/** What a machine costs, in words. */
import { isolated } from './isolated.tsx'

/**
 * An amount in a currency or in characters.
 * @param unit ISO 4217, or `characters` @param characters a sentence for a number of characters
 */
export function costWords(amount: number, unit: string, language: string, characters: (count: number) => string) {
  if (unit === 'characters') return characters(amount)
  // A part of a cent is no nothing.
  const digits = amount > 0 && amount < 0.01 ? { maximumSignificantDigits: 1 } : {}
  // In Arabic, a dollar sign would leave its `US`.
  return isolated(new Intl.NumberFormat(language, { style: 'currency', currency: unit, ...digits }).format(amount))
}

/** Phrases in a row. */
export const listed = (phrases: readonly string[], language: string): string =>
  new Intl.ListFormat(language, { type: 'unit', style: 'short' }).format(phrases)
