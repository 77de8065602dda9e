/** What stands in the place of a page that broke, or a part of which could not be loaded. */
import { Component, type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { answer } from '../api/answer.ts'
import { getLive } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/state.tsx'
import { useReached } from './use-reached.ts'

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
 * A server that was upgraded meanwhile no longer has the parts of the page that is open; those of a new one it has. A part
 * that did not come as the line was down is asked for once it is back: the browser keeps that it failed, so all is loaded anew.
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
