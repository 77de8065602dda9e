/** Texts with one fault for each check. The glossary of the tests has the terms `cart` and `car`. */
import type { CheckKind } from '../../src/bundle/checks/check-settings.ts'

/** A source and a translation with one fault. */
export const FAULTS: Record<CheckKind, [source: string, target: string]> = {
  interpolation: ['Hi {{name}}', 'Hallo'],
  nesting: ['See $t(help)', 'Siehe'],
  tag: ['<b>Hi</b>', 'Hallo'],
  space: ['Total: ', 'Summe:'],
  control: ['Pay', 'Zah\u200blen'],
  length: ['Pay', 'Bezahlen'],
  term: ['Your carts', 'Dein Korb'],
  avoid: ['Your car', 'Dein Wagen'],
}
