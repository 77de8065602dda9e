/** The field for a translation; a `<textarea>` where the browser cannot highlight. */
import { AreaField } from './area-field.tsx'
import type { TranslationFieldProps } from './field-props.ts'
import { canHighlight } from './highlights.ts'
import { PlainField } from './plain-field.tsx'

let highlights: boolean | undefined

/** See the top of the file. */
export function TranslationField(props: TranslationFieldProps) {
  highlights ??= canHighlight()
  return highlights ? <PlainField {...props} /> : <AreaField {...props} />
}
