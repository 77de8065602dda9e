/** What surrounds the whole dashboard: the theme, the live regions, and the boundary for pages that crash. */
import { Component, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { answer } from '../api/answer.ts'
import { getLive } from '../api/client.ts'
import { useReached } from '../api/queries.ts'
import { onAnnouncement } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Page } from '../ui/page.tsx'

const CHOICE = 'parlance.theme'

/** `system` follows the browser's setting. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const themeHere = (): Theme => THEMES.find(theme => theme === localStorage.getItem(CHOICE)) ?? 'system'

/** Shows a theme now and at the next visits. */
export function setTheme(theme: Theme): void {
  localStorage.setItem(CHOICE, theme)
  showTheme()
}

export function showTheme(): void {
  const theme = themeHere()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

/** The live regions of screen readers. Mounted once at the start: a region must exist before its words. */
export function Announcer() {
  const [said, setSaid] = useState({ sentence: '', times: 0 })
  const [page, setPage] = useState('')
  useEffect(() => onAnnouncement('moved', setPage), [])
  useEffect(() => onAnnouncement('said', sentence => setSaid(({ times }) => ({ sentence, times: times + 1 }))), [])
  return (
    <>
      <div className="hidden" role="status" aria-live="polite">
        {page}
      </div>
      <div className="hidden" role="status" aria-live="polite">
        {said.sentence}
        {/* Screen readers repeat an equal sentence only if something in it differs. */}
        {said.times % 2 === 0 ? '' : '\u00a0'}
      </div>
    </>
  )
}

interface BoundaryProps {
  path: string
  children: ReactNode
}

class Boundary extends Component<BoundaryProps, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError = () => ({ isBroken: true })

  override componentDidUpdate({ path }: BoundaryProps): void {
    // Another page may be whole.
    if (this.state.isBroken && path !== this.props.path) this.setState({ isBroken: false })
  }

  override render(): ReactNode {
    return this.state.isBroken ? <Broken /> : this.props.children
  }
}

/**
 * Replaces a page that crashed or failed to load. After an upgrade of the server, chunks of the open dashboard are
 * missing there. The browser also caches the failure of a chunk that failed while offline. Both cases need a reload.
 */
function Broken() {
  const { t } = useTranslation()
  const reached = useReached()
  const wasGone = useRef(false)
  useEffect(() => void answer(getLive()).catch(() => {}), [])
  useEffect(() => {
    if (!reached) wasGone.current = true
    else if (wasGone.current) location.reload()
  }, [reached])
  return (
    <Page title={t('notShown')}>
      <Empty action={reached && <Button onPress={() => location.reload()}>{t('tryAgain')}</Button>}>
        {t(reached ? 'unknownProblem' : 'offlineProblem')}
      </Empty>
    </Page>
  )
}

/** Around pages: the frame stays, and with it the ways to the others. */
export function BrokenPages({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  return <Boundary path={path}>{children}</Boundary>
}
