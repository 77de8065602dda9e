/** The history of a key, which loads when it is asked for. */
import { Suspense } from 'react'
import { KeyHistory } from '../../history/key-history.tsx'
import { scrollIntoViewNow } from '../../ui/focus.ts'
import { Loading } from '../../ui/page.tsx'
import type { KeyAddress } from '../model/rows.ts'

/** Its texts load later than the editor's. The editor stays as it is meanwhile. */
export default function KeyRevisions({ of }: { of: KeyAddress; onClose: () => void }) {
  return (
    <div ref={scrollIntoViewNow}>
      <Suspense fallback={<Loading />}>
        <KeyHistory of={of} />
      </Suspense>
    </div>
  )
}
