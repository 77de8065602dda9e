/** What every page of a signed-in reader stands in. */
import type { ReactNode } from 'react'
import { useViewer } from '../api/session.ts'
import { DraftsProvider } from '../drafts/use-drafts.tsx'
import { useLiveUpdates } from '../live/live.ts'
import { Frame } from './frame.tsx'

/** The reader's unsaved texts, what others change, and the frame. */
export default function SignedIn({ children }: { children: ReactNode }) {
  const { data: viewer } = useViewer()
  useLiveUpdates(viewer?.who?.organization.id)
  return (
    <DraftsProvider user={viewer?.user.id}>
      <Frame>{children}</Frame>
    </DraftsProvider>
  )
}
