/** What stands below a field and loads after it. */
import { memo, Suspense } from 'react'
import { late } from '../ui/late.tsx'
import { useWasIdle } from './idle.ts'

const FieldExtras = late(() => import('./field-extras.tsx'), 'silent')

/** Nothing until the browser was idle. */
export const UnderField = memo<Parameters<typeof FieldExtras>[0]>(props =>
  useWasIdle() ? (
    <Suspense fallback={null}>
      <FieldExtras {...props} />
    </Suspense>
  ) : null,
)
