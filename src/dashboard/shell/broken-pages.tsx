/** Replaces a page that crashed or failed to load. */
import { Component, type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { answer } from '../api/answer.ts'
import { getLive } from '../api/client.ts'
import { useReached } from '../api/use-reached.ts'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/state.tsx'

interface Props {
  path: string
  children: ReactNode
}

class Boundary extends Component<Props, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError = () => ({ isBroken: true })

  override componentDidUpdate({ path }: Props): void {
    // Another page may be whole.
    if (this.state.isBroken && path !== this.props.path) this.setState({ isBroken: false })
  }

  override render(): ReactNode {
    return this.state.isBroken ? <Broken /> : this.props.children
  }
}

/**
 * After an upgrade of the server, chunks of the open dashboard are missing there. The browser also caches the failure
 * of a chunk that failed while offline. Both cases need a reload.
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
