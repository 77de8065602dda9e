/** The providers around every page of a signed-in reader. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { useViewer, VIEWER } from '../api/session.ts'
import { DraftsProvider } from '../drafts/use-drafts.tsx'
import { useFollowRenames } from '../drafts/use-follow-renames.ts'
import { useLive, useLiveUpdates } from '../live/live.ts'
import { loadWhenIdle } from '../ui/late.tsx'
import { Frame } from './frame.tsx'

/** The reader's unsaved texts, live events, and the frame. */
export default function SignedIn({ children }: { children: ReactNode }) {
  const { data: viewer, error } = useViewer()
  const client = useQueryClient()
  // The session has ended. The next session listens again.
  const ended = error !== null
  useLiveUpdates(ended ? undefined : viewer?.who?.organization.id)
  const live = useLive()
  useEffect(() => {
    // The server refused this reader: ask for the user and the organization again.
    if (live === 'ended') void client.invalidateQueries({ queryKey: VIEWER })
  }, [live, client])
  // A page is ready when its heading is rendered.
  useEffect(() => loadWhenIdle(() => client.isFetching() > 0 || document.querySelector('h1') === null), [client])
  return (
    <DraftsProvider user={viewer?.user.id}>
      <Follow />
      <Frame>{children}</Frame>
    </DraftsProvider>
  )
}

/** A component of its own: it needs the drafts. */
const Follow = () => {
  useFollowRenames()
  return null
}
