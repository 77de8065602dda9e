/** The props and the handle of an editor field, for both kinds of field. */
import type { FocusEvent, KeyboardEvent, Ref } from 'react'
import type { Interpolation } from '../../../bundle/placeholders.ts'

/** The handle of a field. */
export interface TranslationFieldHandle {
  focus(): void
  /** Inserts at the caret, or where it last was, as if typed: it can be undone. */
  insert(text: string): void
  /** Replaces the whole text, as typing does. */
  replaceAll(text: string): void
  /** The current text. */
  readonly text: string
}

/** Of a field of the editor. */
export interface TranslationFieldProps {
  /**
   * The text from outside. Typed text need not return through it. A change is shown, but never over a focused field
   * with typed text.
   */
  value: string
  /** Hears of each change but those within the composition of an input method. */
  onInput(text: string): void
  /** BCP 47, of the text: for spelling, fonts, direction. */
  language: string
  /** The accessible name of the field. */
  label: string
  /** The id of what explains it: its checks. */
  describedBy?: string | undefined
  invalid?: boolean | undefined
  /** It can be focused and copied from. */
  isReadOnly?: boolean | undefined
  /**
   * The placeholders of the source, as `placeholdersOf` returns them; others are marked as unknown. Undefined marks
   * none.
   */
  placeholders?: readonly string[] | undefined
  /** Of the project, where it has its own. */
  interpolation?: Interpolation | undefined
  /** Whether characters without a look of their own are shown; they are by default. */
  showInvisible?: boolean | undefined
  tabIndex?: number | undefined
  onKeyDown?: ((event: KeyboardEvent<HTMLElement>) => void) | undefined
  onFocus?: ((event: FocusEvent<HTMLElement>) => void) | undefined
  onBlur?: ((event: FocusEvent<HTMLElement>) => void) | undefined
  ref?: Ref<TranslationFieldHandle> | undefined
}
