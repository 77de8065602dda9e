/** The places where screen readers hear of what happened, and of where they are. */
import { useEffect, useState } from 'react'
import { onAnnouncement } from '../ui/announce.ts'

/** Mounted once at the start: a live region must exist before its words. */
export function Announcer() {
  const [said, setSaid] = useState({ sentence: '', times: 0 })
  const [page, setPage] = useState('')
  useEffect(() => onAnnouncement('moved', setPage), [])
  useEffect(() => onAnnouncement('said', sentence => setSaid(({ times }) => ({ sentence, times: times + 1 }))), [])
  // Screen readers repeat an equal sentence only if something in it differs.
  return (
    <>
      <div className="hidden" role="status" aria-live="polite">
        {page}
      </div>
      <div className="hidden" role="status" aria-live="polite">
        {said.sentence}
        {said.times % 2 === 0 ? '' : '\u00a0'}
      </div>
    </>
  )
}
