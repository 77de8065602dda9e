/** The checks of a text beside its source, one row each. */
import type { CheckKind } from './check-settings.ts'
import { differentControls } from './different-controls.ts'
import { differentSpace } from './different-space.ts'
import type { TextDifference } from './text-difference.ts'

/** A check of one text or form, in linear time. @param language of the translation, BCP 47 */
export type TextCheck = (source: string, target: string, language: string) => TextDifference | undefined

export const TEXT_CHECKS: readonly (readonly [kind: CheckKind, check: TextCheck])[] = [
  ['space', differentSpace],
  ['control', differentControls],
]
