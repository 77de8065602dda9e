/** The history of a key, which loads when it is asked for. */
import { Suspense } from 'react'
import { KeyHistory } from '../../history/key-history.tsx'
import { scrollIntoViewNow } from '../../ui/focus.ts'
import { Loading } from '../../ui/state.tsx'

interface Props {
  of: { slug: string; language: string; namespace: string; key: string }
  onClose: () => void
}

/** Its texts load later than the editor's. The editor stays as it is meanwhile. */
export default function KeyRevisions({ of }: Props) {
  return (
    <div ref={scrollIntoViewNow}>
      <Suspense fallback={<Loading />}>
        <KeyHistory of={of} />
      </Suspense>
    </div>
  )
}
